"""How sure is a fit? 95 % intervals from the profile likelihood.

The profile of an unknown is the largest log-likelihood at each of its values, all others being the best for it. The
interval holds the values whose profile is at most half the 95 % quantile of χ² with one degree of freedom below the
top (Wilks), times n / (n − k): k numbers were fitted to the n rewards, which makes the noise look smaller than it is.
Where the profile never falls so low, the interval reaches the bound.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np

from rogue_bandits.compile.laws import kernel
from rogue_bandits.estimate.fitted import Interval
from rogue_bandits.estimate.pooling import SHARED, Crowd
from rogue_bandits.estimate.record import THETA_HI, THETA_LO, Record
from rogue_bandits.estimate.search import SIZES, lowest, starts, sums_along
from rogue_bandits.estimate.simplex import ALL, CEILING, FLOOR, UNKNOWNS, cost_at, descend
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.types import Fit, Floats, Ints, settled_loglik

HALF_QUANTILE = 0.5 * NormalDist().inv_cdf(0.975) ** 2  # of chi-square with one degree of freedom, at 95 %
STEPS, HALVINGS = 8, 10  # outwards, and then between the last step inside and the next: 1/8000 of the way
# Looks and descents beside the one from the neighbour on the profile, which may be in another valley.
OWN, TOGETHER = (128, 4), (32, 1)
DYNAMICS = UNKNOWNS[:3]


def allowed(n: int, k: int) -> float:
    """How far below the top the profile may be, with k numbers fitted to n rewards.

    >>> round(allowed(1_000_000, 5), 2), round(allowed(25, 5), 2)
    (1.92, 2.4)
    """
    return HALF_QUANTILE * n / max(n - k, 1)


def own_intervals(record: Record, d: ClippedAffine, fit: Fit) -> dict[str, Interval]:
    """The intervals of a record whose four unknowns are all its own.

    >>> record = Record(np.ones(12), 0.75 ** np.arange(12.0))
    >>> d = ClippedAffine(0.75, 0.0, 0.0)
    >>> from rogue_bandits.estimate.given import fit_given
    >>> intervals = own_intervals(record, d, fit_given(d, record))
    >>> intervals["decay"].lo <= 0.75 <= intervals["decay"].hi
    True
    """
    p, most = np.array([d.decay, d.pull, d.drift, fit.x0]), allowed(fit.n, 5)
    found = {name: profile_interval(record, p, np.delete(ALL, k), k, most, OWN) for k, name in enumerate(UNKNOWNS)}
    return found | {"theta": theta_interval(record, d, fit, most)}


def shared_interval(crowd: Crowd, d: ClippedAffine, name: str) -> Interval:
    """The interval of one number of the dynamics that a crowd shares."""
    k, p = DYNAMICS.index(name), np.array([d.decay, d.pull, d.drift, 0.0])
    most = allowed(int(np.count_nonzero(~np.isnan(crowd.rewards))), 3 + 2 * crowd.rewards.shape[0])
    return profile_interval(crowd, p, np.delete(SHARED, k), k, most, TOGETHER)


def given_intervals(record: Record, d: ClippedAffine, fit: Fit) -> dict[str, Interval]:
    """The intervals of x0 and theta where the dynamics are known."""
    p, most = np.array([d.decay, d.pull, d.drift, fit.x0]), allowed(fit.n, 2)
    x0 = profile_interval(record, p, np.arange(0), 3, most, OWN)
    return {"x0": x0, "theta": theta_interval(record, d, fit, most)}


def theta_interval(record: Record, d: ClippedAffine, fit: Fit, most: float) -> Interval:
    """The least distance is the best at every theta: the profile is −n_inside·log(2 theta) − n_edge·log 2 − S/theta."""
    inside, edge, distance = sums_along(record, d, fit.x0)

    def is_inside(theta: float) -> bool:
        return fit.loglik - settled_loglik(LaplaceAgent(), theta, inside, edge, distance, 0.0) <= most

    def end(bound: float) -> float:
        return bound if is_inside(bound) else halved(is_inside, fit.theta, bound, 40)

    return Interval(end(THETA_LO), end(THETA_HI))


def profile_interval(problem: Any, p: Floats, free: Ints, k: int, most: float, effort: tuple[int, int]) -> Interval:
    """The interval of unknown k of a problem whose best point is p, with the other free unknowns the best for it."""
    highest, shares = cost_kernel(problem, p) + most, starts(effort[0], free)

    def end(bound: float) -> float:
        nearest = p
        inside, outside = p[k], p[k]

        def is_inside(value: float) -> bool:
            nonlocal nearest
            there, least = profile(problem, nearest, free, k, value, shares, effort[1])
            if least <= highest:
                nearest = there
            return least <= highest

        # All the steps, even past one outside: a profile may rise again, and the interval must hold all that is likely.
        for value in p[k] + (bound - p[k]) * np.arange(1, STEPS + 1) / STEPS:
            if is_inside(value):
                inside = outside = value
            elif outside == inside:
                outside = value
        return float(inside) if inside == outside else float(halved(is_inside, inside, outside, HALVINGS))

    return Interval(end(FLOOR[k]), end(CEILING[k]))


def halved(is_inside: Callable[[float], bool], inside: float, outside: float, halvings: int) -> float:
    """The last point inside on the way to one outside, by bisection."""
    for _ in range(halvings):
        middle = 0.5 * (inside + outside)
        if is_inside(middle):
            inside = middle
        else:
            outside = middle
    return inside


@kernel
def profile(
    problem: Any, nearest: Floats, free: Ints, k: int, value: float, shares: Floats, descents: int
) -> tuple[Floats, float]:
    """The best point with unknown k at this value, and its cost: downhill from the neighbour, and from elsewhere."""
    fixed = nearest.copy()
    fixed[k] = value
    best, least = descend(problem, fixed, free, SIZES)
    if free.size > 0:
        elsewhere, cost_there = lowest(problem, shares, fixed, free, descents)
        if cost_there < least:
            best, least = elsewhere, cost_there
    return best, least


@kernel
def cost_kernel(problem: Any, p: Floats) -> float:
    """The cost at p."""
    return cost_at(problem, p)
