"""Planning with known curves, against enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rogue_bandits as rb
from rogue_bandits.model.problem import ArmTable, arm_table, problem_of
from rogue_bandits.planning.curve_plan import curve_plan, recovering_bound
from rogue_bandits.planning.plan import arrays_of
from rogue_bandits.planning.recovering import (
    best_period,
    fill_bias,
    recovering_multiplier,
    recovering_scratch_size,
    recovering_values,
    relaxed_average,
)
from rogue_bandits.types import Floats
from tests.interpreted import interpreted as interpreted

NORMAL = rb.Gaussian(1.0, 0.0, 0.5)
curves = st.integers(1, 4).flatmap(
    lambda longest: st.lists(
        st.lists(st.floats(-1.0, 1.0), min_size=longest + 1, max_size=longest + 1), min_size=1, max_size=3
    )
)


def table_of(means: Floats) -> ArmTable:
    arm = rb.Arm(rb.Recovering(means.shape[1] - 1), NORMAL, -1.0, 1.0)
    return arm_table([list(problem_of([arm] * means.shape[0]).arms)])


def earned(means: Floats, x: Floats, arms: tuple[int, ...]) -> tuple[float, list[int]]:
    """The sum of means along a sequence of arms, and the delays after it."""
    delay, total = [int(one) for one in x], 0.0
    for arm in arms:
        total += means[arm, delay[arm]]
        delay = [0 if k == arm else min(d + 1, means.shape[1] - 1) for k, d in enumerate(delay)]
    return total, delay


@settings(max_examples=60, deadline=None)
@given(curves)
def test_the_multiplier_is_the_least_of_the_relaxed_average(given_curves: list[list[float]]) -> None:
    """λ + Σ_k max(0, max over d of (mean − λ)/(d + 1)), written out over a fine grid of λ."""
    means = np.array(given_curves)
    at, periods = np.linspace(-12.0, 2.0, 28_001), np.arange(1.0, means.shape[1] + 1.0)
    gains = ((means[:, :, None] - at) / periods[:, None]).max(axis=1)
    table = table_of(means)
    found = relaxed_average(table, 0, means, recovering_multiplier(table, 0, means))[0]
    least = (at + np.maximum(gains, 0.0).sum(axis=0)).min()
    assert least - 0.0005 * means.shape[0] <= found <= least + 1e-9  # the slope is between 1 − arms and 1


@settings(max_examples=60, deadline=None)
@given(curves, st.floats(-2.0, 2.0))
def test_gain_and_bias_solve_the_average_reward_problem(given_curves: list[list[float]], multiplier: float) -> None:
    """g + h(d) = max(mean(d) − λ + h(0), h(d + 1)), and no threshold has a larger average."""
    means = np.array(given_curves[0])
    longest = means.size - 1
    gain, rate = best_period(means, longest, multiplier)
    bias = np.empty(means.size)
    fill_bias(means, longest, multiplier, gain, bias)
    for d in range(means.size):
        ahead = max(means[d] - multiplier + bias[0], bias[min(d + 1, longest)])
        assert gain + bias[d] == pytest.approx(ahead, abs=1e-9)
    assert rate in (0.0, *(1.0 / (d + 1.0) for d in range(means.size)))


@settings(max_examples=25, deadline=None)
@given(curves, st.integers(1, 4), st.data())
def test_values_are_those_of_the_best_sequence(
    given_curves: list[list[float]], depth: int, data: st.DataObject
) -> None:
    means = np.array(given_curves)
    arms, table = means.shape[0], table_of(means)
    x = np.array([data.draw(st.integers(0, means.shape[1] - 1)) for _ in range(arms)], dtype=np.float64)
    available = np.array([True, *(data.draw(st.booleans()) for _ in range(arms - 1))])
    total = np.empty(arms)
    best = recovering_values(
        table, 0, means, x, available, depth, np.empty(recovering_scratch_size(arms, means.shape[1], depth)), total
    )
    multiplier, bias = recovering_multiplier(table, 0, means), np.empty(means.shape)
    for k in range(arms):
        fill_bias(
            means[k], means.shape[1] - 1, multiplier, best_period(means[k], means.shape[1] - 1, multiplier)[0], bias[k]
        )
    expected = np.full(arms, -np.inf)
    for sequence in product(range(arms), repeat=depth):
        if available[sequence[0]]:
            value, delay = earned(means, x, sequence)
            value += sum(bias[k, delay[k]] for k in range(arms))
            expected[sequence[0]] = max(expected[sequence[0]], value)
    np.testing.assert_allclose(total, expected, atol=1e-9)
    assert total[best] == total.max()


@settings(max_examples=25, deadline=None)
@given(curves)
def test_no_plan_exceeds_the_bound(given_curves: list[list[float]]) -> None:
    means = np.array(given_curves)
    x, horizon = np.zeros(means.shape[0]), 6
    best = max(earned(means, x, sequence)[0] for sequence in product(range(means.shape[0]), repeat=horizon))
    assert recovering_bound(table_of(means), means, x, horizon) >= best - 1e-9


def test_the_plan_is_near_its_bound(interpreted: None) -> None:
    """Two arms whose best plan is to alternate: the second recovers in one decision."""
    arm = rb.Arm(rb.Recovering(3), NORMAL)
    truth = rb.Truth([arm, arm], [(0.1, 0.1, 0.1, 0.1), (0.0, 0.9, 0.9, 0.9)], [0, 0])
    plan = curve_plan(*arrays_of(truth), horizon=40)
    assert plan is not None
    assert plan.arm.tolist() == [0, 1] * 20
    assert plan.total == pytest.approx(20.0)
    assert plan.upper == pytest.approx(20.0, abs=1.0)


def test_rotting_plans_are_optimal(interpreted: None) -> None:
    """Curves that rise, too: the best numbers of plays by enumeration of all sequences."""
    rng = np.random.default_rng(5)
    for _ in range(5):
        theta = rng.uniform(0.0, 1.0, (2, 4))
        arm = rb.Arm(rb.Rotting(6, width=2), NORMAL)
        truth = rb.Truth([arm, arm], theta.tolist(), [0, 0])
        plan = curve_plan(*arrays_of(truth), horizon=8)
        best = -np.inf
        for sequence in product(range(2), repeat=8):
            count, total = [0, 0], 0.0
            for k in sequence:
                total += theta[k, min(count[k], 6) // 2]
                count[k] += 1
            best = max(best, total)
        assert plan is not None
        assert plan.total == pytest.approx(best)
        assert plan.upper == plan.total


def test_a_horizon_that_is_too_long_for_rotting_arms() -> None:
    arm = rb.Arm(rb.Rotting(6), NORMAL)
    truth = rb.Truth([arm], [(0.5,) * 7], [0])
    with pytest.raises(ValueError, match="horizon 30001 must be 30,000 or less for rotting arms"):
        curve_plan(*arrays_of(truth), horizon=30_001)
