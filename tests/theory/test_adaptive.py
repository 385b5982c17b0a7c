"""The radius for adaptive plays: each step of its proof, by enumeration of all rewards of a small case."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rogue_bandits as rb
from rogue_bandits.belief.radius import largest_divergence, rule_for
from rogue_bandits.model.constants import corners
from rogue_bandits.types import kl, loglik
from tests.theory.adaptive_arm import Point, deviation, divergences_and_ratios, paths, trajectory

TABLE_1 = [
    rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6)),
    rb.Arm(rb.ClippedAffine(0.7, -1.2, 0.5), rb.BernoulliLogit(0.7, 0.3)),
]
SLOW = rb.Arm(rb.ClippedAffine(0.9, -0.3, 0.1, -1.0, 1.0), rb.BernoulliLogit(2.0, 3.0), -1.0, 1.0)
AGENT = rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.LaplaceAgent(), 0.1, 1.0)
BINOMIAL = rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BinomialLogit(1.0, 1.0, 7.0))
FRACTION = rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.ContinuousBernoulli(1.0, 2.0))
VECTORS = rb.Arm(
    rb.MatrixAffine(((0.6, 0.0), (0.0, 0.9)), (-1.0, -0.1), (0.5, 0.1), (0.0, 0.0), (1.0, 1.0)),
    rb.Weighted(rb.BernoulliLogit(1.0, 1.0), (0.4, -0.2), (0.6, 0.3)),
    (0.0, 0.0),
    (1.0, 2.0),
)
ARMS = [*TABLE_1, SLOW, AGENT, BINOMIAL, FRACTION, VECTORS]
TRUTH = (0.3, 0.8)
PATHS = paths(SLOW, TRUTH, 9)


def grid(arm: rb.Arm, points: int) -> list[Point]:
    d = arm.dynamics
    thetas, x0s = np.linspace(arm.theta_lo, arm.theta_hi, points), np.linspace(d.lo, d.hi, points)
    return list(product(thetas.tolist(), x0s.tolist()))


# ---- the steps of the proof ------------------------------------------------------------------------------------------
def test_plays_depend_on_rewards_and_so_do_states() -> None:
    """Else this would be Theorem 1's case: the states of the last play differ between paths."""
    last = {round(trajectory(SLOW, path.plays, TRUTH[1])[-1], 9) for path in PATHS}
    assert len(last) > 20
    assert math.fsum(path.probability for path in PATHS) == pytest.approx(1.0)


@pytest.mark.parametrize("point", grid(SLOW, 3))
def test_the_deviation_is_a_martingale_with_gaussian_tails(point: Point) -> None:
    """Step 1: its mean is 0 and P(deviation > ξ) ≤ exp(−ξ²n/(2 L_p² σ²)), exactly, though plays are adaptive."""
    c, n = rb.theory.constants(SLOW), len(PATHS[0].plays)
    found = [(deviation(SLOW, path.plays, TRUTH, point), path.probability) for path in PATHS]
    assert math.fsum(value * p for value, p in found) == pytest.approx(0.0, abs=1e-12)
    for xi in (0.1, 0.3, 0.6, 1.0, 1.5):
        beyond = math.fsum(p for value, p in found if value > xi)
        assert beyond <= math.exp(-(xi**2) * n / (2 * (c.L_p * c.sigma) ** 2))


def test_the_deviation_changes_by_no_more_than_twice_the_lipschitz_constant() -> None:
    """Step 2: |deviation(p) − deviation(q)| ≤ 2·L_f·|p − q|, along every path."""
    limit, rng = 2.0 * rb.theory.constants(SLOW).L_f, np.random.default_rng(1)
    steepest = 0.0
    for path in PATHS[::5]:
        p, q = (tuple(rng.uniform(-1.0, 1.0, size=2).tolist()) for _ in range(2))
        between = abs(deviation(SLOW, path.plays, TRUTH, p) - deviation(SLOW, path.plays, TRUTH, q))
        steepest = max(steepest, between / math.dist(p, q))
    assert 0.05 * limit < steepest <= limit


@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_a_net_of_the_box_has_no_more_points_than_counted(n: int) -> None:
    """Step 3: points of the box pairwise more than v/√n apart, taken greedily, cover it: at most (3√n)^d of them."""
    v = math.hypot(1.0, 1.0)
    net: list[Point] = []
    for point in grid(SLOW, 61):
        if all(math.dist(point, other) > v / math.sqrt(n) for other in net):
            net.append(point)
    assert all(min(math.dist(point, other) for other in net) <= v / math.sqrt(n) for point in grid(SLOW, 61))
    assert n / 2 < len(net) <= (3 * math.sqrt(n)) ** 2


def test_the_divergence_of_the_fit_is_at_most_its_deviation() -> None:
    """Step 4: the fit is at least as likely as the truth, so its mean log-likelihood ratio is at most 0."""
    points = [TRUTH, *grid(SLOW, 7)]
    for path in PATHS[::7]:
        best = min(points, key=lambda point: divergences_and_ratios(SLOW, path.plays, TRUTH, point)[1])
        divergence, ratio = divergences_and_ratios(SLOW, path.plays, TRUTH, best)
        assert ratio <= 0.0
        assert divergence <= deviation(SLOW, path.plays, TRUTH, best) + 1e-15


# ---- the steps of the proof by Hellinger distances -------------------------------------------------------------------
@pytest.mark.parametrize("point", grid(SLOW, 3))
def test_the_root_of_the_likelihood_ratio_is_a_supermartingale(point: Point) -> None:
    """E exp(Σ (−ℓ_k/2 + H_k²/2)) ≤ 1, H² = 2 − 2·Σ √(p·q): exactly, though plays are adaptive."""
    total = 0.0
    for path in PATHS:
        own, other = (trajectory(SLOW, path.plays, x0) for x0 in (TRUTH[1], point[1]))
        squares = math.fsum(hellinger(TRUTH[0], x, point[0], x2) for x, x2 in zip(own, other, strict=True))
        ratio = divergences_and_ratios(SLOW, path.plays, TRUTH, point)[1] * len(path.plays)
        total += path.probability * math.exp(0.5 * (squares - ratio))
    assert total <= 1.0 + 1e-12


def hellinger(theta: float, x: float, theta2: float, x2: float) -> float:
    """The squared Hellinger distance Σ (√p − √q)² of two rewards of 0 or 1."""
    f = SLOW.rewards
    return 2 - 2 * sum(math.exp(0.5 * (loglik(f, theta, x, r) + loglik(f, theta2, x2, r))) for r in (0.0, 1.0))


@settings(deadline=None)
@given(st.floats(-6.0, 6.0), st.floats(-6.0, 6.0))
def test_a_divergence_is_at_most_two_and_the_largest_log_ratio_times_the_hellinger_distance(a: float, b: float) -> None:
    f = rb.BernoulliLogit(1.0, 0.0)
    logs = [[loglik(f, eta, 0.0, r) for r in (0.0, 1.0)] for eta in (a, b)]
    largest = max(p - q for p, q in zip(*logs, strict=True))
    squares = sum((math.exp(0.5 * p) - math.exp(0.5 * q)) ** 2 for p, q in zip(*logs, strict=True))
    assert kl(f, a, 0.0, b, 0.0) <= (2 + largest) * squares + 1e-12


# ---- the radius ------------------------------------------------------------------------------------------------------
def test_the_radius_is_as_computed_by_hand() -> None:
    """(2·L_f·v + L_p·σ·√(2(log 1/α + log 9n)))/√n: for arm 0 of Table 1 L_p = 1, σ = ½, v = √½."""
    steep = math.hypot(0.4, 0.6) / (1 + math.exp(-1.0))
    for n, alpha in ((1, 0.5), (300, 0.05), (10_000, 20_000**-4.0)):
        by_hand = 2 * steep * math.sqrt(0.5) + 0.5 * math.sqrt(2 * (math.log(1 / alpha) + math.log(9 * n)))
        assert rb.theory.adaptive_radius(TABLE_1[0], n, alpha) == pytest.approx(by_hand / math.sqrt(n))


def test_in_vectors_the_net_has_more_dimensions() -> None:
    """d = 4 and v = ½·√(1 + 4 + 1 + 1)."""
    c = rb.theory.constants(VECTORS)
    root = c.L_p * c.sigma * math.sqrt(2 * (math.log(20) + 4 * math.log(3 * math.sqrt(50))))
    by_hand = (2 * c.L_f * 0.5 * math.sqrt(7) + root) / math.sqrt(50)
    assert rb.theory.adaptive_radius(VECTORS, 50, 0.05) == pytest.approx(by_hand)


def test_the_radius_by_hellinger_distances_is_as_computed_by_hand() -> None:
    """((2 + 2s)(2·log((3n)²/α) + s) + s)/n with s = L_f·v; it falls as (log n)/n."""
    s = math.hypot(0.4, 0.6) / (1 + math.exp(-1.0)) * math.sqrt(0.5)
    for n, alpha in ((1, 0.5), (300, 0.05), (10**6, 1e-9)):
        by_hand = ((2 + 2 * s) * (2 * math.log((3 * n) ** 2 / alpha) + s) + s) / n
        assert rb.theory.hellinger_radius(TABLE_1[0], n, alpha) == pytest.approx(by_hand)


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize(("n", "alpha"), [(1, 0.3), (400, 1e-9)])
def test_the_concentration_at_the_radius_is_alpha(arm: rb.Arm, n: int, alpha: float) -> None:
    radius = rb.theory.adaptive_radius(arm, n, alpha)
    assert rb.theory.adaptive_concentration(arm, n, radius) == pytest.approx(alpha, rel=1e-6)
    assert rb.theory.adaptive_concentration(arm, n, 0.1 * radius) == 1.0


@pytest.mark.parametrize("arm", TABLE_1)
def test_in_table_1_it_excludes_points_from_about_2000_rewards_on(arm: rb.Arm) -> None:
    """As Algorithm 1 with half of all plays: α = t⁻⁴ and t = 2n; Theorem 1's radius excludes nothing there."""
    largest = max(kl(arm.rewards, *p, *q) for p in corners(arm) for q in corners(arm))
    first = next(n for n in range(1, 10_000) if rb.theory.adaptive_radius(arm, n, (2.0 * n) ** -4) < largest)
    assert 1_900 < first < 2_300
    assert rb.theory.confidence_radius(arm, 1_000 * first, (2_000.0 * first) ** -4) > largest


@pytest.mark.parametrize("arm", ARMS)
def test_theorem_1_is_wider_and_so_holds_for_adaptive_plays(arm: rb.Arm) -> None:
    """Wherever log N ≤ ½((c_f − 2 L_f v)/(L_p σ))², N the size of the net: for all n up to 10¹⁰⁰ here."""
    for n, alpha in product((1, 100, 10**6, 10**100), (0.5, 1e-3, 1e-100)):
        assert rb.theory.adaptive_radius(arm, n, alpha) < rb.theory.confidence_radius(arm, n, alpha)


@pytest.mark.parametrize("arm", ARMS)
def test_the_rule_of_kernels_is_the_radius_with_alpha_divided_among_counts(arm: rb.Arm) -> None:
    """α_n = 6α/(πn)², which add up to α; the decision's number does not matter."""
    assert math.fsum(6 * 0.05 / (math.pi * n) ** 2 for n in range(1, 10_000)) == pytest.approx(0.05, rel=1e-4)
    kinds: list[Any] = [
        (rb.AdaptiveRadius(0.05), rb.theory.adaptive_radius),
        (rb.HellingerRadius(0.05), rb.theory.hellinger_radius),
    ]
    for (radius, by_theory), (n, t) in product(kinds, ((1, 1), (7, 20), (3_000, 10**6))):
        expected = by_theory(arm, n, 6 * 0.05 / (math.pi * n) ** 2)
        assert largest_divergence(rule_for(radius, arm), float(n), math.log(t), 0.1) / n == pytest.approx(expected)


def test_an_upper_bound_with_it_is_that_of_a_theorem_radius_of_the_same_size() -> None:
    rng = np.random.default_rng(3)
    played = (rng.random(900) < 0.5).astype(float).tolist()
    rewards = [float(rng.random() < 0.05) if p else math.nan for p in played]
    steep, n = rb.Arm(TABLE_1[0].dynamics, rb.BernoulliLogit(3.0, 1.0), -1.0, 1.0), int(sum(played))
    radius = rb.theory.adaptive_radius(steep, n, 6 * 0.05 / (math.pi * n) ** 2)
    scale = radius / rb.theorem_radius(steep, 1.0, t=901, n=n)
    found = rb.upper_bound(steep, played, rewards, rb.AdaptiveRadius(0.05))
    assert found == pytest.approx(rb.upper_bound(steep, played, rewards, rb.TheoremRadius(scale)), abs=1e-9)
    assert found < rb.upper_bound(steep, played, rewards, rb.TheoremRadius()) - 0.01
    radius = rb.theory.hellinger_radius(steep, n, 6 * 0.05 / (math.pi * n) ** 2)
    scale = radius / rb.theorem_radius(steep, 1.0, t=901, n=n)
    found = rb.upper_bound(steep, played, rewards, rb.HellingerRadius(0.05))
    assert found == pytest.approx(rb.upper_bound(steep, played, rewards, rb.TheoremRadius(scale)), abs=1e-9)


def test_rogue_ucb_uses_it() -> None:
    """And with it stops playing the worse of two stationary arms, where Theorem 1's radius alternates without end."""
    still = rb.ClippedAffine(0.0, 0.0, 0.0, 0.0, 0.0)
    arm = rb.Arm(still, rb.BernoulliLogit(1.0, 1.0), -3.0, 3.0)
    truth = rb.Truth([arm, arm], theta=[-2.5, 2.5], x0=[0.0, 0.0])
    policies = (rb.RogueUCB(), rb.RogueUCB(radius=rb.AdaptiveRadius(0.05)))
    theorem, adaptive = (rb.simulate(truth, policy, horizon=1_000, seed=1).arm[0] for policy in policies)
    assert 400 < np.count_nonzero(theorem == 0) < 600
    assert np.count_nonzero(adaptive == 0) < 300
    assert not np.any(adaptive[-200:] == 0)


# ---- what is refused -------------------------------------------------------------------------------------------------
def test_unbounded_rewards_are_refused_by_name() -> None:
    normal = rb.Arm(TABLE_1[0].dynamics, rb.Gaussian(1.0, 1.0, 1.0))
    with pytest.raises(TypeError, match="the radius for adaptive plays has no constant for Gaussian: its rewards are"):
        rb.theory.adaptive_radius(normal, 5, 0.05)
    with pytest.raises(TypeError, match="has no constant for Gaussian"):
        rb.Bandit([normal, normal], rb.RogueUCB(radius=rb.AdaptiveRadius()))


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.5])
def test_an_alpha_that_is_no_probability_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match=f"adaptive radius, alpha {alpha} must be above 0 and below 1"):
        rb.upper_bound(TABLE_1[0], [1], [1.0], rb.AdaptiveRadius(alpha))
    with pytest.raises(ValueError, match=f"theory, alpha {alpha} must be above 0 and below 1"):
        rb.theory.adaptive_radius(TABLE_1[0], 3, alpha)


def test_a_scale_is_only_for_theorem_1() -> None:
    with pytest.raises(ValueError, match=r"scale 0.5 must be 1 where a radius is given"):
        rb.Bandit(TABLE_1, rb.RogueUCB(scale=0.5, radius=rb.AdaptiveRadius()))
