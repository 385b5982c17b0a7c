"""Relaxed values: against linear programming on a coarse chain, and against cycles that can be worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import rogue_bandits as rb
from rogue_bandits.compile.laws import pick
from rogue_bandits.model.problem import arm_table
from rogue_bandits.planning.grid import box_grid, grid_fault, node_means
from rogue_bandits.planning.plan import arrays_of
from rogue_bandits.planning.values import Values, least_multiplier, relaxed_values, solved, values_at
from rogue_bandits.types import Floats, mean
from tests.interpreted import interpreted as interpreted
from tests.planning.truths import TABLE_1, odd_seeds, odd_truth

STATES = 11
CASES = {
    "clipped": rb.ClippedAffine(0.6, -1.0, 0.5),
    "unclipped": rb.ClippedAffine(0.8, -0.1, 0.15),
    "decay 1": rb.ClippedAffine(1.0, -0.3, 0.1),
    "decay below 0": rb.ClippedAffine(-0.5, -0.3, 0.9),
    "pull above 0": rb.ClippedAffine(0.5, 0.4, 0.1),
}


def coarse(arm: rb.Arm, multiplier: Floats) -> Values:
    arms, grid = arm_table([[arm]]).arms, box_grid([arm], 3, STATES)
    return solved(arms, grid, node_means(pick(arms, 0), grid), multiplier)


def gain_by_linear_programming(arm: rb.Arm, theta: float, multiplier: float) -> float:
    """The least g with g + h(s) ≥ reward + E h(next) for every state and action; one recurrent class."""
    d, states = arm.dynamics, np.linspace(arm.dynamics.lo, arm.dynamics.hi, STATES)
    rows, rewards = [], []
    for played in (0, 1):
        after = np.clip(d.decay * states + d.pull * played + d.drift, d.lo, d.hi)
        to = np.array([np.interp(after, states, unit) for unit in np.eye(STATES)]).T
        rows.append(np.hstack([-np.ones((STATES, 1)), to - np.eye(STATES)]))
        rewards += [played * (multiplier - mean(arm.rewards, theta, float(x))) for x in states]
    bounds = [(None, None)] * STATES + [(0.0, 0.0)]
    found = linprog(np.eye(STATES + 1)[0], np.vstack(rows), np.array(rewards), bounds=bounds)
    assert found.x is not None
    return float(found.x[0])


@pytest.mark.parametrize("family", [rb.BernoulliLogit(1.0, 2.0), rb.LaplaceAgent()])
@pytest.mark.parametrize("case", [name for name in CASES if name != "decay 1"])
@pytest.mark.usefixtures("interpreted")
def test_gains_are_those_of_linear_programming(case: str, family: rb.BernoulliLogit | rb.LaplaceAgent) -> None:
    arm, multiplier = rb.Arm(CASES[case], family, 0.1, 0.9), np.array([0.2, 0.45, 0.7])
    found = coarse(arm, multiplier)
    for i, theta in enumerate(np.geomspace(0.1, 0.9, 3) if isinstance(family, rb.LaplaceAgent) else (0.1, 0.5, 0.9)):
        exact = [gain_by_linear_programming(arm, float(theta), float(one)) for one in multiplier]
        assert found.gain[0, 0, i] == pytest.approx(exact, abs=2e-6)


@pytest.mark.parametrize("case", CASES)
def test_the_bias_solves_the_optimality_equation(case: str) -> None:
    """Interpolated by numpy at nodes of the full table."""
    arm = rb.Arm(CASES[case], rb.BernoulliLogit(0.4, 0.6))
    found, states = relaxed_values([[arm]]), np.linspace(0.0, 1.0, 101)
    d, g = arm.dynamics, np.array([[mean(arm.rewards, t, float(x)) for x in states] for t in (0.0, 1.0)])
    after = [np.clip(d.decay * states + d.pull * played + d.drift, 0.0, 1.0) for played in (0, 1)]
    for j in (5, 30, 50):
        for side, i in enumerate((0, 8)):
            h = found.bias[0, 0, i, j]
            play = g[side] - found.multiplier[j] + np.interp(after[1], states, h)
            excess = np.maximum(play, np.interp(after[0], states, h)) - h
            assert np.abs(excess - found.gain[0, 0, i, j]).max() < 1e-6 * (g.max() - g.min()) + 1e-12
            assert h[-1] == 0.0


def test_thetas_of_the_agent_are_log_even_and_multipliers_cover_the_means() -> None:
    arm = rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.LaplaceAgent(), 0.01, 1.0)
    found = relaxed_values([[arm, arm]])
    assert np.exp(found.grid.theta_lo[0] + found.grid.theta_step[0] * np.arange(9)) == pytest.approx(
        np.geomspace(0.01, 1.0, 9)
    )
    least, most = mean(arm.rewards, 0.01, 0.0), mean(arm.rewards, 0.01, 1.0)
    ends = least - 0.5 * (most - least), most + 0.05 * (most - least)
    assert (found.multiplier[0], found.multiplier[-1]) == pytest.approx(ends)
    assert (found.gain.shape, found.bias.shape) == ((1, 2, 9, 60), (1, 2, 9, 60, 101))
    assert (found.gain[0, 0] == found.gain[0, 1]).all()


def test_people_with_dynamics_of_their_own_have_rows_of_their_own() -> None:
    quick, slow = (rb.Arm(rb.ClippedAffine(decay, -0.5, 0.3), rb.BernoulliLogit(0.4, 0.6)) for decay in (0.5, 0.9))
    both = relaxed_values([[quick, slow], [slow, slow]])
    alone = relaxed_values([[slow, slow]])
    assert (both.gain[1] == alone.gain[0]).all()
    assert (both.gain[0, 1] == alone.gain[0, 1]).all()
    assert not (both.gain[0, 0] == alone.gain[0, 0]).all()


@pytest.mark.parametrize("seed", odd_seeds(4))
def test_the_multiplier_is_least_among_all(seed: int) -> None:
    arms, theta, _ = arrays_of(odd_truth(seed, 3))
    values, least = values_at(arms, theta)
    cost = values.multiplier + values.gain[0, :, 0].sum(axis=0)
    assert np.interp(least, values.multiplier, cost) <= cost.min() + 1e-3 * (cost.max() - cost.min())


def test_a_flat_minimum_gives_its_middle() -> None:
    values, _ = values_at(*arrays_of(TABLE_1)[:2])
    nodes = values.multiplier
    for lo, hi in ((20, 20), (10, 40), (0, 7)):
        v = np.abs(np.arange(60) - lo) * (np.arange(60) < lo) + np.abs(np.arange(60) - hi) * (np.arange(60) > hi)
        gain = np.stack([v.astype(float) - nodes, np.zeros(60)])[np.newaxis, :, np.newaxis]
        found = least_multiplier(values._replace(gain=gain), 0, np.zeros(2), np.zeros(2), np.empty(60))
        assert found == pytest.approx(nodes[0] + 0.5 * (lo + hi) * (nodes[1] - nodes[0]), rel=1e-12)


def test_what_cannot_be_tabulated_is_refused_by_name() -> None:
    coupled = rb.Coupled(decay=0.5, pull=(-0.25, -1.0), drift=0.5)
    arm = rb.Arm(coupled, rb.BernoulliLogit(0.4, 0.6), name="walk")
    assert "arm 'walk': planning by relaxation needs arms that do not affect each other, and Coupled" in str(
        grid_fault([arm, arm])
    )
    two = rb.MatrixAffine(((0.5, 0.0), (0.0, 0.95)), (-0.5, -0.1), (0.5, 0.05), (0.0, 0.0), (1.0, 1.0))
    vector = rb.Arm(two, rb.Weighted(rb.BernoulliLogit(1.0, 1.0), (0.4,), (0.6, 0.8)), (0.0,), (1.0,))
    with pytest.raises(ValueError, match="arm 0: values are tabulated over theta and the state, which must be numbers"):
        relaxed_values([[vector]])
