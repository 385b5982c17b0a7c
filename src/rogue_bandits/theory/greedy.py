"""Bounds for ε-ROGUE: the probability of playing a suboptimal arm, and the recommended c.  [Theorem 4]"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rogue_bandits.model.validation import checked_arms, checked_whole, number, positive
from rogue_bandits.policies.epsilon_rogue import EpsilonRogue
from rogue_bandits.theory.assumptions import constants
from rogue_bandits.types import Arm

LARGEST_EXPONENT = 700.0  # exp of more overflows; the bound on the probability is 1 anyway


def recommended_c(arms: Sequence[Arm], delta_min: float) -> float:
    """Return the smallest c of the remark after Theorem 4: max(8 L_p² sigma², 28 delta_min²/3) over the arms.

    The first terms of the theorem are o(1/T) for any larger c, and at most (log T)/T for this one.

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

        ε_t/K + (1 − ε_t)·(2·(w + 1)·exp(−3w/14) + (8 L_p² sigma²/δ²)·exp((c_f² − δ²⌊w⌋/2) / (2 L_p² sigma²))),

    with the bracket capped at 1: the last display but one of the proof, with w + 1 for w (an arm may have no play) and
    with w summed exactly. The theorem's closed form drops the floor, and inserts a lower bound for w where
    w·exp(−3w/14) may increase.

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
    rare = 2.0 * (w + 1.0) * math.exp(-3.0 * w / 14.0)
    wrong_fit = max(2.0 * tail(arm, delta, math.floor(w)) for arm in arms)
    epsilon_t = min(1.0, explores_until / t)
    return epsilon_t / len(arms) + (1.0 - epsilon_t) * min(1.0, rare + wrong_fit)


def tail(arm: Arm, delta: float, w: int) -> float:
    """Return Σ over n > w of Theorem 1's bound on P(mean divergence ≥ delta), by −(δ√n − c_f)² ≤ c_f² − δ²n/2."""
    c = constants(arm)
    twice = 2.0 * (c.L_p * c.sigma) ** 2
    if twice == 0.0:  # rewards carry no information: all divergences are 0
        return 0.0
    exponent = (c.c_f**2 - 0.5 * delta**2 * w) / twice
    return math.inf if exponent > LARGEST_EXPONENT else 2.0 * twice / delta**2 * math.exp(exponent)


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
