"""Runs of a population on disk: what is decided and learned is what the same people in memory decide and learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest

import rogue_bandits as rb
from rogue_bandits.online.personal import leaves
from rogue_bandits.partitions import bandit_of, create, people, put_back, run, status
from rogue_bandits.partitions.layout import Folder, read_manifest
from rogue_bandits.partitions.people import marks_of
from tests.partitions.nights import ARMS, PEOPLE, POLICY, ROGUE, bits, contents, decided, everybody, rewards_table


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    create(tmp_path / "population", ARMS, POLICY, PEOPLE, seed=5, partition_size=6)
    return tmp_path / "population"


def test_partitions_hold_everybody_once(folder: Path) -> None:
    now = status(folder)
    assert (now.manifest.people, now.manifest.partitions, now.missing, now.running) == (PEOPLE, 5, (), "")
    assert everybody(folder)[0] == list(range(PEOPLE))


@pytest.mark.parametrize("policy", [POLICY, ROGUE[0]])
def test_nights_equal_those_of_people_in_memory_bit_for_bit(tmp_path: Path, policy: Any) -> None:
    """With rewards that come late, in any order or never, and arms that are not available."""
    folder, random = tmp_path / "population", np.random.default_rng(2)
    create(folder, ARMS, policy, PEOPLE, seed=5, partition_size=6, late=3)
    twin = rb.Population(ARMS, policy, PEOPLE, seed=5)
    made: list[rb.Decisions] = []
    owed: dict[int, list[tuple[int, int, float]]] = {}
    for night in range(7):
        today = sorted(owed.pop(night, []))
        for person, number, reward in today:
            decision = next(d for d in made if number in d.number[d.person == person])
            twin.update(decision.at((decision.person == person) & (decision.number == number)), [reward])
        shuffled = [today[i] for i in random.permutation(len(today))]
        table = rewards_table(tmp_path / f"{night}.parquet", *map(list, zip(*shuffled, strict=True))) if today else None
        mask = random.random((PEOPLE, 2)) < 0.8
        listed = {"person": np.arange(PEOPLE), "walk": mask[:, 0], "sleep": mask[:, 1]}
        pq.write_table(pa.table(listed), tmp_path / "available.parquet")
        report = run(folder, table, tmp_path / "available.parquet", name=f"night {night}")
        assert (report.learned, report.refused, report.version) == (len(today), {}, night + 1)
        some = np.flatnonzero(mask.any(axis=1))
        made.append(twin.choose(some, mask[some]))
        twin.rest(np.flatnonzero(~mask.any(axis=1)))
        found = decided(folder, night + 1)
        arms = [None if name is None else ["walk", "sleep"].index(name) for name in found["arm"]]
        assert [arm for arm in arms if arm is not None] == made[-1].arm.tolist()
        assert [p for p in found["probability of sleep"] if p is not None] == made[-1].probabilities[:, 1].tolist()
        for row, person in enumerate(some.tolist()):
            when = night + 1 + int(random.integers(0, 3))
            if random.random() < 0.8:
                number = int(made[-1].number[row])
                owed.setdefault(when, []).append((person, number, float(random.integers(0, 2))))
    for old in made[:-3]:  # what is no longer awaited: tell the twin that it never will come
        for row in range(len(old.person)):
            if (twin._online.session.pending.number[old.person[row]] == old.number[row] + 1).any():
                twin.update(old.at(row), [np.nan])
    run(folder, name="last")
    twin.choose()
    found = everybody(folder)[1]
    state = list(leaves(twin._online.state.personal))
    for mine, other in zip(found, [*state, *twin._online.session[:3]], strict=False):
        assert np.array_equal(bits(mine), bits(other))
    pending = found[len(state) + 3]
    for person in range(PEOPLE):  # in whatever slots
        assert set(pending[person]) - {0} == set(twin._online.session.pending.number[person]) - {0}


def test_the_same_input_twice_changes_nothing(folder: Path, tmp_path: Path) -> None:
    run(folder, name="first")
    table = rewards_table(tmp_path / "r.parquet", list(range(PEOPLE)), [0] * PEOPLE, [1.0] * PEOPLE)
    assert run(folder, table).learned == PEOPLE
    before = contents(folder)
    again = run(folder, table)
    assert again.already
    assert again.version == 2
    assert contents(folder) == before


def test_a_name_that_was_used_is_refused_with_other_input(folder: Path, tmp_path: Path) -> None:
    run(folder, name="first")
    table = rewards_table(tmp_path / "r.parquet", [1], [0], [1.0])
    with pytest.raises(ValueError, match="run 'first' was made, as version 1, with other input"):
        run(folder, table, name="first")


def test_a_dry_run_writes_nothing_and_counts(folder: Path, tmp_path: Path) -> None:
    run(folder, name="first")
    table = rewards_table(tmp_path / "r.parquet", [1, 2, 99], [0, 0, 0], [1.0, 0.0, 1.0])
    before = contents(folder)
    report = run(folder, table, dry_run=True)
    assert (report.decided, report.learned, report.refused) == (PEOPLE, 2, {"unknown person": 1})
    assert contents(folder) == before
    left = folder / "runs" / ".writing-left" / "rewards"  # of a dry run that was killed
    left.mkdir(parents=True)
    (left / "chunk-00000.arrow").touch()
    run(folder, table)
    assert [path.name for path in (folder / "runs").iterdir() if path.name.startswith(".")] == []


def test_rewards_that_cannot_be_learned_are_counted_and_listed(folder: Path, tmp_path: Path) -> None:
    run(folder, name="first")
    rows = [(99, 0, 1.0), (1, 0, 1.0), (1, 0, 1.0), (2, 0, 1.0), (2, 0, 0.0), (3, 7, 1.0), (4, 0, 0.5), (5, 0, None)]
    table = rewards_table(tmp_path / "r.parquet", *map(list, zip(*rows, strict=True)))
    report = run(folder, table)
    assert report.refused == {"unknown person": 1, "two rewards": 2, "awaits no reward": 1, "not a reward": 1}
    assert (report.learned, report.repeated) == (2, 1)  # of person 1, and that of person 5, which will never be seen
    listed = csv.read_csv(folder / "runs" / "v000002" / "refused.csv").sort_by("person").to_pydict()
    assert listed["person"] == [2, 2, 3, 4, 99]
    assert listed["reason"] == ["two rewards", "two rewards", "awaits no reward", "not a reward", "unknown person"]
    later = rewards_table(tmp_path / "again.parquet", [1, 5], [0, 0], [1.0, 1.0])
    assert run(folder, later).refused == {"awaits no reward": 2}


def test_rewards_without_a_plausible_decision_number_are_refused(folder: Path, tmp_path: Path) -> None:
    """Also where a slot is free: person 3 has been given their reward."""
    run(folder, name="first")
    run(folder, rewards_table(tmp_path / "3.parquet", [3], [0], [1.0]), name="second")
    huge, least = 2**63 - 1, -(2**63)
    rows = [(3, None), (3, None), (1, -1), (1, least), (2, huge), (6, huge), (7, 0), (7, 1), (8, 0)]
    table = rewards_table(tmp_path / "r.parquet", [who for who, _ in rows], [n for _, n in rows], [1.0] * len(rows))
    report = run(folder, table)
    assert report.refused == {"no decision number": 4, "awaits no reward": 2}
    assert (report.learned, report.repeated) == (3, 0)
    listed = csv.read_csv(folder / "runs" / "v000003" / "refused.csv").sort_by("person").to_pydict()
    assert listed["person"] == [1, 1, 2, 3, 3, 6]
    assert listed["decision"][2:] == [huge, None, None, huge]
    twin = rb.Population(ARMS, POLICY, PEOPLE, seed=5)
    first = twin.choose()
    twin.update(first.at([3]), [1.0])
    second = twin.choose()
    twin.update(first.at([7, 8]), [1.0, 1.0])
    twin.update(second.at([7]), [1.0])
    twin.choose()
    for who in (1, 2, 3, 6, 7, 8):
        assert bandit_of(folder, who).to_bytes() == twin.to_bytes(who)


@pytest.mark.parametrize("gamma", [1, np.float64(0.9)])
def test_settings_may_be_written_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gamma: Any) -> None:
    """population.json has numbers as JSON has them. Marks of earlier releases were of the settings as written."""
    folder = tmp_path / "population"
    create(folder, ARMS, rb.DUCB(gamma=gamma), people=2, seed=5)
    saved = bandit_of(folder, 1).to_bytes()
    assert saved == rb.Population(ARMS, rb.DUCB(gamma=float(gamma)), 2, seed=5).to_bytes(1)
    new, old = marks_of(read_manifest(Folder(folder)))
    monkeypatch.setattr(people, "marks_of", lambda _: [old, new])
    put_back(folder, 1, rb.Bandit.from_bytes(saved, ARMS, rb.DUCB(gamma=float(gamma))), version=0)
    monkeypatch.undo()
    assert (new == old) == isinstance(gamma, float)
    assert bandit_of(folder, 1).to_bytes() == saved
    run(folder)
    assert bandit_of(folder, 1).number == 1


def test_availability_of_unknown_people_is_counted_and_listed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "available.csv").write_text("person,walk,sleep\n1,true,false\n99,true,false\n98,true,true\n")
    report = run(folder, available=tmp_path / "available.csv", name="first")
    assert report.refused == {"availability of an unknown person": 2}
    listed = csv.read_csv(folder / "runs" / "v000001" / "refused.csv").to_pydict()
    assert sorted(listed["person"]) == [98, 99]
    assert decided(folder, 1)["arm"][1] == "walk"


def test_csv_tables_and_text_ids(tmp_path: Path) -> None:
    names = [f"p{k}" for k in range(PEOPLE)]
    (tmp_path / "ids.csv").write_text("person,age\n" + "".join(f"{name},40\n" for name in names))
    create(tmp_path / "text", ARMS, POLICY, ids=tmp_path / "ids.csv", seed=5, partition_size=6)
    create(tmp_path / "numbers", ARMS, POLICY, PEOPLE, seed=5, partition_size=6)
    for folder, ids in ((tmp_path / "text", names), (tmp_path / "numbers", list(range(PEOPLE)))):
        run(folder, name="first")
        table = f"{folder}.csv"
        Path(table).write_text("decision,person,reward\n" + "".join(f"0,{who},1\n" for who in ids[3:]))
        assert run(folder, table).learned == PEOPLE - 3
    text, numbers = decided(tmp_path / "text", 2), decided(tmp_path / "numbers", 2)
    by_name = dict(zip(text["person"], text["arm"], strict=True))
    assert [by_name[name] for name in names] == numbers["arm"]


def test_one_person_is_taken_out_and_put_back(folder: Path) -> None:
    run(folder, name="first")
    bandit, twin = bandit_of(folder, 7), bandit_of(folder, 7)
    for _ in range(3):
        made = bandit.choose()
        assert made == twin.choose()
        bandit.update(made, 1.0)
        twin.update(made, 1.0)
    put_back(folder, 7, bandit)
    assert bandit_of(folder, 7).to_bytes() == twin.to_bytes()
    run(folder, name="second")
    found = decided(folder, 2)
    assert found["decision"][7] == 4
    assert ["walk", "sleep"].index(found["arm"][7]) == twin.choose().arm
    with pytest.raises(ValueError, match="person 99 is not in"):
        bandit_of(folder, 99)
    with pytest.raises(TypeError, match="must be a whole number"):
        bandit_of(folder, "ann")


def test_a_person_who_has_changed_since_is_not_replaced(folder: Path) -> None:
    run(folder, name="first")
    bandit, other, saved = (bandit_of(folder, 7) for _ in range(3))
    for _ in range(3):  # so that it is ahead of the night that follows
        bandit.choose()
    snapshot = rb.Bandit.from_bytes(bandit.to_bytes(), ARMS, POLICY)
    with pytest.raises(ValueError, match="say the version of the population"):
        put_back(folder, 7, snapshot)
    put_back(folder, 7, bandit)
    with pytest.raises(ValueError, match=r"next decision is 4, in version 1, and that of this Bandit is 1\. Take them"):
        put_back(folder, 7, other)
    with pytest.raises(ValueError, match="next decision is 4, in version 1"):
        put_back(folder, 7, saved, version=1)
    put_back(folder, 12, _with_many_pending(bandit_of(folder, 12)))  # of the same partition
    bandit.choose()
    put_back(folder, 7, bandit)
    run(folder, name="second")
    before = contents(folder)
    for _ in range(3):
        bandit.choose()
    with pytest.raises(ValueError, match="next decision is 6, in version 2, and that of this Bandit is 8"):
        put_back(folder, 7, bandit)
    with pytest.raises(ValueError, match="version 1 must be 2"):
        put_back(folder, 7, snapshot, version=1)
    with pytest.raises(ValueError, match="is not as they were when they were taken out"):
        put_back(folder, 8, bandit_of(folder, 7))
    assert contents(folder) == before


def _with_many_pending(bandit: rb.Bandit) -> rb.Bandit:
    for _ in range(9):
        bandit.choose()
    return bandit


def test_a_past_can_be_simulated(tmp_path: Path) -> None:
    for name in ("one", "other"):
        create(tmp_path / name, ARMS, POLICY, PEOPLE, seed=5, partition_size=6, decisions=4)
    assert contents(tmp_path / "one") == contents(tmp_path / "other")
    report = run(tmp_path / "one", tmp_path / "one" / "simulated" / "rewards")
    assert (report.learned, report.refused) == (PEOPLE, {})
    assert decided(tmp_path / "one", 1)["decision"] == [5] * PEOPLE


def test_what_create_refuses(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(ValueError, match="is not empty"):
        create(folder, ARMS, POLICY, 3)
    (tmp_path / "ids.csv").write_text("person\n1\n2\n1\n")
    with pytest.raises(ValueError, match=r"must list everybody once, and has more than once: '1'$"):
        create(tmp_path / "new", ARMS, POLICY, ids=tmp_path / "ids.csv")
    (tmp_path / "ids.csv").write_text("person\n" + "".join(f"p{k % 7}\n" for k in range(20)))
    with pytest.raises(ValueError, match=r"'p0', 'p1', 'p2', 'p3', 'p4' and 2 more$"):
        create(tmp_path / "new", ARMS, POLICY, ids=tmp_path / "ids.csv")
    with pytest.raises(ValueError, match=r"has no population\.json"):
        run(tmp_path)
