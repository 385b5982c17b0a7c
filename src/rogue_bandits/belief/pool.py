"""Pools: sums of rewards whose states still depend on x0, smoothly.

A clipped line is a line in the clipped x0: clip(a·x0 + b, L, U) = a·c + b with c = clip(x0, first, last). Rewards that
share the interval [first, last] are summed up as functions of (theta, c): their `statistics`, which are linear in the
state, by their values at both ends, and the sum of `potential` by Chebyshev coefficients in theta and in c. A pool is a
row of numbers; its size does not depend on the number of rewards. See docs/decisions/0018-pools.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined, remembered, routine
from rogue_bandits.model.dynamics.clipped_affine import clip, state_on_line
from rogue_bandits.model.protocols import Model
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.numerics.chebyshev import clenshaw, degree_needed
from rogue_bandits.types import Floats, Line, coordinate, potential, settled_loglik, statistics, theta_at

FIRST_CAPACITY = 8  # early rewards that are kept one by one before the first pool is opened
MOST_NODES = 12  # in c
MOST_POWER = 18  # of the moments of the spread
# Columns of a pool. `AT_FIT`: the potential at the fit, its slopes by theta and by c, and d c / d x0 there.
FIRST, LAST, COUNT, AT_FIRST, AT_LAST, LEAST, LARGEST, AT_FIT, MOMENTS = 0, 1, 2, 3, 6, 9, 10, 11, 15
COEFFICIENTS = MOMENTS + MOST_POWER + 1


class Surface(NamedTuple):
    """The summed potential of a pool at (theta, c), with its derivatives by the coordinate of theta and by c."""

    value: float
    by_theta: float
    by_c: float
    theta_theta: float
    theta_c: float
    c_c: float


# ---- what fits into a pool -------------------------------------------------------------------------------------------
@remembered(256, typed=True)
def nodes_and_spread(f: Model, theta_lo: float, theta_hi: float, states: tuple[float, ...]) -> tuple[int, float]:
    """Return the number of nodes in c, and the largest spread of a state that they hold to rounding error.

    The spread is halved from the range of the states until `MOST_NODES` hold the potential around each of them.
    """
    ends, least, largest = (coordinate(f, theta_lo), coordinate(f, theta_hi)), min(states), max(states)
    thetas = [theta_at(f, y) for y in np.linspace(*ends, 7)]
    spread = min(largest - least, 1.2 * theta_lo if isinstance(f, LaplaceAgent) else np.inf)  # see MOST_POWER
    for _ in range(20):
        middles = {float(np.clip(x, least + 0.5 * spread, largest - 0.5 * spread)) for x in states}
        n = degree_needed([along_state(f, theta, x, spread) for theta in thetas for x in middles])
        if n is not None and n <= MOST_NODES:
            return n, spread
        spread *= 0.5
    return 1, 0.0


def along_state(f: Model, theta: float, middle: float, spread: float) -> Callable[[Floats], Floats]:
    """Return the potential as the state runs through `spread` around `middle`, on (−1, 1)."""

    def values(s: Floats) -> Floats:
        return np.array([potential(f, theta, middle + 0.5 * spread * float(s_k)) for s_k in s])

    return values


@inlined
def pools_for(early: int) -> int:
    """Return how many pools an arm may have with so many early rewards kept one by one: 1 from 8, 2 from 16, …"""
    pools = 0
    while early >= FIRST_CAPACITY:
        early //= 2
        pools += 1
    return pools


@inlined
def fits(pool: Floats, line: Line, tiny: float) -> bool:
    """Return whether the line is that of the pool's interval: straight inside it, and flat outside."""
    a, b = line.slope * pool[FIRST] + line.offset, line.slope * pool[LAST] + line.offset
    same: bool = abs(min(a, b) - line.lo) <= tiny and abs(max(a, b) - line.hi) <= tiny
    return same


@inlined
def open_pool(pool: Floats, line: Line, lo: float, hi: float) -> None:
    """Write an empty pool for lines like this one; x0 lies from lo to hi."""
    pool[:] = 0.0
    a, b = (line.lo - line.offset) / line.slope, (line.hi - line.offset) / line.slope
    pool[FIRST], pool[LAST] = max(lo, min(a, b)), min(hi, max(a, b))
    pool[LEAST], pool[LARGEST] = line.lo, line.hi


@routine
def add_to_pool(
    f: Model, pool: Floats, line: Line, r: float, node_theta: Floats, to_w: Floats, node_c: Floats, to_c: Floats
) -> None:
    """Add one reward that came at the state `line`."""
    at_first, at_last = state_on_line(line, pool[FIRST]), state_on_line(line, pool[LAST])
    pool[COUNT] += 1.0
    for at, x in ((AT_FIRST, at_first), (AT_LAST, at_last)):
        s1, s2, s3 = statistics(f, x, r)
        pool[at] += s1
        pool[at + 1] += s2
        pool[at + 2] += s3
    pool[LEAST], pool[LARGEST] = min(pool[LEAST], line.lo), max(pool[LARGEST], line.hi)
    power, spread = 1.0, abs(at_last - at_first)
    for k in range(MOST_POWER + 1):
        pool[MOMENTS + k] += power
        power *= spread
    n, m = node_theta.size, node_c.size
    values = np.zeros((m, n))
    for i in range(m):
        x = clip(at_first + 0.5 * (1.0 + node_c[i]) * (at_last - at_first), line.lo, line.hi)
        for j in range(n):
            value = potential(f, node_theta[j], x)
            for k in range(n):
                values[i, k] += to_w[j, k] * value
    for i in range(m):
        for k in range(m):
            for j in range(n):
                pool[COEFFICIENTS + k * n + j] += to_c[i, k] * values[i, j]


# ---- what a pool says ------------------------------------------------------------------------------------------------
@inlined
def clipped_x0(pool: Floats) -> Line:
    """Return c = clip(x0, first, last), as a line in x0."""
    return Line(1.0, 0.0, pool[FIRST], pool[LAST])


@routine
def surface_at(pool: Floats, n: int, y: float, half: float, c: float) -> Surface:
    """Return the summed potential at c and at y in (−1, 1), the coordinate of theta over `half`; n: theta nodes."""
    rows, along = np.zeros((3, n)), 0.5 * (pool[LAST] - pool[FIRST])
    s = (c - pool[FIRST]) / along - 1.0
    t, t1, t2 = 1.0, 0.0, 0.0  # T_i(s) and its derivatives
    t_next, t1_next, t2_next = s, 1.0, 0.0  # of T_{i+1}
    for i in range((pool.size - COEFFICIENTS) // n):
        for j in range(n):
            value = pool[COEFFICIENTS + i * n + j]
            rows[0, j] += t * value
            rows[1, j] += t1 * value
            rows[2, j] += t2 * value
        t2, t2_next = t2_next, 4.0 * t1_next + 2.0 * s * t2_next - t2
        t1, t1_next = t1_next, 2.0 * t_next + 2.0 * s * t1_next - t1
        t, t_next = t_next, 2.0 * s * t_next - t
    value, by_theta, theta_theta = clenshaw(rows[0], y)
    by_c, theta_c, _ = clenshaw(rows[1], y)
    c_c, _, _ = clenshaw(rows[2], y)
    theta_theta, theta_c, c_c = theta_theta / (half * half), theta_c / (half * along), c_c / (along * along)
    return Surface(value, by_theta / half, by_c / along, theta_theta, theta_c, c_c)


@routine
def first_order(pool: Floats, n: int, y: float, half: float, c: float) -> Surface:
    """Return `surface_at` without second derivatives."""
    rows, along = np.zeros((2, n)), 0.5 * (pool[LAST] - pool[FIRST])
    s = (c - pool[FIRST]) / along - 1.0
    t, t1, t_next, t1_next = 1.0, 0.0, s, 1.0
    for i in range((pool.size - COEFFICIENTS) // n):
        for j in range(n):
            value = pool[COEFFICIENTS + i * n + j]
            rows[0, j] += t * value
            rows[1, j] += t1 * value
        t1, t1_next = t1_next, 2.0 * t_next + 2.0 * s * t1_next - t1
        t, t_next = t_next, 2.0 * s * t_next - t
    value, by_theta, _ = clenshaw(rows[0], y)
    return Surface(value, by_theta / half, clenshaw(rows[1], y)[0] / along, 0.0, 0.0, 0.0)


@routine
def zeroth_order(pool: Floats, n: int, y: float, c: float) -> float:
    """Return the value of `surface_at`."""
    row = np.zeros(n)
    s = 2.0 * (c - pool[FIRST]) / (pool[LAST] - pool[FIRST]) - 1.0
    t, t_next = 1.0, s
    for i in range((pool.size - COEFFICIENTS) // n):
        for j in range(n):
            row[j] += t * pool[COEFFICIENTS + i * n + j]
        t, t_next = t_next, 2.0 * s * t_next - t
    return clenshaw(row, y)[0]


@inlined
def statistics_at(pool: Floats, c: float) -> tuple[float, float, float]:
    """Return the summed `statistics` at c, in which they are linear."""
    s = (c - pool[FIRST]) / (pool[LAST] - pool[FIRST])
    return (
        pool[AT_FIRST] + s * (pool[AT_LAST] - pool[AT_FIRST]),
        pool[AT_FIRST + 1] + s * (pool[AT_LAST + 1] - pool[AT_FIRST + 1]),
        pool[AT_FIRST + 2] + s * (pool[AT_LAST + 2] - pool[AT_FIRST + 2]),
    )


@inlined
def pooled_loglik(f: Model, pool: Floats, theta: float, c: float, at: Surface) -> float:
    """Return the log-likelihood of the rewards of a pool."""
    s1, s2, s3 = statistics_at(pool, c)
    return settled_loglik(f, theta, s1, s2, s3, at.value)
