"""Rewards between 0 and 1 whose density is a tilted line on a log scale: the exponential law, truncated to [0, 1]."""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.model.constants import sub_gaussian
from rogue_bandits.model.rewards.exponential import Exponential, dispersion, log_base, log_partition, natural, steepest
from rogue_bandits.model.validation import rewards_fault
from rogue_bandits.numerics.special import log_sinh_ratio
from rogue_bandits.types import Arm, draw, support


class ContinuousBernoulli(NamedTuple):
    """Density ∝ exp(eta·r) on [0, 1], eta = theta_weight·theta + state_weight·x.  [Sec. 2.4.2]

    >>> from rogue_bandits.types import mean
    >>> mean(ContinuousBernoulli(theta_weight=1.0, state_weight=2.0), 0.0, 0.0)
    0.5
    """

    theta_weight: float
    state_weight: float


Exponential.register(ContinuousBernoulli)


@support.register(ContinuousBernoulli)
def continuous_bernoulli_support(f: ContinuousBernoulli) -> tuple[float, float, bool]:
    """All shares."""
    return 0.0, 1.0, False


@log_partition.register(ContinuousBernoulli)
def continuous_bernoulli_log_partition(f: ContinuousBernoulli, eta: float) -> tuple[float, float, float]:
    """log ∫ e^(eta·r) = log((e^eta − 1)/eta) = eta/2 + log(sinh(eta/2) / (eta/2))."""
    value, slope, curvature = log_sinh_ratio(0.5 * eta)
    return 0.5 * eta + value, 0.5 + 0.5 * slope, 0.25 * curvature


@steepest.register(ContinuousBernoulli)
def continuous_bernoulli_steepest(f: ContinuousBernoulli) -> float:
    """Where the law is uniform."""
    return 0.0


@dispersion.register(ContinuousBernoulli)
def continuous_bernoulli_dispersion(f: ContinuousBernoulli) -> float:
    """The variance is A''."""
    return 1.0


@log_base.register(ContinuousBernoulli)
def continuous_bernoulli_log_base(f: ContinuousBernoulli, r: float) -> float:
    """Nothing but eta matters."""
    return 0.0


@draw.register(ContinuousBernoulli)
def continuous_bernoulli_draw(f: ContinuousBernoulli, theta: float, x: float, u: float) -> float:
    """log(1 + u·(e^eta − 1)) / eta; from the side on which the law is low, so that nothing overflows."""
    eta = natural(f, theta, x)
    size, v = abs(eta), u if eta < 0.0 else 1.0 - u
    # Nearly flat, it is uniform but for less than 1e-8.
    r = v if size < 1e-8 else -math.log1p(v * math.expm1(-size)) / size
    return min(max(r if eta < 0.0 else 1.0 - r, 0.0), 1.0)


@rewards_fault.register
def continuous_bernoulli_fault(f: ContinuousBernoulli, arm: Arm) -> str | None:
    """Any weights will do."""
    return None


@sub_gaussian.register
def continuous_bernoulli_sub_gaussian(f: ContinuousBernoulli) -> float:
    """log E e^(s(r − g)) = A(eta + s) − A(eta) − s·A'(eta), and A'' is at most that of the uniform law."""
    return math.sqrt(1.0 / 12.0)
