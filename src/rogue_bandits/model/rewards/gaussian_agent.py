"""The agent of Section 2.4.1 with normal noise."""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.compile.laws import inlined
from rogue_bandits.model.rewards.agent import Agent, log_below, log_density, noise_quantile, noise_reach
from rogue_bandits.model.rewards.gaussian import normal_quantile

LOG_ROOT = 0.5 * math.log(2.0 * math.pi)


class GaussianAgent(NamedTuple):
    """r = clip(x + c, 0, 1), c normal with standard deviation theta.

    >>> from rogue_bandits.types import mean
    >>> round(mean(GaussianAgent(), 0.2, 0.5), 12)
    0.5
    """


Agent.register(GaussianAgent)


@log_density.register(GaussianAgent)
def gaussian_agent_log_density(f: GaussianAgent, z: float) -> tuple[float, float]:
    """−z²/2 and a constant."""
    return -0.5 * z * z - LOG_ROOT, -z


@log_below.register(GaussianAgent)
def gaussian_agent_log_below(f: GaussianAgent, z: float) -> tuple[float, float]:
    """By erfc, and far below, where that is no number any more, by the hazard."""
    if z < -5.0:
        steep = normal_hazard(-z)
        return -0.5 * z * z - LOG_ROOT - math.log(steep), steep
    p = 0.5 * math.erfc(-z / math.sqrt(2.0))
    return math.log(p), math.exp(-0.5 * z * z - LOG_ROOT) / p


@inlined
def normal_hazard(t: float) -> float:
    """Density over what is above, for t ≥ 5: t + 1/(t + 2/(t + …)) [Abramowitz & Stegun 26.2.14]."""
    rest = t
    for k in range(40, 0, -1):
        rest = t + k / rest
    return rest


@noise_quantile.register(GaussianAgent)
def gaussian_agent_noise_quantile(f: GaussianAgent, u: float) -> float:
    """The normal quantile."""
    return normal_quantile(u)


@noise_reach.register(GaussianAgent)
def gaussian_agent_noise_reach(f: GaussianAgent) -> float:
    """Beyond, 1e-19 is left."""
    return 9.0
