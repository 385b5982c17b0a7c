"""The confidence region with x0 profiled out, where the mean of the next reward depends on theta alone.

Once the present state has forgotten x0, the upper bound is at the last theta at which some x0 is inside. Where no clip
was ever active, the normalised divergence is smooth in x0: its least value at a theta is found by parabolas around the
x0 that a quadratic divergence would have there. Values on both sides show whether there is another minimum.
See docs/decisions/0005-elimination.md.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.belief.evidence import count
from rogue_bandits.belief.level_curve import FEW, theta_with_mean
from rogue_bandits.belief.radius import caps
from rogue_bandits.belief.region import Region, best_end, normalised_divergence
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.clipped_affine import clip, is_settled
from rogue_bandits.numerics.brent import MOST_TRIALS, has_converged, initialise, next_trial, updated
from rogue_bandits.types import mean

# Of b²: a cap above this is far beyond the edge of the region. Where the divergence D is half of its spread, the region
# ends where D = b·√(2D), at D = 2b², and the cap where b·√(2D) = cap, at D = cap²/2b² = 32b².
LARGE_CAP = 8.0
FIRST_STEP, NEXT_STEP = 0.3, 0.03  # between the points of a parabola, in standard errors of x0 given theta
PARABOLAS = 8  # at most
PARABOLA_ERROR = 0.1  # of the rise between its points: how far a parabola may be from the function
FINE = 1e-8  # of a bracket
SECANTS = 20
COARSE = 1e-6  # a tolerance for which one parabola suffices near the last minimum
WIDER, SPACING = 2.0, 0.1  # values to one side are farther and farther apart, up to a part of the range of x0
AT_EDGE = 1.0 + 1e-6  # a normalised divergence that is not clearly outside


class Least(NamedTuple):
    """The least normalised divergence at a theta, and the x0 that has it."""

    x0: float
    value: float


@inlined
def has_profile(g: Region) -> bool:
    """Return whether the mean depends on theta alone while the normalised divergence is smooth in x0."""
    c, s = g.local_fit, g.seen
    depends: bool = s.kinks.size == 2 and s.early.shape[0] + s.pools.shape[0] > 0
    if not depends or count(s) < FEW or c.per_x0 <= 0.0 or c.per_theta <= 0.0:
        return False
    cap, b = caps(g.rule, count(s), g.log_t)
    is_far_from_cap: bool = b == math.inf or cap > LARGE_CAP * b * b
    return is_far_from_cap and is_settled(g.arm.dynamics, g.line)


@inlined
def information_about_x0(g: Region) -> float:
    """Return the information about x0 at the fit if theta is known."""
    c = g.local_fit
    about: float = 1.0 / c.per_x0 + c.tilt * c.tilt / c.per_theta
    return about


@inlined
def error_of_x0(g: Region) -> float:
    """Return the standard error of x0 if theta is known, at most a tenth of the range of x0."""
    d = g.arm.dynamics
    error: float = min(1.0 / math.sqrt(information_about_x0(g)), 0.1 * (d.hi - d.lo))
    return error


@inlined
def x0_if_quadratic(g: Region, theta: float) -> float:
    """Return the x0 that has the least divergence at theta if the divergence is quadratic around the fit."""
    c, d = g.local_fit, g.arm.dynamics
    return clip(c.x0 - c.tilt / (c.per_theta * information_about_x0(g)) * (theta - c.theta), d.lo, d.hi)


@routine
def least_near(g: Region, theta: float, x0: float, step: float, parabolas: int) -> Least:
    """Return the least normalised divergence at theta, by parabolas through three points, from x0 on.

    The points of the next parabola are nearer to each other, unless the last one is least at one of its ends. Where the
    function is not nearly a parabola, Brent's method finds the minimum.
    """
    d, best, is_parabola, last_step = g.arm.dynamics, value_at(g, theta, x0), True, step
    for _ in range(PARABOLAS):
        if parabolas == 0:
            break
        left, right = value_at(g, theta, max(d.lo, best.x0 - step)), value_at(g, theta, min(d.hi, best.x0 + step))
        middle = best if left.x0 < best.x0 < right.x0 else value_at(g, theta, 0.5 * (left.x0 + right.x0))
        x0, expected = vertex_of(left, middle, right)
        vertex = value_at(g, theta, x0)
        is_parabola = (
            abs(vertex.value - expected) <= PARABOLA_ERROR * (max(left.value, right.value) - vertex.value) + 1e-12
        )
        best = lower(lower(vertex, middle), lower(left, right))
        if d.lo < left.x0 == best.x0 or d.hi > right.x0 == best.x0:
            continue
        last_step, step = step, NEXT_STEP * step
        parabolas -= 1
    if parabolas == 0 and is_parabola:
        return best
    return least_between(g, theta, max(d.lo, best.x0 - 2.0 * last_step), best, min(d.hi, best.x0 + 2.0 * last_step))


@routine
def least_between(g: Region, theta: float, lo: float, start: Least, hi: float) -> Least:
    """Return the least normalised divergence at theta with x0 in [lo, hi], by Brent's method from a start inside."""
    search = initialise(lo, hi, start.x0, -start.value, FINE * (hi - lo))
    for _ in range(MOST_TRIALS):
        if has_converged(search):
            break
        search = next_trial(search)
        search = updated(search, -normalised_divergence(g, theta, search.trial))
    return Least(search.x, -search.fx)


@inlined
def value_at(g: Region, theta: float, x0: float) -> Least:
    """Return the normalised divergence at (theta, x0), with x0."""
    return Least(x0, normalised_divergence(g, theta, x0))


@inlined
def lower(one: Least, other: Least) -> Least:
    """Return that of the smaller value."""
    return other if other.value < one.value else one


@inlined
def vertex_of(left: Least, middle: Least, right: Least) -> tuple[float, float]:
    """Return where the parabola through three points is least between the outer two, and its value there."""
    a = (middle.value - left.value) / (middle.x0 - left.x0)
    b = (right.value - middle.value) / (right.x0 - middle.x0)
    half = (b - a) / (right.x0 - left.x0)
    x0 = left.x0 if left.value < right.value else right.x0
    if half > 0.0:
        x0 = clip(0.5 * (left.x0 + middle.x0) - 0.5 * a / half, left.x0, right.x0)
    return x0, left.value + (x0 - left.x0) * (a + half * (x0 - middle.x0))


@routine
def least_over_x0(g: Region, theta: float, least: Least) -> Least:
    """Return the least normalised divergence at theta over all x0, from a local minimum on.

    A value on either side that is below both of its neighbours shows another one: where the fit is far from the truth
    there may be two.
    """
    d, best, widest = g.arm.dynamics, least, SPACING * (g.arm.dynamics.hi - g.arm.dynamics.lo)
    for end in (d.lo, d.hi):
        before, last, step = least, least, error_of_x0(g)
        while last.x0 != end:
            at = value_at(g, theta, clip(last.x0 + math.copysign(step, end - last.x0), d.lo, d.hi))
            if last.value < before.value and (at.value >= last.value or at.x0 == end):
                start = lower(last, at)
                between = least_between(g, theta, min(before.x0, at.x0), start, max(before.x0, at.x0))
                best = lower(best, between)
            elif at.x0 == end and at.value < last.value:
                best = lower(best, least_between(g, theta, min(last.x0, end), at, max(last.x0, end)))
            before, last, step = last, at, min(WIDER * step, widest)
    return best


@routine
def profiled_edge(g: Region, start: float, close: float) -> float:
    """Return the last theta at which some x0 is inside, from one at which the fitted x0 is; nan where it is not found.

    The least normalised divergence there is from 1 − close to 1. It grows nearly as the distance from the fit, so that
    secants find it.
    """
    c, d, end, step = g.local_fit, g.arm.dynamics, best_end(g, g.line.lo), error_of_x0(g)
    if start == c.theta or start == end:
        return start
    theta, least = start, least_near(g, start, x0_if_quadratic(g, start), FIRST_STEP * step, 2)
    slope, per_theta = least.value / (theta - c.theta), (least.x0 - c.x0) / (theta - c.theta)
    for _ in range(SECANTS):
        missing = 1.0 - 0.5 * close - least.value
        if abs(missing) <= 0.5 * close or (theta == end and missing > 0.0):
            lowest = least_over_x0(g, theta, least)
            if theta == end or lowest.value >= 1.0 - close:
                return theta
            least, slope, per_theta = lowest, lowest.value / (theta - c.theta), 0.0
            missing = 1.0 - 0.5 * close - least.value
        to = theta + missing / slope
        if not (slope * (end - c.theta) > 0.0 and (to - c.theta) * (end - c.theta) > 0.0) or to == theta:
            return math.nan
        to = end if (to - end) * (end - c.theta) > 0.0 else to
        x0 = clip(least.x0 + per_theta * (to - theta), d.lo, d.hi)
        there = least_near(g, to, x0, NEXT_STEP * step, 1 if close > COARSE else 2)
        slope, per_theta = (there.value - least.value) / (to - theta), (there.x0 - least.x0) / (to - theta)
        theta, least = to, there
    return math.nan


@routine
def profile_exceeds(g: Region, level: float) -> bool:
    """Return whether some x0 is inside at the theta whose mean is the level, or nearly."""
    f, x = g.arm.rewards, g.line.lo
    above = best_end(g, x)
    if mean(f, above, x) < level:
        return False
    theta = theta_with_mean(g, level, x, g.local_fit.theta, above)
    least = least_near(g, theta, x0_if_quadratic(g, theta), FIRST_STEP * error_of_x0(g), 2)
    return least.value <= AT_EDGE or least_over_x0(g, theta, least).value <= AT_EDGE
