"""Rewards between 0 and 1 with a log-linear density: the exponential distribution truncated to [0, 1]."""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.model.constants import sub_gaussian
from rogue_bandits.model.rewards.exponential import Exponential, log_partition, natural, steepest
from rogue_bandits.model.validation import rewards_fault
from rogue_bandits.numerics.special import log_sinh_ratio
from rogue_bandits.types import draw, support


class ContinuousBernoulli(NamedTuple):
    """Density ∝ exp(eta·r) on [0, 1], eta = theta_weight·theta + state_weight·x.  [Sec. 2.4.2]

    >>> from rogue_bandits.types import mean
    >>> mean(ContinuousBernoulli(theta_weight=1.0, state_weight=2.0), 0.0, 0.0)
    0.5
    """

    theta_weight: float
    state_weight: float


Exponential.register(ContinuousBernoulli)
support.register(ContinuousBernoulli)(lambda f: (0.0, 1.0, False))
steepest.register(ContinuousBernoulli)(lambda f: 0.0)  # the uniform distribution
rewards_fault.register(ContinuousBernoulli, lambda f, arm: None)
# log E e^(s(r − g)) = A(eta + s) − A(eta) − s·A'(eta), and A'' is at most that of the uniform distribution, 1/12. So
# rewards are sub-Gaussian with √(1/12), and Lipschitz functions of them with √2 times that (docs/errata.md).
sub_gaussian.register(ContinuousBernoulli, lambda f: math.sqrt(1.0 / 6.0))


@log_partition.register(ContinuousBernoulli)
def continuous_bernoulli_log_partition(f: ContinuousBernoulli, eta: float) -> tuple[float, float, float]:
    """log ∫ e^(eta·r) = log((e^eta − 1)/eta) = eta/2 + log(sinh(eta/2) / (eta/2))."""
    value, slope, curvature = log_sinh_ratio(0.5 * eta)
    return 0.5 * eta + value, 0.5 + 0.5 * slope, 0.25 * curvature


@draw.register(ContinuousBernoulli)
def continuous_bernoulli_draw(f: ContinuousBernoulli, theta: float, x: float, u: float) -> float:
    """log(1 + u·(e^eta − 1)) / eta, from the side of low density, so that nothing overflows."""
    eta = natural(f, theta, x)
    size, v = abs(eta), u if eta < 0.0 else 1.0 - u
    # Nearly flat, it is uniform but for less than 1e-8.
    r = v if size < 1e-8 else -math.log1p(v * math.expm1(-size)) / size
    return min(max(r if eta < 0.0 else 1.0 - r, 0.0), 1.0)
