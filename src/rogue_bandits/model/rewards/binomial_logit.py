"""Rewards that are counts out of a known number: pills taken of seven, exercises done of ten."""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.model.constants import sub_gaussian
from rogue_bandits.model.rewards.bernoulli_logit import BernoulliLogit
from rogue_bandits.model.rewards.expectations import whole_quantile
from rogue_bandits.model.rewards.exponential import Exponential, log_base, log_partition, steepest
from rogue_bandits.model.validation import rewards_fault
from rogue_bandits.types import Arm, draw, support

MOST = 1e6


class BinomialLogit(NamedTuple):
    """r ~ Binomial(trials, 1 / (1 + exp(−theta_weight·theta − state_weight·x))): a count, not a share.

    >>> from rogue_bandits.types import mean
    >>> mean(BinomialLogit(theta_weight=0.4, state_weight=0.6, trials=7.0), 0.0, 0.0)
    3.5
    """

    theta_weight: float
    state_weight: float
    trials: float


Exponential.register(BinomialLogit)
support.register(BinomialLogit)(lambda f: (0.0, f.trials, True))
steepest.register(BinomialLogit)(lambda f: 0.0)
draw.register(BinomialLogit)(lambda f, theta, x, u: whole_quantile(f, theta, x, u))
# McDiarmid: a Lipschitz function of a sum of `trials` rewards of 0 or 1, each of which changes it by at most 1.
sub_gaussian.register(BinomialLogit, lambda f: 0.5 * math.sqrt(f.trials))


@log_partition.register(BinomialLogit)
def binomial_logit_log_partition(f: BinomialLogit, eta: float) -> tuple[float, float, float]:
    """Return `trials` times the log-partition of one trial."""
    a, slope, curvature = log_partition(BernoulliLogit(f.theta_weight, f.state_weight), eta)
    return f.trials * a, f.trials * slope, f.trials * curvature


@log_base.register(BinomialLogit)
def binomial_logit_log_base(f: BinomialLogit, r: float) -> float:
    """Return the log of the binomial coefficient."""
    return math.lgamma(f.trials + 1.0) - math.lgamma(r + 1.0) - math.lgamma(f.trials - r + 1.0)


@rewards_fault.register
def binomial_logit_fault(f: BinomialLogit, arm: Arm) -> str | None:
    """Check that trials is a whole number."""
    if f.trials != int(f.trials) or not 1.0 <= f.trials <= MOST:
        return f"trials {f.trials:g} must be a whole number from 1 to {MOST:g}"
    return None
