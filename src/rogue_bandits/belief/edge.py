"""The edge of a confidence region along theta, at one x0: where the normalised divergence is 1.  [Alg. 1, Alg. 3]

At one x0 the region consists of at most two intervals of theta, one on each side of the stationary theta
(docs/decisions/0005-elimination.md).
"""

from __future__ import annotations

import math

from rogue_bandits.belief.region import (
    FAR,
    Region,
    away_from_fit,
    best_end,
    normalised_divergence,
    normalised_divergence_of,
)
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.clipped_affine import clip, state_on_line
from rogue_bandits.numerics.brent import MOST_TRIALS, Brent, has_converged, initialise, next_trial, updated
from rogue_bandits.numerics.illinois import Bracket, narrowed, next_point
from rogue_bandits.types import mean

LENIENT = 2.0  # a peak over x0 is not quite concave: what lies between samples is bounded by lines this much steeper
EXACT = 1e-11  # tolerance of a normalised divergence


@routine
def edge_of_region(
    g: Region, x0: float, inside: float, at_inside: float, outside: float, at_outside: float, close: float
) -> float:
    """Return the theta between the two at which the normalised divergence is 1, or one inside where it is 1 − close."""
    search = Bracket(inside, at_inside - 1.0, outside, at_outside - 1.0, 0)
    tiny = 1e-11 * (g.arm.theta_hi - g.arm.theta_lo)
    for step in range(100):
        if abs(search.b - search.a) <= tiny or search.fa == 0.0:
            break
        theta = next_point(search, step % 8 == 7)
        at = normalised_divergence(g, theta, x0) - 1.0
        if -close <= at <= EXACT:
            return theta
        search = narrowed(search, theta, at)
    return search.a


@routine
def stationary_theta(g: Region, x0: float) -> float:
    """Return the theta at which the gradient of the divergence has no part along theta, by secants.

    Where early rewards contradict this x0, divergence remains there while the radius almost vanishes: the region may
    consist of two intervals, one on each side. It is taken to be the only such theta. For an exponential family it is;
    an agent at the edge of its states can have two.
    """
    c = g.local_fit
    a, b = g.arm.theta_lo, g.arm.theta_hi
    # They start from where it would be if the divergence were quadratic around the fit.
    theta, before, slope_before = clip(c.theta - c.tilt * (x0 - c.x0), a, b), math.nan, 0.0
    for _ in range(60):
        slope = away_from_fit(g, theta, x0).by_theta
        if slope > 0.0:
            a = theta
        else:
            b = theta
        # The first step is by the information at the fit, which is what the slope falls by, or nearly.
        falls = slope_before - slope
        step = slope * (c.per_theta if math.isnan(before) or falls == 0.0 else (theta - before) / falls)
        to = theta + step if a < theta + step < b else 0.5 * (a + b)
        if abs(to - theta) <= 1e-9 * (g.arm.theta_hi - g.arm.theta_lo):
            return to
        theta, before, slope_before = to, theta, slope
    return theta


@routine
def least_divergent(g: Region, x0: float, level: float, end: float) -> tuple[float, float]:
    """Return a theta inside the region from the stationary one to an end; else the one of least divergence; and that.

    If the divergence were quadratic, it would lie where divergence and spread are equal: Brent's method begins there.
    """
    here = away_from_fit(g, level, x0)
    at = normalised_divergence_of(g, here)
    if at <= 1.0:
        return level, at
    away = math.sqrt(max(0.0, 2.0 * (here.divergence - here.spread) * g.local_fit.per_theta))
    theta = min(level + away, end) if end > level else max(level - away, end)
    # The peak may lie next to the x0 at which the region ends, so that this decides its last digits.
    tiny = 1e-7 * abs(end - level)
    search = initialise(min(level, end), max(level, end), theta, -normalised_divergence(g, theta, x0), tiny)
    for _ in range(MOST_TRIALS):
        if search.fx >= -1.0 or has_converged(search) or cannot_improve(search, -FAR, -1.0):
            break
        search = next_trial(search)
        search = updated(search, -normalised_divergence(g, search.trial, x0))
    return search.x, -search.fx


@routine
def edge_towards(g: Region, x0: float, end: float, known: float, guess: float) -> float:
    """Return the theta inside with the largest mean from the stationary one to an end; nan if none there is inside.

    Over x0 the mean at each of the two is continuous as long as something is inside: the larger one jumps where one
    ends. Where it cannot exceed what is `known`, a theta is returned whose mean is larger and does not either. `guess`
    is the edge at an x0 close by, or the fitted theta.
    """
    f, x = g.arm.rewards, state_on_line(g.line, x0)
    if best_end(g, x) == end:
        theta = farthest_near(g, x0, end, guess) if guess != g.local_fit.theta else math.nan
        return farthest_inside(g, x0, end) if math.isnan(theta) else theta
    level = stationary_theta(g, x0)
    return level if mean(f, level, x) <= known else nearest_inside(g, x0, level, end)


@routine
def farthest_near(g: Region, x0: float, end: float, guess: float) -> float:
    """Return `farthest_inside` by two points around it: the guess, and one by proportion; nan if that fails.

    The normalised divergence grows almost in proportion to the distance from the fit.
    """
    fitted = g.local_fit.theta
    here = away_from_fit(g, guess, x0)
    at = normalised_divergence_of(g, here)
    if here.by_theta * (end - guess) > 0.0 or (guess - fitted) * (end - fitted) <= 0.0 or at == 0.0:
        return math.nan
    other = fitted + (guess - fitted) / at * (1.05 if at <= 1.0 else 0.95)
    other = clip(other, g.arm.theta_lo, g.arm.theta_hi)
    at_other = normalised_divergence(g, other, x0)
    if at <= 1.0 < at_other:
        return edge_of_region(g, x0, guess, at, other, at_other, EXACT)
    if at_other <= 1.0 < at:
        return edge_of_region(g, x0, other, at_other, guess, at, EXACT)
    return math.nan


@routine
def farthest_inside(g: Region, x0: float, end: float) -> float:
    """Return the last theta inside the region from the stationary one to an end; nan if none is."""
    at_end = normalised_divergence(g, end, x0)
    if at_end <= 1.0:
        return end
    theta = g.local_fit.theta
    here = away_from_fit(g, theta, x0)
    at = normalised_divergence_of(g, here)
    # The gradient points to the stationary theta: where it points away from the end, the fitted theta is on the way.
    if at > 1.0 or here.by_theta * (end - theta) > 0.0:
        theta, at = least_divergent(g, x0, stationary_theta(g, x0), end)
    return edge_of_region(g, x0, theta, at, end, at_end, EXACT) if at <= 1.0 else math.nan


@routine
def nearest_inside(g: Region, x0: float, level: float, end: float) -> float:
    """Return the first theta inside the region from the stationary one to an end; nan if none is."""
    theta, at = least_divergent(g, x0, level, end)
    if at > 1.0:
        return math.nan
    if theta == level:
        return level
    return edge_of_region(g, x0, theta, at, level, normalised_divergence(g, level, x0), EXACT)


@inlined
def cannot_improve(s: Brent, nowhere: float, known: float) -> bool:
    """Return whether lines as steep as the steepest through the three best points stay below what is known."""
    if s.x in (s.w, s.v) or s.w == s.v or min(s.fw, s.fv) <= nowhere:
        return False
    steep = max(abs((s.fx - s.fw) / (s.x - s.w)), abs((s.fx - s.fv) / (s.x - s.v)), abs((s.fw - s.fv) / (s.w - s.v)))
    return s.fx + LENIENT * steep * (s.b - s.a) <= known


@routine
def peak_at(g: Region, x0: float) -> float:
    """Return the largest mean at this x0; −inf where no theta is inside."""
    fitted = g.local_fit.theta
    to_lo = edge_towards(g, x0, g.arm.theta_lo, -math.inf, fitted)
    to_hi = edge_towards(g, x0, g.arm.theta_hi, -math.inf, fitted)
    return max(mean_or_none(g, to_lo, x0), mean_or_none(g, to_hi, x0))


@inlined
def mean_or_none(g: Region, theta: float, x0: float) -> float:
    """Return the mean of the next reward; −inf if theta is nan."""
    return -math.inf if math.isnan(theta) else mean(g.arm.rewards, theta, state_on_line(g.line, x0))
