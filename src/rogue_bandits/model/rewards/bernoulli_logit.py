"""Rewards that are 0 or 1: a click, a walk taken, a pill swallowed."""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.model.rewards.exponential import Exponential, log_partition, steepest
from rogue_bandits.model.validation import rewards_fault
from rogue_bandits.types import draw, mean, support


class BernoulliLogit(NamedTuple):
    """P(r = 1) = 1 / (1 + exp(−theta_weight·theta − state_weight·x)).  [Sec. 2.4.2]

    >>> from rogue_bandits.types import mean
    >>> mean(BernoulliLogit(theta_weight=0.4, state_weight=0.6), 0.0, 0.0)
    0.5
    """

    theta_weight: float
    state_weight: float


Exponential.register(BernoulliLogit)
support.register(BernoulliLogit)(lambda f: (0.0, 1.0, True))
steepest.register(BernoulliLogit)(lambda f: 0.0)
rewards_fault.register(BernoulliLogit, lambda f, arm: None)


@log_partition.register(BernoulliLogit)
def bernoulli_logit_log_partition(f: BernoulliLogit, eta: float) -> tuple[float, float, float]:
    """log(1 + e^eta), without overflow on either side."""
    e = math.exp(-abs(eta))
    p = 1.0 / (1.0 + e) if eta >= 0.0 else e / (1.0 + e)
    return max(eta, 0.0) + math.log(1.0 + e), p, e / ((1.0 + e) * (1.0 + e))


@draw.register(BernoulliLogit)
def bernoulli_logit_draw(f: BernoulliLogit, theta: float, x: float, u: float) -> float:
    """Return 1 where u ≥ P(r = 0), else 0."""
    return 1.0 if u >= 1.0 - mean(f, theta, x) else 0.0
