"""Maximum-likelihood dynamics: Nelder and Mead from many starts, with theta and x0 exact inside.

Starts fill the ranges of the unknowns; the best that are apart from each other are followed downhill.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined, kernel, routine
from rogue_bandits.estimate.families.contract import Model, dynamics_at, profile_fit
from rogue_bandits.estimate.history import Record
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.numerics.nelder_mead import minimise, objective, objective_at
from rogue_bandits.types import Floats, Ints

ALL = np.arange(3)
NEAR = 0.2  # starts nearer than this in the unit cube end in the same place: only the best is followed
SIZES = np.array([0.1, 0.02])  # of the simplexes of a descent, relative to the ranges
LAST_SIZES = np.array([0.1, 0.02, 0.005])  # for the best of all
PRECISE, COARSE = 1e-10, 1e-6  # relative tolerances of a descent: for a fit, and for a profile
SAME = 1e-9  # of the negative log-likelihood


class Effort(NamedTuple):
    """The number of starts that are evaluated, and of those that are followed downhill."""

    starts: int
    descents: int


OWN, SHARED = Effort(1024, 24), Effort(512, 10)  # more people make fewer local optima


class Problem(NamedTuple):
    """Records that share their dynamics, [people, decisions]; shorter records end in rests without rewards."""

    model: Model
    played: Floats
    rewards: Floats

    def n_rewards(self) -> int:
        """Return the number of rewards seen."""
        return int(np.count_nonzero(~np.isnan(self.rewards)))


def problem_of(model: Model, records: Sequence[Record]) -> Problem:
    """Return records side by side.

    >>> from rogue_bandits.estimate.families import model_for
    >>> records = [Record(np.ones(2), np.array([0.5, 0.5])), Record(np.ones(1), np.array([0.25]))]
    >>> problem_of(model_for("agent", np.ones(1)), records).rewards
    array([[0.5 , 0.5 ],
           [0.25,  nan]])
    """
    shape = (len(records), max(record.played.size for record in records))
    problem = Problem(model, np.zeros(shape), np.full(shape, np.nan))
    for i, record in enumerate(records):
        problem.played[i, : record.played.size] = record.played
        problem.rewards[i, : record.rewards.size] = record.rewards
    return problem


@objective.register(Problem)
def negative_log_likelihood(problem: Problem, p: Floats) -> float:
    """That of all records at the dynamics of p, each at its own best theta and x0."""
    f, limits = problem.model.rewards, problem.model.limits
    total, room = 0.0, np.empty((problem.played.shape[1], 5))
    for i in range(problem.played.shape[0]):
        total += profile_fit(f, dynamics_at(f, p), limits, problem.played[i], problem.rewards[i], room)[2]
    return total


def best_unknowns(model: Model, records: Sequence[Record], effort: Effort | None = None) -> Floats:
    """Return the unknowns p of the dynamics that are most likely for all records together.

    >>> from rogue_bandits.estimate.families import model_for
    >>> wears_out = Record(np.ones(4), np.array([1.0, 0.75, 0.5, 0.25]))
    >>> stays_low = Record(np.ones(4), np.array([0.5, 0.25, 0.0, 0.0]))
    >>> decay, pull, drift = best_unknowns(model_for("agent", np.ones(1)), [wears_out, stays_low]).tolist()
    >>> round(pull + drift, 6), round(decay, 6)
    (-0.25, 1.0)
    """
    effort = effort or (OWN if len(records) == 1 else SHARED)
    problem = problem_of(model, records)
    p, least = search(problem, starts(effort.starts, ALL), model.slow, ALL, effort.descents)
    lowest = p.copy()
    lowest[2] = model.fast[2]
    # A floor that no state reaches is not identified: it is set as low as it can be.
    is_floor = dynamics_of(model, lowest).lo < dynamics_of(model, p).lo
    return lowest if is_floor and cost_of(problem, lowest) <= least + SAME * (1.0 + abs(least)) else p


def fit_given(model: Model, p: Floats, record: Record) -> tuple[float, float, float]:
    """Return theta, x0 and the negative log-likelihood of a record at the dynamics of p."""
    return given_kernel(model, p, record.played, record.rewards)


def dynamics_of(model: Model, p: Floats) -> ClippedAffine:
    """Return the dynamics of p."""
    return ClippedAffine(*(float(value) for value in dynamics_at(model.rewards, p)))


def starts(n: int, free: Ints) -> Floats:
    """Return n points that fill the unit cube of the free unknowns evenly, whatever n; 0 for the others.

    The additive sequence of the generalised golden ratio: the root of g^(d+1) = g + 1.

    >>> starts(3, np.array([0]))[:, 0].round(3).tolist()
    [0.118, 0.736, 0.354]
    """
    golden = 2.0
    for _ in range(50):
        golden = (1.0 + golden) ** (1.0 / (free.size + 1))
    cube = np.zeros((n, ALL.size))
    cube[:, free] = (0.5 + np.outer(np.arange(1, n + 1), golden ** -np.arange(1.0, free.size + 1))) % 1.0
    return cube


@inlined
def point_at(model: Model, share: Floats, fixed: Floats, free: Ints) -> Floats:
    """Return the unknowns at a point of the unit cube."""
    p = fixed.copy()
    for j in free:
        p[j] = model.slow[j] + (model.fast[j] - model.slow[j]) * share[j] ** model.power[j]
    return p


@kernel
def given_kernel(model: Any, p: Floats, played: Floats, rewards: Floats) -> tuple[float, float, float]:
    """Theta, x0 and the negative log-likelihood."""
    d = dynamics_at(model.rewards, p)
    return profile_fit(model.rewards, d, model.limits, played, rewards, np.empty((rewards.size, 5)))


@kernel
def cost_of(problem: Any, p: Floats) -> float:
    """Return the negative log-likelihood at p."""
    return objective_at(problem, p)


@kernel
def search(problem: Any, shares: Floats, fixed: Floats, free: Ints, descents: int) -> tuple[Floats, float]:
    """Return the lowest point found, and its negative log-likelihood."""
    return lowest_point(problem, shares, fixed, free, descents, PRECISE)


@routine
def lowest_point(
    problem: Any, shares: Floats, fixed: Floats, free: Ints, descents: int, tolerance: float
) -> tuple[Floats, float]:
    """Return the best of the descents from the best starts that are apart, over the free unknowns."""
    model = problem.model
    lo, hi = np.minimum(model.slow, model.fast), np.maximum(model.slow, model.fast)
    values = np.empty(shares.shape[0])
    for i in range(values.size):
        values[i] = objective_at(problem, point_at(model, shares[i], fixed, free))
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
        p, value = minimise(problem, point_at(model, shares[i], fixed, free), free, lo, hi, SIZES, tolerance)
        if value < least:
            best, least = p, value
    return minimise(problem, best, free, lo, hi, LAST_SIZES, tolerance)


@inlined
def is_near(shares: Floats, i: int, others: Ints) -> bool:
    """Return whether point i of the cube is near one of the others."""
    for j in others:
        if np.abs(shares[i] - shares[j]).max() < NEAR:
            return True
    return False
