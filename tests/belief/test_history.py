"""The front door: fit, divergence and upper bound of a history, and what it refuses."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rogue_bandits as rb
from rogue_bandits.types import kl, loglik, mean, next_state
from tests.policies.histories import TWO_ARMS

NAN = math.nan
ARM = TWO_ARMS[0]
UNMOVED = rb.Arm(rb.ClippedAffine(decay=1.0, pull=0.0, drift=0.0), rb.BernoulliLogit(0.4, 0.6))
RADII = (rb.TunedRadius(), rb.TunedRadius(0.1, "corrected"), rb.TheoremRadius(1e-3))
# Bounds are found to 1e-8 of a bracket.
SLACK = 1e-7

Point = tuple[float, float]
units = st.floats(0.0, 1.0)
points = st.tuples(units, units)


class History(NamedTuple):
    """What happened to one arm."""

    arm: rb.Arm
    played: list[float]
    rewards: list[float]

    def states(self, x0: float) -> list[float]:
        """From decision 0 to the one after the last."""
        x = [x0]
        for played in self.played:
            x.append(next_state(self.arm.dynamics, x[-1], played))
        return x

    def seen(self) -> list[int]:
        """The decisions whose reward was seen."""
        return [t for t, r in enumerate(self.rewards) if not math.isnan(r)]


# A decision is a rest, a play whose reward was 0, or 1, or not seen.
steps = st.sampled_from([(0.0, NAN), (1.0, 0.0), (1.0, 1.0), (1.0, NAN)])
histories = st.builds(
    lambda arm, events: History(arm, [played for played, _ in events], [reward for _, reward in events]),
    st.sampled_from([*TWO_ARMS, UNMOVED]),
    st.lists(steps, max_size=25).map(lambda events: [*events, (1.0, 1.0)]),
)


# ---- what they say ---------------------------------------------------------------------------------------------------
@settings(deadline=None, max_examples=60)
@given(histories, points)
def test_no_point_is_likelier_than_the_fit(history: History, other: Point) -> None:
    def loglik_at(theta: float, x0: float) -> float:
        x = history.states(x0)
        return sum(loglik(history.arm.rewards, theta, x[t], history.rewards[t]) for t in history.seen())

    fit = rb.fit(*history)
    assert fit.n == len(history.seen())
    assert fit.loglik == pytest.approx(loglik_at(fit.theta, fit.x0), abs=1e-9)
    assert fit.loglik >= loglik_at(*other) - 1e-9


@settings(deadline=None, max_examples=60)
@given(histories, points, points)
def test_the_divergence_is_the_sum_of_kl_over_the_rewards_seen(history: History, p: Point, q: Point) -> None:
    x, x2 = history.states(p[1]), history.states(q[1])
    expected = sum(kl(history.arm.rewards, p[0], x[t], q[0], x2[t]) for t in history.seen())
    assert rb.divergence(*history, p, q) == pytest.approx(expected, abs=1e-9)
    assert rb.divergence(*history, p, p) == pytest.approx(0.0, abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(histories, st.sampled_from(RADII))
def test_the_bound_lies_between_the_mean_at_the_fit_and_the_largest_mean_there_is(
    history: History, radius: Any
) -> None:
    fit, f, d = rb.fit(*history), history.arm.rewards, history.arm.dynamics
    bound = rb.upper_bound(*history, radius)
    assert bound >= mean(f, fit.theta, history.states(fit.x0)[-1]) - 1e-12
    assert bound <= max(mean(f, history.arm.theta_hi, history.states(x0)[-1]) for x0 in (d.lo, d.hi)) + 1e-12


@settings(deadline=None, max_examples=60)
@given(histories, st.lists(st.floats(-6.0, 1.0), min_size=2, max_size=2).map(sorted))
def test_a_larger_radius_has_a_larger_bound(history: History, powers: list[float]) -> None:
    small, large = (10.0**power for power in powers)
    pairs: list[tuple[Any, Any]] = [
        (rb.TunedRadius(small), rb.TunedRadius(large)),
        (rb.TunedRadius(small, "corrected"), rb.TunedRadius(large, "corrected")),
        (rb.TunedRadius(large, "paper"), rb.TunedRadius(large, "corrected")),
        (rb.TheoremRadius(small), rb.TheoremRadius(large)),
    ]
    for one, other in pairs:
        assert rb.upper_bound(*history, one) <= rb.upper_bound(*history, other) + SLACK


def test_at_the_theorems_own_scale_everything_is_believed() -> None:
    """Its constants exceed every divergence there is, after 40 rewards too."""
    history = History(ARM, [1.0] * 40, [0.0] * 40)
    x = max(history.states(x0)[-1] for x0 in (0.0, 1.0))
    assert rb.upper_bound(*history, rb.TheoremRadius()) == pytest.approx(mean(ARM.rewards, 1.0, x))


@pytest.mark.parametrize("radius", RADII)
def test_without_a_reward_everything_is_believed(radius: Any) -> None:
    for history in (History(ARM, [], []), History(ARM, [0.0, 1.0], [NAN, NAN])):
        x = max(history.states(x0)[-1] for x0 in (0.0, 1.0))
        assert rb.upper_bound(*history, radius) == pytest.approx(mean(ARM.rewards, 1.0, x))
        assert rb.divergence(*history, (0.2, 0.2), (0.9, 0.1)) == 0.0


def test_what_was_not_seen_says_nothing_but_moves_the_state() -> None:
    seen = History(ARM, [1, 1, 0, 1], [1.0, NAN, NAN, 0.0])
    unplayed = History(ARM, [1, 0, 0, 1], [1.0, NAN, NAN, 0.0])
    p, q = (0.2, 0.8), (0.9, 0.1)
    assert rb.fit(*seen).n == rb.fit(*unplayed).n == 2
    assert rb.divergence(*seen, p, q) != pytest.approx(rb.divergence(*unplayed, p, q), rel=1e-3)


def test_arrays_and_whole_numbers_are_as_good_as_lists() -> None:
    fit = rb.fit(ARM, [1.0, 0.0, 1.0], [1.0, NAN, 0.0])
    assert rb.fit(ARM, np.array([1, 0, 1]), np.array([1.0, NAN, 0.0])) == fit  # type: ignore[arg-type]  # as good as
    assert rb.fit(rb.Arm(ARM.dynamics, ARM.rewards, 0, 1), (1, 0, True), (1, NAN, 0)) == fit


# ---- what is refused -------------------------------------------------------------------------------------------------
FRONT_DOORS = [
    rb.fit,
    lambda arm, played, rewards: rb.divergence(arm, played, rewards, (0.5, 0.5), (0.2, 0.2)),
    rb.upper_bound,
]
each_door = pytest.mark.parametrize("door", FRONT_DOORS, ids=["fit", "divergence", "upper_bound"])
REFUSED = [
    (ARM._replace(theta_lo=2.0), [1], [1.0], "arm 0, theta_lo 2.0 must be below theta_hi 1.0"),
    (ARM._replace(name="walk", theta_hi=NAN), [1], [1.0], "arm 'walk', theta_hi nan must be finite"),
    (ARM, [1, 1], [1.0], "played (shape (2,)) and rewards (shape (1,)) must be two lists of the same length"),
    (ARM, [2], [1.0], "decision 0, played 2 must be 0 or 1"),
    (ARM, [1, 0], [1.0, 1.0], "decision 1, reward 1 was given but the arm was not played: it must be nan"),
    (ARM, [1], [0.7], "decision 0, reward 0.7 must be 0 or 1 (BernoulliLogit)"),
]


@each_door
@pytest.mark.parametrize(("arm", "played", "rewards", "message"), REFUSED)
def test_bad_histories_are_refused(door: Any, arm: rb.Arm, played: Any, rewards: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        door(arm, played, rewards)


@each_door
def test_what_is_not_an_arm_is_refused(door: Any) -> None:
    with pytest.raises(TypeError, match="arm 0: 'walk' is not an Arm"):
        door("walk", [1], [1.0])


@pytest.mark.parametrize(("played", "rewards"), [([1, 1], [NAN, NAN]), ([0], [NAN]), ([], [])])
def test_a_fit_needs_a_reward(played: list[float], rewards: list[float]) -> None:
    with pytest.raises(
        ValueError, match=f"fit needs at least one observed reward: none of {len(rewards)} was observed"
    ):
        rb.fit(ARM, played, rewards)


POINTS = [
    ((1.5, 0.5), (0.5, 0.5), "point, theta 1.5 must be from 0.0 to 1.0"),
    ((0.5, -0.5), (0.5, 0.5), "point, x0 -0.5 must be from 0.0 to 1.0"),
    ((0.5, 0.5), (-0.5, 0.5), "point2, theta -0.5 must be from 0.0 to 1.0"),
    ((0.5, 0.5), (0.5, NAN), "point2, x0 nan must be finite"),
]


@pytest.mark.parametrize(("point", "point2", "message"), POINTS)
def test_points_outside_the_bounds_are_refused(point: Point, point2: Point, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rb.divergence(ARM, [1], [1.0], point, point2)


SETTINGS: list[tuple[Any, str]] = [
    (rb.TunedRadius(eta=0.0), "tuned radius, eta 0.0 must be above 0"),
    (rb.TunedRadius(eta=-1.0), "tuned radius, eta -1.0 must be above 0"),
    (rb.TunedRadius(eta=NAN), "tuned radius, eta nan must be finite"),
    (rb.TunedRadius(eta=math.inf), "tuned radius, eta inf must be finite"),
    (rb.TunedRadius(variant="fixed"), "tuned radius, variant 'fixed' must be one of 'paper', 'corrected'"),
    (rb.TheoremRadius(scale=0.0), "the theorem's radius, scale 0.0 must be above 0"),
    (rb.TheoremRadius(scale=NAN), "the theorem's radius, scale nan must be finite"),
    (rb.AdaptiveRadius(alpha=0.0), "adaptive radius, alpha 0.0 must be above 0 and below 1"),
    (rb.HellingerRadius(alpha=1.0), "Hellinger radius, alpha 1.0 must be above 0 and below 1"),
]


@pytest.mark.parametrize(("radius", "message"), SETTINGS)
def test_settings_of_a_radius_that_cannot_be_are_refused(radius: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        rb.upper_bound(ARM, [1], [1.0], radius)


@pytest.mark.parametrize("radius", [0.5, "tuned", None, rb.TunedRadius])
def test_what_is_not_a_radius_is_refused(radius: Any) -> None:
    with pytest.raises(TypeError, match="is not a radius: pass one such as"):
        rb.upper_bound(ARM, [1], [1.0], radius)


def test_an_arm_too_steep_to_hold_is_refused() -> None:
    steep = rb.Arm(ARM.dynamics, rb.BernoulliLogit(1e3, 1.0), theta_lo=-1.0, name="walk")
    with pytest.raises(ValueError, match=r"arm 'walk', BernoulliLogit\(.*\) with theta from -1.0 to 1.0 is too steep"):
        rb.fit(steep, [1], [1.0])


@pytest.mark.parametrize("weight", [1e1, 1e2, 1e3, 1e4, 1e5, 1e6])
def test_an_arm_is_held_or_refused_however_steep(weight: float) -> None:
    """Here the link turns at the lower bound of theta, between it and the nearest node."""
    history = History(rb.Arm(ARM.dynamics, rb.BernoulliLogit(weight, 1.0)), [1.0] * 20, [1.0] * 20)
    p, q = (0.0, 0.5), (1.0 / weight, 0.5)
    x = history.states(0.5)
    expected = sum(kl(history.arm.rewards, p[0], x[t], q[0], x[t]) for t in range(20))
    try:
        found = rb.divergence(*history, p, q)
    except ValueError as refusal:
        assert "is too steep" in str(refusal)  # noqa: PT017  # either will do
    else:
        assert found == pytest.approx(expected, rel=1e-5)
