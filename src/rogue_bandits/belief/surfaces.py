"""The sum of `potential` over the rewards of a pool, as a function of (theta, c), and what follows from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rogue_bandits.belief.pool import (
    AT_FIRST,
    AT_LAST,
    FIRST,
    LAST,
    PoolShape,
    block_at,
    has_narrow,
    has_wide,
    segment_of,
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
def narrow_place(pool: Floats, shape: PoolShape, c: float) -> Place:
    """Return the place of c in the part for narrow states."""
    along = 0.5 * (pool[LAST] - pool[FIRST])
    return Place(block_at(shape, -1), (c - pool[FIRST]) / along - 1.0, along)


@inlined
def wide_place(pool: Floats, shape: PoolShape, c: float) -> Place:
    """Return the place of c in its segment."""
    j, part = segment_of(pool, shape, c)
    return Place(block_at(shape, j), 2.0 * part - 1.0, 0.5 * (pool[LAST] - pool[FIRST]) / shape.segments)


@inlined
def add_coefficients(rows: Floats, pool: Floats, shape: PoolShape, at: Place, order: int) -> None:
    """Add the coefficients in theta at a place: the values (first row), and as many derivatives by c as `order` says.

    T_i, T_i' and T_i'' follow from those of i − 1 and i − 2. `order` is a constant where this is called, so that what
    is not added is not computed.
    """
    s, once, twice = at.s, 1.0 / at.along, 1.0 / (at.along * at.along)
    t, t1, t2 = 1.0, 0.0, 0.0  # T_i(s) and its derivatives
    t_next, t1_next, t2_next = s, 1.0, 0.0  # of T_{i+1}
    for i in range(shape.m):
        for j in range(shape.n):
            value = pool[at.block + i * shape.n + j]
            rows[0, j] += t * value
            if order > 0:
                rows[1, j] += once * t1 * value
            if order > 1:
                rows[2, j] += twice * t2 * value
        t2, t2_next = t2_next, 4.0 * t1_next + 2.0 * s * t2_next - t2
        t1, t1_next = t1_next, 2.0 * t_next + 2.0 * s * t1_next - t1
        t, t_next = t_next, 2.0 * s * t_next - t


@routine
def surface_at(pool: Floats, shape: PoolShape, y: float, half: float, c: float) -> Surface:
    """Return the summed potential at c and at y in (−1, 1), the coordinate of theta over `half`."""
    rows = np.zeros((3, shape.n))
    if has_narrow(pool):
        add_coefficients(rows, pool, shape, narrow_place(pool, shape, c), 2)
    if has_wide(pool, shape):
        add_coefficients(rows, pool, shape, wide_place(pool, shape, c), 2)
    value, by_theta, theta_theta = clenshaw(rows[0], y)
    by_c, theta_c, _ = clenshaw(rows[1], y)
    c_c, _, _ = clenshaw(rows[2], y)
    return Surface(value, by_theta / half, by_c, theta_theta / (half * half), theta_c / half, c_c)


@routine
def first_order(pool: Floats, shape: PoolShape, y: float, half: float, c: float) -> Surface:
    """Return `surface_at` without second derivatives."""
    rows = np.zeros((2, shape.n))
    if has_narrow(pool):
        add_coefficients(rows, pool, shape, narrow_place(pool, shape, c), 1)
    if has_wide(pool, shape):
        add_coefficients(rows, pool, shape, wide_place(pool, shape, c), 1)
    value, by_theta, _ = clenshaw(rows[0], y)
    return Surface(value, by_theta / half, clenshaw(rows[1], y)[0], 0.0, 0.0, 0.0)


@routine
def narrow_value(pool: Floats, shape: PoolShape, y: float, c: float) -> float:
    """Return the value of `surface_at` of a pool without a part for wide states."""
    rows = np.zeros((1, shape.n))
    add_coefficients(rows, pool, shape, narrow_place(pool, shape, c), 0)
    return clenshaw(rows[0], y)[0]


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
