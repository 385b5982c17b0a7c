"""The curve of (theta, x0) on which the mean of the next reward is a level, and how far it is from the region."""

from __future__ import annotations

import numpy as np

from rogue_bandits.belief.edge import LENIENT, cannot_improve, least_divergent, peak_at, stationary_theta
from rogue_bandits.belief.evidence import count
from rogue_bandits.belief.region import (
    FAR,
    Region,
    away_from_fit,
    best_end,
    normalised_divergence,
    normalised_divergence_of,
)
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.clipped_affine import state_on_line
from rogue_bandits.numerics.brent import MOST_TRIALS, has_converged, initialise, next_trial, updated
from rogue_bandits.numerics.illinois import Bracket, narrowed, next_point
from rogue_bandits.types import mean

NEARLY = 1.01  # a normalised divergence within tolerance of the region
SAMPLES = 9  # on each piece of the curve
FLAT = 1e-6  # of the range of means
FEW = 8.0  # rewards: the region may not be connected, and minima on it are narrow
NEXT_TO = 1e-4  # of the distance to the end of theta
FINE, FINEST = 1e-3, 1e-7  # of a piece: tolerance of a minimum, and of one next to x0 at which no theta has the level


@routine
def normalised_divergence_on(g: Region, level: float, x0: float, few: float) -> float:
    """Return the normalised divergence at x0 of the theta whose mean is the level; 0 where every mean exceeds it.

    With fewer rewards than `few`: the least one of the thetas whose mean is the level or more.
    """
    f, x = g.arm.rewards, state_on_line(g.line, x0)
    end = best_end(g, x)
    above, below = end, g.arm.theta_lo + g.arm.theta_hi - end
    high, low = mean(f, above, x) - level, mean(f, below, x) - level
    if low >= 0.0:
        return least_beyond(g, x0, below, end, few) if count(g.seen) < few else 0.0
    if high < 0.0:
        return FAR
    if high <= FLAT * (high - low):  # thetas have the largest mean, up to rounding error: many, or next to the end
        next_to_end = end - NEXT_TO * (end - below)
        if mean(f, next_to_end, x) - level < -FLAT * (high - low):
            return least_beyond(g, x0, end, end, few)
        return 0.0 if peak_at(g, x0) >= level - FLAT * (high - low) else FAR
    return least_beyond(g, x0, theta_with_mean(g, level, x, below, above), end, few)


@inlined
def theta_with_mean(g: Region, level: float, x: float, below: float, above: float) -> float:
    """Return the theta whose mean at state x is the level, between one with a smaller mean and one with a larger."""
    f, tiny = g.arm.rewards, 1e-12 * (g.arm.theta_hi - g.arm.theta_lo)
    search = Bracket(below, mean(f, below, x) - level, above, mean(f, above, x) - level, 0)
    for step in range(60):
        if abs(search.b - search.a) <= tiny:
            break
        theta = next_point(search, step % 8 == 7)
        gap = mean(f, theta, x) - level
        search = narrowed(search, theta, gap)
        if abs(gap) <= 1e-9 * abs(level):  # both tolerances, NEARLY and AT_EDGE, leave more room
            return theta
    return search.b


@routine
def least_beyond(g: Region, x0: float, theta: float, end: float, few: float) -> float:
    """Return the normalised divergence at theta; with fewer rewards than `few` the least one from there to an end.

    From the stationary theta it falls, then grows. So a second value, close to theta, tells most often that theta has
    the least.
    """
    here = away_from_fit(g, theta, x0)
    at = normalised_divergence_of(g, here)
    if at <= NEARLY or count(g.seen) >= few:
        return at
    if here.by_theta * (end - theta) > 0.0:
        middle = stationary_theta(g, x0)
        return min(at, least_divergent(g, x0, middle, theta)[1], least_divergent(g, x0, middle, end)[1])
    if normalised_divergence(g, theta + NEXT_TO * (end - theta), x0) >= at:
        return at
    return min(at, least_divergent(g, x0, theta, end)[1])


@routine
def is_near_region_on(g: Region, level: float, lo: float, hi: float, few: float) -> bool:
    """Return whether the curve comes within NEARLY of the region with x0 in [lo, hi]: samples, then Brent's method.

    The search starts from every local minimum of the samples, as a minimum may be narrow. Where three samples are far
    from the region, the rest is not evaluated.
    """
    samples, last = np.empty(SAMPLES), SAMPLES - 1
    for j in (0, last // 2, last):
        samples[j] = normalised_divergence_on(g, level, lo + (hi - lo) * j / last, few)
        if samples[j] <= NEARLY:
            return True
    if count(g.seen) >= FEW and bound_by_lines(samples[0], samples[last // 2], samples[last]) > NEARLY:
        return False
    for j in range(1, last):
        if j != last // 2:
            samples[j] = normalised_divergence_on(g, level, lo + (hi - lo) * j / last, few)
            if samples[j] <= NEARLY:
                return True
    for j in range(SAMPLES):
        around = samples[max(j - 1, 0) : j + 2]
        is_lowest, is_at_edge = samples[j] < FAR and samples[j] == around.min(), bool(around.max() >= FAR)
        if is_lowest and local_minimum(g, level, lo, hi, j, samples[j], few, is_at_edge) <= NEARLY:
            return True
    return False


@inlined
def bound_by_lines(at_lo: float, middle: float, at_hi: float) -> float:
    """Return a lower bound of a function by lines LENIENT times as steep as those through three of its values."""
    steep = max(abs(middle - at_lo), abs(at_hi - middle))
    return min(at_lo, middle, at_hi) - LENIENT * steep


@routine
def local_minimum(
    g: Region, level: float, lo: float, hi: float, j: int, at_j: float, few: float, is_at_edge: bool
) -> float:
    """Return the local minimum near the j-th sample, or the first value within NEARLY.

    At the edge of the x0 at which a theta has the level, that theta may run through its range within a millionth of
    x0 (the mean of an agent hardly depends on a small theta): a minimum there is narrow, and beside it the function is
    steeper than lines through its values.
    """
    width = (hi - lo) / (SAMPLES - 1)
    x0 = lo + width * j
    tolerance = (FINEST if is_at_edge else FINE) * (hi - lo)
    search = initialise(max(lo, x0 - width), min(hi, x0 + width), x0, -at_j, tolerance)
    for _ in range(MOST_TRIALS):
        if has_converged(search) or search.fx >= -NEARLY:
            break
        if not is_at_edge and count(g.seen) >= FEW and cannot_improve(search, -FAR, -NEARLY):
            break
        search = next_trial(search)
        search = updated(search, -normalised_divergence_on(g, level, search.trial, few))
    return -search.fx


@routine
def attainable_x0(g: Region, level: float) -> tuple[float, float]:
    """Return the first and the last x0 at which some theta has this mean, the first above the last if there is none.

    The largest mean over theta is monotone in x0. Near its end the curve of the level may be extremely short in x0, so
    the end is computed to rounding error.
    """
    lo, hi = g.arm.dynamics.lo, g.arm.dynamics.hi
    at_lo, at_hi = largest_mean(g, lo) - level, largest_mean(g, hi) - level
    if at_lo >= 0.0 and at_hi >= 0.0:
        return lo, hi
    if at_lo < 0.0 and at_hi < 0.0:
        return hi, lo - 1.0
    search = Bracket(hi, at_hi, lo, at_lo, 0) if at_lo >= 0.0 else Bracket(lo, at_lo, hi, at_hi, 0)
    for step in range(60):
        if abs(search.b - search.a) <= 2e-16 * max(abs(lo), abs(hi)):
            break
        x0 = next_point(search, step % 4 == 3)
        value = largest_mean(g, x0) - level
        if value == 0.0:
            return (lo, x0) if at_lo >= 0.0 else (x0, hi)
        search = narrowed(search, x0, value)
    return (lo, search.b) if at_lo >= 0.0 else (search.b, hi)


@inlined
def largest_mean(g: Region, x0: float) -> float:
    """Return the largest mean at this x0 over all theta."""
    x = state_on_line(g.line, x0)
    return mean(g.arm.rewards, best_end(g, x), x)
