"""Vectors that do not fit are refused, in words that name the place."""

from __future__ import annotations

import re
from typing import Any

import pytest

import rogue_bandits as rb

TWO: Any = rb.MatrixAffine(((0.5, 0.1), (0.0, 0.9)), (-0.5, -0.1), (0.5, 0.1), (0.0, 0.0), (1.0, 1.0))
LOGIT = rb.BernoulliLogit(1.0, 1.0)
SEEN: Any = rb.Weighted(LOGIT, (0.5, -0.5), (0.6, 0.4))
ARM = rb.Arm(TWO, SEEN, (0.0, 0.0), (1.0, 1.0), name="nudge")
ONE = rb.MatrixAffine(((0.5,),), (-0.5,), (0.5,), (0.0,), (1.0,))

ARMS: list[tuple[Any, str]] = [
    (ARM._replace(rewards=SEEN._replace(theta_weights=(1.0,))), "theta_weights has 1 numbers where theta_lo has 2"),
    (ARM._replace(rewards=SEEN._replace(state_weights=(1.0,))), "state_weights has 1 numbers where dynamics.lo has 2"),
    (ARM._replace(rewards=SEEN._replace(theta_weights=(0.0, 0.0))), "must not all be 0: nothing could be learned"),
    (ARM._replace(rewards=SEEN._replace(theta_weights=("a", 1.0))), "theta_weights[0] 'a' must be a number"),
    (ARM._replace(rewards=SEEN._replace(rewards=None)), "rewards None must be a reward family, such as"),
    (ARM._replace(rewards=SEEN._replace(rewards=SEEN)), "must be a family of its own, not Weighted again"),
    (ARM._replace(rewards=LOGIT), "depends on one number of them: say which, as in Weighted(BernoulliLogit(…)"),
    (ARM._replace(theta_lo=0.0), "theta_lo 0.0 must be a list of numbers for Weighted rewards"),
    (ARM._replace(theta_lo=(0.0,)), "theta_lo has 1 numbers and theta_hi 2"),
    (ARM._replace(theta_lo=(0.0, 2.0)), "theta_lo[1] 2.0 must be below theta_hi[1] 1.0"),
    (ARM._replace(dynamics=rb.ClippedAffine(0.6, -1.0, 0.5)), "need dynamics whose states are vectors"),
    (rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), LOGIT, (0.0, 0.0)), "theta_lo (0.0, 0.0) must be a number for Bernoulli"),
    (ARM._replace(dynamics=TWO._replace(pull=(1.0,))), "pull has 1 numbers where drift has 2 numbers"),
    (ARM._replace(dynamics=TWO._replace(decay=((0.5, 0.1),))), "decay has 1 rows where drift has 2 numbers"),
    (
        ARM._replace(dynamics=TWO._replace(decay=((0.5,), (0.1,)))),
        "decay[0] has 1 numbers where drift has 2: decay must",
    ),
    (ARM._replace(dynamics=TWO._replace(decay=((0.9, 0.9), (0.0, 0.9)))), "its spectral norm must be at most 1"),
    (ARM._replace(dynamics=TWO._replace(decay=0.5)), "decay 0.5 must be a list of rows of numbers"),
    (ARM._replace(dynamics=TWO._replace(lo=(0.0, 2.0))), "lo[1] 2.0 must not be above hi[1] 1.0"),
    (ARM._replace(dynamics=TWO._replace(drift=(float("nan"), 0.1))), "drift[0] nan must be finite"),
    (rb.Arm(rb.Saturating(0.5, 0.4, 0.1), LOGIT), "pace 0.5 must be from 0 to half 0.4"),
    (
        rb.Arm(rb.PiecewiseAffine((0.0, 1.0), (0.0,)), LOGIT),
        "rested has 2 numbers and played 1: both need equally many",
    ),
    (
        rb.Arm(rb.PiecewiseAffine((0.0, 0.9, 1.0), (0.0, 0.1, 0.2)), LOGIT),
        "rested[0] 0.0 and rested[1] 0.9 must not be",
    ),
    (rb.Arm(rb.PiecewiseAffine((0.0, 1.5), (0.0, 0.1)), LOGIT), "rested[1] 1.5 must be from lo 0.0 to hi 1.0"),
]


@pytest.mark.parametrize(("arm", "says"), ARMS, ids=[says[:40] for _, says in ARMS])
def test_an_arm_that_does_not_fit_is_refused(arm: Any, says: str) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^arm .*{re.escape(says)}"):
        rb.Bandit([arm], rb.Random())


@pytest.mark.parametrize(
    ("theta", "x0", "says"),
    [
        ([(0.5,)], [(0.5, 0.5)], "theta has 1 numbers, and must have 2"),
        ([0.5], [(0.5, 0.5)], "theta 0.5 must be a list of numbers"),
        ([(0.5, 0.5)], [(0.5, 1.5)], "x0[1] 1.5 must be from 0.0 to 1.0"),
        ([(0.5, "a")], [(0.5, 0.5)], "theta[1] 'a' must be a number"),
    ],
)
def test_a_truth_that_does_not_fit_is_refused(theta: Any, x0: Any, says: str) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^truth of arm 'nudge', {re.escape(says)}"):
        rb.simulate(rb.Truth([ARM], theta, x0), rb.Random(), horizon=3)


def test_arms_of_a_bandit_have_vectors_of_one_length() -> None:
    other = rb.Arm(ONE, rb.Weighted(LOGIT, (1.0,), (1.0,)), (0.0,), (1.0,))
    with pytest.raises(
        ValueError, match=r"^arm 1, decay has 1 by 1 numbers and must have 2 by 2 as that of arm 0 'nudge'"
    ):
        rb.Bandit([ARM, other], rb.Random())


def test_arms_of_a_bandit_have_one_family_inside() -> None:
    other = ARM._replace(rewards=SEEN._replace(rewards=rb.Gaussian(1.0, 1.0, 0.5)))
    with pytest.raises(ValueError, match=r"^arm 1 'nudge', rewards Gaussian must be BernoulliLogit as that of arm 0"):
        rb.Bandit([ARM, other], rb.Random())


def test_a_point_has_two_parts() -> None:
    point = ((0.5, 0.5), (0.5, 0.5))
    with pytest.raises(TypeError, match=r"must be \(theta, x0\), or a Fit"):
        rb.divergence(ARM, [1], [1.0], (*point, 0.5), point)  # type: ignore[arg-type]  # what the test is about
