"""The sum of `potential` over the rewards of a pool, as a function of (theta, c), and what follows from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rogue_bandits.belief.pool import (
    AT_FIRST,
    AT_LAST,
    COEFFICIENTS,
    FIRST,
    LARGEST,
    LAST,
    LEAST,
    ends_of_segments,
    segments_in,
)
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.protocols import Model
from rogue_bandits.numerics.chebyshev import clenshaw
from rogue_bandits.types import Floats, settled_loglik


class Surface(NamedTuple):
    """The summed potential of a pool at (theta, c), with its derivatives by the coordinate of theta and by c."""

    value: float
    by_theta: float
    by_c: float
    theta_theta: float
    theta_c: float
    c_c: float


class Place(NamedTuple):
    """Where c lies in a block of coefficients, from −1 to 1: at `s`, a unit of which is `along` in c."""

    block: int  # its first coefficient
    s: float
    along: float


@inlined
def narrow_place(pool: Floats, c: float) -> Place:
    """Return the place of c in the part for narrow states."""
    along = 0.5 * (pool[LAST] - pool[FIRST])
    return Place(COEFFICIENTS, (c - pool[FIRST]) / along - 1.0, along)


@inlined
def wide_place(pool: Floats, n: int, m: int, segments: int, c: float) -> Place:
    """Return the place of c in its segment."""
    along = 0.5 * (pool[LAST] - pool[FIRST]) / segments
    from_first = 0.5 * (c - pool[FIRST]) / along
    j = min(segments - 1, int(from_first))
    return Place(COEFFICIENTS + (1 + j) * m * n, 2.0 * (from_first - j) - 1.0, along)


@inlined
def has_narrow(pool: Floats) -> bool:
    """Return whether the part for narrow states has a reward."""
    some: bool = pool[LEAST] <= pool[LARGEST]
    return some


@inlined
def wide_segments(pool: Floats, n: int, m: int) -> int:
    """Return the number of segments of the part for wide states; 0 if it has no reward."""
    segments = segments_in(pool, n, m)
    if segments > 0:
        ends = ends_of_segments(pool, segments)
        if ends[0] > ends[segments + 1]:
            return 0
    return segments


@routine
def add_second_order(rows: Floats, pool: Floats, n: int, m: int, at: Place) -> None:
    """Add the coefficients in theta at a place: the values (first row), and their first two derivatives by c."""
    s, once, twice = at.s, 1.0 / at.along, 1.0 / (at.along * at.along)
    t, t1, t2 = 1.0, 0.0, 0.0  # T_i(s) and its derivatives
    t_next, t1_next, t2_next = s, 1.0, 0.0  # of T_{i+1}
    for i in range(m):
        for j in range(n):
            value = pool[at.block + i * n + j]
            rows[0, j] += t * value
            rows[1, j] += once * t1 * value
            rows[2, j] += twice * t2 * value
        t2, t2_next = t2_next, 4.0 * t1_next + 2.0 * s * t2_next - t2
        t1, t1_next = t1_next, 2.0 * t_next + 2.0 * s * t1_next - t1
        t, t_next = t_next, 2.0 * s * t_next - t


@routine
def add_first_order(rows: Floats, pool: Floats, n: int, m: int, at: Place) -> None:
    """As `add_second_order`, without the second derivatives."""
    s, once = at.s, 1.0 / at.along
    t, t1, t_next, t1_next = 1.0, 0.0, s, 1.0
    for i in range(m):
        for j in range(n):
            value = pool[at.block + i * n + j]
            rows[0, j] += t * value
            rows[1, j] += once * t1 * value
        t1, t1_next = t1_next, 2.0 * t_next + 2.0 * s * t1_next - t1
        t, t_next = t_next, 2.0 * s * t_next - t


@routine
def surface_at(pool: Floats, n: int, m: int, y: float, half: float, c: float) -> Surface:
    """Return the summed potential at c and at y in (−1, 1), the coordinate of theta over `half`."""
    rows, segments = np.zeros((3, n)), wide_segments(pool, n, m)
    if has_narrow(pool):
        add_second_order(rows, pool, n, m, narrow_place(pool, c))
    if segments > 0:
        add_second_order(rows, pool, n, m, wide_place(pool, n, m, segments, c))
    value, by_theta, theta_theta = clenshaw(rows[0], y)
    by_c, theta_c, _ = clenshaw(rows[1], y)
    c_c, _, _ = clenshaw(rows[2], y)
    return Surface(value, by_theta / half, by_c, theta_theta / (half * half), theta_c / half, c_c)


@routine
def first_order(pool: Floats, n: int, m: int, y: float, half: float, c: float) -> Surface:
    """Return `surface_at` without second derivatives."""
    rows, segments = np.zeros((2, n)), wide_segments(pool, n, m)
    if has_narrow(pool):
        add_first_order(rows, pool, n, m, narrow_place(pool, c))
    if segments > 0:
        add_first_order(rows, pool, n, m, wide_place(pool, n, m, segments, c))
    value, by_theta, _ = clenshaw(rows[0], y)
    return Surface(value, by_theta / half, clenshaw(rows[1], y)[0], 0.0, 0.0, 0.0)


@routine
def narrow_value(pool: Floats, n: int, m: int, y: float, c: float) -> float:
    """Return the value of `surface_at` of a pool without a part for wide states."""
    row, s = np.zeros(n), narrow_place(pool, c).s
    t, t_next = 1.0, s
    for i in range(m):
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
