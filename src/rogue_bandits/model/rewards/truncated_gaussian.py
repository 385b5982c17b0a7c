"""Rewards between 0 and 1: a normal distribution of known standard deviation, truncated to [0, 1]."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined
from rogue_bandits.model.constants import sub_gaussian
from rogue_bandits.model.rewards.exponential import (
    Exponential,
    dispersion,
    etas_of,
    log_base,
    log_partition,
    natural,
    steepest,
)
from rogue_bandits.model.validation import rewards_fault
from rogue_bandits.numerics.normal import normal_quantile
from rogue_bandits.types import Arm, draw, support

NODES, WEIGHTS = np.polynomial.legendre.leggauss(48)
NEGLIGIBLE = 40.0  # e^-40 is below the rounding error of a sum
LEAST_SD = 1e-4
MOST_SDS = 36.0  # outside of [0, 1]


class TruncatedGaussian(NamedTuple):
    """Density ∝ exp(−(r − eta)² / 2 sd²) on [0, 1], eta = theta_weight·theta + state_weight·x.  [Sec. 2.4.2]

    Eta is the mode, inside or outside of [0, 1]; the mean is always inside.

    >>> from rogue_bandits.types import mean
    >>> round(mean(TruncatedGaussian(theta_weight=1.0, state_weight=1.0, sd=0.3), 0.25, 0.25), 12)
    0.5
    """

    theta_weight: float
    state_weight: float
    sd: float


Exponential.register(TruncatedGaussian)
support.register(TruncatedGaussian)(lambda f: (0.0, 1.0, False))
steepest.register(TruncatedGaussian)(lambda f: 0.5)  # by symmetry
dispersion.register(TruncatedGaussian)(lambda f: f.sd * f.sd)
log_base.register(TruncatedGaussian)(lambda f, r: -0.5 * r * r / (f.sd * f.sd))
# −log p is sd⁻²-strongly convex on [0, 1], so that Lipschitz functions concentrate as those of a normal reward do
# (Bakry and Émery): at most sd; and at most half the range (Hoeffding).
sub_gaussian.register(TruncatedGaussian, lambda f: min(f.sd, 0.5))


@inlined
def window(f: TruncatedGaussian, eta: float) -> tuple[float, float, float]:
    """Return the mode in [0, 1], and the interval around it that holds all but a rounding error."""
    top = min(max(eta, 0.0), 1.0)
    beyond, squared = abs(eta - top), 2.0 * NEGLIGIBLE * f.sd * f.sd
    width = squared / (beyond + math.sqrt(beyond * beyond + squared))
    return top, max(0.0, top - width), min(1.0, top + width)


@log_partition.register(TruncatedGaussian)
def truncated_gaussian_log_partition(f: TruncatedGaussian, eta: float) -> tuple[float, float, float]:
    """sd²·log ∫ exp((r·eta − r²/2)/sd²), with the mean and the variance over sd², by Gauss-Legendre quadrature.

    Closed forms with erf cancel where sd is large, and where eta is far outside.
    """
    top, lo, hi = window(f, eta)
    disp, half = f.sd * f.sd, 0.5 * (hi - lo)
    mass = first = second = 0.0
    for i in range(NODES.size):
        d = lo + half * (1.0 + NODES[i]) - top
        p = half * WEIGHTS[i] * math.exp((d * (eta - top) - 0.5 * d * d) / disp)
        mass += p
        first += p * d
        second += p * d * d
    first /= mass
    variance = float(second / mass - first * first)
    return top * eta - 0.5 * top * top + disp * math.log(mass), float(top + first), variance / disp


@draw.register(TruncatedGaussian)
def truncated_gaussian_draw(f: TruncatedGaussian, theta: float, x: float, u: float) -> float:
    """Return the normal quantile between those of 0 and 1, computed from the side of small probabilities."""
    eta = natural(f, theta, x)
    mirrored = eta > 0.5
    centre, v = (1.0 - eta, 1.0 - u) if mirrored else (eta, u)  # now most of the mass is below 1/2, or in an upper tail
    above_0 = 0.5 * math.erfc(-centre / (f.sd * math.sqrt(2.0)))
    above_1 = 0.5 * math.erfc((1.0 - centre) / (f.sd * math.sqrt(2.0)))
    r = min(max(centre - f.sd * normal_quantile(above_0 - v * (above_0 - above_1)), 0.0), 1.0)
    return 1.0 - r if mirrored else r


@rewards_fault.register
def truncated_gaussian_fault(f: TruncatedGaussian, arm: Arm) -> str | None:
    """Check that sd is positive, and eta not so far outside that normal probabilities underflow."""
    if f.sd < LEAST_SD:
        return f"sd {f.sd} must be at least {LEAST_SD:g}"
    etas = etas_of(f, arm)
    if max(-etas[0], etas[-1] - 1.0) > MOST_SDS * f.sd:
        return (
            f"eta = theta_weight·theta + state_weight·x runs from {etas[0]:g} to {etas[-1]:g} within the bounds: "
            f"it must be at most {MOST_SDS:g} sds ({MOST_SDS * f.sd:g}) outside of [0, 1]"
        )
    return None
