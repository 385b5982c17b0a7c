"""Chebyshev interpolation of smooth functions to rounding error."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.numerics.brent import GOLDEN
from rogue_bandits.types import Floats

TOLERANCE = 2e-15
MOST_NODES = 512
GOLDEN_CUTS = 60  # of a bracket of length 2: to rounding error


def nodes(n: int) -> Floats:
    """Return the n Chebyshev nodes in (−1, 1).

    >>> nodes(2).round(4)
    array([ 0.7071, -0.7071])
    """
    return np.cos(np.pi * (np.arange(n) + 0.5) / n)


def transform(n: int) -> Floats:
    """Return the matrix that maps values at the nodes to coefficients.

    >>> (transform(3) @ (2 * nodes(3) ** 2 - 1)).round(9) + 0.0  # T_2
    array([0., 0., 1.])
    """
    j, k = np.meshgrid(np.arange(n), np.arange(n))
    quarter_turns = k * (2 * j + 1) % (4 * n)  # in whole numbers: the cosine of a large angle would lose digits
    matrix: Floats = np.cos(np.pi * quarter_turns / (2 * n)) * 2.0 / n
    matrix[0] /= 2.0
    return matrix


def values(n: int, s: Floats) -> Floats:
    """Return T_0 to T_{n−1} (first axis) at places s in [−1, 1].

    >>> values(3, np.array([0.5]))[:, 0].round(9)
    array([ 1. ,  0.5, -0.5])
    """
    at: Floats = np.cos(np.arange(n)[:, None] * np.arccos(s))
    return at


def tail(coefficients: Floats, last: int) -> float:
    """Return the largest of the last coefficients (first axis), relative to the largest of all.

    >>> tail(transform(16) @ np.abs(nodes(16)), 3) > 1e-3, tail(transform(16) @ np.exp(nodes(16)), 3) < 1e-12
    (True, True)
    """
    size = np.abs(coefficients)
    return float(size[-last:].max() / size.max()) if size.max() > 0.0 else 0.0


def degree_needed(
    functions: list[Callable[[Floats], Floats]], tolerance: float = TOLERANCE, most: int = MOST_NODES
) -> int | None:
    """Return how many coefficients represent all functions on (−1, 1) to a tolerance; None if the `most` do not.

    The tolerance is relative to the largest coefficient, or to 1 if all are smaller.

    >>> degree_needed([np.exp])
    14
    """
    n = 16
    while n <= most:
        to_coefficients, at = transform(n), nodes(n)
        coefficients = np.array([to_coefficients @ function(at) for function in functions])
        size = np.abs(coefficients).max(axis=0)
        needed = int(np.flatnonzero(size > tolerance * max(size.max(), 1.0)).max(initial=0)) + 1
        # At the ends, where no node is, the value is the (alternating) sum of the coefficients.
        ends = np.array([function(np.array([-1.0, 1.0])) for function in functions])
        held = np.stack([coefficients @ (-1.0) ** np.arange(n), coefficients.sum(axis=1)], axis=1)
        if needed <= 0.8 * n and np.abs(held - ends).max() <= max(1e-12, 10.0 * tolerance) * max(size.max(), 1.0):
            return max(needed, 3)  # the tail is small
        n *= 2
    return None


@inlined
def clenshaw(c: Floats, s: float) -> tuple[float, float, float]:
    """Return Σ c_k T_k(s) with its first and second derivative by s: Clenshaw's recurrence, differentiated twice."""
    b1 = b2 = d1 = d2 = e1 = e2 = 0.0
    twice = 2.0 * s
    for k in range(c.size - 1, 0, -1):
        # Each step waits for b1, d1, e1 of the last one: the other terms are added first.
        e1, e2 = (4.0 * d1 - e2) + twice * e1, e1
        d1, d2 = (2.0 * b1 - d2) + twice * d1, d1
        b1, b2 = (c[k] - b2) + twice * b1, b1
    return c[0] + s * b1 - b2, b1 + s * d1 - d2, 2.0 * d1 + s * e1 - e2


@inlined
def chebyshev_sum(c: Floats, s: float) -> float:
    """Return Σ c_k T_k(s)."""
    b1 = b2 = 0.0
    for k in range(c.size - 1, 0, -1):
        b1, b2 = (c[k] - b2) + 2.0 * s * b1, b1
    total: float = c[0] + s * b1 - b2
    return total


@routine
def least_place(c: Floats, a: float, b: float) -> float:
    """Return the place between a and b, ends included, where Σ c_k T_k is least, by golden section: it is unimodal.

    >>> round(least_place(np.array([0.0, -1.0, 1.0]), -1.0, 1.0), 6)  # 2 s² − s − 1
    0.25
    """
    best = a if clenshaw(c, a)[0] <= clenshaw(c, b)[0] else b
    for _ in range(GOLDEN_CUTS):
        left, right = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
        if clenshaw(c, left)[0] < clenshaw(c, right)[0]:
            b = right
        else:
            a = left
    middle = 0.5 * (a + b)
    return middle if clenshaw(c, middle)[0] < clenshaw(c, best)[0] else best
