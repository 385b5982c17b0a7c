"""Rewards that are counts without an upper limit: messages answered, pages read."""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.model.constants import sub_gaussian
from rogue_bandits.model.rewards.expectations import whole_quantile
from rogue_bandits.model.rewards.exponential import Exponential, etas_of, log_base, log_partition, steepest
from rogue_bandits.model.validation import rewards_fault
from rogue_bandits.types import Arm, draw, support

MOST = 1e6  # with a mean this large a sum of divergences has 10 digits


class PoissonLog(NamedTuple):
    """r ~ Poisson(exp(theta_weight·theta + state_weight·x)).

    >>> from rogue_bandits.types import mean
    >>> mean(PoissonLog(theta_weight=1.0, state_weight=2.0), 0.0, 0.0)
    1.0
    """

    theta_weight: float
    state_weight: float


Exponential.register(PoissonLog)
support.register(PoissonLog)(lambda f: (0.0, math.inf, True))
steepest.register(PoissonLog)(lambda f: math.inf)  # A'' increases in eta
log_base.register(PoissonLog)(lambda f, r: -math.lgamma(r + 1.0))
draw.register(PoissonLog)(lambda f, theta, x, u: whole_quantile(f, theta, x, u))


@log_partition.register(PoissonLog)
def poisson_log_log_partition(f: PoissonLog, eta: float) -> tuple[float, float, float]:
    """e^eta, as are its derivatives."""
    e = math.exp(eta)
    return e, e, e


@rewards_fault.register
def poisson_log_fault(f: PoissonLog, arm: Arm) -> str | None:
    """Check that the mean e^eta is small enough for sums to keep their digits."""
    largest = etas_of(f, arm)[-1]
    if largest <= math.log(MOST):
        return None
    return (
        f"theta_weight {f.theta_weight} and state_weight {f.state_weight} lead to a mean of e^{largest:g}: "
        f"it must be at most {MOST:g}, that is e^{math.log(MOST):.3g}, at every (theta, x) within the bounds"
    )


@sub_gaussian.register
def poisson_log_sub_gaussian(f: PoissonLog) -> float:
    """Raise TypeError: the upper tail is heavier than that of any normal distribution."""
    raise TypeError(
        "Assumption 4 has no constant sigma for PoissonLog: counts without an upper limit are not sub-Gaussian. "
        "Use TunedRadius, or BinomialLogit with as many trials as can be"
    )
