"""Minimisation by the method of Nelder and Mead, inside a box: no gradient is needed, and kinks do no harm."""

from __future__ import annotations

from typing import Any

import numpy as np

from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.types import Floats, Ints

MOST_STEPS = 400


@law
def objective(problem: Any, p: Floats) -> float:
    """The function to minimise, chosen by the type of the problem."""


@routine
def objective_at(problem: Any, p: Floats) -> float:
    """Return the objective, not inlined: six copies of it would take long to compile."""
    return objective(problem, p)


@routine
def minimise(
    problem: Any, p: Floats, free: Ints, lo: Floats, hi: Floats, sizes: Floats, tolerance: float
) -> tuple[Floats, float]:
    """Return the lowest point found from p over the free coordinates, and its value.

    One simplex of each of these sizes, relative to the box, is laid around the best point of the last. It has converged
    when its values differ by less than the tolerance, relative to 1 + |value|.
    """
    best, least = p.copy(), objective_at(problem, p)
    for size in sizes:
        simplex, values = initial_simplex(problem, best, free, lo, hi, size)
        contract(problem, simplex, values, lo, hi, tolerance)
        i = np.argmin(values)
        if values[i] < least:
            best, least = simplex[i].copy(), values[i]
    return best, least


@routine
def initial_simplex(problem: Any, p: Floats, free: Ints, lo: Floats, hi: Floats, size: float) -> tuple[Floats, Floats]:
    """Return a simplex with p as a vertex and an edge into the box along each free coordinate, and its values."""
    simplex, values = np.empty((free.size + 1, p.size)), np.empty(free.size + 1)
    for i in range(free.size + 1):
        simplex[i] = p
        if i > 0:
            j = free[i - 1]
            edge = size * (hi[j] - lo[j])
            simplex[i, j] += edge if p[j] < 0.5 * (lo[j] + hi[j]) else -edge
        values[i] = objective_at(problem, simplex[i])
    return simplex, values


@routine
def contract(problem: Any, simplex: Floats, values: Floats, lo: Floats, hi: Floats, tolerance: float) -> None:
    """Reflect the worst vertex, then expand or contract; else shrink: until the values are alike."""
    vertices = values.size
    centre, trial, trial2 = np.empty(simplex.shape[1]), np.empty(simplex.shape[1]), np.empty(simplex.shape[1])
    for _ in range(MOST_STEPS):
        best, second, worst = ranks(values)
        if np.isinf(values[best]) or values[worst] - values[best] <= tolerance * (1.0 + abs(values[best])):
            return
        for j in range(centre.size):
            centre[j] = (simplex[:, j].sum() - simplex[worst, j]) / (vertices - 1)
        value = reflect(problem, centre, simplex[worst], 1.0, lo, hi, trial)
        if value < values[best]:
            value2 = reflect(problem, centre, simplex[worst], 2.0, lo, hi, trial2)
            taken = True
        elif value < values[second]:
            value2, taken = np.inf, True
        else:
            value2 = reflect(problem, centre, simplex[worst], 0.5 if value < values[worst] else -0.5, lo, hi, trial2)
            taken = value2 < min(value, values[worst])
        if taken:
            simplex[worst] = trial2 if value2 < value else trial
            values[worst] = min(value, value2)
        else:
            for i in range(vertices):
                if i != best:
                    simplex[i] = 0.5 * (simplex[i] + simplex[best])
                    values[i] = objective_at(problem, simplex[i])


@inlined
def ranks(values: Floats) -> tuple[int, int, int]:
    """Return the indices of the best value, of the second worst, and of the worst."""
    best, second, worst = 0, 0, 0
    for i in range(1, values.size):
        if values[i] < values[best]:
            best = i
        if values[i] > values[worst]:
            second, worst = worst, i
        elif second == worst or values[i] > values[second]:
            second = i
    return best, second, worst


@inlined
def reflect(
    problem: Any, centre: Floats, vertex: Floats, factor: float, lo: Floats, hi: Floats, trial: Floats
) -> float:
    """Return the value at centre + factor·(centre − vertex), clipped to the box and written to `trial`."""
    for j in range(trial.size):
        trial[j] = min(max(centre[j] + factor * (centre[j] - vertex[j]), lo[j]), hi[j])
    return objective_at(problem, trial)
