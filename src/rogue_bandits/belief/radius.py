"""The radius of a confidence region: the largest mean divergence from the fit.

A user writes settings, `TunedRadius` or `TheoremRadius`. Kernels take a `RadiusRule`, four numbers for each arm: so
every radius shares one compiled kernel.
"""

from __future__ import annotations

import math
import sys
from functools import singledispatch
from typing import Any, NamedTuple

from rogue_bandits.compile.laws import inlined
from rogue_bandits.model.constants import algorithm_constants, corners
from rogue_bandits.model.rewards.weighted import projected_arm
from rogue_bandits.model.validation import checked_arm, checked_whole, positive
from rogue_bandits.types import Arm, kl

VARIANTS = {"paper": 1.0, "corrected": 0.0}  # `per_reward`


class TunedRadius(NamedTuple):
    """sqrt(min(eta/4, S)·log t / n), S the asymptotic variance of the mean divergence.  [Alg. 3]

    S is O(1/n) already, so that the printed rule divides by n twice; `variant="corrected"` puts n·S in its place.
    `eta` is the largest divergence of one reward; None: that of the arm (`largest_kl`).

    >>> TunedRadius(variant="corrected")
    TunedRadius(eta=None, variant='corrected')
    """

    eta: float | None = None
    variant: str = "paper"


class TheoremRadius(NamedTuple):
    """A(t)·sqrt(4 log t / n) with the constants of Theorem 1, times `scale`; 1.0 is the theorem.  [Alg. 1]

    >>> TheoremRadius(scale=0.01)
    TheoremRadius(scale=0.01)
    """

    scale: float = 1.0


class RadiusRule(NamedTuple):
    """A radius of one arm in numbers: n·radius = min(cap, b·√(n²S)) after n rewards, see `caps`."""

    cap_offset: float  # cap = √n·(cap_offset + cap_slope·√log t)
    cap_slope: float
    slope: float  # b = slope·√log t, over √n if `per_reward` is 1; inf where the radius does not depend on the point
    per_reward: float


UNBOUNDED = RadiusRule(math.inf, 0.0, math.inf, 0.0)  # the whole box is inside


@inlined
def caps(rule: RadiusRule, n: float, log_t: float) -> tuple[float, float]:
    """Return the cap and b; b is inf where the radius does not depend on the point."""
    root = math.sqrt(log_t)
    b = rule.slope * root if rule.slope < math.inf else math.inf
    return math.sqrt(n) * (rule.cap_offset + rule.cap_slope * root), b / math.sqrt(n) if rule.per_reward == 1.0 else b


@inlined
def largest_divergence(rule: RadiusRule, n: float, log_t: float, spread: float) -> float:
    """Return n times the radius; `spread` is n²S."""
    cap, b = caps(rule, n, log_t)
    return min(cap, b * math.sqrt(spread)) if b < math.inf else cap


@inlined
def is_excluded(
    rule: RadiusRule, n: float, log_t: float, divergence: float, spread: float, early: float, curvature_ratio: float
) -> bool:
    """Return whether every x0 is outside the radius at a theta, and at every theta beyond, as seen from the fit.

    `divergence` and `spread` are those of the settled rewards. The early ones, whatever x0 is, add y ≥ 0 to the spread
    (g'I⁺g is subadditive in (g, I)), and to the divergence at least curvature_ratio·y and at least `early`. So the test
    is divergence + max(early, curvature_ratio·y) > b·sqrt(spread + y) at the y that favours the right side most.
    Beyond, `early` does not fall, spread and divergence/sqrt(spread) grow, and so does the lead of the left side; that
    `early` helps it to lead is used where there is no spread to grow. See docs/decisions/0005-elimination.md.
    """
    cap, b = caps(rule, n, log_t)
    if divergence + early > cap or b == math.inf:
        return divergence + early > cap
    half = 0.5 * b / curvature_ratio
    y = max(half * half - spread, early / curvature_ratio if spread == 0.0 else 0.0, 0.0)
    return divergence + (curvature_ratio * y if y > 0.0 else 0.0) > b * math.sqrt(spread + y)


@singledispatch
def rule_for(radius: Any, arm: Arm) -> RadiusRule:
    """Return the numbers of a radius for one arm."""
    raise TypeError(f"{radius!r} is not a radius: one is made like TunedRadius() or TheoremRadius(scale=0.01)")


def largest_kl(arm: Arm) -> float:
    """Return the largest divergence of a reward at one (theta, x) of the box from that at another.

    It is taken over pairs of corners: divergences grow with the distance of two means, and with a smaller spread.

    >>> from rogue_bandits import BernoulliLogit, ClippedAffine
    >>> round(largest_kl(Arm(ClippedAffine(0.6, -1.0, 0.5), BernoulliLogit(0.4, 0.6))), 3)
    0.12
    """
    arm = projected_arm(arm)
    at = corners(arm)
    largest = max(kl(arm.rewards, *one, *other) for one in at for other in at)
    if not math.isfinite(largest):
        raise ValueError(f"tuned radius, arm {arm.name!r}: the largest divergence in its box is {largest}: give eta")
    return max(largest, sys.float_info.min)


@rule_for.register
def tuned_rule(radius: TunedRadius, arm: Arm) -> RadiusRule:
    """sqrt(min(eta/4, S)·log t / n), with n·S for S in the corrected variant."""
    eta = largest_kl(arm) if radius.eta is None else positive(radius.eta, "eta", "tuned radius")
    if radius.variant not in VARIANTS:
        raise ValueError(f"tuned radius, variant {radius.variant!r} must be one of {', '.join(map(repr, VARIANTS))}")
    return RadiusRule(0.0, 0.5 * math.sqrt(eta), 1.0, VARIANTS[radius.variant])


@rule_for.register
def theorem_rule(radius: TheoremRadius, arm: Arm) -> RadiusRule:
    """A(t)·sqrt(4 log t / n), times the scale."""
    scale, of = positive(radius.scale, "scale", "the theorem's radius"), algorithm_constants(arm)
    return RadiusRule(scale * of.offset, scale * of.slope, math.inf, 0.0)


def theorem_radius(arm: Arm, scale: float, t: int, n: int) -> float:
    """The radius of Algorithm 1 at the t-th decision (from 1) after n rewards of the arm.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine
    >>> arm = Arm(ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), BernoulliLogit(0.4, 0.6))
    >>> round(theorem_radius(arm, scale=1.0, t=20_000, n=10_000), 3)
    1.913
    """
    t, n = checked_whole(t, "theorem_radius, t", 1), checked_whole(n, "theorem_radius, n", 1)
    return largest_divergence(rule_for(TheoremRadius(scale), checked_arm(arm)), float(n), math.log(t), 0.0) / n
