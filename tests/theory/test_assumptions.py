"""The constants of the theorems against grids of their own."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.model.constants import lipschitz_mean, lipschitz_parameters
from rogue_bandits.model.validation import rewards_fault
from rogue_bandits.types import mean

MOVES, WIDE = rb.ClippedAffine(0.6, -1.0, 0.5), rb.ClippedAffine(0.6, -1.0, 0.5, -2.0, 0.5)
EXPONENTIAL = [
    rb.Arm(MOVES, rb.BernoulliLogit(0.4, 0.6)),
    rb.Arm(WIDE, rb.BernoulliLogit(-2.0, 3.0), 0.5, 1.5),
    rb.Arm(MOVES, rb.BernoulliLogit(3.0, 0.5), 1.0, 2.0),
    rb.Arm(WIDE, rb.Gaussian(-0.3, 1.0, 2.0), -1.0, 1.0),
]
AGENTS = [
    rb.Arm(MOVES, rb.LaplaceAgent(), 0.02, 1.0),
    rb.Arm(MOVES._replace(lo=0.2, hi=0.9), rb.LaplaceAgent(), 0.3, 2),
]
STEP = 1e-6


def steepest_mean(arm: rb.Arm, points: int = 61) -> float:
    """The largest gradient of the mean on a grid of the box, by central differences."""
    f, d, most = arm.rewards, arm.dynamics, 0.0
    for theta in np.linspace(arm.theta_lo + STEP, arm.theta_hi - STEP, points).tolist():
        for x in np.linspace(d.lo + STEP, d.hi - STEP, points).tolist():
            by_theta = (mean(f, theta + STEP, x) - mean(f, theta - STEP, x)) / (2 * STEP)
            by_x = (mean(f, theta, x + STEP) - mean(f, theta, x - STEP)) / (2 * STEP)
            most = max(most, math.hypot(by_theta, by_x))
    return most


@pytest.mark.parametrize("arm", EXPONENTIAL)
def test_no_mean_of_an_exponential_family_is_steeper_and_one_is_as_steep(arm: rb.Arm) -> None:
    bound = lipschitz_mean(arm.rewards, arm)
    assert 0.99 * bound <= steepest_mean(arm) <= bound * (1 + 1e-6)


def test_no_mean_of_the_agent_is_steeper_and_with_little_noise_one_is_nearly_as_steep() -> None:
    quiet, loud = (steepest_mean(arm) for arm in AGENTS)
    assert 0.999 <= quiet <= 1.0 + 1e-6
    assert loud <= 1.0


@pytest.mark.parametrize("arm", [*EXPONENTIAL, *AGENTS])
def test_b_and_a_are_those_of_the_radius(arm: rb.Arm) -> None:
    """A(t)·√(4 log t/n) is the radius of Algorithm 1, and A(t) = B(t⁻⁴)."""
    radius = rb.theory.radius_factor(arm, 20) * math.sqrt(4 * math.log(20) / 7)
    assert radius == pytest.approx(rb.theorem_radius(arm, 1.0, t=20, n=7))
    assert rb.theory.radius_factor(arm, 20) == pytest.approx(rb.theory.confidence_factor(arm, 20.0**-4))
    assert rb.theory.radius_factor(arm, 1) == math.inf


def test_the_largest_gap_is_that_of_a_grid_and_arms_may_differ() -> None:
    arms = [rb.Arm(MOVES, rb.Gaussian(10.0, 0.0, 1.0), 1.0, 1.1), rb.Arm(MOVES, rb.Gaussian(-10.0, 0.0, 1.0), 1.0, 1.1)]
    assert rb.theory.largest_gap(arms) == pytest.approx(22.0)
    # Proposition 2's L_g·diam would be 10·|(1.1, 1)| = 14.9 with the largest norm, 10·|(0.1, 1)| with the diameter.
    c = rb.theory.constants(arms[0])
    assert c.L_g * c.diam_box < 22.0


class Cauchy(NamedTuple):
    """Rewards without a mean: nothing in the paper holds for them."""

    scale: float


@rewards_fault.register
def cauchy_fault(f: Cauchy, arm: rb.Arm) -> str | None:
    return None


def test_a_model_without_a_constant_is_refused_with_the_assumption_that_fails() -> None:
    with pytest.raises(TypeError, match="Assumption 3 has no constant L_f for Cauchy"):
        rb.theory.constants(rb.Arm(MOVES, Cauchy(1.0)))
    with pytest.raises(TypeError, match="Assumption 3 has no constant L_g for Cauchy"):
        lipschitz_mean(Cauchy(1.0), rb.Arm(MOVES, Cauchy(1.0)))
    assert lipschitz_parameters(EXPONENTIAL[0].rewards, EXPONENTIAL[0]) > 0.0


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.5, 2.0])
def test_an_alpha_that_is_no_probability_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match=f"alpha {alpha} must be above 0 and below 1"):
        rb.theory.confidence_factor(EXPONENTIAL[0], alpha)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rb.theory.radius_factor(EXPONENTIAL[0], 0.5), "radius_factor, t 0.5 must be 1 or more"),
        (lambda: rb.theory.constants(EXPONENTIAL[0]._replace(theta_lo=2.0)), "theta_lo 2.0 must be below theta_hi"),
        (lambda: rb.theory.constants(rb.Arm(rb.ClippedAffine(1.5, 0, 0), rb.BernoulliLogit(1, 1))), "decay 1.5 must"),
        (lambda: rb.theory.largest_gap([]), "at least one arm"),
    ],
)
def test_bad_input_is_refused_in_words(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
