"""The agent r = clip(x + c, 0, 1) with log-concave noise c = theta·z, z of a known distribution.  [Sec. 2.4.1]

P(r = 0) = F(−x/theta), P(r = 1) = 1 − F((1 − x)/theta), and between them the density f((r − x)/theta)/theta: the
paper's formula, from the noise's distribution function F and density f. A family of this kind gives the noise:
`log_density`, `log_below` (and `log_above`, unless the noise is symmetric), `noise_quantile` and `noise_support`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from rogue_bandits.compile.laws import inlined, law
from rogue_bandits.model.protocols import Model
from rogue_bandits.model.rewards.expectations import effective_support, score
from rogue_bandits.model.rewards.laplace_agent import agent_fault
from rogue_bandits.model.rewards.numeric import Numeric
from rogue_bandits.model.validation import rewards_fault
from rogue_bandits.numerics.normal import normal_quantile
from rogue_bandits.types import coordinate, draw, loglik, point_masses, support, theta_at

LOG_ROOT = 0.5 * math.log(2.0 * math.pi)


class Agent(Numeric):
    """The kind: theta is the scale of the noise, x the effort without noise."""


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
    """Return the z with F(z) = u."""


@law
def noise_support(f: Any) -> float:
    """Return the z such that noise beyond ±z has no more probability than a rounding error."""


support.register(Agent)(lambda f: (0.0, 1.0, False))
point_masses.register(Agent)(lambda f: True)
draw.register(Agent)(lambda f, theta, x, u: min(max(x + theta * noise_quantile(f, u), 0.0), 1.0))
rewards_fault.register(Agent, agent_fault)
coordinate.register(Agent)(lambda f, theta: math.log(theta))  # a density varies fastest at small scales
theta_at.register(Agent)(lambda f, y: math.exp(y))


@log_above.register(Agent)
def symmetric_log_above(f: Model, z: float) -> tuple[float, float]:
    """log F(−z), for symmetric noise."""
    value, slope = log_below(f, -z)
    return value, -slope


@effective_support.register(Agent)
def agent_effective_support(f: Model, theta: float, x: float) -> tuple[float, float, float]:
    """Return x, plus and minus the support of the noise."""
    far = theta * noise_support(f)
    return max(0.0, x - far), min(max(x, 0.0), 1.0), min(1.0, x + far)


@loglik.register(Agent)
def agent_loglik(f: Model, theta: float, x: float, r: float) -> float:
    """Return the log of the mass at an edge, of the density between.  [Sec. 2.4.1]"""
    if r <= 0.0:
        return log_below(f, -x / theta)[0]
    if r >= 1.0:
        return log_above(f, (1.0 - x) / theta)[0]
    return log_density(f, (r - x) / theta)[0] - math.log(theta)


@score.register(Agent)
def agent_score(f: Model, theta: float, x: float, r: float) -> tuple[float, float]:
    """Return the score by z = (r − x)/theta, with dz/dtheta = −z/theta and dz/dx = −1/theta."""
    z = (r - x) / theta
    if r <= 0.0:
        slope = log_below(f, z)[1]
    elif r >= 1.0:
        slope = log_above(f, z)[1]
    else:
        slope = log_density(f, z)[1]
    return -(slope * z + (1.0 if 0.0 < r < 1.0 else 0.0)) / theta, -slope / theta


# ---- normal noise ----------------------------------------------------------------------------------------------------
class GaussianAgent(NamedTuple):
    """r = clip(x + c, 0, 1), c normal with standard deviation theta.

    >>> from rogue_bandits.types import mean
    >>> round(mean(GaussianAgent(), 0.2, 0.5), 12)
    0.5
    """


Agent.register(GaussianAgent)
log_density.register(GaussianAgent)(lambda f, z: (-0.5 * z * z - LOG_ROOT, -z))
noise_quantile.register(GaussianAgent)(lambda f, u: normal_quantile(u))
noise_support.register(GaussianAgent)(lambda f: 9.0)  # 1e-19 is beyond


@log_below.register(GaussianAgent)
def gaussian_agent_log_below(f: GaussianAgent, z: float) -> tuple[float, float]:
    """log Φ(z) by erfc, and by the hazard where that underflows."""
    if z < -5.0:
        steep = _normal_hazard(-z)
        return -0.5 * z * z - LOG_ROOT - math.log(steep), steep
    p = 0.5 * math.erfc(-z / math.sqrt(2.0))
    return math.log(p), math.exp(-0.5 * z * z - LOG_ROOT) / p


@inlined
def _normal_hazard(t: float) -> float:
    """Return the density over the upper tail, for t ≥ 5: t + 1/(t + 2/(t + …)) [Abramowitz & Stegun 26.2.14]."""
    rest = t
    for k in range(40, 0, -1):
        rest = t + k / rest
    return rest


# ---- logistic noise --------------------------------------------------------------------------------------------------
class LogisticAgent(NamedTuple):
    """r = clip(x + c, 0, 1), c logistic with scale theta: exponential tails, smooth at its mode.

    >>> from rogue_bandits.types import mean
    >>> round(mean(LogisticAgent(), 0.2, 0.5), 12)
    0.5
    """


Agent.register(LogisticAgent)
noise_quantile.register(LogisticAgent)(lambda f, u: math.log(max(u, 1e-300)) - math.log1p(-u))
noise_support.register(LogisticAgent)(lambda f: 39.0)  # 1e-17 is beyond


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
