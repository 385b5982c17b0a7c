"""Theorem 4: the probability of a suboptimal arm, and the recommended c."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rogue_bandits as rb
from rogue_bandits.theory.greedy import explorations, harmonic, tail
from rogue_bandits.types import Problem, Request, choose, start

ARM = rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6))
STILL = rb.ClippedAffine(0.0, 0.0, 0.0, 0.0, 0.0)
# So flat that c_f is small beside delta, and the bound is not vacuous.
FLAT = rb.Arm(STILL, rb.Gaussian(1.0, 1.0, 100.0), 0.0, 1e-3)


def test_the_c_that_is_recommended() -> None:
    """max(8 L_p² σ², 28 δ²/3): for these arms L_p = 1 and σ = ½."""
    assert rb.theory.recommended_c([ARM, ARM], 0.1) == 2.0
    assert rb.theory.recommended_c([ARM, ARM], 3.0) == pytest.approx(84.0)


def test_epsilon_rogue_takes_its_c_from_here() -> None:
    """ε_t = min(1, 2c/δ²/t): certain exploration while t ≤ 2·2.33/0.25 = 18.7, then more often the larger mean."""
    policy, worse = rb.theory.epsilon_rogue([ARM, ARM], 0.5), ARM._replace(theta_hi=0.5)
    assert policy == rb.EpsilonRogue(c=rb.theory.recommended_c([ARM, ARM], 0.5), delta_min=0.5)
    state, available = start(policy, Problem((ARM, worse)), 1), np.ones(2, dtype=np.bool_)
    choices = [choose(state, 0, Request(t - 1, available, np.array([0.3]))) for t in (1, 18, 19, 100)]
    assert [arm for arm, _ in choices] == [0, 0, 0, 0]
    epsilon = 2 * (28 * 0.5**2 / 3) / 0.5**2
    expected = [0.5, 0.5, 1 - 0.5 * epsilon / 19, 1 - 0.5 * epsilon / 100]
    assert [probability for _, probability in choices] == pytest.approx(expected)


@pytest.mark.parametrize(("until", "t"), [(0.3, 5), (7.5, 4), (7.5, 7), (7.5, 8), (40.2, 3_000), (1.0, 1)])
def test_explorations_by_summation(until: float, t: int) -> None:
    assert explorations(until, t) == pytest.approx(sum(min(1.0, until / n) for n in range(1, t + 1)), rel=1e-13)


def test_harmonic_numbers() -> None:
    for n in (0, 1, 19, 20, 21, 1_000):
        assert harmonic(n) == pytest.approx(math.fsum(1 / k for k in range(1, n + 1)), rel=1e-14)
    assert math.isfinite(harmonic(10**300))


@pytest.mark.parametrize("w", [0, 3, 50])
def test_the_tail_bounds_the_sum_of_theorem_1(w: int) -> None:
    """Σ over n > w of exp(−(δ√n − c_f)²/(2 L_p² σ²)), 1 where δ√n ≤ c_f, summed until its terms vanish."""
    c, delta = rb.theory.constants(FLAT), 0.1
    total = sum(rb.theory.concentration(FLAT, n, delta) for n in range(w + 1, 5_000))
    assert total <= tail(FLAT, delta, w)
    assert c.c_f < 2.0


def test_explorations_are_as_rarely_few_as_bernstein_says() -> None:
    """P(n ≤ w) ≤ exp(−3w/14) where 2w is the mean: exactly, for a sum of equal chances."""
    for n, p in ((100, 0.2), (400, 0.5), (1_000, 0.01)):
        w = n * p / 2
        assert stats.binom.cdf(w, n, p) <= math.exp(-3 * w / 14)


def test_the_bound_is_what_the_proof_adds_up() -> None:
    policy, t = rb.EpsilonRogue(c=1.0, delta_min=0.2), 100_000
    c, until = rb.theory.constants(FLAT), 1.0 * 2 / 0.2**2
    w = sum(min(1.0, until / n) for n in range(1, t)) / 4
    twice = 2 * (c.L_p * c.sigma) ** 2
    greedy = 2 * (w + 1) * math.exp(-3 * w / 14)
    greedy += 4 * twice / 0.2**2 * math.exp((c.c_f**2 - 0.2**2 * math.floor(w) / 2) / twice)
    by_hand = until / t / 2 + (1 - until / t) * greedy
    assert greedy < 1.0
    assert rb.theory.suboptimal_probability([FLAT, FLAT], policy, t) == pytest.approx(by_hand)


def test_with_enough_exploration_a_worse_arm_becomes_rare() -> None:
    policy = rb.EpsilonRogue(c=60.0, delta_min=0.2)
    chances = [rb.theory.suboptimal_probability([FLAT, FLAT], policy, 10**k) for k in (3, 5, 7, 9)]
    assert chances[0] == 0.5  # explores for certain until decision 3,000
    assert np.all(np.diff(chances) <= 0.0)
    assert chances[-1] < 1e-4


def test_for_the_logistic_arms_it_is_vacuous() -> None:
    policy = rb.theory.epsilon_rogue([ARM, ARM], 1e-3)
    assert rb.theory.suboptimal_probability([ARM, ARM], policy, 20_000) == 0.5  # as choices at random
    assert rb.theory.suboptimal_probability([ARM, ARM], policy, 10**300) == 1.0


def test_rewards_that_tell_nothing_apart_leave_only_exploration() -> None:
    blind = rb.Arm(STILL, rb.BernoulliLogit(0.0, 1.0))
    assert tail(blind, 0.5, 3) == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rb.theory.recommended_c([ARM], 0.0), "recommended_c, delta_min 0.0 must be above 0"),
        (lambda: rb.theory.recommended_c([ARM], math.inf), "delta_min inf must be finite"),
        (lambda: rb.theory.suboptimal_probability([ARM], rb.EpsilonRogue(), 5), "must have c and delta_min"),
        (lambda: rb.theory.suboptimal_probability([ARM], rb.EpsilonRogue(1, 1), 0), "t 0 must be a whole number, 1 or"),
    ],
)
def test_bad_input_is_refused_in_words(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
