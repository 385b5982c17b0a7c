"""Rewards on the whole line, with a known standard deviation."""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.model.constants import sub_gaussian
from rogue_bandits.model.rewards.exponential import Exponential, dispersion, etas_of, log_base, log_partition, steepest
from rogue_bandits.model.validation import rewards_fault
from rogue_bandits.numerics.normal import normal_quantile
from rogue_bandits.types import Arm, draw, kl_and_slopes, mean, support

MOST_SDS = 1e4  # with a mean this many sds from 0 a sum of squares has 8 digits


class Gaussian(NamedTuple):
    """r ~ Normal(theta_weight·theta + state_weight·x, sd²).

    >>> from rogue_bandits.types import mean
    >>> mean(Gaussian(theta_weight=1.0, state_weight=2.0, sd=0.5), 0.25, 0.5)
    1.25
    """

    theta_weight: float
    state_weight: float
    sd: float


Exponential.register(Gaussian)
support.register(Gaussian)(lambda f: (-math.inf, math.inf, False))
steepest.register(Gaussian)(lambda f: 0.0)  # A'' is constant
dispersion.register(Gaussian)(lambda f: f.sd * f.sd)
log_partition.register(Gaussian)(lambda f, eta: (0.5 * eta * eta, eta, 1.0))
draw.register(Gaussian)(lambda f, theta, x, u: mean(f, theta, x) + f.sd * normal_quantile(u))
sub_gaussian.register(Gaussian, lambda f: f.sd)


@log_base.register(Gaussian)
def gaussian_log_base(f: Gaussian, r: float) -> float:
    """−r² / 2 sd² and the constant."""
    return -0.5 * r * r / (f.sd * f.sd) - 0.5 * math.log(2.0 * math.pi * f.sd * f.sd)


@kl_and_slopes.register(Gaussian)
def gaussian_kl_and_slopes(f: Gaussian, theta: float, x: float, theta2: float, x2: float) -> tuple[float, float, float]:
    """(eta2 − eta)² / 2 sd², from differences: no cancellation where the means are large."""
    shift = (f.theta_weight * (theta2 - theta) + f.state_weight * (x2 - x)) / f.sd
    return 0.5 * shift * shift, f.theta_weight * shift / f.sd, f.state_weight * shift / f.sd


@rewards_fault.register
def gaussian_fault(f: Gaussian, arm: Arm) -> str | None:
    """Check that sd is positive and not lost beside the means in a sum of squares."""
    if f.sd <= 0.0:
        return f"sd {f.sd} must be above 0"
    largest = max(map(abs, etas_of(f, arm)))
    if largest > MOST_SDS * f.sd:
        return (
            f"sd {f.sd} must be at least {largest / MOST_SDS:g}, a {MOST_SDS:,.0f}th of the largest mean {largest:g}. "
            "Subtract a constant from the rewards, and from theta's bounds what brings it about"
        )
    return None
