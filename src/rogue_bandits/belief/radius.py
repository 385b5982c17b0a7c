"""How far from the fit the truth may be: the largest mean divergence that is still believed.

A radius, as a user writes it, is settings; a *rule* is what remains of it for one arm: numbers.
"""

from __future__ import annotations

import math
from functools import singledispatch
from typing import Any, NamedTuple

from rogue_bandits.compile.laws import law
from rogue_bandits.model.constants import RadiusConstants, algorithm_constants, scaled_radius
from rogue_bandits.model.validation import checked_arm, checked_whole, positive
from rogue_bandits.types import Arm

VARIANTS = {"paper": 0.0, "corrected": 1.0}


class TunedRadius(NamedTuple):
    """sqrt(min(eta/4, S)·log t / n), S the asymptotic variance of the mean divergence.  [Alg. 3]

    S is O(1/n) already, so that the printed rule divides by n twice; `variant="corrected"` puts n·S in its place.

    >>> TunedRadius(variant="corrected")
    TunedRadius(eta=1.0, variant='corrected')
    """

    eta: float = 1.0
    variant: str = "paper"


class TheoremRadius(NamedTuple):
    """A(t)·sqrt(4 log t / n) with the constants of Theorem 1, times `scale`; 1.0 is the theorem.  [Alg. 1]

    >>> TheoremRadius(scale=0.01)
    TheoremRadius(scale=0.01)
    """

    scale: float = 1.0


class TunedRule(NamedTuple):
    """The tuned radius in numbers."""

    eta: float
    power: float


class UnboundedRadius(NamedTuple):
    """A rule for those who ask for the fit alone: everything is believed."""

    most: float = math.inf


@law
def radius_at(rule: Any, n: float, log_t: float, spread: float) -> float:
    """The radius, n rewards being seen; `spread` is n²S."""


@law
def caps(rule: Any, n: float, log_t: float) -> tuple[float, float]:
    """n times the radius is min(cap, b·sqrt(n²S)): the cap and b, inf where it does not depend on where."""


@caps.register(TunedRule)
def tuned_caps(rule: TunedRule, n: float, log_t: float) -> tuple[float, float]:
    """cap = sqrt(eta/4·log t·n); b² = log t / n as printed, log t corrected."""
    return math.sqrt(0.25 * rule.eta * log_t * n), math.sqrt(log_t if rule.power == 1.0 else log_t / n)


@radius_at.register(TunedRule)
def tuned_allowed(rule: TunedRule, n: float, log_t: float, spread: float) -> float:
    """sqrt(min(eta/4, S)·log t / n), with n·S for S in the corrected variant."""
    cap, b = caps(rule, n, log_t)
    return min(cap, b * math.sqrt(spread)) / n


@radius_at.register(RadiusConstants)
def theorem_allowed(rule: RadiusConstants, n: float, log_t: float, spread: float) -> float:
    """A(t)·sqrt(4 log t / n), which no longer depends on where."""
    return scaled_radius(rule, log_t) / math.sqrt(n)


@radius_at.register(UnboundedRadius)
def everything_allowed(rule: UnboundedRadius, n: float, log_t: float, spread: float) -> float:
    """However far."""
    return rule.most


@caps.register(UnboundedRadius)
def everything_caps(rule: UnboundedRadius, n: float, log_t: float) -> tuple[float, float]:
    """However far."""
    return rule.most, rule.most


@caps.register(RadiusConstants)
def theorem_caps(rule: RadiusConstants, n: float, log_t: float) -> tuple[float, float]:
    """The same everywhere."""
    return n * radius_at(rule, n, log_t, 0.0), math.inf


@law
def is_excluded(rule: Any, n: float, log_t: float, divergence: float, spread: float, curvature_ratio: float) -> bool:
    """Is every x0 ruled out at a theta, and at every theta beyond, seen from the fit?

    `divergence` and `spread` are those of the settled rewards. The early ones, whatever x0 is, add y ≥ 0 to the spread
    (g'I⁺g is subadditive in (g, I)) and at least price·y to the divergence.
    """


@is_excluded.register(TunedRule)
def tuned_out_of_reach(
    rule: TunedRule, n: float, log_t: float, divergence: float, spread: float, curvature_ratio: float
) -> bool:
    """divergence + price·y > b·sqrt(spread + y) at the y that favours the right side most.

    Beyond, spread and divergence/sqrt(spread) grow; as the latter exceeds b (take y = 0), the left side gains.
    """
    cap, b = caps(rule, n, log_t)
    if divergence > cap:
        return True
    half = 0.5 * b / curvature_ratio
    y = max(half * half - spread, 0.0)
    return divergence + (curvature_ratio * y if y > 0.0 else 0.0) > b * math.sqrt(spread + y)


@is_excluded.register(RadiusConstants)
def theorem_out_of_reach(
    rule: RadiusConstants, n: float, log_t: float, divergence: float, spread: float, curvature_ratio: float
) -> bool:
    """The divergence alone decides, and it grows."""
    return divergence > n * radius_at(rule, n, log_t, spread)


@singledispatch
def rule_for(radius: Any, arm: Arm) -> Any:
    """The rule of a radius for one arm."""
    raise TypeError(f"{radius!r} is not a radius: one is made like TunedRadius() or TheoremRadius(scale=0.01)")


@rule_for.register
def tuned_rule(radius: TunedRadius, arm: Arm) -> TunedRule:
    """Check the settings of the tuned radius."""
    eta = positive(radius.eta, "eta", "tuned radius")
    if radius.variant not in VARIANTS:
        raise ValueError(f"tuned radius, variant {radius.variant!r} must be one of {', '.join(map(repr, VARIANTS))}")
    return TunedRule(eta, VARIANTS[radius.variant])


@rule_for.register
def theorem_rule(radius: TheoremRadius, arm: Arm) -> RadiusConstants:
    """How far Theorem 1 reaches, times the scale."""
    scale, of = positive(radius.scale, "scale", "the theorem's radius"), algorithm_constants(arm)
    return RadiusConstants(scale * of.offset, scale * of.slope)


def theorem_radius(arm: Arm, scale: float, t: int, n: int) -> float:
    """The radius of Algorithm 1 at the t-th decision (from 1) after n rewards of the arm.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine
    >>> arm = Arm(ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), BernoulliLogit(0.4, 0.6))
    >>> round(theorem_radius(arm, scale=1.0, t=20_000, n=10_000), 3)
    1.913
    """
    t, n = checked_whole(t, "theorem_radius, t", 1), checked_whole(n, "theorem_radius, n", 1)
    return radius_at(rule_for(TheoremRadius(scale), checked_arm(arm)), float(n), math.log(t), 0.0)
