"""Families of the fast core, defined again by their log-likelihood alone: two ways to the same answers."""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.compile.laws import inlined
from rogue_bandits.model.rewards.agent import Agent, log_below, log_density, noise_quantile, noise_support
from rogue_bandits.model.rewards.bernoulli_logit import BernoulliLogit
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.model.rewards.numeric import Numeric
from rogue_bandits.types import Arm, loglik, support


class NumericLaplace(NamedTuple):
    """The agent with Laplace noise, by the general formula."""


Agent.register(NumericLaplace)


@log_density.register(NumericLaplace)
def numeric_laplace_log_density(f: NumericLaplace, z: float) -> tuple[float, float]:
    return -abs(z) - math.log(2.0), -math.copysign(1.0, z)


@log_below.register(NumericLaplace)
def numeric_laplace_log_below(f: NumericLaplace, z: float) -> tuple[float, float]:
    if z < 0.0:
        return z - math.log(2.0), 1.0
    return math.log1p(-0.5 * math.exp(-z)), 0.5 * math.exp(-z) / (1.0 - 0.5 * math.exp(-z))


@noise_quantile.register(NumericLaplace)
def numeric_laplace_quantile(f: NumericLaplace, u: float) -> float:
    return math.log(2.0 * u) if u < 0.5 else -math.log(2.0 * (1.0 - u))


@noise_support.register(NumericLaplace)
def numeric_laplace_support(f: NumericLaplace) -> float:
    return 38.0


class NumericLogit(NamedTuple):
    """Rewards 0 and 1, by support and loglik alone."""

    theta_weight: float
    state_weight: float


Numeric.register(NumericLogit)


@support.register(NumericLogit)
def numeric_logit_support(f: NumericLogit) -> tuple[float, float, bool]:
    return 0.0, 1.0, True


@inlined
def log_of_logistic(eta: float) -> float:
    return min(eta, 0.0) - math.log1p(math.exp(-abs(eta)))


@loglik.register(NumericLogit)
def numeric_logit_loglik(f: NumericLogit, theta: float, x: float, r: float) -> float:
    eta = f.theta_weight * theta + f.state_weight * x
    return log_of_logistic(eta if r > 0.5 else -eta)


def numeric_twin(arm: Arm) -> Arm:
    """The same arm, defined by its log-likelihood."""
    f = arm.rewards
    if isinstance(f, LaplaceAgent):
        return arm._replace(rewards=NumericLaplace())
    assert isinstance(f, BernoulliLogit)
    return arm._replace(rewards=NumericLogit(*f))
