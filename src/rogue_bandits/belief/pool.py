"""Pools: sums of rewards whose states still depend on x0, smoothly.

A clipped line is a line in the clipped x0: clip(a·x0 + b, L, U) = a·c + b with c = clip(x0, first, last). Rewards that
share the interval [first, last] are summed up as functions of (theta, c): their `statistics`, which are linear in the
state, by their values at both ends, and the sum of `potential` by Chebyshev coefficients in theta and in c. A pool is a
row of numbers; its size does not depend on the number of rewards. See docs/decisions/0018-pools.md.

Twelve nodes in c hold the potential of a state that spreads over little only. So a pool has two parts: one for rewards
whose state spreads over no more than that, and, of arms that need it, one for wider ones, in which [first, last] is cut
into segments with nodes of their own. `surfaces.py` adds the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined, remembered, routine
from rogue_bandits.model.dynamics.clipped_affine import clip, state_on_line
from rogue_bandits.model.protocols import Model
from rogue_bandits.model.rewards.exponential import Exponential
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.numerics.chebyshev import degree_needed
from rogue_bandits.types import Floats, Line, coordinate, potential, statistics, theta_at

FIRST_CAPACITY = 7  # early rewards that are kept one by one before the first pool is opened
MOST_NODES = 12  # in c
MOST_SEGMENTS = 16  # of the part for wide states
MOST_POWER = 18  # of the moments of the spread
# Columns of a pool. LEAST and LARGEST: of the states of the narrow part, over all c. AT_FIT: the potential at the fit,
# its slopes by theta and by c, and d c / d x0 there. From COEFFICIENTS on: a block of the narrow part, one for each
# segment; then of the wide part the least and the largest state at each end of a segment, and how many rewards it has.
FIRST, LAST, COUNT, AT_FIRST, AT_LAST, LEAST, LARGEST, AT_FIT, MOMENTS = 0, 1, 2, 3, 6, 9, 10, 11, 15
COEFFICIENTS = MOMENTS + MOST_POWER + 1


class PoolShape(NamedTuple):
    """The numbers of nodes in theta and in c, and of segments of the part for wide states: 0 if no arm has it."""

    n: int
    m: int
    segments: int


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


def segments_needed(f: Model, spread: float, width: float) -> int:
    """Return into how many segments c is cut for states that spread over `width`; 0 where one block holds them all.

    >>> from rogue_bandits import BernoulliLogit
    >>> segments_needed(BernoulliLogit(1.0, 4.0), 0.25, 1.0), segments_needed(BernoulliLogit(1.0, 1.0), 1.0, 1.0)
    (4, 0)
    """
    if not isinstance(f, Exponential) or spread in (0.0, width):
        return 0
    return min(MOST_SEGMENTS, math.ceil(width / spread))


def pool_size(shape: PoolShape) -> int:
    """Return how many numbers a pool has."""
    wide = shape.segments * shape.m * shape.n + 2 * (shape.segments + 1) + 1 if shape.segments > 0 else 0
    return COEFFICIENTS + shape.m * shape.n + wide


@inlined
def block_at(shape: PoolShape, j: int) -> int:
    """Return the first coefficient of the narrow part (j = −1), or of the j-th segment."""
    return COEFFICIENTS + (1 + j) * shape.m * shape.n


@inlined
def ends_of_segments(pool: Floats, shape: PoolShape) -> Floats:
    """Return the least state at each end of a segment, then the largest: two numbers for each end."""
    first = block_at(shape, shape.segments)
    return pool[first : first + 2 * (shape.segments + 1)]


@inlined
def wide_count_at(shape: PoolShape) -> int:
    """Return the column of the number of wide rewards."""
    return block_at(shape, shape.segments) + 2 * (shape.segments + 1)


@inlined
def has_wide(pool: Floats, shape: PoolShape) -> bool:
    """Return whether the part for wide states has a reward."""
    some: bool = shape.segments > 0 and pool[wide_count_at(shape)] > 0.0
    return some


@inlined
def has_narrow(pool: Floats) -> bool:
    """Return whether the part for narrow states has a reward."""
    some: bool = pool[LEAST] <= pool[LARGEST]
    return some


@inlined
def pools_for(early: int) -> int:
    """Return how many pools an arm may have with so many early rewards kept one by one: 1 from 7, 2 from 14, …"""
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


@routine
def open_pool(pool: Floats, line: Line, lo: float, hi: float) -> None:
    """Write an empty pool for lines like this one; x0 lies from lo to hi."""
    pool[:] = 0.0
    a, b = (line.lo - line.offset) / line.slope, (line.hi - line.offset) / line.slope
    pool[FIRST], pool[LAST] = max(lo, min(a, b)), min(hi, max(a, b))
    pool[LEAST], pool[LARGEST] = math.inf, -math.inf


@routine
def add_to_pool(
    f: Model, pool: Floats, line: Line, r: float, node_theta: Floats, to_w: Floats, node_c: Floats, to_c: Floats,
    segments: int,
) -> None:  # fmt: skip
    """Add one reward that came at the state `line`, to the part for wide states if there are segments for it."""
    at_first, at_last = state_on_line(line, pool[FIRST]), state_on_line(line, pool[LAST])
    pool[COUNT] += 1.0
    for at, x in ((AT_FIRST, at_first), (AT_LAST, at_last)):
        s1, s2, s3 = statistics(f, x, r)
        pool[at] += s1
        pool[at + 1] += s2
        pool[at + 2] += s3
    power, spread = 1.0, abs(at_last - at_first)
    for k in range(MOST_POWER + 1):
        pool[MOMENTS + k] += power
        power *= spread
    shape = PoolShape(node_theta.size, node_c.size, segments)
    if segments == 0:
        pool[LEAST], pool[LARGEST] = min(pool[LEAST], line.lo), max(pool[LARGEST], line.hi)
        add_to_block(f, pool, COEFFICIENTS, line, at_first, at_last, node_theta, to_w, node_c, to_c)
        return
    ends, step, is_first = ends_of_segments(pool, shape), (at_last - at_first) / segments, not has_wide(pool, shape)
    pool[wide_count_at(shape)] += 1.0
    for j in range(segments + 1):
        x = at_first + j * step
        ends[j] = x if is_first else min(ends[j], x)
        ends[segments + 1 + j] = x if is_first else max(ends[segments + 1 + j], x)
        if j < segments:
            add_to_block(f, pool, block_at(shape, j), line, x, x + step, node_theta, to_w, node_c, to_c)


@routine
def add_to_block(
    f: Model, pool: Floats, block: int, line: Line, start: float, end: float,
    node_theta: Floats, to_w: Floats, node_c: Floats, to_c: Floats,
) -> None:  # fmt: skip
    """Add the potential of a state that runs from `start` to `end` to the coefficients that begin at `block`."""
    n, m = node_theta.size, node_c.size
    values = np.zeros((m, n))
    for i in range(m):
        x = clip(start + 0.5 * (1.0 + node_c[i]) * (end - start), line.lo, line.hi)
        for j in range(n):
            value = potential(f, node_theta[j], x)
            for k in range(n):
                values[i, k] += to_w[j, k] * value
    for i in range(m):
        for k in range(m):
            for j in range(n):
                pool[block + k * n + j] += to_c[i, k] * values[i, j]


@inlined
def clipped_x0(pool: Floats) -> Line:
    """Return c = clip(x0, first, last), as a line in x0."""
    return Line(1.0, 0.0, pool[FIRST], pool[LAST])


@inlined
def segment_of(pool: Floats, shape: PoolShape, c: float) -> tuple[int, float]:
    """Return the segment of c, and which part of it lies before c."""
    along: float = (c - pool[FIRST]) / (pool[LAST] - pool[FIRST]) * shape.segments
    j = min(shape.segments - 1, int(along))
    return j, along - j


@inlined
def states_at(pool: Floats, shape: PoolShape, c: float) -> tuple[float, float]:
    """Return bounds of the states of all rewards at c: lines between the ends of its segment, and all of the narrow."""
    least, largest = pool[LEAST], pool[LARGEST]
    if has_wide(pool, shape):
        ends, (j, part) = ends_of_segments(pool, shape), segment_of(pool, shape, c)
        least = min(least, ends[j] + part * (ends[j + 1] - ends[j]))
        j += shape.segments + 1
        largest = max(largest, ends[j] + part * (ends[j + 1] - ends[j]))
    return least, largest
