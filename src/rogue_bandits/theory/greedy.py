"""Bounds for ε-ROGUE: the probability of playing a suboptimal arm, and the recommended c.  [Theorem 4]"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rogue_bandits.model.constants import hellinger_constants, net_constants
from rogue_bandits.model.numbers import checked_whole, number, positive
from rogue_bandits.model.validation import checked_arms
from rogue_bandits.policies.epsilon_rogue import EpsilonRogue
from rogue_bandits.theory.assumptions import constants
from rogue_bandits.types import Arm

LARGEST_EXPONENT = 700.0  # exp of more overflows; the bound on the probability is 1 anyway


def recommended_c(arms: Sequence[Arm], delta_min: float) -> float:
    """Return the smallest c of the remark after Theorem 4: max(8 L_p² sigma², 28 delta_min²/3) over the arms.

    The first terms of `suboptimal_probability` are o(1/T) for any larger c, and O((log T)/T) for this one.

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> rb.EpsilonRogue(c=rb.theory.recommended_c([arm, arm], delta_min=0.1), delta_min=0.1)
    EpsilonRogue(c=2.0, delta_min=0.1)
    """
    delta_min = positive(delta_min, "delta_min", "recommended_c")
    every = [constants(arm) for arm in checked_arms(arms)]
    return max(28.0 * delta_min**2 / 3.0, *(8.0 * (c.L_p * c.sigma) ** 2 for c in every))


def epsilon_rogue(arms: Sequence[Arm], delta_min: float) -> EpsilonRogue:
    """Return ε-ROGUE with the c that Theorem 4 recommends; delta_min is at most every delta_a of `separation`.

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> rb.theory.epsilon_rogue([arm, arm], delta_min=0.1)
    EpsilonRogue(c=2.0, delta_min=0.1)
    """
    return EpsilonRogue(recommended_c(arms, delta_min), float(delta_min))


def suboptimal_probability(arms: Sequence[Arm], policy: EpsilonRogue, t: int) -> float:
    """Return a bound on the probability that ε-ROGUE plays a given suboptimal arm at decision t, from 1.  [Theorem 4]

    With w half the expected number of explorations of an arm before t, it is

        ε_t/K + (1 − ε_t)·min(1, Σ_a (exp(−3w/14) + Σ_{n > w} P_a(n))),

    where P_a(n) bounds the probability of a mean divergence of delta_min after n rewards, by `adaptive_radius` or by
    `hellinger_radius`: arm a has at most w rewards, or more and a wrong fit. The sum is over all K arms, as which arm
    is best at t depends on the plays. Rewards must be bounded, and delta_min at most every delta_a after any plays
    (it can be 0 after one: docs/errata.md). The theorem uses its bound for plays that are fixed beforehand, and has 2w
    for the factor K.

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> rb.theory.suboptimal_probability([arm, arm], rb.EpsilonRogue(c=2.0, delta_min=0.1), t=20_000)
    0.99
    """
    arms, t = checked_arms(arms), checked_whole(t, "suboptimal_probability, t", 1)
    if policy.c is None or policy.delta_min is None:
        raise ValueError(f"suboptimal_probability, {policy} must have c and delta_min")
    delta = positive(policy.delta_min, "delta_min", "suboptimal_probability")
    explores_until = number(policy.c, "c", "suboptimal_probability") * len(arms) / delta**2
    w = explorations(explores_until, t - 1) / (2.0 * len(arms))
    rare = math.exp(-3.0 * w / 14.0)
    wrong_fit = sum(rare + tail(arm, delta, math.floor(w)) for arm in arms)
    epsilon_t = min(1.0, explores_until / t)
    return epsilon_t / len(arms) + (1.0 - epsilon_t) * min(1.0, wrong_fit)


def tail(arm: Arm, delta: float, w: int) -> float:
    """Return a bound on Σ over n > w of P(mean divergence ≥ delta after n rewards): the smaller of two."""
    if net_constants(arm).slope == 0.0:  # rewards carry no information: all divergences are 0
        return 0.0
    return min(adaptive_tail(arm, delta, w), hellinger_tail(arm, delta, w))


def adaptive_tail(arm: Arm, delta: float, w: int) -> float:
    """Return the bound by `adaptive_radius`.

    A term is at most (3√n)^d·exp(−(δ√n − C)²/s), with C and √s the offset and slope of `net_constants`. As
    −(δ√n − C)² ≤ C² − δ²n/2, it is at most 3^d·e^(C²/s)·n^⌈d/2⌉·exp(−n·δ²/(2s)).
    """
    of = net_constants(arm)
    log_factor = (of.offset / of.slope) ** 2 + of.dimension * math.log(3.0)
    return series(log_factor, 0.5 * (delta / of.slope) ** 2, w + 1, -(-of.dimension // 2))


def hellinger_tail(arm: Arm, delta: float, w: int) -> float:
    """Return the bound by `hellinger_radius`: a term is at most (3n)^d·exp(−(δn − offset)/slope)."""
    of = hellinger_constants(arm)
    return series(of.offset / of.slope + of.dimension * math.log(3.0), delta / of.slope, w + 1, of.dimension)


def series(log_factor: float, rate: float, m: int, power: int) -> float:
    """Return Σ over n ≥ m of exp(log_factor − rate·n)·n^power; infinite where it overflows."""
    moment = geometric_moment(-math.expm1(-rate), m, power)
    exponent = log_factor - rate * m + (math.log(moment) if moment < math.inf else math.inf)
    return math.inf if exponent > LARGEST_EXPONENT else math.exp(exponent)


def geometric_moment(p: float, m: int, power: int) -> float:
    """Return Σ over n ≥ m of n^power·q^(n − m), with q = 1 − p; infinite at p = 0.

    From Σ n^j q^(n−m) = m^j + q·Σ (n + 1)^j q^(n−m), for j = 0, 1, …, power.

    >>> geometric_moment(0.5, 1, 1)  # 1 + 2/2 + 3/4 + 4/8 + …
    4.0
    """
    sums: list[float] = []
    for j in range(power + 1):
        lower = math.fsum(math.comb(j, i) * s for i, s in enumerate(sums))
        sums.append((float(m) ** j + (1.0 - p) * lower) / p if p > 0.0 else math.inf)
    return sums[power]


def explorations(explores_until: float, t: int) -> float:
    """Return Σ of min(1, explores_until/n) over n = 1, …, t.

    >>> explorations(2.0, 4)
    3.1666...
    """
    surely = min(math.floor(explores_until), t)
    return surely + explores_until * (harmonic(t) - harmonic(surely))


def harmonic(n: int) -> float:
    """Return the harmonic number 1 + 1/2 + … + 1/n; from n = 20 by its asymptotic series, exact to rounding error.

    >>> harmonic(4)
    2.0833...
    """
    if n < 20:
        return math.fsum(1.0 / k for k in range(1, n + 1))
    h = 1.0 / n
    return math.log(n) + np.euler_gamma + h / 2.0 - h**2 / 12.0 + h**4 / 120.0 - h**6 / 252.0
