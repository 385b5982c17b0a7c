"""The Whittle index: by definition, of arms whose index is known, and against relaxed values."""

from __future__ import annotations

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.model.problem import arm_table
from rogue_bandits.planning.values import relaxed_values
from rogue_bandits.planning.whittle import index_at, index_table, whittle_index
from rogue_bandits.types import mean

ARMS = {
    "clipped": rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6)),
    "slow": rb.Arm(rb.ClippedAffine(0.95, -0.1, 0.06), rb.BernoulliLogit(1.0, 2.0)),
    "agent": rb.Arm(rb.ClippedAffine(0.9, -0.1, 0.08), rb.LaplaceAgent(), 0.01, 1.0),
    "mean falls with the state": rb.Arm(rb.ClippedAffine(0.5, 0.0, 0.2), rb.Gaussian(1.0, -1.0, 1.0)),
}
PLACES = [(t, x) for t in (0.2, 0.7) for x in (0.05, 0.31, 0.52, 0.87, 1.0)]


def by_two_paths(arm: rb.Arm, theta: float, x: float) -> float:
    """The definition: both paths to the end of the taper, as arrays."""
    d, steps = arm.dynamics, int(np.ceil(max(200.0, 10.0 / (1.0 - arm.dynamics.decay))))
    reward, plays = np.zeros((2, steps)), np.zeros((2, steps))
    for path, first in enumerate((1, 0)):
        now, played = x, first
        for t in range(steps):
            reward[path, t], plays[path, t] = played * mean(arm.rewards, theta, now), played
            now = float(np.clip(d.decay * now + d.pull * played + d.drift, d.lo, d.hi))
            played = int(now >= x - 1e-12)
    s = np.arange(steps) / max(200.0, 10.0 / (1.0 - d.decay))
    taper = (1.0 - s) ** 2 * (1.0 + 2.0 * s)
    return float(taper @ (reward[0] - reward[1])) / float(taper @ (plays[0] - plays[1]))


@pytest.mark.parametrize("name", ARMS)
def test_it_is_what_its_definition_says(name: str) -> None:
    for theta, x in PLACES:
        assert whittle_index(ARMS[name], theta, x) == pytest.approx(by_two_paths(ARMS[name], theta, x), rel=1e-9)


def test_of_an_arm_that_does_not_wear_it_is_the_mean() -> None:
    for name, arm in ARMS.items():
        still = arm._replace(dynamics=arm.dynamics._replace(pull=0.0))
        for theta, x in PLACES:
            assert whittle_index(still, theta, x) == pytest.approx(mean(arm.rewards, theta, x), rel=1e-12), name


def test_of_an_arm_that_recovers_in_one_decision_it_is_known() -> None:
    """Worn to 0 by a play, at 1 after a rest: at 1 it is the mean, at 0 the loss of a play at 1 must be covered."""
    arm = rb.Arm(rb.ClippedAffine(0.0, -1.0, 1.0), rb.Gaussian(1.0, 1.0, 1.0), -1.0, 1.0)
    for theta in (-0.5, 0.3):
        assert whittle_index(arm, theta, 1.0) == pytest.approx(theta + 1.0, abs=0.02)
        assert whittle_index(arm, theta, 0.0) == pytest.approx(theta - 1.0, abs=0.02)


@pytest.mark.parametrize("name", ["clipped", "slow", "agent"])
def test_at_the_index_play_and_rest_are_worth_the_same_by_the_relaxed_values(name: str) -> None:
    """The multiplier at which they are, between nodes: two computations that share only the laws of the arm.

    At the upper half of the states, where a threshold policy is optimal at that multiplier.
    """
    arm, states = ARMS[name], np.linspace(0.0, 1.0, 101)
    d, values = arm.dynamics, relaxed_values([[arm]])
    thetas = np.linspace(0.0, 1.0, 9) if name != "agent" else np.geomspace(0.01, 1.0, 9)
    width = float(np.ptp(values.multiplier)) / 1.55
    for i in (2, 6):
        for x in (0.5, 0.65, 0.8, 0.95):
            after = [float(np.clip(d.decay * x + d.pull * played + d.drift, 0.0, 1.0)) for played in (0, 1)]
            ahead = [
                mean(arm.rewards, thetas[i], x) - one + np.interp(after[1], states, h) - np.interp(after[0], states, h)
                for one, h in zip(values.multiplier, values.bias[0, 0, i], strict=True)
            ]
            j = int(np.argmax(np.array(ahead) < 0.0))
            equal = np.interp(0.0, [ahead[j], ahead[j - 1]], values.multiplier[[j, j - 1]])
            assert whittle_index(arm, float(thetas[i]), x) == pytest.approx(equal, abs=0.03 * width)


@pytest.mark.parametrize("name", ["clipped", "slow", "agent"])
def test_the_table_is_close_to_the_index(name: str) -> None:
    """The index of a slow arm jumps: between two nodes the paths of a threshold may change their period."""
    arm, rng = ARMS[name], np.random.default_rng(1)
    indices, table = index_table([[arm, arm]]), arm_table([[arm, arm]])
    places = rng.uniform([0.05, 0.5], 1.0, size=(60, 2)).tolist()
    wrong = [abs(index_at(table, indices, 0, 1, *place) - whittle_index(arm, *place)) for place in places]
    assert np.median(wrong) < 0.005
    assert max(wrong) < 0.05
    node = float(np.exp(np.log(0.01) + 8 / 16 * np.log(100.0))) if name == "agent" else 0.5
    assert index_at(table, indices, 0, 0, node, 0.25) == pytest.approx(whittle_index(arm, node, 0.25), rel=1e-9)


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
