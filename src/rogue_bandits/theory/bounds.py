"""Bounds for ROGUE-UCB: concentration of the fit, and expected tracking regret.

Where the paper has an error the statement here is the corrected one, and `docs/errata.md` says why.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from rogue_bandits.model.constants import algorithm_constants, confidence_constants, scaled_radius, sub_gaussian
from rogue_bandits.model.numbers import checked_alpha, checked_whole, number
from rogue_bandits.model.validation import checked_arm, checked_arms
from rogue_bandits.theory.assumptions import largest_gap
from rogue_bandits.types import Arm

# Per arm: the play that takes n past its limit, and Σ over t of the probability 2 t⁻² that a confidence region fails.
ONCE_AND_FAILURES = 1.0 + math.pi**2 / 3.0


def concentration(arm: Arm, n: int, radius: float) -> float:
    """Return a bound on P(mean divergence of the truth from the fit > radius) after n rewards of an arm.  [Theorem 1]

    With ξ = radius − c_f/√n it is exp(−ξ²n / (2 L_p² sigma²)), and 1 if ξ ≤ 0. The theorem is about one arm on a
    sequence of plays that is fixed in advance.

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> rb.theory.concentration(arm, n=10_000, radius=0.12)
    1.0
    >>> rb.theory.concentration(arm, n=10_000, radius=1.88)
    0.080...
    """
    of, n = confidence_constants(checked_arm(arm)), checked_whole(n, "concentration, n", 1)
    beyond = number(radius, "radius", "concentration") * math.sqrt(n) - of.offset
    if beyond <= 0.0:
        return 1.0
    return math.exp(-((beyond / of.slope) ** 2)) if of.slope > 0.0 else 0.0


def confidence_radius(arm: Arm, n: int, alpha: float) -> float:
    """Return B(alpha)·√(log(1/alpha)/n), exceeded by the mean divergence with probability at most alpha.  [Corollary 1]

    The text of the corollary omits the 2 in ξ = L_p·sigma·√(2 log(1/alpha)/n); its B(alpha) has it.

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> radius = rb.theory.confidence_radius(arm, n=100, alpha=0.05)
    >>> round(radius, 2), round(rb.theory.concentration(arm, n=100, radius=radius), 6)
    (18.81, 0.05)
    """
    of, n = confidence_constants(checked_arm(arm)), checked_whole(n, "confidence_radius, n", 1)
    return scaled_radius(of, math.log(1.0 / checked_alpha(alpha, "theory"))) / math.sqrt(n)


def regret_bound(arms: Sequence[Arm], delta: Sequence[float], horizon: int) -> float:
    """Return an upper bound on the expected tracking regret of ROGUE-UCB.  [Theorem 3]

    It is G·Σ_a (A(T)²·4 log T / delta_a² + 1 + π²/3), with G the `largest_gap`; docs/errata.md compares it with the
    paper's. Each delta_a must be at most the true one at every decision; `separation_of_pairs` estimates them from
    above, on a grid, after the last. With a delta_a of 0 the bound is infinite. It is proven for bounded rewards: for
    others Theorem 1 takes plays as fixed beforehand.

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> f"{rb.theory.regret_bound([arm, arm], delta=[0.01, 0.01], horizon=20_000):.3g}"
    '1.69e+08'
    """
    arms, horizon = checked_arms(arms), checked_whole(horizon, "regret_bound, horizon", 1)
    if len(delta) != len(arms):
        raise ValueError(f"regret_bound, delta has {len(delta)} values for {len(arms)} arms")
    for k, (arm, d) in enumerate(zip(arms, delta, strict=True)):
        if not d >= 0.0:
            raise ValueError(f"regret_bound, delta {d} of arm {arm.name or k!r} must be 0 or more")
    plays = sum(wrong_plays(arm, d, horizon) for arm, d in zip(arms, delta, strict=True))
    gap = largest_gap(arms)
    return gap * plays if gap > 0.0 else 0.0


def wrong_plays(arm: Arm, delta: float, horizon: float) -> float:
    """Return an upper bound on the expected number of plays of an arm while another is better.  [Proposition 3]"""
    if delta == 0.0:
        return math.inf
    return (scaled_radius(algorithm_constants(arm), math.log(horizon)) / delta) ** 2 + ONCE_AND_FAILURES


class ParameterFree(NamedTuple):
    """A regret bound without delta, and the epsilon at which its two parts are equal."""

    epsilon: float
    regret: float


def parameter_free_bound(arms: Sequence[Arm], horizon: int) -> ParameterFree:
    """Return a bound on the expected tracking regret of ROGUE-UCB without epsilon_a and delta_a.  [Corollary 2]

    Decisions with a gap of at most epsilon cost at most epsilon·T together. At the others a fit whose mean is wrong by
    epsilon/2 has a divergence of at least (epsilon/2)² / (2 sigma²), averaged over plays with that error, so that
    Theorem 3 applies with delta = epsilon² / (8 sigma²). The two parts are equal at the positive root of the quintic

        T·ε⁵ − G·K·(1 + π²/3)·ε⁴ − G·Σ_a 64·sigma⁴·A(T)²·4 log T,

    and the bound is their sum, 2·ε·T: O(T^⅘ (log T)^⅕). docs/errata.md compares it with the paper's.

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> rb.theory.parameter_free_bound([arm, arm], horizon=20_000)
    ParameterFree(epsilon=1.276..., regret=51042.8...)
    """
    arms, horizon = checked_arms(arms), checked_whole(horizon, "parameter_free_bound, horizon", 1)
    gap = largest_gap(arms)
    few = gap * len(arms) * ONCE_AND_FAILURES
    log_t = math.log(horizon)
    many = gap * sum(
        (8.0 * sub_gaussian(arm.rewards) ** 2 * scaled_radius(algorithm_constants(arm), log_t)) ** 2 for arm in arms
    )
    epsilon = quintic_root(float(horizon), few, many)
    return ParameterFree(epsilon, 2.0 * epsilon * horizon)


def quintic_root(t: float, few: float, many: float) -> float:
    """Return the positive root of t·ε⁵ = few·ε⁴ + many, which is unique by Descartes' rule of signs.

    >>> quintic_root(1.0, 1.0, 16.0)
    2.0
    """
    # The left side is the smaller at max(p, q), and the larger at p + q.
    p, q = few / t, (many / t) ** 0.2
    lo, hi = max(p, q), p + q
    while lo < (middle := 0.5 * (lo + hi)) < hi:
        lo, hi = (middle, hi) if t * middle**5 < few * middle**4 + many else (lo, middle)
    return hi
