"""Traces as files and as tables: bit for bit, and nothing else is read."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.policies.registry import PolicySpec
from tests.interpreted import interpreted as interpreted
from tests.policies.histories import TWO_ARMS

pytestmark = pytest.mark.usefixtures("interpreted")
TRUTH = rb.Truth(TWO_ARMS, [0.1 + 0.2, 2**-1074], [1 / 3, 0.3])
SLOW = [arm._replace(dynamics=arm.dynamics._replace(decay=0.95)) for arm in TWO_ARMS]
CONDITIONS: dict[str, Any] = {"delay": 2, "missing": 0.2, "available": [0.6, 0.5], "learner_arms": SLOW}
TRACES: dict[str, Any] = {
    "plain": lambda: rb.simulate(TRUTH, rb.Random(), 20, people=3, seed=7),
    "conditions": lambda: rb.simulate(TRUTH, rb.Random(), 20, 2, (7, 2**40), probabilities=True, **CONDITIONS),
    "bounded": lambda: rb.simulate(TRUTH, rb.Bounded(rb.TunedRogueUCB(variant="corrected"), 0.15), 8, seed=1),
    "radius": lambda: rb.simulate(TRUTH, rb.RogueUCB(radius=rb.HellingerRadius(0.1)), 8, seed=1),
    "vectors": lambda: rb.simulate(vectors(), rb.Random(), 8, seed=1),
}


def vectors() -> rb.Truth:
    dynamics = rb.MatrixAffine(((0.6, 0.1), (0.0, 0.9)), (-1.0, -0.2), (0.5, 0.1), (0.0, 0.0), (1.0, 1.0))
    arm = rb.Arm(dynamics, rb.Weighted(rb.BernoulliLogit(1.0, 1.0), (0.4, -0.3), (0.6, 0.5)), (0.0, 0.0), (1.0, 1.0))
    return rb.Truth([arm, arm], [(0.3, 0.6), (0.7, 0.2)], [(0.2, 0.8), (0.5, 0.4)])


@pytest.mark.parametrize("name", TRACES)
def test_a_trace_that_was_saved_is_the_same_to_the_last_bit(name: str, tmp_path: Path) -> None:
    trace = TRACES[name]()
    trace.save(tmp_path / "run")  # under the name that was given
    again = rb.Trace.load(tmp_path / "run")
    assert (again.truth, again.policy, again.seed, again.learner_arms) == (
        trace.truth, trace.policy, trace.seed, trace.learner_arms
    )  # fmt: skip
    assert type(again.policy) is type(trace.policy)
    assert repr(again.policy) == repr(trace.policy)  # settings of equal numbers are equal, whatever their type
    for field in ("arm", "reward", "probability", "probabilities", "available", "known_at"):
        one, other = getattr(trace, field), getattr(again, field)
        assert (one is None) == (other is None)
        if one is not None:
            assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())


def rewritten(path: Path, **changes: Any) -> None:
    with np.load(path) as file:
        entries = {name: file[name] for name in file.files}
    np.savez(path, **{name: array for name, array in {**entries, **changes}.items() if array is not None})


def test_damaged_and_foreign_files_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    trace = TRACES["plain"]()
    trace.save(path)
    whole = path.read_bytes()
    with np.load(path) as file:
        header = json.loads(file["header"].tobytes())

    def refused(message: str) -> None:
        with pytest.raises(ValueError, match=rf"saved trace '.*run.npz'.*{message}"):
            rb.Trace.load(path)

    def with_header(**changes: Any) -> Any:
        return np.frombuffer(json.dumps({**header, **changes}).encode(), dtype=np.uint8)

    for broken in (b"", b"arm,reward\n", whole[: len(whole) // 2]):
        path.write_bytes(broken)
        refused("is damaged, or is not one")
    for array in (np.array([{"a": 1}], dtype=object), np.zeros(3)):  # the first would be unpickled
        other = io.BytesIO()
        np.save(other, array, allow_pickle=True)
        path.write_bytes(other.getvalue())
        refused("is damaged, or is not one")
    for changes, message in (
        ({"header": None}, "has no header"),
        ({"reward": None}, "has no array 'reward'"),
        ({"arm": trace.arm[0]}, "array 'arm' is int16, shape"),
        ({"arm": trace.arm.astype(float)}, "array 'arm' is float64"),
        ({"reward": trace.reward[:2]}, "array 'reward' is float64, shape"),
        ({"other": trace.arm}, "array 'other' is"),
        ({"header": with_header(version=2)}, "was saved in format version 2, and this release reads up to 1"),
        ({"header": with_header(format="other")}, "its format must be 'rogue-bandits/trace'"),
        ({"header": with_header(seed=8)}, "its checksum does not match"),
    ):
        path.write_bytes(whole)
        rewritten(path, **changes)
        refused(message)
    path.unlink()
    refused("does not exist")


class Mine(NamedTuple):
    levels: tuple[float, ...] = (0.5, 0.25)


def test_a_policy_of_ones_own_is_saved_once_it_is_registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = TRACES["plain"]()._replace(policy=Mine((0.1, 0.3)))
    with pytest.raises(ValueError, match=r"cannot be saved: .*; a policy of your own must be put in rb.POLICIES"):
        trace.save(tmp_path / "run")
    with monkeypatch.context() as patch:
        patch.setitem(rb.POLICIES, "mine", PolicySpec("Mine", Mine, about="Mine."))
        trace.save(tmp_path / "run")
        assert rb.Trace.load(tmp_path / "run").policy == Mine((0.1, 0.3))
    with pytest.raises(
        ValueError, match=r"has policy 'mine', which is none of .*: a policy of your own must be put in"
    ):
        rb.Trace.load(tmp_path / "run")


# ---- tables ----------------------------------------------------------------------------------------------------------
def test_a_frame_has_a_row_for_each_decision() -> None:
    trace = TRACES["conditions"]()
    frame = trace.to_frame()
    assert len(frame) == trace.arm.size
    for row in frame.to_dict("records"):
        p, t = row["person"], row["decision"]
        assert row["arm"] == trace.arm[p, t]
        assert row["name"] == ("rest" if row["arm"] < 0 else f"arm {row['arm']}")
        for column, array in (("reward", trace.reward), ("probability", trace.probability), ("mean", trace.mean),
                              ("myopic", trace.myopic), ("known_at", trace.known_at)):  # fmt: skip
            assert np.array_equal(row[column], array[p, t], equal_nan=True)
        for k in range(2):
            assert row[f"available arm {k}"] == trace.available[p, t, k]
            assert row[f"probability of arm {k}"] == trace.probabilities[p, t, k]
    assert "known_at" not in TRACES["plain"]().to_frame()


def test_without_pandas_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"to_frame needs pandas: pip install rogue-bandits\[frame\]"):
        TRACES["plain"]().to_frame()
