"""95 % profile-likelihood intervals.

The profile of an unknown is the largest log-likelihood at each of its values, over all other unknowns. The interval
holds the values whose profile is at most half the 95 % quantile of χ² with one degree of freedom below the maximum
(Wilks), times n / (n − k): k numbers were fitted to the n rewards, which makes the noise look smaller than it is.
Where the profile never falls so low, the interval ends at the bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.compile.laws import kernel
from rogue_bandits.estimate.families.contract import Model
from rogue_bandits.estimate.fitted import Interval
from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.search import (
    ALL,
    COARSE,
    SIZES,
    Effort,
    Problem,
    fit_given,
    lowest_point,
    problem_of,
    starts,
)
from rogue_bandits.numerics.nelder_mead import minimise
from rogue_bandits.types import Floats, Ints

HALF_QUANTILE = 0.5 * NormalDist().inv_cdf(0.975) ** 2  # of chi-square with one degree of freedom, at 95 %
STEPS = 8  # outwards
MOST_TRIALS, NEAR_ENOUGH = 12, 0.01  # between the last step inside and the next; of what is allowed
# Starts beside the neighbour on the profile, which may lie in another valley.
OWN, SHARED = Effort(48, 2), Effort(32, 1)
NONE = np.arange(0)
INNER = {"x0": ("x0_lo", "x0_hi"), "theta": ("theta_lo", "theta_hi")}


def allowed(n: int, k: int) -> float:
    """Return how far below the maximum the profile may be, with k numbers fitted to n rewards.

    >>> round(allowed(1_000_000, 5), 2), round(allowed(25, 5), 2)
    (1.92, 2.4)
    """
    return HALF_QUANTILE * n / max(n - k, 1)


class Near(NamedTuple):
    """Unknowns p on a profile, and by how much the log-likelihood of all records is below its maximum there."""

    p: Floats
    below: float


def dynamics_interval(model: Model, records: list[Record], p: Floats, k: int) -> tuple[Interval, list[Near]]:
    """Return the interval of unknown k of dynamics that the records share, whose best is p, and its profile."""
    problem, path = problem_of(model, records), list[Near]()
    most = allowed(problem.n_rewards(), 3 + 2 * len(records))
    bounds = float(model.slow[k]), float(model.fast[k])
    free = np.delete(ALL, k)
    return _interval(problem, p, free, k, float(p[k]), (min(bounds), max(bounds)), most, path), path


def own_interval(model: Model, record: Record, p: Floats, name: str, value: float) -> Interval:
    """Return the interval of x0 or theta of a record with its own dynamics."""
    problem, most = problem_of(model, [record]), allowed(record.seen().size, 5)
    return _interval(problem, p, ALL, name, value, _bounds(model, name), most, [])


def shared_interval(model: Model, record: Record, near: list[Near], name: str) -> Interval:
    """Return the interval of x0 or theta of a record whose dynamics are shared, and may be any of those near the best.

    The union over them: what the shared dynamics fall short of the best is no longer allowed to the record.
    """
    problem, most, bounds = problem_of(model, [record]), allowed(record.seen().size, 2), _bounds(model, name)
    found = []
    for p, below in near:
        if below < most:
            value = fit_given(model, p, record)[("theta", "x0").index(name)]
            found.append(_interval(problem, p, NONE, name, value, bounds, most - below, []))
    return Interval(min(interval.lo for interval in found), max(interval.hi for interval in found))


def _bounds(model: Model, name: str) -> tuple[float, float]:
    limits = model.limits._asdict()
    lo, hi = (limits[end] for end in INNER[name])
    return lo, hi


def _interval(
    problem: Problem,
    p: Floats,
    free: Ints,
    fixed: int | str,
    at: float,
    bounds: tuple[float, float],
    most: float,
    path: list[Near],
) -> Interval:
    """Return the interval of a number whose best value is `at`, with the free unknowns the best for each value.

    The points of the profile that are inside are appended to `path`.
    """
    effort = OWN if problem.rewards.shape[0] == 1 else SHARED
    shares = starts(effort.starts, free)
    highest = profile(problem, p, NONE, shares, effort.descents)[1] + most

    def end(bound: float) -> float:
        nearest, last, beyond = p, (at, -most), None

        def excess(value: float) -> float:
            nonlocal nearest
            there, least = profile(*_fixed_at(problem, nearest, fixed, value), free, shares, effort.descents)
            if least <= highest:
                nearest = there
                path.append(Near(there, float(least - highest) + most))
            return float(least - highest)

        # All the steps, even past one outside: a profile may rise again, and the interval must hold all that is likely.
        for value in (at + (bound - at) * np.arange(1, STEPS + 1) / STEPS).tolist():
            found = value, excess(value)
            if found[1] <= 0.0:
                last, beyond = found, None
            elif beyond is None:
                beyond = found
        return last[0] if beyond is None else _crossing(excess, last, beyond, most)

    return Interval(end(bounds[0]), end(bounds[1]))


def _fixed_at(problem: Problem, p: Floats, fixed: int | str, value: float) -> tuple[Problem, Floats]:
    """Return the problem and the point with a number fixed: an unknown of the dynamics, or x0 or theta."""
    if isinstance(fixed, str):
        limits = problem.model.limits._replace(**dict.fromkeys(INNER[fixed], float(value)))
        return problem._replace(model=problem.model._replace(limits=limits)), p
    there = p.copy()
    there[fixed] = value
    return problem, there


def _crossing(
    excess: Callable[[float], float], inside: tuple[float, float], outside: tuple[float, float], most: float
) -> float:
    """Return where the excess is about 0 between two values with their excess.

    The root of the loss, excess + most, is nearly linear in the value: regula falsi on it, with bisections in between.
    """
    for trial in range(MOST_TRIALS):
        root, root2 = (math.sqrt(max(end[1] + most, 0.0)) for end in (inside, outside))
        share = (math.sqrt(most) - root) / (root2 - root) if math.isfinite(root2) and trial % 3 < 2 else 0.5
        value = inside[0] + min(max(share, 0.02), 0.98) * (outside[0] - inside[0])
        found = value, excess(value)
        if abs(found[1]) <= NEAR_ENOUGH * most:
            return value
        inside, outside = (found, outside) if found[1] <= 0.0 else (inside, found)
    return inside[0]


@kernel
def profile(problem: Any, p: Floats, free: Ints, shares: Floats, descents: int) -> tuple[Floats, float]:
    """Return the best point over the free unknowns and its negative log-likelihood: from p, and from elsewhere."""
    model = problem.model
    lo, hi = np.minimum(model.slow, model.fast), np.maximum(model.slow, model.fast)
    best, least = minimise(problem, p, free, lo, hi, SIZES, COARSE)
    if free.size > 0:
        elsewhere, there = lowest_point(problem, shares, p, free, descents, COARSE)
        if there < least:
            best, least = elsewhere, there
    return best, least
