"""The largest mean reward inside the radius: g^UCB.  [Alg. 1, Alg. 3]

The mean is monotone in theta, so at one x0 the bound lies where theta leaves the region, a root in one dimension. Over
x0, which matters only through the early rewards and a state that has not settled, the best of those is searched for
piece by piece.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rogue_bandits.belief.edge import EXACT, LENIENT, cannot_improve, edge_of_region, edge_towards, mean_or_none
from rogue_bandits.belief.evidence import count
from rogue_bandits.belief.level_curve import (
    NEARLY,
    attainable_x0,
    bound_by_lines,
    is_near_region_on,
    normalised_divergence_on,
)
from rogue_bandits.belief.profile import has_profile, profiled_edge
from rogue_bandits.belief.region import (
    Region,
    best_end,
    best_state,
    normalised_divergence,
    prepared,
)
from rogue_bandits.belief.x0_pieces import PIECES, is_cut_coarsely, next_cut, next_of, x0_cuts
from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.model.dynamics.clipped_affine import state_on_line
from rogue_bandits.numerics.brent import MOST_TRIALS, has_converged, initialise, next_trial, updated
from rogue_bandits.types import Floats, mean

SAMPLES = 5  # of x0, on each piece
ROUGH = 1e-3  # tolerance of the normalised divergence of a mean that the bound need only reach
ROUGH_TRIALS = 6
MANY_EARLY = 7  # early rewards: with fewer, a rough search over x0 takes as long as the bound
CLOSE = 2e-10  # tolerance of the normalised divergence of a bound with x0 profiled out
BISECTIONS = 8  # of the range of x0
SPARSE = 4.0  # rewards: a region may be too narrow to be found on a curve through it


@law
def peak_at_fit(g: Any) -> float:
    """Return a mean inside the region with x0 as fitted: the largest, or nearly."""


@law
def reached_bound(g: Any) -> float:
    """Return a lower bound of the upper bound, most often close to it; −inf where the bound itself takes as long."""


@law
def upper_bound_of(g: Any) -> float:
    """Return the largest mean of the next reward inside the region."""


@law
def bound_and_gap(g: Any) -> tuple[float, float]:
    """Return the upper bound, and how much larger it may be."""


@bound_and_gap.register(Region)
def line_bound_and_gap(g: Region) -> tuple[float, float]:
    """Return the upper bound and its gap, without a proof (docs/decisions/0005); see the tests."""
    return prepared(larger_bound, g, -math.inf), math.inf


@peak_at_fit.register(Region)
def line_peak_at_fit(g: Region) -> float:
    """Return the largest mean with x0 as fitted, up to ROUGH."""
    return prepared(peak_with_fitted_x0, g, ROUGH)


@routine
def peak_with_fitted_x0(g: Region, close: float) -> float:
    """Return the largest mean with x0 as fitted."""
    return mean(g.arm.rewards, edge_with_fitted_x0(g, close), state_on_line(g.line, g.local_fit.x0))


@routine
def edge_with_fitted_x0(g: Region, close: float) -> float:
    """Return the last theta inside with x0 as fitted: the normalised divergence grows from the fit to either end."""
    c = g.local_fit
    end = best_end(g, state_on_line(g.line, c.x0))
    at_end = normalised_divergence(g, end, c.x0)
    return end if at_end <= 1.0 else edge_of_region(g, c.x0, c.theta, 0.0, end, at_end, close)


@reached_bound.register(tuple)
def no_reached_bound(g: Any) -> float:
    """Return −inf."""
    return -math.inf


@reached_bound.register(Region)
def line_reached_bound(g: Region) -> float:
    """Return the best mean of a few x0, up to ROUGH, where each evaluation goes through many early rewards."""
    if g.seen.early.shape[0] < MANY_EARLY:
        return -math.inf
    return prepared(reached_over_x0, g, ROUGH)


@routine
def reached_over_x0(g: Region, close: float) -> float:
    """Return the best of a few samples of x0 and of a few steps of Brent's method, each theta up to `close`.

    Where x0 is cut coarsely, only where the fitted theta is inside: most of x0 is far from the region.
    """
    if has_profile(g):
        theta = profiled_edge(g, edge_with_fitted_x0(g, close), close)
        if not math.isnan(theta):
            return mean(g.arm.rewards, theta, g.line.lo)
    best, at, width, cuts, lo, last = -math.inf, g.local_fit.x0, 0.0, x0_cuts(g), g.arm.dynamics.lo, g.arm.dynamics.hi
    if is_cut_coarsely(g):
        lo, last = inside_towards(g, lo), inside_towards(g, last)
    while lo < last:
        hi = min(next_cut(g, cuts, lo), last)
        for j in range(SAMPLES):
            x0 = lo + (hi - lo) * j / (SAMPLES - 1)
            value = rough_peak(g, x0, close)
            if value > best:
                best, at, width = value, x0, (hi - lo) / (SAMPLES - 1)
        lo = hi
    if best == -math.inf:
        return peak_with_fitted_x0(g, close)
    lo, hi = max(g.arm.dynamics.lo, at - width), min(g.arm.dynamics.hi, at + width)
    search, nowhere = initialise(lo, hi, at, best, 1e-2 * (hi - lo)), best - 1.0 - abs(best)
    for _ in range(ROUGH_TRIALS):
        if has_converged(search):
            break
        search = next_trial(search)
        search = updated(search, max(nowhere, rough_peak(g, search.trial, close)))
    return search.fx


@routine
def inside_towards(g: Region, end: float) -> float:
    """Return the last x0 from the fit towards an end of x0 at which the fitted theta is inside, by bisection."""
    inside, outside = g.local_fit.x0, end
    if normalised_divergence(g, g.local_fit.theta, end) <= 1.0:
        return end
    for _ in range(BISECTIONS):
        middle = 0.5 * (inside + outside)
        if normalised_divergence(g, g.local_fit.theta, middle) <= 1.0:
            inside = middle
        else:
            outside = middle
    return inside


@routine
def rough_peak(g: Region, x0: float, close: float) -> float:
    """Return a mean inside the region at this x0, near the largest; −inf if the fitted theta is outside."""
    x, theta = state_on_line(g.line, x0), g.local_fit.theta
    at, end = normalised_divergence(g, theta, x0), best_end(g, x)
    if at > 1.0:
        return -math.inf
    at_end = normalised_divergence(g, end, x0)
    edge = end if at_end <= 1.0 else edge_of_region(g, x0, theta, at, end, at_end, close)
    return mean(g.arm.rewards, edge, x)


@routine
def peak_between(g: Region, lo: float, hi: float, end: float, known: float) -> float:
    """Return the largest mean with x0 in [lo, hi], a piece without kinks, or what is `known` already if that is larger.

    A few samples, then Brent's method around the best of them unless it cannot find more than what is known.
    """
    samples, best, theta = np.empty(SAMPLES), 0, g.local_fit.theta
    for j in range(SAMPLES):
        x0 = lo + (hi - lo) * j / (SAMPLES - 1)
        theta = edge_towards(g, x0, end, known, g.local_fit.theta if math.isnan(theta) else theta)
        samples[j] = mean_or_none(g, theta, x0)
        best = j if samples[j] > samples[best] else best
    top: float = samples[best]
    if top == -math.inf or top + LENIENT * (concave_limit(samples, best) - top) <= known:
        return max(top, known)
    width = (hi - lo) / (SAMPLES - 1)
    at = lo + width * best
    nowhere = top - 1.0 - abs(top)  # stands for −inf where values are subtracted
    search = initialise(max(lo, at - width), min(hi, at + width), at, top, 3e-8 * (hi - lo))
    for _ in range(MOST_TRIALS):
        if has_converged(search) or cannot_improve(search, nowhere, known):
            break
        search = next_trial(search)
        theta = edge_towards(g, search.trial, end, known, g.local_fit.theta if math.isnan(theta) else theta)
        search = updated(search, max(nowhere, mean_or_none(g, theta, search.trial)))
    return max(search.fx, known)


@inlined
def concave_limit(samples: Floats, j: int) -> float:
    """Return what a concave peak can be beside the best sample, the j-th: lines through two samples bound it there.

    It is +inf where the samples themselves are not concave.
    """
    left = min(beyond(samples, j + 1, j), beyond(samples, j - 2, j - 1)) if j > 0 else samples[j]
    right = min(beyond(samples, j - 1, j), beyond(samples, j + 2, j + 1)) if j < samples.size - 1 else samples[j]
    return max(left, right) if min(left, right) >= samples[j] else math.inf


@inlined
def beyond(samples: Floats, i: int, j: int) -> float:
    """Return the line through samples i and j, one sample beyond j; +inf where there is no such line."""
    if min(i, j) < 0 or max(i, j) >= samples.size or min(samples[i], samples[j]) == -math.inf:
        return math.inf
    line: float = 2.0 * samples[j] - samples[i]
    return line


@upper_bound_of.register(Region)
def line_upper_bound_of(g: Region) -> float:
    """Return the largest mean, searched for piece by piece of x0."""
    return prepared(larger_bound, g, -math.inf)


@routine
def larger_bound(g: Region, known: float) -> float:
    """Return the upper bound, or what is `known` already if that is larger, which shortens the search."""
    x, edge = best_state(g), edge_with_fitted_x0(g, EXACT)
    if has_profile(g):
        theta = profiled_edge(g, edge, CLOSE)
        if not math.isnan(theta):
            return max(known, mean(g.arm.rewards, theta, x))
    most = mean(g.arm.rewards, best_end(g, x), x)
    best = max(known, mean(g.arm.rewards, edge, state_on_line(g.line, g.local_fit.x0)))
    cuts, lo = x0_cuts(g), g.arm.dynamics.lo
    if is_cut_coarsely(g):  # the higher the level, the more is excluded by it
        best = max(best, reached_over_x0(g, ROUGH))
    while lo < g.arm.dynamics.hi and best < most:
        if is_cut_coarsely(g):
            hi = excluded_until(g, cuts, lo, best)
            if hi > lo:
                lo = hi
                continue
        hi = next_cut(g, cuts, lo)
        if may_exceed_between(g, lo, hi, best):
            best = peak_between(g, lo, hi, g.arm.theta_lo, best)
            best = peak_between(g, lo, hi, g.arm.theta_hi, best)
        lo = hi
    return best


@routine
def may_exceed_between(g: Region, lo: float, hi: float, known: float) -> bool:
    """Return whether the region may have a mean above the `known` with x0 in [lo, hi], a piece without kinks.

    This takes some 20 evaluations where a peak that is not larger takes hundreds.
    """
    if count(g.seen) < SPARSE:
        return True
    first, last = attainable_x0(g, known)
    lo, hi = max(lo, first), min(hi, last)
    return lo <= hi and is_near_region_on(g, known, lo, hi, math.inf)


@routine
def excluded_until(g: Region, cuts: tuple[float, float, float], lo: float, known: float) -> float:
    """Return the end of several pieces, from lo on, without a mean above the `known`; lo if they may have one.

    On the curve on which the mean is `known`, lines LENIENT times as steep as those through three values of the
    normalised divergence stay above that of the region. Most of x0 is far from it, and is excluded so.
    """
    d = g.arm.dynamics
    at_lo = normalised_divergence_on(g, known, lo, math.inf)
    for pieces in (8.0, 2.0):
        if at_lo <= NEARLY:
            break
        hi = next_of(cuts, lo, min(d.hi, lo + pieces * (d.hi - d.lo) / PIECES))
        at_hi = normalised_divergence_on(g, known, hi, math.inf)
        if at_hi > NEARLY:
            middle = normalised_divergence_on(g, known, 0.5 * (lo + hi), math.inf)
            if bound_by_lines(at_lo, middle, at_hi) > NEARLY:
                return hi
    return lo
