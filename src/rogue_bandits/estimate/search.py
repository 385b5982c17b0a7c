"""The most likely unknowns of a record, found fast: many starts, each followed downhill by a simplex, all compiled.

Starts are looked at all over the ranges; the best of them that are apart are followed.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rogue_bandits.belief.fit import best_scale
from rogue_bandits.compile.laws import inlined, kernel, routine
from rogue_bandits.estimate.record import THETA_HI, THETA_LO, Record, Way
from rogue_bandits.estimate.simplex import ALL, FLOOR, cost, cost_at, descend
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.types import Floats, Ints, next_state, settled_loglik, statistics

LOOKS, DESCENTS = 2048, 50  # starts that are looked at, and the best of them that are followed downhill
NEAR = 0.2  # starts nearer than this, as a share of each range, end in the same place: only the best is followed
SIZES = np.array([0.1, 0.02])  # of the simplexes of a descent, one after the other, as shares of the ranges
LAST_SIZES = np.array([0.1, 0.02, 0.005])  # for the best of all


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
    for place in np.argsort(values, kind="mergesort"):
        i = int(place)
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
