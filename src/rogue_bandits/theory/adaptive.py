"""Concentration of the fit for plays that depend on earlier rewards.

Theorem 1 is for plays that are fixed beforehand. docs/theory.md proves the bounds here by martingales on a net of
points: one of the order √(log n/n) with constants far smaller than Theorem 1's, and one of the order (log n)/n.
"""

from __future__ import annotations

import math

from rogue_bandits.model.constants import NetConstants, hellinger_constants, net_constants
from rogue_bandits.model.numbers import checked_alpha, checked_whole, number
from rogue_bandits.model.validation import checked_arm
from rogue_bandits.types import Arm


def adaptive_radius(arm: Arm, n: int, alpha: float) -> float:
    """Return a radius that the mean divergence after n rewards exceeds with probability at most alpha, for any plays.

    It is (2·L_f·v + L_p·sigma·√(2·(log(1/alpha) + d·log(3√n)))) / √n, with v half the diagonal of the box of
    (theta, x0) and d its dimension. Plays may depend on all earlier rewards. Rewards must be bounded.

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> n, alpha = 10_000, 20_000**-4.0  # Algorithm 1 at its 20,000th decision; Theorem 1's radius is 1.913
    >>> round(rb.theory.adaptive_radius(arm, n, alpha), 3), round(rb.theory.confidence_radius(arm, n, alpha), 3)
    (0.058, 1.913)
    """
    of, n = net_constants(checked_arm(arm)), checked_whole(n, "adaptive_radius, n", 1)
    log_inverse = -math.log(checked_alpha(alpha, "theory"))
    return (of.offset + of.slope * math.sqrt(log_inverse + log_net(of, n))) / math.sqrt(n)


def hellinger_radius(arm: Arm, n: int, alpha: float) -> float:
    """Return another radius for any plays, of order (log n)/n; the probability to exceed it is at most alpha.

    With s = L_f·v it is ((2 + 2s)·(2·(log(1/alpha) + d·log 3n) + s) + s) / n, with v and d as in `adaptive_radius`,
    which is smaller for few rewards. Rewards must be bounded.

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> round(rb.theory.hellinger_radius(arm, 100, 0.05), 3), round(rb.theory.adaptive_radius(arm, 100, 0.05), 3)
    (0.805, 0.296)
    >>> round(rb.theory.hellinger_radius(arm, 10**6, 0.05), 6), round(rb.theory.adaptive_radius(arm, 10**6, 0.05), 6)
    (0.000182, 0.003828)
    """
    of, n = hellinger_constants(checked_arm(arm)), checked_whole(n, "hellinger_radius, n", 1)
    log_inverse = -math.log(checked_alpha(alpha, "theory"))
    return (of.offset + of.slope * (log_inverse + of.dimension * math.log(3.0 * n))) / n


def adaptive_concentration(arm: Arm, n: int, radius: float) -> float:
    """Return a bound on P(mean divergence of the truth from the fit > radius) after n rewards, for any plays.

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> rb.theory.adaptive_concentration(arm, n=10_000, radius=0.058)
    5.8...e-18
    """
    of, n = net_constants(checked_arm(arm)), checked_whole(n, "adaptive_concentration, n", 1)
    beyond = number(radius, "radius", "adaptive_concentration") * math.sqrt(n) - of.offset
    if beyond <= 0.0:
        return 1.0
    return math.exp(min(0.0, log_net(of, n) - (beyond / of.slope) ** 2)) if of.slope > 0.0 else 0.0


def log_net(of: NetConstants, n: int) -> float:
    """Return the log of the number of points of the net, (3√n)^d."""
    return of.dimension * (math.log(3.0) + 0.5 * math.log(n))
