"""Cholesky factors U of positive definite matrices, U'·U = A, in the upper triangle: inner loops run along memory."""

from __future__ import annotations

import math

from rogue_bandits.compile.laws import inlined
from rogue_bandits.types import Floats


@inlined
def factorise(a: Floats) -> None:
    """Replace the upper triangle of A by that of U; the lower one is neither read nor written.

    >>> import numpy as np
    >>> a = np.array([[4.0, 2.0], [0.0, 5.0]])
    >>> factorise(a)
    >>> a.tolist()
    [[2.0, 1.0], [0.0, 2.0]]
    """
    for k in range(a.shape[0]):
        root = math.sqrt(a[k, k])
        for j in range(k, a.shape[0]):
            a[k, j] /= root
        for i in range(k + 1, a.shape[0]):
            times = a[k, i]
            for j in range(i, a.shape[0]):
                a[i, j] -= times * a[k, j]


@inlined
def add_square(u: Floats, v: Floats) -> None:
    """Replace U by the factor of A + v·v', in the square of its size; v is used up.

    >>> import numpy as np
    >>> u = np.array([[2.0, 1.0], [0.0, 2.0]])
    >>> add_square(u, np.array([1.5, 0.75]))
    >>> u.tolist()
    [[2.5, 1.25], [0.0, 2.0]]
    """
    for k in range(u.shape[0]):
        root = math.sqrt(u[k, k] * u[k, k] + v[k] * v[k])
        c, s = root / u[k, k], v[k] / u[k, k]
        u[k, k] = root
        for j in range(k + 1, u.shape[0]):
            u[k, j] = (u[k, j] + s * v[j]) / c
            v[j] = c * v[j] - s * u[k, j]


@inlined
def solve_transposed(u: Floats, v: Floats) -> None:
    """Replace v by U'⁻¹·v."""
    for k in range(u.shape[0]):
        v[k] /= u[k, k]
        for j in range(k + 1, u.shape[0]):
            v[j] -= u[k, j] * v[k]


@inlined
def solve_upper(u: Floats, v: Floats) -> None:
    """Replace v by U⁻¹·v."""
    for k in range(u.shape[0] - 1, -1, -1):
        total = v[k]
        for j in range(k + 1, u.shape[0]):
            total -= u[k, j] * v[j]
        v[k] = total / u[k, k]


@inlined
def solve_transposed_columns(u: Floats, m: Floats) -> None:
    """Replace every column of a matrix by U'⁻¹ times it."""
    for k in range(u.shape[0]):
        for c in range(m.shape[1]):
            m[k, c] /= u[k, k]
        for j in range(k + 1, u.shape[0]):
            times = u[k, j]
            for c in range(m.shape[1]):
                m[j, c] -= times * m[k, c]
