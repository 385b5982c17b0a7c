"""What is refused at the door: each message names the thing, the value and what is allowed."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.model.histories import checked_history
from rogue_bandits.model.numbers import checked_whole, checked_workers
from rogue_bandits.model.validation import (
    checked_arm,
    checked_arms,
    checked_point,
    checked_reward,
    checked_truth,
)

MOVES = rb.ClippedAffine(0.6, -1.0, 0.5)
LOGIT, NORMAL, AGENT = rb.BernoulliLogit(0.4, 0.6), rb.Gaussian(1.0, 2.0, 0.5), rb.LaplaceAgent()
WALK = rb.Arm(MOVES, LOGIT, name="walk")
NAN = math.nan


class Weather(NamedTuple):
    """A NamedTuple of numbers that is no part of an arm."""

    rain: float = 0.5


def anything(maker: Any) -> Any:
    """The maker without its types: what is refused here at run time, mypy would refuse before."""
    return maker


def refused(message: str) -> Any:
    return pytest.raises(ValueError, match=f"^{re.escape(message)}$")


REFUSED_ARMS = [
    (WALK._replace(theta_lo=0.9, theta_hi=0.5), "arm 'walk', theta_lo 0.9 must be below theta_hi 0.5"),
    (WALK._replace(theta_lo=0.5, theta_hi=0.5), "arm 'walk', theta_lo 0.5 must be below theta_hi 0.5"),
    (rb.Arm(MOVES, LOGIT, 0.9, 0.5), "arm 3, theta_lo 0.9 must be below theta_hi 0.5"),
    (WALK._replace(theta_lo=NAN), "arm 'walk', theta_lo nan must be finite"),
    (WALK._replace(theta_hi=math.inf), "arm 'walk', theta_hi inf must be finite"),
    *(
        (rb.Arm(MOVES._replace(**{name: bad}), LOGIT), f"arm 3, {name} {bad} must be finite")
        for name in MOVES._fields
        for bad in (NAN, math.inf, -math.inf)
    ),
    *((rb.Arm(MOVES, LOGIT._replace(**{name: NAN})), f"arm 3, {name} nan must be finite") for name in LOGIT._fields),
    *((rb.Arm(MOVES, NORMAL._replace(**{name: NAN})), f"arm 3, {name} nan must be finite") for name in NORMAL._fields),
    (rb.Arm(MOVES._replace(decay=1.5), LOGIT), "arm 3, decay 1.5 must be from -1 to 1"),
    (rb.Arm(MOVES._replace(decay=-1.1), LOGIT), "arm 3, decay -1.1 must be from -1 to 1"),
    (rb.Arm(MOVES._replace(lo=0.8, hi=0.2), LOGIT), "arm 3, lo 0.8 must not be above hi 0.2"),
    (rb.Arm(MOVES, NORMAL._replace(sd=0.0)), "arm 3, sd 0.0 must be above 0"),
    (rb.Arm(MOVES, NORMAL._replace(sd=-1.0)), "arm 3, sd -1.0 must be above 0"),
    (
        rb.Arm(MOVES, NORMAL._replace(sd=1e-170)),
        "arm 3, sd 1e-170 must be at least 0.0003, a 10,000th of the largest mean 3. "
        "Subtract a constant from the rewards, and from theta's bounds what brings it about",
    ),
    (rb.Arm(MOVES, LOGIT._replace(state_weight=-1e99)), "arm 3, state_weight -1e+99 must be from -1e+50 to 1e+50"),
    (rb.Arm(MOVES, AGENT), "arm 3, theta_lo 0.0 must be above 0: theta is the scale of the agent's noise"),
    (rb.Arm(MOVES, AGENT, -0.5), "arm 3, theta_lo -0.5 must be above 0: theta is the scale of the agent's noise"),
    (
        rb.Arm(MOVES._replace(lo=-0.5), AGENT, 0.1),
        "arm 3, the state's bounds -0.5 and 1.0 must be inside [0, 1] for LaplaceAgent",
    ),
    (
        rb.Arm(MOVES._replace(hi=1.5), AGENT, 0.1),
        "arm 3, the state's bounds 0.0 and 1.5 must be inside [0, 1] for LaplaceAgent",
    ),
    (
        rb.Arm(MOVES, rb.PoissonLog(10.0, 5.0)),
        "arm 3, theta_weight 10.0 and state_weight 5.0 lead to a mean of e^15: "
        "it must be at most 1e+06, that is e^13.8, at every (theta, x) within the bounds",
    ),
    (rb.Arm(MOVES, rb.BinomialLogit(1.0, 1.0, 2.5)), "arm 3, trials 2.5 must be a whole number from 1 to 1e+06"),
    (rb.Arm(MOVES, rb.BinomialLogit(1.0, 1.0, 0.0)), "arm 3, trials 0 must be a whole number from 1 to 1e+06"),
    (rb.Arm(MOVES, rb.TruncatedGaussian(1.0, 1.0, 0.0)), "arm 3, sd 0.0 must be at least 0.0001"),
    (
        rb.Arm(MOVES, rb.TruncatedGaussian(-5.0, 1.0, 0.1)),
        "arm 3, eta = theta_weight·theta + state_weight·x runs from -5 to 1 within the bounds: "
        "it must be at most 36 sds (3.6) outside of [0, 1]",
    ),
    (
        rb.Arm(MOVES, rb.BetaFraction(2.0, 1.0, 0.5), 1.0, 2.0),
        "arm 3, b 0.5 must be from 1 to 10000: below 1 the density is not log-concave",
    ),
    (
        rb.Arm(MOVES, rb.BetaFraction(2.0, 1.0, 1.5)),
        "arm 3, theta_weight 2.0 and state_weight 1.0 lead to an eta from 0 to 3: it must be from 1 to 10000 within "
        "the bounds; below 1 the density is not log-concave",
    ),
]  # fmt: skip
NOT_ARMS: list[tuple[Any, str]] = [
    ("walk", "arm 3: 'walk' is not an Arm"),
    (None, "arm 3: None is not an Arm"),
    ((MOVES, LOGIT), "arm 3: (ClippedAffine("),
    (WALK._replace(dynamics=None), "arm 'walk', dynamics None must be a NamedTuple of numbers, such as ClippedAffine("),
    (anything(WALK._replace)(dynamics=(0.6, -1.0, 0.5)), "arm 'walk', dynamics (0.6, -1.0, 0.5) must be a NamedTuple"),
    (WALK._replace(rewards=0.5), "arm 'walk', rewards 0.5 must be a NamedTuple of numbers, such as BernoulliLogit("),
    (WALK._replace(rewards=rb.LaplaceAgent), "arm 'walk', rewards <class 'rogue_bandits"),
    (
        rb.Arm(MOVES, anything(rb.BernoulliLogit)("a", 0.6), name="walk"),
        "arm 'walk', theta_weight 'a' must be a number",
    ),
    (anything(rb.Arm)(MOVES, LOGIT, None, name="walk"), "arm 'walk', theta_lo None must be a number"),
]


@pytest.mark.parametrize(("arm", "message"), REFUSED_ARMS, ids=[message for _, message in REFUSED_ARMS])
def test_arms_that_cannot_be(arm: rb.Arm, message: str) -> None:
    with refused(message):
        checked_arm(arm, 3)


@pytest.mark.parametrize(("arm", "message"), NOT_ARMS, ids=[message for _, message in NOT_ARMS])
def test_what_is_not_an_arm(arm: Any, message: str) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(message)}"):
        checked_arm(arm, 3)


@pytest.mark.parametrize("part", ["dynamics", "rewards"])
def test_parts_without_laws(part: str) -> None:
    with pytest.raises(ValueError, match=rf"^arm 'walk', {part} Weather\(rain=0\.5\) must be "):
        checked_arm(anything(WALK._replace)(**{part: Weather()}))


@pytest.mark.parametrize(
    "arm", [rb.Arm(LOGIT, MOVES), rb.Arm(LOGIT, LOGIT), rb.Arm(MOVES, MOVES), rb.Arm(LOGIT, AGENT)]
)
def test_parts_in_the_wrong_place(arm: rb.Arm) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^arm 3"):
        checked_arm(arm, 3)


@pytest.mark.parametrize(
    "arm",
    [
        WALK,
        rb.Arm(MOVES._replace(decay=-1.0), LOGIT),
        rb.Arm(MOVES._replace(decay=1.0), LOGIT),
        rb.Arm(MOVES._replace(lo=0.5, hi=0.5), LOGIT),
        rb.Arm(MOVES, rb.BernoulliLogit(-3.0, 0.0), -2.0, -1.0),
        rb.Arm(MOVES, NORMAL),
        rb.Arm(MOVES, AGENT, 1e-3),
    ],
)
def test_arms_that_are_as_they_should_be(arm: rb.Arm) -> None:
    assert checked_arm(arm) == arm


def test_numbers_become_floats() -> None:
    arm = checked_arm(rb.Arm(anything(rb.ClippedAffine)(1, np.float32(-1.0), True), rb.BernoulliLogit(2, 3), 0, 1))
    numbers = [*arm.dynamics, *arm.rewards, arm.theta_lo, arm.theta_hi]
    assert numbers == [1.0, -1.0, 1.0, 0.0, 1.0, 2.0, 3.0, 0.0, 1.0]
    assert {type(number) for number in numbers} == {float}


def test_a_bandit_has_arms_of_one_kind() -> None:
    with refused("a bandit needs at least one arm, and arms is empty"):
        checked_arms([])
    with refused(
        "arm 2 'swim' has rewards Gaussian where arm 0 'walk' has BernoulliLogit: "
        "the arms of a bandit share one type of family and of dynamics"
    ):
        checked_arms([WALK, WALK, rb.Arm(MOVES, NORMAL, name="swim")])


def test_a_point_is_inside_the_bounds_of_its_arm() -> None:
    arm = rb.Arm(MOVES._replace(lo=-1.0), LOGIT, 0.2, 0.8)
    assert checked_point(arm, 0.2, -1, "here") == (0.2, -1.0)
    for theta, x0, message in [
        (0.1, 0.0, "here, theta 0.1 must be from 0.2 to 0.8"),
        (0.9, 0.0, "here, theta 0.9 must be from 0.2 to 0.8"),
        (NAN, 0.0, "here, theta nan must be finite"),
        (0.5, -1.5, "here, x0 -1.5 must be from -1.0 to 1.0"),
        (0.5, 2.0, "here, x0 2.0 must be from -1.0 to 1.0"),
        (0.5, math.inf, "here, x0 inf must be finite"),
    ]:
        with refused(message):
            checked_point(arm, theta, x0, "here")


def test_a_truth_has_a_point_for_every_arm() -> None:
    assert checked_truth(rb.Truth([WALK], [1], (0,))) == rb.Truth([WALK], [1.0], [0.0])
    for truth, message in [
        (rb.Truth([WALK], [0.5, 0.5], [0.5]), "truth, theta has 2 values for 1 arms"),
        (rb.Truth([WALK], [0.5], []), "truth, x0 has 0 values for 1 arms"),
        (rb.Truth([WALK], [1.5], [0.5]), "truth of arm 'walk', theta 1.5 must be from 0.0 to 1.0"),
        (rb.Truth([WALK._replace(name="")], [0.5], [-0.5]), "truth of arm 0, x0 -0.5 must be from 0.0 to 1.0"),
    ]:
        with refused(message):
            checked_truth(truth)


REWARDS = [
    (LOGIT, 0.5, "here, reward 0.5 must be 0 or 1 (BernoulliLogit)"),
    (LOGIT, 2.0, "here, reward 2 must be 0 or 1 (BernoulliLogit)"),
    (LOGIT, -1.0, "here, reward -1 must be 0 or 1 (BernoulliLogit)"),
    (AGENT, 1.01, "here, reward 1.01 must be from 0 to 1 (LaplaceAgent)"),
    (AGENT, -0.01, "here, reward -0.01 must be from 0 to 1 (LaplaceAgent)"),
    (rb.PoissonLog(1.0, 1.0), -1.0, "here, reward -1 must be a whole number 0 or more (PoissonLog)"),
    (rb.PoissonLog(1.0, 1.0), 1.5, "here, reward 1.5 must be a whole number 0 or more (PoissonLog)"),
    (rb.BinomialLogit(1.0, 1.0, 7.0), 8.0, "here, reward 8 must be a whole number from 0 to 7 (BinomialLogit)"),
    (rb.BetaFraction(1.0, 1.0, 2.0), 1.0,
     "here, reward 1 must be above 0 and below 1 (BetaFraction)"),
    *((family, bad, f"here, reward {bad} must be finite") for family in (LOGIT, NORMAL, AGENT)
      for bad in (NAN, math.inf, -math.inf)),
]  # fmt: skip


@pytest.mark.parametrize(("family", "reward", "message"), REWARDS)
def test_rewards_outside_the_support(family: Any, reward: float, message: str) -> None:
    with refused(message):
        checked_reward(rb.Arm(MOVES, family), reward, "here")


@pytest.mark.parametrize(
    ("family", "rewards"), [(LOGIT, (0, 1, True)), (NORMAL, (-1e9, 0.5, 1e9)), (AGENT, (0, 0.3, 1))]
)
def test_rewards_inside_the_support(family: Any, rewards: tuple[float, ...]) -> None:
    for reward in rewards:
        assert checked_reward(rb.Arm(MOVES, family), reward, "here") == reward


HISTORIES: list[tuple[Any, Any, str]] = [
    ([1, 0], [1.0], "played (shape (2,)) and rewards (shape (1,)) must be two lists of the same length"),
    ([[1]], [[1.0]], "played (shape (1, 1)) and rewards (shape (1, 1)) must be two lists of the same length"),
    ([1, 2], [1.0, NAN], "decision 1, played 2 must be 0 or 1"),
    ([0.5], [1.0], "decision 0, played 0.5 must be 0 or 1"),
    ([NAN], [1.0], "decision 0, played nan must be 0 or 1"),
    ([1, 0], [1.0, 0.0], "decision 1, reward 0 was given but the arm was not played: it must be nan"),
    ([1, 1], [NAN, 0.5], "decision 1, reward 0.5 must be 0 or 1 (BernoulliLogit)"),
    ([1, 1], [NAN, math.inf], "decision 1, reward inf must be finite"),
]


@pytest.mark.parametrize(("played", "rewards"), [(["yes"], [1]), ([1], ["good"]), ([1], [{}])])
def test_histories_that_are_no_numbers(played: Any, rewards: Any) -> None:
    with pytest.raises(TypeError, match=r"^(played|rewards) must be a list of numbers: .*('yes'|'good'|dict)"):
        checked_history(WALK, played, rewards)


@pytest.mark.parametrize("arms", [None, 3, WALK])
def test_arms_that_are_no_list(arms: Any) -> None:
    with pytest.raises(TypeError, match=r"^arms .* must be a list of Arm$"):
        checked_arms(arms)


@pytest.mark.parametrize(("played", "rewards", "message"), HISTORIES)
def test_histories_that_cannot_be(played: Any, rewards: Any, message: str) -> None:
    with refused(message):
        checked_history(WALK, played, rewards)


def test_a_history_may_miss_rewards() -> None:
    played, rewards = checked_history(WALK, (1, 0, True), (1, NAN, NAN))
    assert played.tolist() == [1.0, 0.0, 1.0]
    assert rewards.tolist() == pytest.approx([1.0, NAN, NAN], nan_ok=True)


def test_a_number_beyond_all_floats_is_refused_like_any_that_is_too_large() -> None:
    arm = rb.Arm(rb.ClippedAffine(10**400, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6))
    with pytest.raises(ValueError, match=r"arm 0, decay must be from -1e\+50 to 1e\+50, and is larger by far"):
        checked_arm(arm)


def test_true_is_no_number_of_decisions() -> None:
    with pytest.raises(ValueError, match="horizon True must be a whole number, 1 or more"):
        checked_whole(True, "horizon", 1)
    with pytest.raises(ValueError, match="workers True must be 1 or more"):
        checked_workers(True, "workers")
