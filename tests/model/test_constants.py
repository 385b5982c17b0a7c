"""The constants of Theorem 1 against finite differences and sums of their own."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.model.constants import c_f, lipschitz_parameters, lipschitz_reward, sub_gaussian
from rogue_bandits.types import loglik, mean, support

MOVES, WIDE = rb.ClippedAffine(0.6, -1.0, 0.5), rb.ClippedAffine(0.6, -1.0, 0.5, -2.0, 0.5)
ARMS = [
    rb.Arm(MOVES, rb.BernoulliLogit(0.4, 0.6)),
    rb.Arm(WIDE, rb.BernoulliLogit(-2.0, 3.0), 0.5, 1.5),
    rb.Arm(MOVES, rb.Gaussian(1.0, 2.0, 0.5)),
    rb.Arm(WIDE, rb.Gaussian(-0.3, 1.0, 2.0), -1.0, 1.0),
    rb.Arm(MOVES, rb.LaplaceAgent(), 0.1, 1.0),
    rb.Arm(MOVES._replace(lo=0.2, hi=0.9), rb.LaplaceAgent(), 0.3, 0.5),
]
LOGITS, NORMALS, AGENTS = ARMS[:2], ARMS[2:4], ARMS[4:]
STEP = 1e-6


class Snow(NamedTuple):
    """A family without an upper limit, and without a constant."""


support.register(Snow)(lambda f: (0.0, math.inf, False))


def box(arm: rb.Arm, points: int) -> list[tuple[float, float]]:
    """A grid of (theta, x), its edges among it, moved inward by a step so that differences stay inside."""
    d = arm.dynamics
    thetas = np.linspace(arm.theta_lo + STEP, arm.theta_hi - STEP, points)
    return [(float(theta), float(x)) for theta in thetas for x in np.linspace(d.lo + STEP, d.hi - STEP, points)]


def steepness(f: Any, theta: float, x: float, r: float) -> float:
    """The norm of the gradient of log p(r | theta, x), by central differences."""
    by_theta = (loglik(f, theta + STEP, x, r) - loglik(f, theta - STEP, x, r)) / (2 * STEP)
    by_x = (loglik(f, theta, x + STEP, r) - loglik(f, theta, x - STEP, r)) / (2 * STEP)
    return math.hypot(by_theta, by_x)


@pytest.mark.parametrize("arm", LOGITS)
def test_no_bernoulli_reward_is_steeper_in_the_parameters_and_one_is_as_steep(arm: rb.Arm) -> None:
    steepest = max(steepness(arm.rewards, theta, x, r) for theta, x in box(arm, 15) for r in (0.0, 1.0))
    assert steepest == pytest.approx(lipschitz_parameters(arm.rewards, arm), rel=1e-4)
    assert steepest <= lipschitz_parameters(arm.rewards, arm) * (1 + 1e-9)


@pytest.mark.parametrize("arm", AGENTS)
def test_no_reward_of_the_agent_is_steeper_in_the_parameters(arm: rb.Arm) -> None:
    """By theta and by x each; for small noise some reward is nearly as steep, at an edge and far from x."""
    rewards = [0.0, 1e-9, *np.linspace(0.05, 0.95, 10).tolist(), 1.0 - 1e-9, 1.0]
    steepest = max(steepness(arm.rewards, theta, x, r) for theta, x in box(arm, 15) for r in rewards)
    bound = lipschitz_parameters(arm.rewards, arm)
    assert 0.6 * bound <= steepest <= bound * (1 + 1e-4)


@pytest.mark.parametrize("arm", NORMALS)
def test_the_root_mean_square_of_a_gaussian_gradient_is_within_the_constant(arm: rb.Arm) -> None:
    """Over rewards from any point of the box, at any other: by Gauss-Hermite quadrature, exact for squares."""
    f = arm.rewards
    z, weight = np.polynomial.hermite_e.hermegauss(5)
    for theta, x in box(arm, 4):
        for theta2, x2 in box(arm, 4):
            r = mean(f, theta, x) + f.sd * z
            squares = [steepness(f, theta2, x2, float(r_i)) ** 2 for r_i in r]
            assert math.sqrt(weight @ squares / weight.sum()) <= lipschitz_parameters(f, arm) * (1 + 1e-6)


@pytest.mark.parametrize("arm", [*LOGITS, *NORMALS])
def test_the_ratio_of_an_exponential_family_changes_no_faster_with_the_reward_and_somewhere_as_fast(
    arm: rb.Arm,
) -> None:
    f, points = arm.rewards, box(arm, 5)
    ratio = [
        abs((loglik(f, *p, 1.0) - loglik(f, *q, 1.0)) - (loglik(f, *p, 0.0) - loglik(f, *q, 0.0)))
        for p in points
        for q in points
    ]
    assert max(ratio) == pytest.approx(lipschitz_reward(f, arm), rel=1e-4)
    assert max(ratio) <= lipschitz_reward(f, arm) * (1 + 1e-9)


@pytest.mark.parametrize("arm", AGENTS)
def test_the_ratio_of_the_agent_changes_by_no_more_than_the_constant(arm: rb.Arm) -> None:
    """Over the whole support, which has length 1; the jumps at the edges count."""
    f, points = arm.rewards, box(arm, 7)
    rewards = [0.0, 1e-9, *np.linspace(0.05, 0.95, 19).tolist(), 1.0 - 1e-9, 1.0]
    widest = 0.0
    for p in points:
        for q in points:
            ratio = [loglik(f, *p, r) - loglik(f, *q, r) for r in rewards]
            widest = max(widest, max(ratio) - min(ratio))
    bound = lipschitz_reward(f, arm)
    assert 0.4 * bound <= widest <= bound


@pytest.mark.parametrize("arm", ARMS)
def test_rewards_are_sub_gaussian(arm: rb.Arm) -> None:
    """E exp(s (r − g)) ≤ exp(s² sigma² / 2), with equality for the normal law."""
    f = arm.rewards
    for theta, x in box(arm, 4):
        for s in (-8.0, -2.0, -0.5, 0.5, 2.0, 8.0):
            bound = math.exp(0.5 * (s * sub_gaussian(f)) ** 2)
            assert generating(f, theta, x, s) <= bound * (1 + 1e-6)
            if isinstance(f, rb.Gaussian):
                assert generating(f, theta, x, s) == pytest.approx(bound, rel=1e-6)


def generating(f: Any, theta: float, x: float, s: float) -> float:
    """E exp(s (r − g)) from the law itself: sums over 0 and 1, and an integral between or around."""
    g = mean(f, theta, x)

    def part(r: float) -> float:
        return math.exp(loglik(f, theta, x, r) + s * (r - g))

    if isinstance(f, rb.BernoulliLogit):
        return part(0.0) + part(1.0)
    # With its weight exp(s r), a normal law lies s·sd² away from g.
    lo, hi = (0.0, 1.0) if isinstance(f, rb.LaplaceAgent) else (g - 10 * f.sd, g + 10 * f.sd)
    moved = 0.0 if isinstance(f, rb.LaplaceAgent) else s * f.sd**2
    # The midpoint rule: the normal law is smooth, the agent's has a kink.
    ends = np.linspace(lo + moved, hi + moved, 4001 if isinstance(f, rb.LaplaceAgent) else 301)
    total = sum(part(float(r)) for r in 0.5 * (ends[1:] + ends[:-1])) * float(ends[1] - ends[0])
    return total + (part(0.0) + part(1.0) if isinstance(f, rb.LaplaceAgent) else 0.0)


@pytest.mark.parametrize("arm", ARMS)
def test_c_f_is_that_of_theorem_1(arm: rb.Arm) -> None:
    """8 L_f diam(X) √π + 48 √2 · 2^(1/2) L_f diam(X × Θ) √(2π) at d_x = d_theta = 1, diam as the largest norm."""
    steep = lipschitz_parameters(arm.rewards, arm)
    points = box(arm, 2)
    state = max(abs(x) for _, x in points)
    both = max(math.hypot(theta, x) for theta, x in points)
    expected = 8 * steep * state * math.sqrt(math.pi) + 96 * steep * both * math.sqrt(2 * math.pi)
    assert c_f(arm) == pytest.approx(expected, rel=1e-5)


def test_c_f_in_other_dimensions() -> None:
    """At d_x = 2, d_theta = 1 the root is a third: 48 √2 · 2^(1/3) √(3π)."""
    still = rb.MatrixAffine(((0.6, 0.0), (0.0, 0.0)), (-1.0, 0.0), (0.5, 0.0), (0.0, 0.0), (1.0, 0.0))
    arm = rb.Arm(still, rb.Weighted(rb.BernoulliLogit(0.4, 0.6), (1.0,), (1.0, 0.0)), (0.0,), (1.0,))
    steep = math.hypot(0.4, 0.6) / (1 + math.exp(-1.0))
    expected = steep * (8 * math.sqrt(math.pi) + 48 * 2 ** (1 / 2 + 1 / 3) * math.sqrt(2) * math.sqrt(3 * math.pi))
    assert c_f(arm) == pytest.approx(expected)


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize(("scale", "t", "n"), [(1.0, 2, 1), (1.0, 20_000, 300), (0.01, 5, 4)])
def test_the_radius_is_that_of_algorithm_1(arm: rb.Arm, scale: float, t: int, n: int) -> None:
    """A(t) √(4 log t / n) with A(t) = B(t⁻⁴), where B(α) = c_f / √log(1/α) + L_p sigma √2."""
    log_inverse_alpha = math.log(float(t) ** 4)
    moving = lipschitz_reward(arm.rewards, arm) * sub_gaussian(arm.rewards) * math.sqrt(2)
    a_t = c_f(arm) / math.sqrt(log_inverse_alpha) + moving
    expected = scale * a_t * math.sqrt(4 * math.log(t) / n)
    assert rb.theorem_radius(arm, scale, t, n) == pytest.approx(expected)


def test_the_radius_at_the_first_decision_divides_by_nothing() -> None:
    """As t comes down to 1, A(t) √(4 log t / n) comes to c_f / √n."""
    assert rb.theorem_radius(ARMS[0], 1.0, t=1, n=4) == pytest.approx(c_f(ARMS[0]) / 2)


@pytest.mark.parametrize(
    ("t", "n", "message"),
    [(0, 1, "t 0 must be a whole number, 1 or more"), (1, 0, "n 0 must be a whole number, 1 or more")],
)
def test_a_radius_before_anything_happened_is_refused(t: int, n: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rb.theorem_radius(ARMS[0], 1.0, t, n)


@pytest.mark.parametrize(("constant", "name"), [
    (lambda: lipschitz_parameters("snow", ARMS[0]), "L_f"),
    (lambda: lipschitz_reward("snow", ARMS[0]), "L_p"),
    (lambda: sub_gaussian(Snow()), "sigma"),
])  # fmt: skip
def test_a_family_without_constants_is_refused_by_name(constant: Any, name: str) -> None:
    with pytest.raises(TypeError, match=f"has no constant {name} for (str|Snow)"):
        constant()


def test_what_the_paper_does_not_assume_is_named() -> None:
    with pytest.raises(TypeError, match="Assumption 4 has no constant sigma for PoissonLog: counts without an upper"):
        sub_gaussian(rb.PoissonLog(1.0, 1.0))
    beta = rb.Arm(MOVES, rb.BetaFraction(2.0, 1.0, 2.0), 1.0, 2.0)
    with pytest.raises(TypeError, match="Assumption 4 has no constant L_p for BetaFraction: log r changes without"):
        rb.theorem_radius(beta, 1.0, t=5, n=3)
