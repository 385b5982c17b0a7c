"""Means, regret and rewards of a trace, against sums by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rogue_bandits as rb
from rogue_bandits.simulation.simulate import simulate
from rogue_bandits.types import Floats, mean, next_state
from tests.policies.histories import THREE_ARMS

TRUTH = rb.Truth(THREE_ARMS, [0.5, 0.7, 0.1], [0.1, 0.3, 1.0])
paths = st.integers(1, 30).flatmap(
    lambda horizon: st.lists(
        st.lists(st.integers(0, 2), min_size=horizon, max_size=horizon), min_size=1, max_size=3
    )
)  # fmt: skip


def trace_of(arms: list[list[int]], rewards: Floats | None = None) -> rb.Trace:
    """A trace of people who played these arms."""
    arm = np.array(arms, dtype=np.int16)
    return rb.Trace(TRUTH, rb.Random(), 0, arm, np.zeros(arm.shape) if rewards is None else rewards, np.ones(arm.shape))


def means_along(arms: list[int]) -> list[list[float]]:
    """The mean of every arm at each decision of one person."""
    x, along = list(TRUTH.x0), []
    for arm in arms:
        along.append([mean(a.rewards, TRUTH.theta[k], x[k]) for k, a in enumerate(TRUTH.arms)])
        x = [next_state(a.dynamics, x[k], 1.0 if k == arm else 0.0) for k, a in enumerate(TRUTH.arms)]
    return along


def myopic_path(horizon: int) -> list[int]:
    """The arms of a player who knows every mean, and takes the largest."""
    arms: list[int] = []
    for _ in range(horizon):
        now = means_along([*arms, 0])[-1]
        arms.append(now.index(max(now)))
    return arms


@settings(deadline=None)
@given(paths)
def test_means_and_regret_are_those_of_the_path_by_hand(arms: list[list[int]]) -> None:
    trace = trace_of(arms)
    for person, path in enumerate(arms):
        along = means_along(path)
        played = [means[arm] for means, arm in zip(along, path, strict=True)]
        best = [max(means) for means in along]
        lost = [sum(b - p for b, p in zip(best[: t + 1], played, strict=False)) for t in range(len(path))]
        assert trace.mean[person] == pytest.approx(played, rel=1e-12)
        assert trace.myopic[person] == pytest.approx(best, rel=1e-12)
        assert trace.tracking_regret()[person] == pytest.approx(lost, abs=1e-12)


@settings(deadline=None)
@given(paths)
def test_regret_is_never_negative_and_never_falls(arms: list[list[int]]) -> None:
    regret = trace_of(arms).tracking_regret()
    assert regret.min() >= 0.0
    assert (np.diff(regret, axis=1) >= 0.0).all()


def test_a_myopic_player_has_no_regret_and_others_have() -> None:
    best = myopic_path(50)
    assert len(set(best)) > 1
    assert trace_of([best]).tracking_regret().max() == 0.0
    worst = [means.index(min(means)) for means in means_along(best)]
    assert trace_of([worst]).tracking_regret()[0, 0] > 0.0


def test_the_best_of_bad_arms_is_the_least_bad() -> None:
    moves = rb.ClippedAffine(decay=0.5, pull=-1.0, drift=0.5)
    arms = [rb.Arm(moves, rb.Gaussian(-1.0, -2.0, 1.0)), rb.Arm(moves, rb.Gaussian(-3.0, 0.0, 1.0))]
    truth, arm = rb.Truth(arms, [0.5, 0.5], [1.0, 0.0]), np.array([[0, 1, 0]], dtype=np.int16)
    trace = rb.Trace(truth, rb.Random(), 0, arm, np.zeros(arm.shape), np.ones(arm.shape))
    # The first arm's state goes 1, 0, 0.5; the second's does not matter.
    assert trace.mean.tolist() == [[-2.5, -1.5, -1.5]]
    assert trace.myopic.tolist() == [[-1.5, -0.5, -1.5]]
    assert trace.tracking_regret().tolist() == [[1.0, 2.0, 2.0]]


def test_the_optimal_gap_is_to_the_best_plan_and_ends_above_zero() -> None:
    truth = rb.Truth(THREE_ARMS[:2], [0.5, 0.7], [0.1, 0.3])
    trace, plan = simulate(truth, rb.Random(), horizon=40, people=3, seed=1), rb.optimal_plan(truth, 40)
    gap = trace.optimal_gap()
    assert np.array_equal(gap, trace.optimal_gap(plan))
    for person in range(3):
        behind = [sum(plan.mean[: t + 1]) - sum(trace.mean[person, : t + 1]) for t in range(40)]
        assert gap[person] == pytest.approx(behind, abs=1e-12)
    assert plan.gap == 0.0
    assert gap[:, -1].min() > 0.0


def test_the_best_plan_has_no_optimal_gap_and_the_myopic_player_has() -> None:
    plan = rb.optimal_plan(TRUTH, 50)
    assert trace_of([plan.arm.tolist()]).optimal_gap().tolist() == [[0.0] * 50]
    assert trace_of([myopic_path(50)]).optimal_gap()[0, -1] > 0.0


@given(st.lists(st.floats(-10.0, 10.0), min_size=1, max_size=20))
def test_the_average_reward_is_over_the_decisions_to_date(rewards: list[float]) -> None:
    trace = trace_of([[0] * len(rewards)] * 2, np.array([rewards, [-r for r in rewards]]))
    expected = [sum(rewards[: t + 1]) / (t + 1) for t in range(len(rewards))]
    average = trace.average_reward()
    assert average[0] == pytest.approx(expected, abs=1e-12)
    assert average[1] == pytest.approx([-r for r in expected], abs=1e-12)


def test_asking_changes_nothing() -> None:
    trace = simulate(TRUTH, rb.Random(), horizon=40, people=3, seed=1)
    before = [part.tobytes() for part in (trace.arm, trace.reward, trace.probability)]
    answers = [(trace.tracking_regret(), trace.average_reward(), trace.mean, trace.myopic) for _ in range(2)]
    assert [part.tobytes() for part in (trace.arm, trace.reward, trace.probability)] == before
    for one, other in zip(*answers, strict=True):
        assert np.array_equal(one, other)


def test_rewards_are_what_the_means_promise() -> None:
    """The mean of 20,000 rewards, within 4 standard errors of that of their means: one false alarm in 16,000 seeds."""
    trace = simulate(TRUTH, rb.Random(), horizon=1000, people=20, seed=2)
    stderr = np.sqrt((trace.mean * (1.0 - trace.mean)).sum()) / trace.mean.size
    assert abs(trace.reward.mean() - trace.mean.mean()) <= 4.0 * stderr


def test_a_plan_of_another_length_is_refused() -> None:
    trace = rb.simulate(TRUTH, rb.Random(), horizon=10)
    with pytest.raises(ValueError, match="optimal gap, plan has 5 decisions where the trace has 10"):
        trace.optimal_gap(rb.optimal_plan(TRUTH, 5))
    with pytest.raises(TypeError, match="optimal gap, plan 3 must be what optimal_plan gives"):
        trace.optimal_gap(3)  # type: ignore[arg-type]  # refused


def test_a_plan_of_another_truth_is_refused_with_what_differs() -> None:
    trace = trace_of([[0, 1, 2]])
    worn = [arm._replace(dynamics=arm.dynamics._replace(decay=0.1)) for arm in TRUTH.arms]
    for other, message in (
        (TRUTH._replace(arms=worn), "optimal gap, plan was made for other arms"),
        (TRUTH._replace(theta=[0.5, 0.7, 0.2]), r"plan was made for theta \[0.5, 0.7, 0.2\] where the truth"),
        (TRUTH._replace(x0=[0.1, 0.3, 0.5]), r"plan was made for x0 \[0.1, 0.3, 0.5\] where the truth"),
    ):
        with pytest.raises(ValueError, match=message):
            trace.optimal_gap(rb.optimal_plan(other, 3))
    with pytest.raises(ValueError, match=r"plan was made for x0 \[1.0, 0.0, 0.0\]"):
        trace.optimal_gap(rb.optimal_plan(TRUTH, 3, x=[1.0, 0.0, 0.0]))
    with pytest.raises(ValueError, match="plan does not say for which truth it was made"):
        trace.optimal_gap(rb.Plan(np.zeros(3, dtype=np.int16), np.zeros(3)))
    renamed = TRUTH._replace(arms=[arm._replace(name=f"{k}") for k, arm in enumerate(TRUTH.arms)])
    assert np.array_equal(trace.optimal_gap(rb.optimal_plan(renamed, 3)), trace.optimal_gap())


@pytest.mark.parametrize("arm", [3, -1, 20_000])
def test_arms_that_are_none_are_refused_with_person_and_decision(arm: int) -> None:
    trace = trace_of([[0, 1, 2], [0, arm, 9]])
    for asked in ("mean", "myopic", "tracking_regret", "optimal_gap"):
        with pytest.raises(ValueError, match=f"trace, person 1, decision 1: arm {arm} must be from 0 to 2"):
            getattr(trace, asked)()


def test_arms_of_another_shape_or_type_are_refused_or_understood() -> None:
    trace = trace_of([[0, 1, 2]])
    for arm in (np.array([0, 1, 2]), np.array([[0.0, 1.0, 2.0]]), np.zeros((2, 3), dtype=np.int16)):
        with pytest.raises(ValueError, match=r"trace, arm \(.*must hold whole numbers, \[people, decisions\]"):
            trace._replace(arm=arm).tracking_regret()
    with pytest.raises(ValueError, match="truth, x0 has 1 values for 3 arms"):
        trace._replace(truth=TRUTH._replace(x0=[0.5])).tracking_regret()
    wide = np.array([[0, 1, 2]])
    wide.flags.writeable = False
    assert np.array_equal(trace._replace(arm=wide).mean, trace.mean)


def test_more_arms_than_16_bits_hold_are_refused() -> None:
    arm = rb.Arm(rb.ClippedAffine(0.5, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6))
    with pytest.raises(ValueError, match="a bandit can have at most 32,767 arms, and arms has 32,768"):
        rb.simulate(rb.Truth([arm] * 32_768, [0.5] * 32_768, [0.5] * 32_768), rb.Random(), horizon=1)
