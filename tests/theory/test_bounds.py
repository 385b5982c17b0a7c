"""Theorem 1, Corollary 1, Theorem 3 and Corollary 2."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import rogue_bandits as rb
from rogue_bandits.theory.bounds import quintic_root
from rogue_bandits.types import Floats, kl, mean

ARM = rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6))
OTHER = rb.Arm(rb.ClippedAffine(0.7, -1.2, 0.5), rb.BernoulliLogit(0.7, 0.3))
AGENT = rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.LaplaceAgent(), 0.1, 1.0)
NORMAL = rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.Gaussian(1.0, 2.0, 0.5))
STILL = rb.ClippedAffine(0.0, 0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("arm", [ARM, NORMAL, AGENT])
@pytest.mark.parametrize(("n", "alpha"), [(1, 0.05), (400, 1e-9)])
def test_corollary_1_is_theorem_1_at_its_radius(arm: rb.Arm, n: int, alpha: float) -> None:
    """With ξ = L_p·sigma·√(2 log(1/alpha)/n); without the 2, as printed, the failure would be √alpha."""
    radius = rb.theory.confidence_radius(arm, n, alpha)
    assert rb.theory.concentration(arm, n, radius) == pytest.approx(alpha, rel=1e-6)
    assert radius == pytest.approx(rb.theory.confidence_factor(arm, alpha) * math.sqrt(math.log(1 / alpha) / n))
    c = rb.theory.constants(arm)
    as_printed = c.c_f / math.sqrt(n) + c.L_p * c.sigma * math.sqrt(math.log(1 / alpha) / n)
    assert rb.theory.concentration(arm, n, as_printed) == pytest.approx(math.sqrt(alpha), rel=1e-6)


def largest_deviations(arm: rb.Arm, theta: float, people: int, n: int, seed: int) -> Floats:
    """φ of Lemma 1 for each person: sup over theta' of |mean log-likelihood ratio − mean divergence|.

    The arm stands still, so that for a logit both are straight lines in the mean reward: φ = range of eta'·|r̄ − g|.
    """
    f = arm.rewards
    r = np.random.default_rng(seed).binomial(n, mean(f, theta, 0.0), size=people) / n
    farthest = max(abs(f.theta_weight * (theta2 - theta)) for theta2 in (arm.theta_lo, arm.theta_hi))
    return farthest * np.abs(r - mean(f, theta, 0.0))


def test_theorem_1_holds_in_a_small_case_and_so_does_each_step_of_its_proof() -> None:
    """Estimates of probabilities and of the mean may exceed their bounds by 4 standard errors."""
    arm, theta, people, n = rb.Arm(STILL, rb.BernoulliLogit(1.0, 0.0), -2.0, 2.0), 0.5, 20_000, 25
    c = rb.theory.constants(arm)
    phi = largest_deviations(arm, theta, people, n, seed=1)
    assert phi.mean() <= c.c_f / math.sqrt(n)  # Lemma 3
    for xi in (0.05, 0.1, 0.2, 0.4):  # the concentration around the mean, which the size of c_f would hide
        bound = math.exp(-(xi**2) * n / (2 * (c.L_p * c.sigma) ** 2))
        above = (phi > phi.mean() + xi).mean()
        assert above <= bound + 4 * math.sqrt(bound * (1 - bound) / people)
    fits = np.random.default_rng(2).binomial(n, mean(arm.rewards, theta, 0.0), size=500)
    for ones in np.unique(fits):  # the theorem itself: the fit has the mean of the rewards, as far as the box allows
        share = min(max(ones / n, mean(arm.rewards, -2.0, 0.0)), mean(arm.rewards, 2.0, 0.0))
        fitted = math.log(share / (1 - share))
        assert kl(arm.rewards, theta, 0.0, fitted, 0.0) <= rb.theory.confidence_radius(arm, n, 0.5)


def test_theorem_3_is_as_computed_by_hand() -> None:
    c, d = rb.theory.constants(ARM), rb.theory.constants(OTHER)
    by_hand = 0.0
    for constants, delta in ((c, 0.01), (d, 0.02)):
        a = constants.c_f / math.sqrt(4 * math.log(500)) + constants.L_p * constants.sigma * math.sqrt(2)
        by_hand += a**2 * 4 * math.log(500) / delta**2 + 1 + math.pi**2 / 3
    gap = 1 / (1 + math.exp(-1)) - 0.5
    assert rb.theory.regret_bound([ARM, OTHER], [0.01, 0.02], 500) == pytest.approx(gap * by_hand)


def test_theorem_3_with_deltas_at_their_ends() -> None:
    assert rb.theory.regret_bound([ARM, OTHER], [0.1, 0.0], 10) == math.inf
    gap = rb.theory.largest_gap([ARM])
    assert rb.theory.regret_bound([ARM], [math.inf], 10) == pytest.approx(gap * (1 + math.pi**2 / 3))
    same = rb.Arm(STILL, rb.BernoulliLogit(0.0, 1.0))
    assert rb.theory.regret_bound([same, same], [0.0, 0.0], 10) == 0.0


@pytest.mark.parametrize("horizon", [1, 2, 20_000, 10**12])
def test_corollary_2_balances_its_two_parts(horizon: int) -> None:
    arms = [ARM, OTHER]
    found = rb.theory.parameter_free_bound(arms, horizon)
    delta = [found.epsilon**2 / (8 * 0.5**2)] * 2
    assert rb.theory.regret_bound(arms, delta, horizon) == pytest.approx(found.epsilon * horizon, rel=1e-9)
    assert found.regret == 2 * found.epsilon * horizon


def test_corollary_2_grows_as_its_rate_says() -> None:
    """T^⅘ (log T)^⅕, up to the c_f that no log T outgrows soon: the slope on log axes is ⅘ within a hundredth."""
    near, far = (rb.theory.parameter_free_bound([ARM, OTHER], 10**k).regret for k in (12, 14))
    assert math.log10(far / near) / 2 == pytest.approx(0.8, abs=0.01)


@pytest.mark.parametrize(
    ("t", "few", "many"), [(1.0, 0.0, 32.0), (2e4, 2.0, 1.6e5), (1e12, 5.0, 1e-3), (3.0, 1e6, 1.0)]
)
def test_the_root_of_the_quintic_by_substitution_and_by_another_method(t: float, few: float, many: float) -> None:
    root = quintic_root(t, few, many)
    assert t * root**5 == pytest.approx(few * root**4 + many, rel=1e-12)
    assert root == pytest.approx(brentq(lambda e: t * e**5 - few * e**4 - many, 1e-9, 1e9, xtol=1e-15), rel=1e-9)


def test_pinsker_with_sigma_squared_holds_and_with_sigma_does_not() -> None:
    """KL ≥ (g − g')²/(2σ²); the paper's 2σ in place of 2σ² asks too much where σ > 1."""
    for f in (rb.BernoulliLogit(1.0, 0.0), rb.Gaussian(1.0, 0.0, 0.2)):
        sigma = 0.5 if isinstance(f, rb.BernoulliLogit) else f.sd
        for theta, theta2 in ((0.0, 1.0), (-1.0, 0.3), (2.0, 1.9)):
            gap = mean(f, theta, 0.0) - mean(f, theta2, 0.0)
            assert kl(f, theta, 0.0, theta2, 0.0) >= gap**2 / (2 * sigma**2) * (1 - 1e-9)
    wide = rb.Gaussian(1.0, 0.0, 3.0)
    assert kl(wide, 0.0, 0.0, 1.0, 0.0) < 1.0 / (2 * 3.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rb.theory.regret_bound([ARM], [0.1], 0), "regret_bound, horizon 0 must be a whole number, 1 or more"),
        (lambda: rb.theory.parameter_free_bound([ARM], -2), "parameter_free_bound, horizon -2 must be a whole number"),
        (lambda: rb.theory.regret_bound([ARM, OTHER], [0.1], 5), "delta has 1 values for 2 arms"),
        (lambda: rb.theory.regret_bound([ARM], [-0.1], 5), "delta -0.1 of arm 0 must be 0 or more"),
        (lambda: rb.theory.concentration(ARM, 0, 0.1), "concentration, n 0 must be a whole number, 1 or more"),
        (lambda: rb.theory.concentration(ARM, 1, math.nan), "radius nan must be finite"),
        (lambda: rb.theory.confidence_radius(ARM, 3, 1.5), "alpha 1.5 must be above 0 and below 1"),
    ],
)
def test_bad_input_is_refused_in_words(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
