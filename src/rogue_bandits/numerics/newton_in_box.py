"""Newton's step of the maximisation of a concave function of several variables in a box."""

from __future__ import annotations

import numpy as np

from rogue_bandits.compile.laws import routine
from rogue_bandits.types import Floats

RIDGE = 1e-13  # as a share of the largest curvature


@routine
def newton_step(by: Floats, bend: Floats, p: Floats, lo: Floats, hi: Floats, step: Floats) -> None:
    """Write Newton's step at p to `step`, in the dimensions that are free to move inside the box from lo to hi.

    `by` is the gradient, `bend` the negated Hessian, of which the lower triangle is read. Gauss's elimination
    solves for it, with a little ridge, as the Hessian may be singular.
    """
    n = p.size
    a, ridge = np.zeros((n, n)), 0.0
    for j in range(n):
        ridge = max(ridge, bend[j, j])
    for j in range(n):
        free = (by[j] > 0.0 and p[j] < hi[j]) or (by[j] < 0.0 and p[j] > lo[j])
        step[j] = by[j] if free else 0.0
        for k in range(n):
            a[j, k] = bend[max(j, k), min(j, k)]
        a[j, j] += RIDGE * ridge + 1e-300
        if not free:
            a[j, :], a[:, j] = 0.0, 0.0
            a[j, j] = 1.0
    for j in range(n):
        if a[j, j] <= 0.0:
            a[j, j] = RIDGE * ridge + 1e-300
        for i in range(j + 1, n):
            factor = a[i, j] / a[j, j]
            for k in range(j, n):
                a[i, k] -= factor * a[j, k]
            step[i] -= factor * step[j]
    for j in range(n - 1, -1, -1):
        for k in range(j + 1, n):
            step[j] -= a[j, k] * step[k]
        step[j] /= a[j, j]
