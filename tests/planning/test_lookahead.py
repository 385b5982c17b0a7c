"""Lookahead, against playing every plan of its depth, with scipy's interpolation of the values at the end."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import RegularGridInterpolator

import rogue_bandits as rb
from rogue_bandits.compile.laws import kernel
from rogue_bandits.model.problem import arm_table
from rogue_bandits.planning.lookahead import lookahead, partition, scratch_size
from rogue_bandits.planning.values import Values, relaxed_values
from rogue_bandits.types import Floats
from tests.belief.cases import oracle_model
from tests.oracles.plan import totals
from tests.planning.truths import TABLE_1, odd_seeds, odd_truth

COMPILED = kernel(
    lambda table, values, person, theta, x, available, depth, scratch, total: lookahead(
        table, values, person, theta, x, available, depth, scratch, total
    )
)


def found_by(run: object, truth: rb.Truth, values: Values, depth: int, available: list[bool]) -> tuple[int, Floats]:
    k = len(truth.arms)
    total, scratch = np.empty(k), np.full(scratch_size(k, depth), np.nan)
    args = np.array(truth.theta), np.array(truth.x0), np.array(available), depth, scratch, total
    return run(arm_table([list(truth.arms)]), values, 0, *args), total  # type: ignore[operator]  # either way to run it


def end_states(truth: rb.Truth, plans: np.ndarray) -> Floats:
    """The state of each arm after each plan [plans, arms]."""
    x = np.tile(truth.x0, (len(plans), 1)).astype(float)
    for now in plans.T:
        for k, arm in enumerate(truth.arms):
            d = arm.dynamics
            x[:, k] = np.clip(d.decay * x[:, k] + d.pull * (now == k) + d.drift, d.lo, d.hi)
    return x


def value_of_every_plan(truth: rb.Truth, values: Values, multiplier: float, plans: np.ndarray) -> Floats:
    """Means along each plan and relaxed values at its end."""
    total, ends = totals([oracle_model(a) for a in truth.arms], truth.theta, truth.x0, plans), end_states(truth, plans)
    for k, arm in enumerate(truth.arms):
        is_agent = isinstance(arm.rewards, rb.LaplaceAgent)
        bounds = np.array([arm.theta_lo, arm.theta_hi])
        lo, hi = (np.log(bounds) if is_agent else bounds).tolist()
        thetas = np.linspace(lo, hi, 9)
        states = np.linspace(arm.dynamics.lo, arm.dynamics.hi, 101)
        at = np.empty((len(plans), 3))
        at[:, 0], at[:, 1] = np.log(truth.theta[k]) if is_agent else truth.theta[k], multiplier
        at[:, 2] = np.clip(ends[:, k], states[0], states[-1])
        total += RegularGridInterpolator((thetas, values.multiplier, states), values.bias[0, k])(at)
    return total


def multiplier_by_scan(truth: rb.Truth, values: Values) -> float:
    """The multiplier that the issue asks for, in numpy's own words."""
    cost = values.multiplier.copy()
    for k, arm in enumerate(truth.arms):
        at = np.array([arm.theta_lo, arm.theta_hi, truth.theta[k]], dtype=float)
        lo, hi, theta = (np.log(at) if isinstance(arm.rewards, rb.LaplaceAgent) else at).tolist()
        cost += [np.interp(theta, np.linspace(lo, hi, 9), column) for column in values.gain[0, k].T]
    near = np.flatnonzero(cost <= cost.min() + 1e-4 * np.ptp(cost))
    if near.size > 1 or near[0] in (0, 59):
        return float(values.multiplier[near[[0, -1]]].mean())
    i = near[0]
    a, b, _ = np.polyfit(values.multiplier[i - 1 : i + 2] - values.multiplier[i], cost[i - 1 : i + 2], 2)
    return float(values.multiplier[i] - 0.5 * b / a)


@pytest.mark.parametrize(("arms", "depth"), [(1, 3), (2, 4), (3, 4), (4, 3), (2, 1), (2, 7)])
@pytest.mark.parametrize("seed", odd_seeds(6))
def test_no_plan_that_starts_with_an_arm_is_worth_more(seed: int, arms: int, depth: int) -> None:
    truth = odd_truth(seed, arms)
    values = relaxed_values([list(truth.arms)])
    plans = np.array(list(product(range(arms), repeat=depth)))
    worth = value_of_every_plan(truth, values, multiplier_by_scan(truth, values), plans)
    best, total = found_by(lookahead, truth, values, depth, [True] * arms)
    size = 1e-9 * (1.0 + np.abs(worth).max())
    assert total == pytest.approx([worth[plans[:, 0] == k].max() for k in range(arms)], abs=size)
    assert best == np.argmax(total)
    again, compiled = found_by(COMPILED, truth, values, depth, [True] * arms)
    assert (again, compiled.tolist()) == (best, pytest.approx(total.tolist(), abs=size))


def test_an_arm_that_is_not_available_is_not_played_now_but_may_be_later() -> None:
    truth = odd_truth(2, 3)
    values = relaxed_values([list(truth.arms)])
    _, every = found_by(lookahead, truth, values, 4, [True] * 3)
    for available in product([True, False], repeat=3):
        best, total = found_by(lookahead, truth, values, 4, list(available))
        assert total.tolist() == [one if may else -np.inf for one, may in zip(every, available, strict=True)]
        assert best == (int(np.argmax(total)) if any(available) else -1)


def test_equal_arms_give_the_first() -> None:
    truth = rb.Truth([TABLE_1.arms[0]] * 3, [0.4] * 3, [0.5] * 3)
    best, total = found_by(lookahead, truth, relaxed_values([list(truth.arms)]), 4, [False, True, True])
    assert best == 1
    assert total[1] == total[2]


def test_relabelling_arms_relabels_values() -> None:
    truth, order = odd_truth(5, 4), [2, 0, 3, 1]
    other = rb.Truth(*([part[k] for k in order] for part in truth))
    one, two = (found_by(lookahead, t, relaxed_values([list(t.arms)]), 4, [True] * 4)[1] for t in (truth, other))
    assert two == pytest.approx(one[order], rel=1e-12)


@given(st.integers(1, 4), st.integers(1, 4), st.data())
@settings(max_examples=60, deadline=None)
def test_partitions_are_the_best_of_all(arms: int, depth: int, data: st.DataObject) -> None:
    """Each slot goes to one arm; whole numbers, so that sums are exact."""
    numbers = st.lists(st.integers(-9, 9), min_size=2**depth, max_size=2**depth)
    rewards = np.array([data.draw(numbers) for _ in range(arms)], dtype=float)
    total = np.empty(arms)
    best = partition(rewards, np.ones(arms, dtype=np.bool_), np.empty((arms + 4) * 2**depth), total)
    expected = np.full(arms, -np.inf)
    for plan in product(range(arms), repeat=depth):
        taken = [sum(1 << t for t in range(depth) if plan[t] == k) for k in range(arms)]
        expected[plan[0]] = max(expected[plan[0]], sum(rewards[k, taken[k]] for k in range(arms)))
    assert total.tolist() == expected.tolist()
    assert best == np.argmax(expected)
