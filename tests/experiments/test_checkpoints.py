"""Results on disk: found when they are these, computed again when they are not, never half written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rogue_bandits import checkpoint as module
from rogue_bandits.checkpoint import write_atomic
from rogue_bandits.experiments.checkpoints import Found, look_up, path_of, stamp, store
from rogue_bandits.experiments.experiment import Experiment
from rogue_bandits.experiments.logistic import EXPERIMENT
from rogue_bandits.experiments.logistic.settings import TABLE_1, LogisticSettings
from rogue_bandits.experiments.results import Curve, PolicyResult

SETTINGS = LogisticSettings(horizon=100, replicates=3)
RESULT = PolicyResult(
    stamp="this",
    decisions=(0, 1),
    tracking_regret=Curve(mean=(0.1, 0.30000000000000004), stderr=None),
    optimal_gap=Curve(mean=(-0.1, 0.5), stderr=None),
    average_reward=Curve(mean=(0.5, 0.6), stderr=(0.1, 0.2)),
    expected_reward=Curve(mean=(0.55, 0.61), stderr=(0.01, 0.02)),
    expected=(0.61,),
    seconds=1.5,
    microseconds_per_decision=0.25,
)


def test_what_was_kept_is_found(tmp_path: Path) -> None:
    store(tmp_path, "random", RESULT)
    assert look_up(tmp_path, "random", "this") == Found(RESULT)
    assert [file.name for file in (tmp_path / "policies").iterdir()] == ["random.json"]


def test_what_was_never_kept_is_missing_without_a_reason(tmp_path: Path) -> None:
    assert look_up(tmp_path, "random", "this") == Found(None, "")


def test_another_stamp_is_another_run(tmp_path: Path) -> None:
    store(tmp_path, "random", RESULT)
    assert look_up(tmp_path, "random", "that").why == "an earlier run had other settings or another version"


@pytest.mark.parametrize(
    "damage", [b"", b"\x00\xff", b"[]", b'{"stamp": "this"}', RESULT.model_dump_json()[:-9].encode()]
)
def test_a_damaged_file_is_no_result(tmp_path: Path, damage: bytes) -> None:
    store(tmp_path, "random", RESULT)
    path_of(tmp_path, "random").write_bytes(damage)
    assert look_up(tmp_path, "random", "this") == Found(None, "the file of an earlier run is damaged")


@pytest.mark.parametrize(
    "changed",
    [
        {"horizon": 101},
        {"replicates": 4},
        {"seed": 2},
        {"upsilon": 5.0},
        {"xi": 0.7},
        {"arms": (TABLE_1[1], TABLE_1[0])},
    ],
)
def test_the_stamp_covers_what_decides_a_result(changed: dict[str, Any]) -> None:
    assert stamp(EXPERIMENT, SETTINGS, "d-ucb") != stamp(EXPERIMENT, SETTINGS.model_copy(update=changed), "d-ucb")


@pytest.mark.parametrize("changed", [{"upsilon": 5.0}, {"variation": 5.0}, {"policies": ("random",)}])
def test_the_stamp_ignores_the_settings_of_others(changed: dict[str, Any]) -> None:
    assert stamp(EXPERIMENT, SETTINGS, "random") == stamp(EXPERIMENT, SETTINGS.model_copy(update=changed), "random")


def test_the_stamp_covers_the_policy_and_the_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    before = stamp(EXPERIMENT, SETTINGS, "tuned-rogue-ucb")
    assert before != stamp(EXPERIMENT, SETTINGS, "tuned-rogue-ucb-corrected")
    monkeypatch.setattr(module, "running_sources", lambda: "edited")
    assert before != stamp(EXPERIMENT, SETTINGS, "tuned-rogue-ucb")


def test_the_stamp_covers_every_truth() -> None:
    two = Experiment("two", "", "", LogisticSettings, lambda s: [*EXPERIMENT.truths(s), *EXPERIMENT.truths(s)])
    assert stamp(two, SETTINGS, "random") != stamp(EXPERIMENT, SETTINGS, "random")


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_atomic(tmp_path / "file", b"old")

    def full(self: Path, content: bytes) -> int:
        self.touch()
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
