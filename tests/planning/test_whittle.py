"""The Whittle index: against a dynamic programme, and of arms whose index is known."""

from __future__ import annotations

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.model.problem import arm_table
from rogue_bandits.planning.whittle import index_at, index_table, whittle_index
from rogue_bandits.types import Floats, coordinate, mean, theta_at

ARMS = {
    "clipped": rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6)),
    "slow": rb.Arm(rb.ClippedAffine(0.95, -0.1, 0.06), rb.BernoulliLogit(1.0, 2.0)),
    "agent": rb.Arm(rb.ClippedAffine(0.9, -0.1, 0.08), rb.LaplaceAgent(), 0.01, 1.0),
    "mean falls with the state": rb.Arm(rb.ClippedAffine(0.5, 0.0, 0.2), rb.Gaussian(1.0, -1.0, 1.0)),
}
WORN_TO_THE_BOUND = {
    "slowest": rb.Arm(rb.ClippedAffine(0.99, -0.1, 0.02), rb.Gaussian(0.5, 1.0, 1.0)),
    "worn in two plays": rb.Arm(rb.ClippedAffine(0.9, -0.5, 0.1), rb.BernoulliLogit(1.0, 3.0)),
}
PLACES = [(t, x) for t in (0.2, 0.7) for x in (0.05, 0.31, 0.52, 0.87, 1.0)]


def by_dynamic_programming(arm: rb.Arm, theta: float, states: list[float], horizon: int) -> Floats:
    """The multiplier at which play and rest are worth the same now, over a long but finite horizon, by bisection.

    The advantage is averaged over the last third of the horizons: an optimal cycle makes it depend on where one ends.
    """
    d, x = arm.dynamics, np.linspace(arm.dynamics.lo, arm.dynamics.hi, 401)
    reward = np.array([mean(arm.rewards, theta, float(at)) for at in x])
    after = [np.clip(d.decay * x + d.pull * played + d.drift, d.lo, d.hi) for played in (0, 1)]
    low, high = np.full(len(states), reward.min() - 2.0 * np.ptp(reward)), np.full(len(states), reward.max())
    for _ in range(14):
        charge = 0.5 * (low + high)
        total, summed = np.zeros((len(states), x.size)), np.zeros((len(states), x.size))
        for t in range(horizon):
            rest, play = (np.stack([np.interp(to, x, row) for row in total]) for to in after)
            play += reward - charge[:, None]
            total = np.maximum(play, rest)
            summed += (play - rest) * (t >= 2 * horizon // 3)
        ahead = np.array([np.interp(at, x, row) for at, row in zip(states, summed, strict=True)])
        low, high = np.where(ahead >= 0.0, charge, low), np.where(ahead >= 0.0, high, charge)
    return 0.5 * (low + high)


@pytest.mark.parametrize(
    ("name", "horizon"), [("clipped", 60), ("slow", 210), ("agent", 150), ("worn in two plays", 150)]
)
def test_it_is_that_of_a_dynamic_programme(name: str, horizon: int) -> None:
    """At low states too, where plays take the state to its lower bound and playing always may be best."""
    arm, states = {**ARMS, **WORN_TO_THE_BOUND}[name], [0.0, 0.1, 0.3, 0.6, 0.9, 1.0]
    width = abs(mean(arm.rewards, 0.7, 1.0) - mean(arm.rewards, 0.7, 0.0))
    found = [whittle_index(arm, 0.7, x) for x in states]
    assert found == pytest.approx(by_dynamic_programming(arm, 0.7, states, horizon), abs=0.02 * width)


def test_where_plays_take_the_state_to_its_bound_it_balances_playing_always_and_cycles() -> None:
    """A slow arm: at the index of low states playing always earns what the best cycle earns, by enumeration.

    To 2e-3 of the range of means: values are linear between 401 states.
    """
    arm = WORN_TO_THE_BOUND["slowest"]
    d, index, best = arm.dynamics, whittle_index(arm, 0.5, 0.05), -np.inf
    for rests, plays in ((r, p) for p in range(1, 4) for r in range(p, 8 * p)):
        x = d.hi
        for _ in range(600 // (rests + plays)):  # until the cycle repeats itself
            total = 0.0
            for played in [0] * rests + [1] * plays:
                total += played * (mean(arm.rewards, 0.5, x) - index)
                x = min(max(d.decay * x + d.pull * played + d.drift, d.lo), d.hi)
        best = max(best, total / (rests + plays))
    assert best == pytest.approx(mean(arm.rewards, 0.5, d.lo) - index, abs=2e-3)


def test_of_an_arm_that_does_not_wear_it_is_the_mean() -> None:
    for name, arm in ARMS.items():
        still = arm._replace(dynamics=arm.dynamics._replace(pull=0.0))
        for theta, x in PLACES:
            assert whittle_index(still, theta, x) == pytest.approx(mean(arm.rewards, theta, x), abs=1e-4), name


def test_of_an_arm_that_recovers_in_one_decision_it_is_known() -> None:
    """Worn to 0 by a play, at 1 after a rest: at 1 it is the mean, at 0 the loss of a play at 1 must be covered."""
    arm = rb.Arm(rb.ClippedAffine(0.0, -1.0, 1.0), rb.Gaussian(1.0, 1.0, 1.0), -1.0, 1.0)
    for theta in (-0.5, 0.3):
        assert whittle_index(arm, theta, 1.0) == pytest.approx(theta + 1.0, abs=1e-5)
        assert whittle_index(arm, theta, 0.0) == pytest.approx(theta - 1.0, abs=1e-5)


@pytest.mark.parametrize("name", ["clipped", "slow", "agent"])
def test_the_table_is_close_to_the_index(name: str) -> None:
    """It is linear between multipliers and between thetas, where the index has kinks."""
    arm, rng = ARMS[name], np.random.default_rng(1)
    indices, table = index_table([[arm, arm]]), arm_table([[arm, arm]])
    places = rng.uniform([0.05, 0.0], 1.0, size=(25, 2)).tolist()
    width = max(np.ptp([mean(arm.rewards, theta, x) for x in (0.0, 1.0)]) for theta in (0.05, 1.0))
    wrong = [abs(index_at(table, indices, 0, 1, *place) - whittle_index(arm, *place)) / width for place in places]
    assert np.median(wrong) < 0.005
    assert max(wrong) < 0.04


@pytest.mark.parametrize("name", ["clipped", "agent"])
def test_interpolated_thetas_of_the_table_are_as_close_as_solved_ones(name: str) -> None:
    """At nodes of theta, so that only the error of the table's rows is compared: odd ones are interpolated."""
    arm = ARMS[name]
    indices, y = index_table([[arm, arm]]).value[0, 1], coordinates(arm)
    wrong = np.empty((17, 5))
    for i, j in np.ndindex(wrong.shape):
        theta = min(max(theta_at(arm.rewards, float(y[i])), arm.theta_lo), arm.theta_hi)
        width = abs(mean(arm.rewards, theta, 1.0) - mean(arm.rewards, theta, 0.0))
        wrong[i, j] = abs(indices[i, 20 + 40 * j] - whittle_index(arm, theta, 0.1 + 0.2 * j)) / width
    assert wrong[1::2].mean() < 2.0 * wrong[::2].mean() + 1e-3
    assert wrong.max() < 0.03


def coordinates(arm: rb.Arm) -> list[float]:
    found: list[float] = np.linspace(
        coordinate(arm.rewards, arm.theta_lo), coordinate(arm.rewards, arm.theta_hi), 17
    ).tolist()
    return found


@pytest.mark.parametrize(
    ("arm", "message"),
    [
        (
            rb.Arm(rb.ClippedAffine(-0.2, -0.1, 0.5), rb.BernoulliLogit(0.4, 0.6), name="walk"),
            "arm 'walk', decay -0.2 must be 0 or more for the Whittle index",
        ),
        (
            rb.Arm(rb.ClippedAffine(0.2, 0.1, 0.5), rb.BernoulliLogit(0.4, 0.6)),
            "arm 0, pull 0.1 must be 0 or less for the Whittle index",
        ),
        (
            rb.Arm(rb.Saturating(0.2, 0.4, 0.3), rb.BernoulliLogit(0.4, 0.6)),
            "arm 0: the Whittle index is worked out for ClippedAffine dynamics, not Saturating",
        ),
    ],
)
def test_arms_without_an_index_are_refused_by_name(arm: rb.Arm, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        index_table([[arm]])
    with pytest.raises(ValueError, match=message):
        whittle_index(arm, 0.5, 0.5)


def test_places_outside_of_the_box_are_refused() -> None:
    with pytest.raises(ValueError, match=r"Whittle index, theta 1\.5 must be from 0\.0 to 1\.0"):
        whittle_index(ARMS["clipped"], 1.5, 0.5)
    with pytest.raises(ValueError, match=r"Whittle index, x -0\.5 must be from 0\.0 to 1\.0"):
        whittle_index(ARMS["clipped"], 0.5, -0.5)
