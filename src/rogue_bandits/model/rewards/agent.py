"""The agent r = clip(x + c, 0, 1) with any log-concave noise c = theta·z, z from a known law.  [Sec. 2.4.1]

P(r = 0) = F(−x/theta), P(r = 1) = 1 − F((1 − x)/theta), and between them the density f((r − x)/theta)/theta: the
paper's formula, from the noise's distribution function F and density f. A family of this kind gives the noise:
`log_density`, `log_below` (and `log_above`, unless the noise is symmetric), `noise_quantile` and `noise_reach`.
"""

from __future__ import annotations

import math
from typing import Any

from rogue_bandits.compile.laws import law
from rogue_bandits.model.constants import sub_gaussian
from rogue_bandits.model.rewards.expectations import reach, score
from rogue_bandits.model.rewards.laplace_agent import agent_fault
from rogue_bandits.model.rewards.numeric import Numeric
from rogue_bandits.model.validation import rewards_fault
from rogue_bandits.types import Arm, draw, loglik, point_masses, support


class Agent(Numeric):
    """The kind: theta is the scale of the noise, x the effort when undisturbed."""


@law
def log_density(f: Any, z: float) -> tuple[float, float]:
    """log f(z) of the noise at scale 1, and its slope."""


@law
def log_below(f: Any, z: float) -> tuple[float, float]:
    """log F(z), and its slope f/F."""


@law
def log_above(f: Any, z: float) -> tuple[float, float]:
    """log(1 − F(z)), and its slope."""


@law
def noise_quantile(f: Any, u: float) -> float:
    """The z with F(z) = u."""


@law
def noise_reach(f: Any) -> float:
    """Beyond ±z the noise has no more probability than a rounding error."""


@log_above.register(Agent)
def symmetric_log_above(f: Any, z: float) -> tuple[float, float]:
    """Of symmetric noise: log F(−z)."""
    value, slope = log_below(f, -z)
    return value, -slope


@support.register(Agent)
def agent_support(f: Any) -> tuple[float, float, bool]:
    """From 0 to 1, both with positive probability."""
    return 0.0, 1.0, False


@point_masses.register(Agent)
def agent_point_masses(f: Any) -> bool:
    """At 0 and at 1."""
    return True


@reach.register(Agent)
def agent_reach(f: Any, theta: float, x: float) -> tuple[float, float, float]:
    """Around x, as far as the noise goes."""
    far = theta * noise_reach(f)
    return max(0.0, x - far), min(max(x, 0.0), 1.0), min(1.0, x + far)


@loglik.register(Agent)
def agent_loglik(f: Any, theta: float, x: float, r: float) -> float:
    """The log of the mass at an edge, of the density between.  [Sec. 2.4.1]"""
    if r <= 0.0:
        return log_below(f, -x / theta)[0]
    if r >= 1.0:
        return log_above(f, (1.0 - x) / theta)[0]
    return log_density(f, (r - x) / theta)[0] - math.log(theta)


@score.register(Agent)
def agent_score(f: Any, theta: float, x: float, r: float) -> tuple[float, float]:
    """With z = (r − x)/theta: dz/dtheta = −z/theta, dz/dx = −1/theta."""
    z = (r - x) / theta
    if r <= 0.0:
        slope = log_below(f, z)[1]
    elif r >= 1.0:
        slope = log_above(f, z)[1]
    else:
        slope = log_density(f, z)[1]
    return -(slope * z + (1.0 if 0.0 < r < 1.0 else 0.0)) / theta, -slope / theta


@draw.register(Agent)
def agent_draw(f: Any, theta: float, x: float, u: float) -> float:
    """clip(x + theta·z, 0, 1), z the noise's quantile."""
    return min(max(x + theta * noise_quantile(f, u), 0.0), 1.0)


@rewards_fault.register
def any_agent_fault(f: Agent, arm: Arm) -> str | None:
    """As for Laplace noise."""
    return agent_fault(f, arm)


@sub_gaussian.register
def agent_sub_gaussian(f: Agent) -> float:
    """Hoeffding: half the range of the reward."""
    return 0.5
