"""Lemmas of the paper as printed, with counterexamples, and as corrected in docs/errata.md."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

import rogue_bandits as rb
from rogue_bandits.model.constants import sub_gaussian
from rogue_bandits.types import Floats, kl, loglik, mean, next_state

STILL = rb.ClippedAffine(0.0, 0.0, 0.0, 0.0, 0.0)
MIRRORED = rb.Arm(rb.ClippedAffine(decay=-1.0, pull=0.0, drift=1.0), rb.BernoulliLogit(0.4, 0.6))  # h(x) = 1 − x


# ---- Lemma 1 ---------------------------------------------------------------------------------------------------------
def test_one_reward_changes_the_largest_deviation_by_its_share_of_the_lipschitz_constant() -> None:
    """φ is L_p/n-Lipschitz in each reward; a constant of L_p in each, as printed, would not concentrate."""
    arm, theta, n = rb.Arm(STILL, rb.ContinuousBernoulli(2.0, 0.0), -1.0, 1.0), -1.0, 5
    f, constant = arm.rewards, rb.theory.constants(arm).L_p

    def phi(rewards: list[float]) -> float:
        deviations = []
        for other in np.linspace(-1.0, 1.0, 21).tolist():
            ratio = sum(loglik(f, theta, 0.0, r) - loglik(f, other, 0.0, r) for r in rewards) / n
            deviations.append(abs(ratio - kl(f, theta, 0.0, other, 0.0)))
        return max(deviations)

    rewards, step = [0.9, 0.2, 0.7, 0.6, 0.8], 0.05
    for k in range(n):
        moved = [r + step * (j == k) for j, r in enumerate(rewards)]
        slope = abs(phi(moved) - phi(rewards)) / step
        assert slope == pytest.approx(constant / n)  # at the corner farthest from the truth it is as large


# ---- Lemma 2 ---------------------------------------------------------------------------------------------------------
def test_the_ratio_changes_between_decisions_by_up_to_twice_the_printed_bound() -> None:
    """ℓ(θ, x, t) has both states at t, and both move: 0.800 where L_f·diam(X) is 0.527."""
    f, theta, r, c = MIRRORED.rewards, 1.0, 0.0, rb.theory.constants(MIRRORED)

    def ratio(x_bar: float, x: float) -> float:
        return loglik(f, theta, x_bar, r) - loglik(f, theta, x, r)

    now, later = (0.0, 1.0), tuple(next_state(MIRRORED.dynamics, x, 1.0) for x in (0.0, 1.0))
    change = abs(ratio(*now) - ratio(later[0], later[1]))
    assert change == pytest.approx(2 * math.log((1 + math.e) / (1 + math.exp(0.4))))
    assert 0.8 < change < 0.801
    assert c.L_f * c.diam_state == pytest.approx(0.527, abs=5e-4)
    for x_bar, x, r2 in product(np.linspace(0, 1, 5).tolist(), np.linspace(0, 1, 5).tolist(), (0.0, 1.0)):
        before = loglik(f, 0.3, x_bar, r2) - loglik(f, 0.9, x, r2)
        after = loglik(f, 0.3, 1 - x_bar, r2) - loglik(f, 0.9, 1 - x, r2)
        assert abs(after - before) <= 2 * c.L_f * c.diam_state


# ---- Lemma 4 ---------------------------------------------------------------------------------------------------------
class Entropy(NamedTuple):
    """Both sides of Lemma 4."""

    expected: float  # E sup |⟨ε, a⟩|/n
    printed: float
    corrected: float


def rademacher(points: Floats) -> float:
    """E sup over points of |⟨ε, a⟩|/n, over all signs."""
    n = points.shape[1]
    signs = np.array(list(product((-1.0, 1.0), repeat=n)))
    return float(np.abs(signs @ points.T).max(axis=1).mean()) / n


def covering_number(points: Floats, alpha: float) -> int:
    """The least number of balls of radius alpha around some of the points that contain all points."""
    near = np.linalg.norm(points[:, None] - points[None], axis=2) <= alpha
    for size in range(1, len(points)):
        if any(near[list(chosen)].any(axis=0).all() for chosen in combinations(range(len(points)), size)):
            return size
    return len(points)


def entropy_integral(points: Floats, upper: float) -> float:
    """∫ √log 2N(α) dα from 0 to upper: a sum of rectangles, as N is a step function."""
    apart = np.linalg.norm(points[:, None] - points[None], axis=2).ravel()
    steps = np.unique(np.clip(np.append(apart, upper), 0.0, upper))
    heights = [math.sqrt(math.log(2 * covering_number(points, a))) for a in steps[:-1]]
    lowest = 0.0 if steps[0] == 0.0 else steps[0] * math.sqrt(math.log(2 * len(points)))
    return lowest + math.fsum(h * (b - a) for h, a, b in zip(heights, steps[:-1], steps[1:], strict=True))


def both_sides(points: Floats) -> Entropy:
    """Printed: 4·∫ to K = max |a|/n of Euclidean covers; corrected: 12·∫ to ½·max |a|/√n, of |·|/√n."""
    n, norm = points.shape[1], float(np.linalg.norm(points, axis=1).max())
    return Entropy(
        rademacher(points),
        4 / math.sqrt(n) * entropy_integral(points, norm / n),
        12 / math.sqrt(n) * entropy_integral(points / math.sqrt(n), 0.5 * norm / math.sqrt(n)),
    )


def test_the_printed_entropy_bound_fails_for_one_vector() -> None:
    """A = {(1, 0, …, 0)} in ℝ¹²: E|ε₁|/12 = 1/12, and the printed bound is 4·(1/12)·√(log 2/12)."""
    one = both_sides(np.eye(12)[:1])
    assert one.expected == pytest.approx(1 / 12)
    assert one.printed == pytest.approx(4 / 12 * math.sqrt(math.log(2) / 12))
    assert one.printed < one.expected < one.corrected


@pytest.mark.parametrize("seed", range(6))
def test_the_corrected_entropy_bound_holds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sides = both_sides(rng.normal(size=(7, 9)) * rng.exponential(size=(7, 1)))
    assert sides.expected <= sides.corrected


def test_neighbours_in_successive_covers_are_up_to_three_radii_apart() -> None:
    """A set of four points, covers with radii 2 and 1: the nearest centres of one point are almost 3·1 apart."""
    points, coarse, fine = (0.5, 2.5, 3.95, 5.5), (2.0, 6.0), (1.0, 2.9, 4.95)

    def nearest(cover: tuple[float, ...], a: float) -> float:
        return min(cover, key=lambda centre: abs(centre - a))

    assert max(abs(nearest(coarse, a) - a) for a in points) <= 2.0
    assert max(abs(nearest(fine, a) - a) for a in points) <= 1.0 + 1e-12
    assert max(abs(nearest(fine, a) - nearest(coarse, a)) for a in points) == pytest.approx(2.95)


def test_the_constant_of_theorem_1_is_above_what_the_corrected_lemma_gives() -> None:
    """2·12·∫ √(log 2(3v/α)^d) dα = 36·2^(1/d)·v·√(πd), by summation; c_f has 48√2 for the 36."""
    for d in (2, 3, 5):
        top = 3.0 * 2 ** (1 / d)  # the integrand vanishes there, at v = 1
        alpha = (np.arange(2_000_000) + 0.5) * top / 2_000_000
        integral = float(np.sqrt(np.maximum(np.log(2 * (3 / alpha) ** d), 0.0)).sum()) * top / 2_000_000
        assert 24 * integral == pytest.approx(36 * 2 ** (1 / d) * math.sqrt(math.pi * d), rel=1e-4)
    assert 48 * math.sqrt(2) > 36


# ---- Remark 1 --------------------------------------------------------------------------------------------------------
def test_the_constant_of_theorem_1_grows_as_the_dimension_on_the_unit_cube() -> None:
    """With the same L_f: c_f/L_f is diam·√d up to 2^(1/d), and the largest norm in the cube is √d."""
    found = {}
    for states in (1, 3, 7):
        identity = tuple(tuple(0.5 * (i == j) for j in range(states)) for i in range(states))
        dynamics = rb.MatrixAffine(identity, (0.0,) * states, (0.0,) * states, (0.0,) * states, (1.0,) * states)
        arm = rb.Arm(dynamics, rb.Weighted(rb.BernoulliLogit(1.0, 1.0), (1.0,), (1.0,) * states), (0.0,), (1.0,))
        c, d = rb.theory.constants(arm), states + 1
        assert c.diam_box == pytest.approx(math.sqrt(d))
        first = 8.0 * math.sqrt(states * math.pi)
        found[d] = (c.c_f / c.L_f - first) / (48.0 * math.sqrt(2.0 * math.pi) * 2.0 ** (1.0 / d))
    assert found == pytest.approx({d: float(d) for d in (2, 4, 8)})


# ---- Assumption 4: sigma ---------------------------------------------------------------------------------------------
def test_what_symmetrisation_needs_of_sigma_and_the_parameter_of_rewards_does_not_give() -> None:
    """E exp(s(r − r')) ≤ exp(s²σ²/2) at σ² = 1/6; at 1/12, the sub-Gaussian parameter of a reward, it fails."""
    f = rb.ContinuousBernoulli(1.0, 0.0)
    points, weights = np.polynomial.legendre.leggauss(40)
    r, weights = 0.5 + 0.5 * points, 0.5 * weights
    fails = 0
    for eta, s in product((-3.0, 0.0, 1.0), (0.5, 2.0, 6.0)):
        p = weights * np.exp([loglik(f, eta, 0.0, float(v)) for v in r])
        g = float(p @ r)
        assert math.log(float(p @ np.exp(s * (r - g)))) <= s**2 / 24 * (1 + 1e-9)  # a reward
        difference = math.log(float(p @ np.exp(s * r)) * float(p @ np.exp(-s * r)))
        assert difference <= 0.5 * s**2 * sub_gaussian(f) ** 2 * (1 + 1e-9)
        fails += difference > s**2 / 24
    assert fails > 0
    assert sub_gaussian(f) == pytest.approx(math.sqrt(2) * math.sqrt(1 / 12))


# ---- Sec. 5.1: the rate ----------------------------------------------------------------------------------------------
def test_a_mean_divergence_falls_as_one_over_n_and_not_as_its_root() -> None:
    """The 95 % quantile of n·KL(truth, fit) of Bernoulli rewards, from the exact law of their sum, is that of χ²/2."""
    p, f, limit = 0.6, rb.BernoulliLogit(1.0, 0.0), stats.chi2.ppf(0.95, df=1) / 2
    quantiles = []
    for n in (400, 1_600, 6_400):
        ones = np.arange(1, n)
        share = ones / n
        divergence = p * np.log(p / share) + (1 - p) * np.log((1 - p) / (1 - share))
        order = np.argsort(divergence)
        above = np.cumsum(stats.binom.pmf(ones, n, p)[order])
        quantiles.append(n * float(divergence[order][np.searchsorted(above, 0.95)]))
    assert quantiles == pytest.approx([limit] * 3, rel=0.08)
    theta = math.log(p / (1 - p))
    assert mean(f, theta, 0.0) == pytest.approx(p)
    arm = rb.Arm(STILL, f, -3.0, 3.0)
    over = [
        rb.theory.adaptive_radius(arm, n, 0.05) * n / q for n, q in zip((400, 1_600, 6_400), quantiles, strict=True)
    ]
    assert over[0] > 1.0
    assert over[1] / over[0] > 1.8  # as √n: a radius of order √(log n/n) is ever further above
    assert over[2] / over[1] > 1.8


# ---- Proposition 3 ---------------------------------------------------------------------------------------------------
def test_the_printed_constant_suffices_for_any_number_of_arms_only_because_each_is_played_once_first() -> None:
    """Of K arms one fails at t with probability K·(t − 1)·t⁻⁴; from t = K + 1 on that is at most 1/(2K) altogether."""
    t = np.arange(1.0, 200_000.0)
    for arms in (2, 3, 10, 50):
        failures = arms * ((t - 1) * t**-4)
        assert failures[arms:].sum() <= 1 / (2 * arms) < math.pi**2 / 3
    printed_sum = float((t * t**-4).sum())  # from t = 1 on, with t for t − 1
    assert 2 * printed_sum < math.pi**2 / 3 < 3 * printed_sum


def test_epsilon_is_between_arms_each_with_its_own_dynamics() -> None:
    """Theorem 3 prints h_a for both arms, Proposition 3 the same arm twice, for which there is no least difference."""
    slow, fast = rb.ClippedAffine(0.9, -0.3, 0.1), rb.ClippedAffine(0.2, -0.5, 0.4)
    f, theta, x0, plays = rb.BernoulliLogit(1.0, 2.0), (0.4, 0.9), (0.5, 0.6), [0, 1, 1, 0]

    def means(k: int, dynamics: rb.ClippedAffine) -> list[float]:
        x, found = x0[k], []
        for played in plays:
            found.append(mean(f, theta[k], x))
            x = next_state(dynamics, x, float(played == k))
        return found

    def least(first: list[float], second: list[float]) -> float:
        return min((abs(a - b) for a, b in zip(first, second, strict=True) if a != b), default=math.inf)

    truth = rb.Truth([rb.Arm(slow, f), rb.Arm(fast, f)], theta=theta, x0=x0)
    found = rb.theory.separation(truth, plays).epsilon
    assert found == pytest.approx([least(means(0, slow), means(1, fast))] * 2)
    assert abs(found[0] - least(means(0, slow), means(1, slow))) > 0.01
    assert least(means(0, slow), means(0, slow)) == math.inf
