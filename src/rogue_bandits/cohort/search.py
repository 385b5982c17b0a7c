"""The most likely unknowns of a record, found fast: many starts, each followed downhill by a simplex, all compiled.

The unknowns are p = (decay, pull, drift, x0); theta is the best for them, in closed form. What is lowered is a `cost`,
−loglik, chosen by the type of the problem: one record here, a crowd that shares its dynamics in `pooling`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rogue_bandits.cohort.record import HIGHEST, LOWEST, THETA_HI, THETA_LO, Record, Way
from rogue_bandits.inference.fit import best_scale
from rogue_bandits.laws import inlined, kernel, law, routine
from rogue_bandits.model.dynamics import ClippedAffine, clip
from rogue_bandits.model.laplace_agent import LaplaceAgent
from rogue_bandits.types import Floats, Ints, next_state, settled_loglik, statistics

UNKNOWNS = ("decay", "pull", "drift", "x0")
ALL = np.arange(4)
FLOOR = np.array([0.0, LOWEST.pull, LOWEST.low, LOWEST.x0])
CEILING = np.array([1.0, HIGHEST.pull, HIGHEST.low, HIGHEST.x0])

LOOKS, DESCENTS = 2048, 50  # starts that are looked at, and the best of them that are followed downhill
NEAR = 0.2  # starts nearer than this, as a share of each range, end in the same place: only the best is followed
SIZES = np.array([0.1, 0.02])  # of the simplexes of a descent, one after the other, as shares of the ranges
LAST_SIZES = np.array([0.1, 0.02, 0.005])  # for the best of all
MOST_STEPS = 400
ALIKE = 1e-10  # values of a simplex that differ by less, as a share, have nothing more to say


@law
def cost(problem: Any, p: Floats) -> float:
    """−loglik at p, at the best theta."""


@cost.register(Record)
def record_cost(problem: Record, p: Floats) -> float:
    """n_inside·log(2 theta) + n_edge·log 2 + S/theta with the best theta."""
    inside, edge, distance = sums_along(problem, ClippedAffine(p[0], p[1], p[2], 0.0, 1.0), p[3])
    theta = best_scale(inside, distance, THETA_LO, THETA_HI)
    return -settled_loglik(LaplaceAgent(), theta, inside, edge, distance, 0.0)


@inlined
def sums_along(record: Record, d: ClippedAffine, x0: float) -> tuple[float, float, float]:
    """The number of rewards inside, the number at an edge, and S = Σ|r − x|."""
    x, inside, edge, distance = x0, 0.0, 0.0, 0.0
    for t in range(record.played.size):
        r = record.rewards[t]
        if not math.isnan(r):
            s1, s2, s3 = statistics(LaplaceAgent(), x, r)
            inside += s1
            edge += s2
            distance += s3
        x = next_state(d, x, record.played[t])
    return inside, edge, distance


def best_way(record: Record) -> tuple[Way, float]:
    """The most likely way of a record's state, and its distance S = Σ|r − x|: the least that was found.

    >>> way, distance = best_way(Record(np.ones(12), 0.75 ** np.arange(12.0)))
    >>> round(way.x0, 6), round(distance, 6)
    (1.0, 0.0)
    """
    p, _ = search(record, starts(LOOKS, ALL), FLOOR, ALL, DESCENTS)
    way = way_at(p)
    return way, distance_of(record, way.dynamics(), way.x0)


def way_at(p: Floats) -> Way:
    """The way of the unknowns p."""
    return Way(float(p[2]), float(p[2] + p[0]), float(p[1]), float(p[3]))


def starts(n: int, free: Ints) -> Floats:
    """n points that fill the unit cube of the free unknowns evenly, whatever n; 0 for the others.

    The additive sequence of the generalised golden ratio: the root of g^(d+1) = g + 1.

    >>> starts(3, np.array([0]))[:, 0].round(3).tolist()
    [0.118, 0.736, 0.354]
    """
    golden = 2.0
    for _ in range(50):
        golden = (1.0 + golden) ** (1.0 / (free.size + 1))
    cube = np.zeros((n, 4))
    cube[:, free] = (0.5 + np.outer(np.arange(1, n + 1), golden ** -np.arange(1.0, free.size + 1))) % 1.0
    return cube


@inlined
def point_at(share: Floats, fixed: Floats, free: Ints) -> Floats:
    """The unknowns at a point of the unit cube, denser by its cube root towards the slow end.

    There, at decay 1 and pull and drift 0, small changes of the unknowns matter most, as they add up over decisions.
    """
    p = fixed.copy()
    for j in free:
        cubed = share[j] ** 3
        p[j] = 1.0 - cubed if j == 0 else -cubed if j == 1 else cubed if j == 2 else share[j]
    return p


@kernel
def distance_of(record: Record, d: ClippedAffine, x0: float) -> float:
    """S = Σ|r − x|."""
    return sums_along(record, d, x0)[2]


@routine
def cost_at(problem: Any, p: Floats) -> float:
    """The cost at p: a function of its own, as six copies of a trajectory's loop take long to compile."""
    return cost(problem, p)


@kernel
def search(problem: Any, shares: Floats, fixed: Floats, free: Ints, descents: int) -> tuple[Floats, float]:
    """The lowest point that was found, and its cost."""
    return lowest(problem, shares, fixed, free, descents)


@routine
def lowest(problem: Any, shares: Floats, fixed: Floats, free: Ints, descents: int) -> tuple[Floats, float]:
    """The best of the descents from the best of the starts that are apart, and its cost, over the free unknowns."""
    values = np.empty(shares.shape[0])
    for i in range(values.size):
        values[i] = cost_at(problem, point_at(shares[i], fixed, free))
    best, least = fixed.copy(), np.inf
    followed, n = np.empty(descents, np.int64), 0
    for i in np.argsort(values, kind="mergesort"):
        if n == descents:
            break
        if is_near(shares, i, followed[:n]):
            continue
        followed[n] = i
        n += 1
        p, value = descend(problem, point_at(shares[i], fixed, free), free, SIZES)
        if value < least:
            best, least = p, value
    return descend(problem, best, free, LAST_SIZES)


@inlined
def is_near(shares: Floats, i: int, others: Ints) -> bool:
    """Is point i of the cube near one of the others?"""
    for j in others:
        if np.abs(shares[i] - shares[j]).max() < NEAR:
            return True
    return False


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
