"""The agent of Section 2.4.1 with logistic noise."""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.model.rewards.agent import Agent, log_below, log_density, noise_quantile, noise_reach


class LogisticAgent(NamedTuple):
    """r = clip(x + c, 0, 1), c logistic with scale theta: tails as Laplace's, a round top as a normal law's.

    >>> from rogue_bandits.types import mean
    >>> round(mean(LogisticAgent(), 0.2, 0.5), 12)
    0.5
    """


Agent.register(LogisticAgent)


@log_density.register(LogisticAgent)
def logistic_agent_log_density(f: LogisticAgent, z: float) -> tuple[float, float]:
    """−|z| − 2·log(1 + e^−|z|)."""
    e = math.exp(-abs(z))
    return -abs(z) - 2.0 * math.log1p(e), -math.copysign((1.0 - e) / (1.0 + e), z)


@log_below.register(LogisticAgent)
def logistic_agent_log_below(f: LogisticAgent, z: float) -> tuple[float, float]:
    """−log(1 + e^−z), and 1/(1 + e^z)."""
    e = math.exp(-abs(z))
    return min(z, 0.0) - math.log1p(e), (e if z >= 0.0 else 1.0) / (1.0 + e)


@noise_quantile.register(LogisticAgent)
def logistic_agent_noise_quantile(f: LogisticAgent, u: float) -> float:
    """log(u / (1 − u))."""
    return math.log(max(u, 1e-300)) - math.log1p(-u)


@noise_reach.register(LogisticAgent)
def logistic_agent_noise_reach(f: LogisticAgent) -> float:
    """Beyond, 1e-17 is left."""
    return 39.0
