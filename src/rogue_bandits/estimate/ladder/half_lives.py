"""Half-lives: draws and intervals, from the weights of a grid."""

from __future__ import annotations

import math

import numpy as np

from rogue_bandits.estimate.ladder.panel import LONGEST, Panel, half_life_at
from rogue_bandits.numerics.student import student_quantile
from rogue_bandits.types import Floats, Ints

AXIS = 400  # points of the axis on which half-lives are drawn
COVERED = 0.95
NEVER = 0.1  # prior probability that nothing recovers


def drawn_half_lives(
    panel: Panel, weight: Floats, draws: int, rng: np.random.Generator, before: float = NEVER
) -> tuple[Floats, Ints]:
    """Draw half-lives from weights on the grid, and the grid point beside each; the longest are infinite.

    Before the data nothing recovers with probability `before`, as the rung without recovery says. A prior without a
    mass there has every draw recover somewhat: intervals of what goes with that, such as the cost of a sending, would
    miss the truth of arms that never do.

    The points are drawn by their weights, as of a trapezoidal rule, which has means and variances of a density right
    that is about as narrow as the grid. Rounding half-lives to them would make it wider.
    """
    every, weight = weight, over_caps(panel, weight)
    axis, density = fine_density(weight)
    ends = np.ones(weight.size)
    ends[[0, -1]] = 0.5 if weight.size > 1 else 1.0
    u, forever = rng.random(draws), rng.random(draws) < never(panel, density, before)
    below, fine = shares_below(weight * ends), shares_below(density)
    place = np.searchsorted(below, u).clip(0, weight.size - 1)
    within = (below[place] - u) / (weight * ends / (weight * ends).sum())[place]  # even from 0 to 1, given the point
    low, high = (np.interp(place + half, axis, fine) for half in (-0.5, 0.5))
    drawn = np.where(forever, axis[-1], np.interp(high - within * (high - low), fine, axis))
    half_life = half_life_at(drawn, panel.half_lives)
    place = with_caps(panel, every, np.where(forever, weight.size - 1, place), rng)
    return np.where(half_life > LONGEST * panel.longest, math.inf, half_life), place


def over_caps(panel: Panel, weight: Floats) -> Floats:
    """Return the weights of half-lives, summed over the caps, from those of the grid."""
    return np.asarray(weight.reshape(panel.caps.size, -1).sum(0))


def with_caps(panel: Panel, weight: Floats, place: Ints, rng: np.random.Generator) -> Ints:
    """Return points of the grid with these half-lives: the cap of each is drawn by the weights."""
    if panel.caps.size == 1:
        return place
    ends = np.cumsum(weight.reshape(panel.caps.size, -1), axis=0)[:, place]
    return np.asarray((rng.random(place.size) * ends[-1] > ends).sum(0) * panel.half_lives.size + place)


def shares_below(weight: Floats) -> Floats:
    """Return the share of the weight up to each point."""
    cumulative = np.cumsum(weight)
    return np.asarray(cumulative / cumulative[-1])


def never(panel: Panel, density: Floats, before: float) -> float:
    """Return the posterior probability of no recovery, from the density of half-lives along the grid."""
    if math.isfinite(panel.half_lives[-1]):
        return 0.0
    recovers = (1.0 - before) * float(density.mean()) * float(panel.before[-1] - panel.before[0])
    return before * float(density[-1]) / (before * float(density[-1]) + recovers)


def fine_density(weight: Floats) -> tuple[Floats, Floats]:
    """Return places between the points of a grid, and the density there: linear in between in the logarithm."""
    axis = np.linspace(0.0, weight.size - 1.0, AXIS)
    return axis, np.exp(np.interp(axis, np.arange(weight.size), np.log(np.maximum(weight, 1e-12))))


def half_life_interval(panel: Panel, weight: Floats, degrees: float) -> list[float]:
    """Return the median half-life between the ends of its interval, by the weights of the grid.

    The interval spans the half-lives of highest density that a likelihood-ratio test does not reject either. Its error
    variance has `degrees` of freedom; with none there is no test. The points of the grid are equally probable before
    the data, so that their weights are likelihoods.

    Where the data say little, the set of highest density alone holds the usual half-lives more often than it should.
    The test alone does so at no recovery, which is an end of the axis.
    """
    axis, density = fine_density(over_caps(panel, weight))
    cumulative = shares_below(density)
    order = np.argsort(-density, kind="stable")
    dense = int(np.searchsorted(np.cumsum(density[order]) / density.sum(), COVERED)) + 1
    inside = order[: min(dense, int((density >= least_likely(density.max(), degrees)).sum()))]
    middle = int(np.searchsorted(cumulative, 0.5))
    ends = axis[[min(int(inside.min()), middle), middle, max(int(inside.max()), middle)]]
    found = half_life_at(ends, panel.half_lives)
    found[1] = math.inf if found[1] > LONGEST * panel.longest else found[1]
    return [float(x) for x in found]


def least_likely(largest: float, degrees: float) -> float:
    """Return the smallest likelihood that the test does not reject, given the largest."""
    if degrees < 1.0:
        return 0.0
    return largest * math.exp(-0.5 * student_quantile(0.5 + 0.5 * COVERED, degrees) ** 2)
