"""What each kind of reward family says of a pool: whether a reward fits into it, its divergence and information."""

from __future__ import annotations

from typing import Any

from rogue_bandits.belief.pool import FIRST, LAST, MOMENTS, MOST_POWER, PoolShape
from rogue_bandits.belief.surfaces import Surface, first_order, narrow_value
from rogue_bandits.compile.laws import law
from rogue_bandits.model.protocols import LinearPredictor
from rogue_bandits.model.rewards.exponential import Exponential, bregman
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent, scale_kl
from rogue_bandits.model.rewards.numeric import Numeric
from rogue_bandits.types import Floats


@law
def is_smooth_between(f: Any, least: float, largest: float, r: float) -> bool:
    """Return whether, for x from least to largest, loglik of r is `settled_loglik` of statistics linear in x."""


@law
def pooled_kl(
    f: Any, theta: float, c: float, at: Surface, theta2: float, c2: float, at2: Surface, pool: Floats
) -> tuple[float, float, float]:
    """Return Σ kl of a pool's rewards from (theta, c) to (theta2, c2), and its derivatives by theta2 and by c2.

    Of `at2` only the value and the first derivatives are read.
    """


@law
def pooled_information(f: Any, theta: float, at: Surface, pool: Floats) -> tuple[float, float, float]:
    """Return the information of a pool's rewards about (theta, c): the entries theta-theta, theta-c, c-c."""


is_smooth_between.register(Exponential)(lambda f, least, largest, r: True)  # r·eta is linear in x


@pooled_kl.register(Exponential)
def exponential_pooled_kl(
    f: LinearPredictor, theta: float, c: float, at: Surface, theta2: float, c2: float, at2: Surface, pool: Floats
) -> tuple[float, float, float]:
    """Return the Bregman divergence of the potential as a function of (theta, c)."""
    tangent = at.value + at.by_c * (c2 - c)
    return bregman(theta, tangent, at.by_theta, theta2, at2.value), at2.by_theta - at.by_theta, at2.by_c - at.by_c


@pooled_information.register(Exponential)
def exponential_pooled_information(
    f: LinearPredictor, theta: float, at: Surface, pool: Floats
) -> tuple[float, float, float]:
    """Return the second derivatives of the potential."""
    return at.theta_theta, at.theta_c, at.c_c


@is_smooth_between.register(LaplaceAgent)
def laplace_agent_is_smooth_between(f: LaplaceAgent, least: float, largest: float, r: float) -> bool:
    """Return whether r, the kink of |r − x|, is not between."""
    return r <= least or r >= largest


@pooled_kl.register(LaplaceAgent)
def laplace_agent_pooled_kl(
    f: LaplaceAgent, theta: float, c: float, at: Surface, theta2: float, c2: float, at2: Surface, pool: Floats
) -> tuple[float, float, float]:
    """inside·scale_kl + theta/theta2·H(z), see `laplace_agent_kl_and_slopes`, with H(z) = Σ (s·z − 1 + e^(−s·z)).

    s is the spread of a state between the ends of the pool, z = |c2 − c| / (width·theta). H is summed as a power series
    in z, with the moments of s.
    """
    width = pool[LAST] - pool[FIRST]
    z = abs(c2 - c) / (width * theta)
    short = nearer = 0.0
    before, term = 1.0, -z  # (−z)^k / k!
    for k in range(2, MOST_POWER + 1):
        before, term = term, -term * z / k
        short += pool[MOMENTS + k] * term
        nearer -= pool[MOMENTS + k] * before
    added = theta / theta2 * short
    by_theta = (at.value * (theta2 - theta) / theta2 - added) / theta2
    by_c = nearer / (width * theta2)
    return at.value * scale_kl(theta, theta2) + added, by_theta, by_c if c2 >= c else -by_c


@pooled_information.register(LaplaceAgent)
def laplace_agent_pooled_information(
    f: LaplaceAgent, theta: float, at: Surface, pool: Floats
) -> tuple[float, float, float]:
    """Return inside/theta² about theta, and (the square of d x / d c)/theta² about c."""
    squared, width = theta * theta, pool[LAST] - pool[FIRST]
    return at.value / squared, 0.0, pool[MOMENTS + 2] / (width * width * squared)


# Every reward of other families is kept: there is no pool.
is_smooth_between.register(Numeric)(lambda f, least, largest, r: False)
pooled_kl.register(Numeric)(lambda f, theta, c, at, theta2, c2, at2, pool: (0.0, 0.0, 0.0))
pooled_information.register(Numeric)(lambda f, theta, at, pool: (0.0, 0.0, 0.0))


@law
def surface_for_kl(f: Any, pool: Floats, shape: PoolShape, y: float, half: float, c: float) -> Surface:
    """Return the parts of `surface_at` that `pooled_kl` reads; the others are 0."""


@surface_for_kl.register(Exponential)
def exponential_surface_for_kl(
    f: LinearPredictor, pool: Floats, shape: PoolShape, y: float, half: float, c: float
) -> Surface:
    """Return the value and the first derivatives."""
    return first_order(pool, shape, y, half, c)


@surface_for_kl.register(LaplaceAgent)
def laplace_agent_surface_for_kl(
    f: LaplaceAgent, pool: Floats, shape: PoolShape, y: float, half: float, c: float
) -> Surface:
    """Return the value; its derivatives are not used."""
    return Surface(narrow_value(pool, shape, y, c), 0.0, 0.0, 0.0, 0.0, 0.0)


surface_for_kl.register(Numeric)(lambda f, pool, shape, y, half, c: Surface(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
