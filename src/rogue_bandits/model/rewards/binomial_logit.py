"""Rewards that are counts out of a known number: pills taken of seven, exercises done of ten."""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.model.constants import sub_gaussian
from rogue_bandits.model.rewards.bernoulli_logit import BernoulliLogit
from rogue_bandits.model.rewards.exponential import Exponential, dispersion, log_base, log_partition, steepest
from rogue_bandits.model.validation import rewards_fault
from rogue_bandits.numerics.quantiles import whole_quantile
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


@support.register(BinomialLogit)
def binomial_logit_support(f: BinomialLogit) -> tuple[float, float, bool]:
    """0, 1, …, trials."""
    return 0.0, f.trials, True


@log_partition.register(BinomialLogit)
def binomial_logit_log_partition(f: BinomialLogit, eta: float) -> tuple[float, float, float]:
    """As many times that of one trial as there are trials."""
    a, slope, curvature = log_partition(BernoulliLogit(f.theta_weight, f.state_weight), eta)
    return f.trials * a, f.trials * slope, f.trials * curvature


@steepest.register(BinomialLogit)
def binomial_logit_steepest(f: BinomialLogit) -> float:
    """At p = 1/2."""
    return 0.0


@dispersion.register(BinomialLogit)
def binomial_logit_dispersion(f: BinomialLogit) -> float:
    """The variance is A''."""
    return 1.0


@log_base.register(BinomialLogit)
def binomial_logit_log_base(f: BinomialLogit, r: float) -> float:
    """The log of the number of ways to choose r of the trials."""
    return math.lgamma(f.trials + 1.0) - math.lgamma(r + 1.0) - math.lgamma(f.trials - r + 1.0)


@draw.register(BinomialLogit)
def binomial_logit_draw(f: BinomialLogit, theta: float, x: float, u: float) -> float:
    """By sums of probabilities from the mean."""
    return whole_quantile(f, theta, x, u)


@rewards_fault.register
def binomial_logit_fault(f: BinomialLogit, arm: Arm) -> str | None:
    """Trials are counted."""
    if f.trials != int(f.trials) or not 1.0 <= f.trials <= MOST:
        return f"trials {f.trials:g} must be a whole number from 1 to {MOST:g}"
    return None


@sub_gaussian.register
def binomial_logit_sub_gaussian(f: BinomialLogit) -> float:
    """Hoeffding: a sum of `trials` rewards of 0 or 1, whose parameters add up as variances do."""
    return 0.5 * math.sqrt(f.trials)
