"""Rewards that are counts without an upper limit: messages answered, pages read."""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.model.constants import corners, sub_gaussian
from rogue_bandits.model.rewards.exponential import Exponential, dispersion, log_base, log_partition, natural, steepest
from rogue_bandits.model.validation import rewards_fault
from rogue_bandits.numerics.quantiles import whole_quantile
from rogue_bandits.types import Arm, draw, support

MOST = 1e6  # a mean count this large leaves 10 digits to a sum of divergences


class PoissonLog(NamedTuple):
    """r ~ Poisson(exp(theta_weight·theta + state_weight·x)).

    >>> from rogue_bandits.types import mean
    >>> mean(PoissonLog(theta_weight=1.0, state_weight=2.0), 0.0, 0.0)
    1.0
    """

    theta_weight: float
    state_weight: float


Exponential.register(PoissonLog)


@support.register(PoissonLog)
def poisson_log_support(f: PoissonLog) -> tuple[float, float, bool]:
    """0, 1, 2, … without end."""
    return 0.0, math.inf, True


@log_partition.register(PoissonLog)
def poisson_log_log_partition(f: PoissonLog, eta: float) -> tuple[float, float, float]:
    """e^eta, and so are its derivatives."""
    e = math.exp(eta)
    return e, e, e


@steepest.register(PoissonLog)
def poisson_log_steepest(f: PoissonLog) -> float:
    """A'' rises without end."""
    return math.inf


@dispersion.register(PoissonLog)
def poisson_log_dispersion(f: PoissonLog) -> float:
    """The variance is A''."""
    return 1.0


@log_base.register(PoissonLog)
def poisson_log_log_base(f: PoissonLog, r: float) -> float:
    """−log r!."""
    return -math.lgamma(r + 1.0)


@draw.register(PoissonLog)
def poisson_log_draw(f: PoissonLog, theta: float, x: float, u: float) -> float:
    """By sums of probabilities from the mean."""
    return whole_quantile(f, theta, x, u)


@rewards_fault.register
def poisson_log_fault(f: PoissonLog, arm: Arm) -> str | None:
    """Means grow as e^eta, and soon no sum could hold them."""
    largest = max(natural(f, theta, x) for theta, x in corners(arm))
    if largest <= math.log(MOST):
        return None
    return (
        f"theta_weight {f.theta_weight} and state_weight {f.state_weight} lead to a mean of e^{largest:g}: "
        f"it must be at most {MOST:g}, that is e^{math.log(MOST):.3g}, at every (theta, x) within the bounds"
    )


@sub_gaussian.register
def poisson_log_sub_gaussian(f: PoissonLog) -> float:
    """There is none: the upper tail of a count is heavier than that of any normal law."""
    raise TypeError(
        "Assumption 4 has no constant sigma for PoissonLog: counts without an upper limit are not sub-Gaussian. "
        "Use TunedRadius, or BinomialLogit with as many trials as can be"
    )
