"""Downhill by Nelder and Mead's simplex: no gradient, as the cost has kinks where it matters most.

The unknowns are p = (decay, pull, drift, x0); theta is the best for them, in closed form. What is lowered is a `cost`,
−loglik, chosen by the type of the problem: a record (`search`), or a crowd that shares its dynamics (`pooling`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.estimate.record import HIGHEST, LOWEST
from rogue_bandits.model.dynamics.clipped_affine import clip
from rogue_bandits.types import Floats, Ints

UNKNOWNS = ("decay", "pull", "drift", "x0")
ALL = np.arange(4)
FLOOR = np.array([0.0, LOWEST.pull, LOWEST.low, LOWEST.x0])
CEILING = np.array([1.0, HIGHEST.pull, HIGHEST.low, HIGHEST.x0])

MOST_STEPS = 400
ALIKE = 1e-10  # values of a simplex that differ by less, as a share, have nothing more to say


@law
def cost(problem: Any, p: Floats) -> float:
    """−loglik at p, at the best theta."""


@routine
def cost_at(problem: Any, p: Floats) -> float:
    """The cost at p: a function of its own, as six copies of a trajectory's loop take long to compile."""
    return cost(problem, p)


@routine
def descend(problem: Any, p: Floats, free: Ints, sizes: Floats) -> tuple[Floats, float]:
    """Downhill from p by simplexes of these sizes, each laid around the best point of the last."""
    best, least = p.copy(), cost_at(problem, p)
    for size in sizes:
        simplex, values = lay(problem, best, free, size)
        roll(problem, simplex, values)
        i = np.argmin(values)
        if values[i] < least:
            best, least = simplex[i].copy(), values[i]
    return best, least


@routine
def lay(problem: Any, p: Floats, free: Ints, size: float) -> tuple[Floats, Floats]:
    """A simplex with p as a corner, and an edge along each free unknown, into its range."""
    simplex, values = np.empty((free.size + 1, p.size)), np.empty(free.size + 1)
    for i in range(free.size + 1):
        simplex[i] = p
        if i > 0:
            j = free[i - 1]
            edge = size * (CEILING[j] - FLOOR[j])
            simplex[i, j] += edge if p[j] < 0.5 * (FLOOR[j] + CEILING[j]) else -edge
        values[i] = cost_at(problem, simplex[i])
    return simplex, values


@routine
def roll(problem: Any, simplex: Floats, values: Floats) -> None:
    """Nelder and Mead: flip the worst corner over the others, farther if that is good, nearer if not, else shrink."""
    corners = values.size
    centre, trial, trial2 = np.empty(simplex.shape[1]), np.empty(simplex.shape[1]), np.empty(simplex.shape[1])
    for _ in range(MOST_STEPS):
        best, second, worst = ranks(values)
        if values[worst] - values[best] <= ALIKE * (1.0 + abs(values[best])):
            return
        for j in range(centre.size):
            centre[j] = (simplex[:, j].sum() - simplex[worst, j]) / (corners - 1)
        value = flip(problem, centre, simplex[worst], 1.0, trial)
        if value < values[best]:
            value2 = flip(problem, centre, simplex[worst], 2.0, trial2)
            taken = True
        elif value < values[second]:
            value2, taken = np.inf, True
        else:
            value2 = flip(problem, centre, simplex[worst], 0.5 if value < values[worst] else -0.5, trial2)
            taken = value2 < min(value, values[worst])
        if taken:
            simplex[worst] = trial2 if value2 < value else trial
            values[worst] = min(value, value2)
        else:
            for i in range(corners):
                if i != best:
                    simplex[i] = 0.5 * (simplex[i] + simplex[best])
                    values[i] = cost_at(problem, simplex[i])


@inlined
def ranks(values: Floats) -> tuple[int, int, int]:
    """Where the best value is, the second worst, and the worst."""
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
def flip(problem: Any, centre: Floats, corner: Floats, factor: float, trial: Floats) -> float:
    """The cost at centre + factor·(centre − corner), kept in range; the point is written to `trial`."""
    for j in range(trial.size):
        trial[j] = clip(centre[j] + factor * (centre[j] - corner[j]), FLOOR[j], CEILING[j])
    return cost_at(problem, trial)
