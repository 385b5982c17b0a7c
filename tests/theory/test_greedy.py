"""Theorem 4: the probability of a suboptimal arm, and the recommended c."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rogue_bandits as rb
from rogue_bandits.theory.greedy import (
    adaptive_tail,
    explorations,
    geometric_moment,
    harmonic,
    hellinger_tail,
    tail,
)
from rogue_bandits.types import Problem, Request, choose, kl, loglik, mean, next_state, start
from tests.matrix import pairs_of

ARM = rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6))
STILL = rb.ClippedAffine(0.0, 0.0, 0.0, 0.0, 0.0)
# So flat that the bound is not vacuous for long.
FLAT = rb.Arm(STILL, rb.BernoulliLogit(0.2, 0.0))
FLATTER = rb.Arm(STILL, rb.BernoulliLogit(0.1, 0.0))
VECTORS = rb.Arm(
    rb.MatrixAffine(((0.6, 0.0), (0.0, 0.9)), (-1.0, -0.1), (0.5, 0.1), (0.0, 0.0), (1.0, 1.0)),
    rb.Weighted(rb.BernoulliLogit(1.0, 1.0), (0.1,), (0.06, 0.03)),
    (0.0,),
    (1.0,),
)


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


@pytest.mark.parametrize(("arm", "w"), pairs_of([FLAT, VECTORS], [0, 50, 3, 200], 1))
def test_tails_bound_the_sums_of_the_concentration(arm: rb.Arm, w: int) -> None:
    """Σ over n > w, summed until terms vanish; by Hellinger distances the term is the alpha whose radius is delta."""
    delta, counts = 0.1, range(w + 1, 4_000)
    total = math.fsum(rb.theory.adaptive_concentration(arm, n, delta) for n in counts)
    assert 0.0 < total <= adaptive_tail(arm, delta, w)
    c, d = rb.theory.constants(arm), 2 if arm is FLAT else 3
    step = c.L_f * (0.5 if arm is FLAT else 0.5 * math.sqrt(3))
    logs = [
        d * math.log(3 * n) - ((n * delta - step) / (2 + 2 * step) - step) / 2  # solved for log(1/alpha)
        for n in counts
    ]
    radii = [rb.theory.hellinger_radius(arm, n, math.exp(log_alpha))
             for n, log_alpha in zip(counts, logs, strict=True) if -600.0 < log_alpha < 0.0]  # fmt: skip
    assert radii
    assert np.array(radii) == pytest.approx(delta)
    assert 0.0 < math.fsum(math.exp(min(0.0, v)) for v in logs) <= hellinger_tail(arm, delta, w)
    assert tail(arm, delta, w) == min(adaptive_tail(arm, delta, w), hellinger_tail(arm, delta, w))


@pytest.mark.parametrize(("p", "m", "power"), [(0.3, 1, 0), (0.3, 4, 1), (0.05, 2, 2), (0.2, 7, 3)])
def test_moments_of_a_geometric_series_by_summation(p: float, m: int, power: int) -> None:
    total = math.fsum(n**power * (1 - p) ** (n - m) for n in range(m, 2_000))
    assert geometric_moment(p, m, power) == pytest.approx(total, rel=1e-12)


def test_explorations_are_as_rarely_few_as_bernstein_says() -> None:
    """P(n ≤ w) ≤ exp(−3w/14) where 2w is the mean: exactly, for a sum of equal chances."""
    for n, p in ((100, 0.2), (400, 0.5), (1_000, 0.01)):
        w = n * p / 2
        assert stats.binom.cdf(w, n, p) <= math.exp(-3 * w / 14)


def test_the_bound_is_what_the_proof_adds_up() -> None:
    """Over all arms: at most w rewards, e^(−3w/14) without a factor w, or more than w and a wrong fit."""
    policy, t, arms = rb.EpsilonRogue(c=1.5, delta_min=0.2), 10**6, [FLAT, FLAT, FLATTER]
    until = 1.5 * 3 / 0.2**2
    w = sum(min(1.0, until / n) for n in range(1, t)) / 6
    greedy = 3 * math.exp(-3 * w / 14)
    for arm, weight in ((FLAT, 0.2), (FLAT, 0.2), (FLATTER, 0.1)):
        c, square = rb.theory.constants(arm), 2 * (weight * 0.5) ** 2
        q, m = math.exp(-(0.2**2) / (2 * square)), math.floor(w) + 1
        series = q**m * (m / (1 - q) + q / (1 - q) ** 2)  # Σ n·qⁿ from m
        step = c.L_f * 0.5
        slope = 2 * (2 + 2 * step)
        other = math.fsum(
            (3 * n) ** 2 * math.exp(-(0.2 * n - step - (2 + 2 * step) * step) / slope) for n in range(m, m + 5_000)
        )
        greedy += min(9 * math.exp((2 * step) ** 2 / square) * series, other)
    by_hand = until / t / 3 + (1 - until / t) * greedy
    assert greedy < 1.0
    assert rb.theory.suboptimal_probability(arms, policy, t) == pytest.approx(by_hand)


def test_with_enough_exploration_a_worse_arm_becomes_rare() -> None:
    policy = rb.EpsilonRogue(c=60.0, delta_min=0.2)
    chances = [rb.theory.suboptimal_probability([FLAT, FLAT], policy, 10**k) for k in (3, 5, 7, 9)]
    assert chances[0] == 0.5  # explores for certain until decision 3,000
    assert np.all(np.diff(chances) <= 0.0)
    assert chances[-1] < 1e-4


def test_for_the_logistic_arms_it_is_vacuous_at_their_horizon() -> None:
    policy = rb.theory.epsilon_rogue([ARM, ARM], 1e-3)
    assert rb.theory.suboptimal_probability([ARM, ARM], policy, 20_000) == 0.5  # as choices at random
    assert rb.theory.suboptimal_probability([ARM, ARM], rb.theory.epsilon_rogue([ARM, ARM], 0.1), 10**5) > 0.5


def test_in_the_end_it_is_informative_for_the_logistic_arms_too() -> None:
    """With Theorem 1's c_f it was 1 at 10³⁰⁰ decisions. Here it is soon little more than the exploration itself."""
    policy = rb.theory.epsilon_rogue([ARM, ARM], 1e-3)
    for t in (10**8, 10**10):
        explores = 2.0 * 2 / 1e-3**2 / t / 2
        assert rb.theory.suboptimal_probability([ARM, ARM], policy, t) == pytest.approx(explores, rel=1e-3)


def test_unbounded_rewards_are_refused_by_name() -> None:
    normal = rb.Arm(STILL, rb.Gaussian(1.0, 1.0, 1.0))
    with pytest.raises(TypeError, match="has no constant for Gaussian"):
        rb.theory.suboptimal_probability([normal, normal], rb.EpsilonRogue(1.0, 0.1), 5)


# ---- what the printed proof assumes ----------------------------------------------------------------------------------
FLIPS = rb.ClippedAffine(decay=0.0, pull=-1.0, drift=1.0)  # to 0 when played, to 1 at rest
FLIPPING = rb.Arm(FLIPS, rb.BernoulliLogit(4.0, 3.0), -1.0, 1.0)


def likeliest(rewards: list[float], states: list[float]) -> float:
    """The theta of a grid under which rewards at these states are likeliest."""
    return max(
        np.linspace(-1.0, 1.0, 81).tolist(),
        key=lambda theta: sum(loglik(FLIPPING.rewards, theta, x, r) for x, r in zip(states, rewards, strict=True)),
    )


def test_how_often_an_arm_is_explored_and_how_wrong_its_fit_is_are_not_independent() -> None:
    """The arm is played in explorations alone, with probability ½ at each of five decisions: all 32 are enumerated.

    The proof takes P(n = 2 | D ≥ δ) to be P(n = 2), D the mean divergence after two rewards. The second reward is seen
    in the state after a rest or without one, which depends on the exploration times; so does n.
    """
    theta, delta, f = 0.5, 0.05, FLIPPING.rewards
    wrong = wrong_and_two = two = 0.0
    for explored in product((False, True), repeat=5):
        times = [t for t in range(5) if explored[t]]
        if len(times) < 2:
            continue
        states = [1.0, 1.0 if times[1] > times[0] + 1 else 0.0]
        for rewards in product((0.0, 1.0), repeat=2):
            p = math.exp(sum(loglik(f, theta, x, r) for x, r in zip(states, rewards, strict=True))) / 32
            fitted = likeliest(list(rewards), states)
            is_wrong = sum(kl(f, theta, x, fitted, x) for x in states) / 2 >= delta
            wrong += p * is_wrong
            wrong_and_two += p * (is_wrong and len(times) == 2)
            two += p * (len(times) == 2)
    given_two_rewards = 26 / 32
    assert abs(wrong_and_two / wrong - two / given_two_rewards) > 0.02


def test_a_wrong_fit_of_the_best_arm_is_likelier_than_that_of_any_arm() -> None:
    """Arms 1 and 2 of three are played once each, at state 1; then one whose reward was 1 again, the other one rests.

    So if a reward was 0, and a fit therefore wrong, that arm is the best one at the next decision: π* depends on
    rewards. Its fit is wrong with probability 1 − (1 − p)², where that of a given arm is wrong with probability p. The
    sum over arms bounds it; the largest over arms, with which the proof ends, does not.
    """
    theta, f = 1.0, FLIPPING.rewards
    p = math.exp(loglik(f, theta, 1.0, 0.0))
    best_is_wrong = 0.0
    for rewards in product((0.0, 1.0), repeat=2):
        again = 0 if rewards[0] == 1.0 else 1
        states = [next_state(FLIPS, 1.0, float(k == again)) for k in (0, 1)]
        means = [mean(f, theta, x) for x in states]
        best = means.index(max(means))
        wrong = kl(f, theta, 1.0, likeliest([rewards[best]], [1.0]), 1.0) > 1e-6
        if rewards == (0.0, 0.0):
            assert wrong
        best_is_wrong += math.prod(p if r == 0.0 else 1.0 - p for r in rewards) * wrong
    assert best_is_wrong == pytest.approx(1 - (1 - p) ** 2)
    assert p < best_is_wrong <= 2 * p
    # A third arm is played if its own fit is wrong or that of the best one: twice the largest over arms is too small.
    one_of_both = 1 - (1 - p) * (1 - best_is_wrong)
    assert 2 * p < one_of_both <= 3 * p


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
