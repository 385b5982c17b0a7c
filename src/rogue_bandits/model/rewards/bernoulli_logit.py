"""Rewards that are 0 or 1: a click, a walk taken, a pill swallowed."""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.model.constants import sub_gaussian
from rogue_bandits.model.rewards.exponential import Exponential, dispersion, log_base, log_partition, steepest
from rogue_bandits.model.validation import rewards_fault
from rogue_bandits.types import Arm, draw, mean, support


class BernoulliLogit(NamedTuple):
    """P(r = 1) = 1 / (1 + exp(−theta_weight·theta − state_weight·x)).  [Sec. 2.4.2]

    >>> from rogue_bandits.types import mean
    >>> mean(BernoulliLogit(theta_weight=0.4, state_weight=0.6), 0.0, 0.0)
    0.5
    """

    theta_weight: float
    state_weight: float


Exponential.register(BernoulliLogit)


@support.register(BernoulliLogit)
def bernoulli_logit_support(f: BernoulliLogit) -> tuple[float, float, bool]:
    """0 and 1, and nothing between."""
    return 0.0, 1.0, True


@log_partition.register(BernoulliLogit)
def bernoulli_logit_log_partition(f: BernoulliLogit, eta: float) -> tuple[float, float, float]:
    """log(1 + e^eta), without overflow on either side; where 1 + e rounds, nothing of size is lost of a sum."""
    e = math.exp(-abs(eta))
    p = 1.0 / (1.0 + e) if eta >= 0.0 else e / (1.0 + e)
    return max(eta, 0.0) + math.log(1.0 + e), p, e / ((1.0 + e) * (1.0 + e))


@steepest.register(BernoulliLogit)
def bernoulli_logit_steepest(f: BernoulliLogit) -> float:
    """At p = 1/2."""
    return 0.0


@dispersion.register(BernoulliLogit)
def bernoulli_logit_dispersion(f: BernoulliLogit) -> float:
    """The variance is A''."""
    return 1.0


@log_base.register(BernoulliLogit)
def bernoulli_logit_log_base(f: BernoulliLogit, r: float) -> float:
    """Nothing but eta matters."""
    return 0.0


@draw.register(BernoulliLogit)
def bernoulli_logit_draw(f: BernoulliLogit, theta: float, x: float, u: float) -> float:
    """1 where u is among the highest P(r = 1) of the unit interval: larger u, larger reward."""
    return 1.0 if u >= 1.0 - mean(f, theta, x) else 0.0


@rewards_fault.register
def bernoulli_logit_fault(f: BernoulliLogit, arm: Arm) -> str | None:
    """Any weights will do."""
    return None


@sub_gaussian.register
def bernoulli_logit_sub_gaussian(f: BernoulliLogit) -> float:
    """Hoeffding: half the range of the reward."""
    return 0.5
