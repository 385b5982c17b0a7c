"""Rewards that are 0 or 1 with a normal link: a hidden wish with normal noise that is, or is not, above a threshold."""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.model.constants import corners, lipschitz_mean, sub_gaussian
from rogue_bandits.model.rewards.exponential import natural
from rogue_bandits.model.rewards.glm import BernoulliGlm, inverse_link
from rogue_bandits.model.validation import rewards_fault
from rogue_bandits.types import Arm

FARTHEST = 8.0


class BernoulliProbit(NamedTuple):
    """P(r = 1) = Φ(theta_weight·theta + state_weight·x), Φ the normal distribution function.

    >>> from rogue_bandits.types import mean
    >>> mean(BernoulliProbit(theta_weight=0.4, state_weight=0.6), 0.0, 0.0)
    0.5
    """

    theta_weight: float
    state_weight: float


BernoulliGlm.register(BernoulliProbit)


@inverse_link.register(BernoulliProbit)
def bernoulli_probit_inverse_link(f: BernoulliProbit, eta: float) -> tuple[float, float]:
    """Φ(eta), and the normal density."""
    return 0.5 * math.erfc(-eta / math.sqrt(2.0)), math.exp(-0.5 * eta * eta) / math.sqrt(2.0 * math.pi)


@rewards_fault.register
def bernoulli_probit_fault(f: BernoulliProbit, arm: Arm) -> str | None:
    """Beyond eta = 8 the normal distribution function is 1 but for rounding, and P(r = 0) is lost."""
    farthest = max(abs(natural(f, theta, x)) for theta, x in corners(arm))
    if farthest <= FARTHEST:
        return None
    return f"theta_weight·theta + state_weight·x reaches ±{farthest:g} and must stay from -{FARTHEST:g} to {FARTHEST:g}"


@lipschitz_mean.register
def bernoulli_probit_lipschitz_mean(f: BernoulliProbit, arm: Arm) -> float:
    """The normal density is highest at 0."""
    return math.hypot(f.theta_weight, f.state_weight) / math.sqrt(2.0 * math.pi)


@sub_gaussian.register
def bernoulli_probit_sub_gaussian(f: BernoulliProbit) -> float:
    """Hoeffding: half the range of the reward."""
    return 0.5
