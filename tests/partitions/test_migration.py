"""Another set of arms: what is known of arms that stay is kept bit for bit, and others begin afresh."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.online.personal import leaves
from rogue_bandits.partitions import abandon, create, migrate, run, status
from rogue_bandits.partitions.atomic import write_durable
from tests.matrix import pairs_of
from tests.partitions.nights import ARMS, PEOPLE, POLICY, ROGUE, bits, contents, decided, everybody, rewards_table

WALK, SLEEP = ARMS
EAT = WALK._replace(name="eat")
STEEP = rb.Arm(
    rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(2.0, 1.5), name="steep"
)  # more nodes than the others


Lived = Callable[[Any], Path]


@pytest.fixture
def lived(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Lived:
    """Return a copy of the population of a policy, which lives once."""

    def copied(policy: Any) -> Path:
        place = tmp_path_factory.getbasetemp() / f"lived-{type(policy).__name__}"
        if not place.exists():
            place.mkdir()
            live(place / "population", policy)
        return Path(shutil.copytree(place / "population", tmp_path / "population"))

    return copied


def live(folder: Path, policy: Any) -> Path:
    """A population that has decided three times, learned two nights and awaits rewards."""
    create(folder, ARMS, policy, PEOPLE, seed=5, partition_size=6)
    for night in range(3):
        reward = [float((person + night) % 2) for person in range(PEOPLE)]
        table = rewards_table(folder.with_name(f"{night}.parquet"), list(range(PEOPLE)), [night - 1] * PEOPLE, reward)
        run(folder, table if night else None, name=f"night {night}")
    return folder


@pytest.mark.parametrize(
    ("policy", "new"),
    pairs_of([POLICY, rb.UCB1Tuned(), *ROGUE], [[EAT, SLEEP, WALK], [SLEEP], [STEEP, WALK]], 2),
)
def test_arms_that_stay_keep_their_evidence_and_others_begin_afresh(
    lived: Lived, policy: Any, new: list[rb.Arm]
) -> None:
    folder = lived(policy)
    before = everybody(folder)[1]
    done = migrate(folder, new)
    assert (set(done.kept), done.people, done.version) == ({"walk", "sleep"} & {a.name for a in new}, PEOPLE, 4)
    after = everybody(folder)[1]
    fresh = list(leaves(rb.Population(new, policy, PEOPLE, seed=5).arrays))
    personal = len(fresh) - 7  # the last are of the session: numbers, tokens, streams and four of pending decisions
    for old, found, first in zip(before[:personal], after[:personal], fresh[:personal], strict=True):
        for k, arm in enumerate(new if found.ndim > 1 else []):
            source = old[:, ARMS.index(arm)] if arm in ARMS else first[:, k]
            same = tuple(slice(0, min(a, b)) for a, b in zip(source.shape[1:], found.shape[2:], strict=True))
            assert np.array_equal(bits(found[:, k][:, *same]), bits(source[:, *same]))
    assert np.array_equal(after[personal], before[personal])  # decision numbers
    assert run(folder, name="after").decided == PEOPLE
    assert set(decided(folder, 5)["arm"]) <= {arm.name for arm in new}


@pytest.mark.parametrize("policy", ROGUE)
def test_an_arm_that_was_there_decides_as_if_nothing_had_changed(tmp_path: Path, lived: Lived, policy: Any) -> None:
    """An arm is added, dropped before it was played, and the population is the one that never had it."""
    folder = lived(policy)
    twin = tmp_path / "twin"
    shutil.copytree(folder, twin)
    migrate(folder, [EAT, SLEEP, WALK])
    migrate(folder, ARMS)
    assert run(folder, name="after").version == 6
    run(twin, name="after")
    for one, other in zip(everybody(folder)[1], everybody(twin)[1], strict=True):
        assert np.array_equal(bits(one), bits(other))
    found, expected = decided(folder, 6), decided(twin, 4)
    assert found["arm"] == expected["arm"]
    assert found["probability"] == expected["probability"]


def test_rewards_of_arms_that_stay_are_learned_and_those_of_dropped_arms_refused(tmp_path: Path, lived: Lived) -> None:
    folder = lived(POLICY)
    arms = decided(folder, 3)["arm"]
    done = migrate(folder, [EAT, SLEEP])
    awaited = arms.count("walk")
    assert 0 < done.given_up == awaited < PEOPLE
    table = rewards_table(tmp_path / "late.parquet", list(range(PEOPLE)), [2] * PEOPLE, [1.0] * PEOPLE)
    report = run(folder, table)
    assert (report.learned, report.refused) == (PEOPLE - awaited, {"awaits no reward": awaited})


def test_a_migration_that_was_stopped_continues_and_a_dry_one_writes_nothing(
    tmp_path: Path, lived: Lived, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = lived(POLICY)
    whole = tmp_path / "whole"
    shutil.copytree(folder, whole)
    start = contents(folder)
    assert migrate(folder, [EAT, SLEEP], dry_run=True).people == PEOPLE
    assert contents(folder) == start
    migrated = migrate(whole, [EAT, SLEEP])
    for last in range(12):  # what says that it was begun, two files for each of five partitions, the manifest
        stopped, written = tmp_path / f"stopped {last}", 0
        shutil.copytree(folder, stopped)

        def until_stopped(path: Path, content: Any, last: int = last) -> None:
            nonlocal written
            if written == last:
                raise KeyboardInterrupt
            written += 1
            write_durable(path, content)

        with monkeypatch.context() as patch:
            for module in ("people", "versions", "layout"):
                patch.setattr(f"rogue_bandits.partitions.{module}.write_durable", until_stopped)
            with pytest.raises(KeyboardInterrupt):
                migrate(stopped, [EAT, SLEEP])
        assert status(stopped).manifest.version == 3
        if last:
            with pytest.raises(ValueError, match=r"run 'new arms, version 4' of .* is not complete"):
                run(stopped, name="between")
        if last == 6:
            assert abandon(stopped) == "new arms, version 4"
            assert contents(stopped) == start
        assert migrate(stopped, [EAT, SLEEP]) == migrated
        assert contents(stopped) == contents(whole)
    assert migrate(whole, [EAT, SLEEP]).already


@pytest.mark.verify
def test_processes_migrate_as_one_does(tmp_path: Path, lived: Lived) -> None:
    folder = lived(POLICY)
    shutil.copytree(folder, tmp_path / "twin")
    migrate(folder, [EAT, SLEEP])
    migrate(tmp_path / "twin", [EAT, SLEEP], workers=2)
    assert contents(folder) == contents(tmp_path / "twin")


def test_a_damaged_partition_is_named_and_the_migration_waits_for_it(lived: Lived) -> None:
    folder = lived(POLICY)
    path = folder / "people" / "v000003" / "part-00002.parquet"
    content = path.read_bytes()
    path.write_bytes(b"nothing")
    done = migrate(folder, [EAT, SLEEP])
    assert "partition part-00002" in done.damaged[0]
    assert status(folder).manifest.version == 3
    path.write_bytes(content)
    assert migrate(folder, [EAT, SLEEP]).people == PEOPLE
    assert status(folder).manifest.arm_names == ("eat", "sleep")


@pytest.mark.parametrize(
    ("arms", "policy", "message"),
    [
        (
            [WALK._replace(theta_hi=0.9), SLEEP],
            POLICY,
            "arm 'walk' was .* and would be .* Give the changed arm another",
        ),
        ([WALK, WALK], POLICY, "the arms of the model are named 'walk', 'walk'"),
        ([WALK._replace(name="")], POLICY, "each must have its own name"),
        ([WALK, EAT], rb.RoundRobin(), "RoundRobinPersonal, what this policy knows of people, is not kept arm by arm"),
    ],
)
def test_what_is_refused(tmp_path: Path, arms: list[rb.Arm], policy: Any, message: str) -> None:
    folder = tmp_path / "population"
    create(folder, ARMS, policy, PEOPLE, seed=5, partition_size=6)
    before = contents(folder)
    with pytest.raises(ValueError, match=message):
        migrate(folder, arms)
    assert contents(folder) == before
