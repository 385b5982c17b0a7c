"""The radius of a confidence region: the largest mean divergence from the fit.

A user writes settings, such as `TunedRadius` or `AdaptiveRadius`. Kernels take a `RadiusRule`, seven numbers for each
arm: so every radius shares one compiled kernel. `LikelihoodRatioRadius` bounds a likelihood instead of a divergence:
its `LikelihoodRule` makes a region of another kind (`likelihood_region.py`), compiled where it is used.
"""

from __future__ import annotations

import math
import sys
from functools import singledispatch
from typing import Any, NamedTuple

from rogue_bandits.compile.laws import inlined
from rogue_bandits.model.constants import algorithm_constants, corners, hellinger_constants, net_constants
from rogue_bandits.model.dynamics.projected import ProjectedDynamics
from rogue_bandits.model.numbers import checked_alpha, checked_whole, positive
from rogue_bandits.model.rewards.exponential import Exponential
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.model.rewards.weighted import projected_arm
from rogue_bandits.model.validation import checked_arm
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


class AdaptiveRadius(NamedTuple):
    """A radius that holds for adaptive plays, at every number of rewards at once, with probability 1 − `alpha`.

    After n rewards it is `rb.theory.adaptive_radius(arm, n, alpha_n)` with alpha_n = 6·alpha/(π·n)², which add up to
    alpha. The proof is in docs/theory.md. `alpha` is per arm.

    >>> AdaptiveRadius(alpha=0.01)
    AdaptiveRadius(alpha=0.01)
    """

    alpha: float = 0.05


class HellingerRadius(NamedTuple):
    """A radius of order (log n)/n that holds for adaptive plays, at every n at once, with probability 1 − `alpha`.

    After n rewards it is `rb.theory.hellinger_radius(arm, n, alpha_n)` with alpha_n = 6·alpha/(π·n)². The proof is in
    docs/theory.md. `alpha` is per arm. For few rewards `AdaptiveRadius` is smaller.

    >>> HellingerRadius(alpha=0.01)
    HellingerRadius(alpha=0.01)
    """

    alpha: float = 0.05


class LikelihoodRatioRadius(NamedTuple):
    """Points that are not much less likely than the mixture of all, at every time at once with probability 1 − `alpha`.

    The region is {p : log L(p) ≥ log ∫ L d(prior) − log(1/alpha)}, a level set of the exact likelihood around the fit.
    It needs no Lipschitz constant and holds for adaptive plays and unbounded rewards. The proof is in docs/theory.md.
    `alpha` is per arm. Rewards must be those of an exponential family or of `LaplaceAgent`, and states clipped lines
    in x0.

    >>> LikelihoodRatioRadius(alpha=0.01)
    LikelihoodRatioRadius(alpha=0.01)
    """

    alpha: float = 0.05


Radius = TunedRadius | TheoremRadius | AdaptiveRadius | HellingerRadius | LikelihoodRatioRadius


class RadiusRule(NamedTuple):
    """A radius of one arm in numbers: n·radius = min(cap, b·√(n²S)) after n rewards, see `caps`."""

    cap_offset: float  # cap = √n·(cap_offset + cap_slope·√L), or cap_offset + cap_slope·L if `is_fast` is 1
    cap_slope: float
    slope: float  # b = slope·√log t, over √n if `per_reward` is 1; inf where the radius does not depend on the point
    per_reward: float
    log_offset: float  # L = log_offset + log_slope·log n if log_slope is above 0, else log t
    log_slope: float
    is_fast: float


class LikelihoodRule(NamedTuple):
    """A level set of the likelihood, of one arm: its least log-likelihood is that of the mixture minus this number."""

    log_inverse_alpha: float


UNBOUNDED = RadiusRule(math.inf, 0.0, math.inf, 0.0, 0.0, 0.0, 0.0)  # the whole box is inside


@inlined
def caps(rule: RadiusRule, n: float, log_t: float) -> tuple[float, float]:
    """Return the cap and b; b is inf where the radius does not depend on the point."""
    root = math.sqrt(log_t)
    b = rule.slope * root if rule.slope < math.inf else math.inf
    if rule.log_slope > 0.0:
        root = math.sqrt(rule.log_offset + rule.log_slope * math.log(n))
    if rule.is_fast == 1.0:
        return rule.cap_offset + rule.cap_slope * root * root, b
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
def rule_for(radius: Any, arm: Arm) -> Any:
    """Return the numbers of a radius for one arm."""
    raise TypeError(f"{radius!r} is not a radius: pass one such as TunedRadius() or AdaptiveRadius(alpha=0.05)")


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
    return RadiusRule(0.0, 0.5 * math.sqrt(eta), 1.0, VARIANTS[radius.variant], 0.0, 0.0, 0.0)


@rule_for.register
def theorem_rule(radius: TheoremRadius, arm: Arm) -> RadiusRule:
    """A(t)·sqrt(4 log t / n), times the scale."""
    scale, of = positive(radius.scale, "scale", "the theorem's radius"), algorithm_constants(arm)
    return RadiusRule(scale * of.offset, scale * of.slope, math.inf, 0.0, 0.0, 0.0, 0.0)


@rule_for.register
def adaptive_rule(radius: AdaptiveRadius, arm: Arm) -> RadiusRule:
    """offset + slope·√(log(1/alpha_n) + dimension·log(3√n)), over √n, with alpha_n = 6·alpha/(π·n)²."""
    of = net_constants(arm)
    log_offset = log_of_counts(radius.alpha, "adaptive radius") + of.dimension * math.log(3.0)
    return RadiusRule(of.offset, of.slope, math.inf, 0.0, log_offset, 2.0 + 0.5 * of.dimension, 0.0)


@rule_for.register
def hellinger_rule(radius: HellingerRadius, arm: Arm) -> RadiusRule:
    """offset + slope·(log(1/alpha_n) + dimension·log 3n), over n, with alpha_n = 6·alpha/(π·n)²."""
    of = hellinger_constants(arm)
    log_offset = log_of_counts(radius.alpha, "Hellinger radius") + of.dimension * math.log(3.0)
    return RadiusRule(of.offset, of.slope, math.inf, 0.0, log_offset, 2.0 + of.dimension, 1.0)


@rule_for.register
def likelihood_rule(radius: LikelihoodRatioRadius, arm: Arm) -> LikelihoodRule:
    """Return log(1/alpha); refuse an arm whose loglik is not known to be concave in theta and piecewise in x0."""
    family, where = projected_arm(arm).rewards, f"likelihood-ratio radius, arm {arm.name!r}"
    if not isinstance(family, Exponential | LaplaceAgent):
        raise TypeError(
            f"{where}: rewards are {type(family).__name__}: it is for exponential families and LaplaceAgent"
        )
    if isinstance(projected_arm(arm).dynamics, ProjectedDynamics):
        raise TypeError(f"{where}: under {type(arm.dynamics).__name__} the state is not a clipped line in x0")
    return LikelihoodRule(-math.log(checked_alpha(radius.alpha, "likelihood-ratio radius")))


def log_of_counts(alpha: float, where: str) -> float:
    """Return log(1/alpha_n) − 2 log n for alpha_n = 6·alpha/(π·n)², which add up to alpha."""
    return math.log(math.pi**2 / 6.0) - math.log(checked_alpha(alpha, where))


def theorem_radius(arm: Arm, scale: float, t: int, n: int) -> float:
    """Return the radius of Algorithm 1 at the t-th decision (from 1) after n rewards of the arm.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine
    >>> arm = Arm(ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), BernoulliLogit(0.4, 0.6))
    >>> round(theorem_radius(arm, scale=1.0, t=20_000, n=10_000), 3)
    1.913
    """
    t, n = checked_whole(t, "theorem_radius, t", 1), checked_whole(n, "theorem_radius, n", 1)
    return largest_divergence(rule_for(TheoremRadius(scale), checked_arm(arm)), float(n), math.log(t), 0.0) / n
