"""The utility-maximising agent: r = clip(x + c, 0, 1) with Laplace noise c of scale theta.  [Sec. 2.4.1]

The reward has point masses at 0 and 1, counted as densities. With d = r − x, inside(theta, x) = P(0 < r < 1) and
E|r − x| = theta·inside(theta, x), edges included, every law below is closed-form.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.compile.laws import inlined
from rogue_bandits.model.constants import lipschitz_mean, lipschitz_parameters, lipschitz_reward
from rogue_bandits.model.protocols import Model
from rogue_bandits.model.validation import rewards_fault
from rogue_bandits.types import (
    Arm,
    Potential,
    coordinate,
    curvature_ratio,
    draw,
    information,
    kl,
    kl_and_slopes,
    loglik,
    mean,
    point_masses,
    potential,
    settled_kl,
    settled_loglik,
    statistics,
    support,
    theta_at,
)


class LaplaceAgent(NamedTuple):
    """The agent of the paper's healthcare experiment; theta is the scale of the noise, x the effort without noise.

    >>> from rogue_bandits.types import mean
    >>> mean(LaplaceAgent(), 0.2, 0.5)
    0.5
    """


SHARPEST = 1.0 / 700.0  # with less noise exp(−1/theta) underflows

support.register(LaplaceAgent)(lambda f: (0.0, 1.0, False))
point_masses.register(LaplaceAgent)(lambda f: True)
kl.register(LaplaceAgent)(lambda f, theta, x, theta2, x2: kl_and_slopes(f, theta, x, theta2, x2)[0])
coordinate.register(LaplaceAgent)(lambda f, theta: math.log(theta))  # `inside` varies fastest at small theta
theta_at.register(LaplaceAgent)(lambda f, y: math.exp(y))
# Off the diagonal the two tails cancel.
information.register(LaplaceAgent)(lambda f, theta, x: (inside(theta, x) / (theta * theta), 0.0, 1.0 / (theta * theta)))
# −n_inside·log(2 theta) − n_edge·log 2 − S/theta
settled_loglik.register(LaplaceAgent)(
    lambda f, theta, s1, s2, s3, w: -s1 * math.log(2.0 * theta) - s2 * math.log(2.0) - s3 / theta
)
potential.register(LaplaceAgent)(lambda f, theta, x: inside(theta, x))  # the factor of `scale_kl` in a sum of kl


@inlined
def tails(theta: float, x: float) -> tuple[float, float]:
    """Return 2 P(r = 0) = exp(−x/theta) and 2 P(r = 1) = exp((x−1)/theta).

    Their product depends on theta alone, which saves an exponential in a loop over states.
    """
    sharpness = 1.0 / theta
    low = math.exp(-x * sharpness)
    return low, math.exp(-sharpness) / low if theta > SHARPEST else math.exp((x - 1.0) * sharpness)


@inlined
def inside(theta: float, x: float) -> float:
    """Return P(0 < r < 1)."""
    low, high = tails(theta, x)
    return 1.0 - 0.5 * low - 0.5 * high


@inlined
def _fallen_short(v: float) -> float:
    """Return v − (1 − e^−v) without cancellation: by its series where v is small."""
    if v > 0.0625:
        return v + math.expm1(-v)
    rest = 1.0
    for k in (9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0):
        rest = 1.0 - v * (1.0 / k) * rest
    return 0.5 * v * v * rest


@inlined
def scale_kl(theta: float, theta2: float) -> float:
    """Return the KL of two exponential distributions, log(theta2/theta) + theta/theta2 − 1, without cancellation."""
    ratio = (theta - theta2) / theta2
    return ratio - math.log1p(ratio)


@inlined
def shift_kl(theta: float, d: float, theta2: float) -> float:
    """Return the KL of a shift by d: theta/theta2·(v − 1 + e^−v) with v = d/theta. It falls with theta."""
    return theta / theta2 * _fallen_short(d / theta)


@mean.register(LaplaceAgent)
def laplace_agent_mean(f: LaplaceAgent, theta: float, x: float) -> float:
    """x + theta/2·(exp(−x/theta) − exp((x−1)/theta)).  [Sec. 5.4.1]"""
    low, high = tails(theta, x)
    return x + 0.5 * theta * (low - high)


@loglik.register(LaplaceAgent)
def laplace_agent_loglik(f: LaplaceAgent, theta: float, x: float, r: float) -> float:
    """−log 2 − |r − x|/theta, and −log theta where r is inside."""
    return -math.log(2.0) - abs(r - x) / theta - (math.log(theta) if 0.0 < r < 1.0 else 0.0)


@kl_and_slopes.register(LaplaceAgent)
def laplace_agent_kl_and_slopes(
    f: LaplaceAgent, theta: float, x: float, theta2: float, x2: float
) -> tuple[float, float, float]:
    """inside·scale_kl + added/theta2, where added = E|r − x2| − E|r − x| by the shift d = |x2 − x|.

    By theta2: (inside·(theta2 − theta) − added) / theta2²; by x2: P(r < x2) − P(r > x2), over theta2.
    """
    # Divisions that do not depend on the states leave a loop over states.
    sharpness, sharpness2 = 1.0 / theta, 1.0 / theta2
    within, d = inside(theta, x), abs(x2 - x)
    v = d * sharpness
    short = _fallen_short(v)
    nearer, added = v - short, theta * sharpness2 * short
    by_theta = (within * ((theta2 - theta) * sharpness2) - added) * sharpness2
    return within * scale_kl(theta, theta2) + added, by_theta, math.copysign(nearer, x2 - x) * sharpness2


@curvature_ratio.register(LaplaceAgent)
def laplace_agent_curvature_ratio(f: LaplaceAgent, arm: Arm, theta2: float, x2: float) -> float:
    """With kl = scales + shift: (a+b)² ≤ 2a² + 2b², u − log(1+u) ≥ u² / 2 max(1, 1+u), (1−e^−v)² ≤ 2(v−1+e^−v)."""
    inside2 = inside(theta2, x2)
    scales: float = 4.0 * max(1.0, arm.theta_hi / theta2) / inside2
    shift: float = 2.0 / (theta2 * inside2) + 2.0 * theta2 / arm.theta_lo
    return 1.0 / max(scales, shift)


@draw.register(LaplaceAgent)
def laplace_agent_draw(f: LaplaceAgent, theta: float, x: float, u: float) -> float:
    """clip(x + the Laplace quantile of u, 0, 1)."""
    c = theta * math.log(max(2.0 * u, 1e-300)) if u < 0.5 else -theta * math.log(2.0 * (1.0 - u))
    return min(max(x + c, 0.0), 1.0)


@statistics.register(LaplaceAgent)
def laplace_agent_statistics(f: LaplaceAgent, x: float, r: float) -> tuple[float, float, float]:
    """Return the number inside, the number at an edge, and the distance |r − x|."""
    at_edge = 0.0 if 0.0 < r < 1.0 else 1.0
    return 1.0 - at_edge, at_edge, abs(r - x)


@settled_kl.register(LaplaceAgent)
def laplace_agent_settled_kl(
    f: LaplaceAgent, theta: float, at: Potential, theta2: float, at2: Potential
) -> tuple[float, float, float]:
    """W(theta)·scale_kl, its slope W(theta)·(theta2 − theta)/theta2², and W(theta2)/theta2²."""
    squared = theta2 * theta2
    return at.value * scale_kl(theta, theta2), at.value * (theta2 - theta) / squared, at2.value / squared


def agent_fault(f: Model, arm: Arm) -> str | None:
    """Check that theta, a scale, is positive, and that the state is a possible reward."""
    if arm.theta_lo <= 0.0:
        return f"theta_lo {arm.theta_lo} must be above 0: theta is the scale of the agent's noise"
    if arm.dynamics.lo < 0.0 or arm.dynamics.hi > 1.0:
        bounds = f"{arm.dynamics.lo} and {arm.dynamics.hi}"
        return f"the state's bounds {bounds} must be inside [0, 1] for {type(f).__name__}"
    return None


rewards_fault.register(LaplaceAgent, agent_fault)
# 1 is approached where the noise is small and x far from both edges. With a = exp(−x/theta), b = exp((x−1)/theta) and
# q(a) = a·(1 − log a), the gradient is (1 − (a+b)/2 by x, (q(a) − q(b))/2 by theta). As (a+b)² ≤ 2(a+b) and q(a)² ≤ 2a,
# its square is at most 1.
lipschitz_mean.register(LaplaceAgent, lambda f, arm: 1.0)
# At most 1/theta + 1/theta' inside; to an edge the ratio jumps by |log(theta/theta')|. On a support of length 1 the
# proof needs no more than how much the ratio changes over it: the sum of the two.
lipschitz_reward.register(LaplaceAgent, lambda f, arm: 2.0 / arm.theta_lo + math.log(arm.theta_hi / arm.theta_lo))


@lipschitz_parameters.register
def laplace_agent_lipschitz_parameters(f: LaplaceAgent, arm: Arm) -> float:
    """Return the norm of bounds on the slopes: 1/theta by x; by theta |r − x|/theta² at an edge, 1/theta inside."""
    farthest = max(arm.dynamics.hi, 1.0 - arm.dynamics.lo)
    return math.hypot(1.0 / arm.theta_lo, max(1.0 / arm.theta_lo, farthest / arm.theta_lo**2))
