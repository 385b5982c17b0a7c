"""The ends of a likelihood-ratio region: the largest mean, theta or x0 inside it, over all pieces of x0.

Where the goal does not depend on x0, as the mean of an arm whose state has settled, `farthest_theta` finds it in a
tenth of the time.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rogue_bandits.belief.evidence import count, early_loglik, settled_loglik_of
from rogue_bandits.belief.likelihood_region import (
    CLOSE,
    TINY,
    LikelihoodRegion,
    MeanTowards,
    ThetaTowards,
    edge_between,
    edge_towards_end,
    end_for,
    inside_at,
    inside_between_samples,
    is_same_for_all_x0,
    largest_at,
    largest_between,
    margin,
    value_of,
)
from rogue_bandits.belief.region import line_mean_at_fit, line_rewards_of, mean_at_fit, rewards_of
from rogue_bandits.belief.upper_bound import SAMPLES, bound_and_gap, concave_limit, upper_bound_of
from rogue_bandits.belief.x0_pieces import next_cut, x0_cuts
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.numerics.brent import MOST_TRIALS, has_converged, initialise, next_trial, updated

FEW = 8.0  # rewards: the region may consist of several parts
ALTERNATIONS = 50
BISECTIONS = 40  # of a quarter of a piece of x0
NEXT_TO = 1e-4  # of the distance to the end of theta


@routine
def largest_inside(goal: Any, g: LikelihoodRegion) -> float:
    """Return the largest value of the goal inside the region."""
    x0 = g.local_fit.x0
    if count(g.seen) >= FEW and is_same_for_all_x0(goal, g):
        return value_of(goal, g, farthest_theta(g, end_for(goal, g, x0)), x0)
    return largest_over_pieces(goal, g)


@routine
def largest_over_pieces(goal: Any, g: LikelihoodRegion) -> float:
    """Return the largest value of the goal inside the region, piece by piece of x0."""
    best, cuts, lo = largest_at(goal, g, g.local_fit.x0)[0], x0_cuts(g), g.arm.dynamics.lo
    while lo < g.arm.dynamics.hi:
        hi = next_cut(g, cuts, lo)
        best = max(best, largest_between(goal, g, lo, hi))
        lo = hi
    return best


# ---- where the goal depends on theta alone ---------------------------------------------------------------------------
@routine
def farthest_theta(g: LikelihoodRegion, end: float) -> float:
    """Return the theta inside the region that is nearest to an end, at any x0."""
    (theta, at), cuts, lo = edge_towards_end(g, g.local_fit.x0, end), x0_cuts(g), g.arm.dynamics.lo
    if at < 0.0:  # the fit is outside: it is not that of the largest likelihood
        sign = 1.0 if end == g.arm.theta_hi else -1.0
        return sign * largest_over_pieces(ThetaTowards(g.arm, sign), g)
    while lo < g.arm.dynamics.hi and theta != end:
        hi = next_cut(g, cuts, lo)
        theta = farther_between(g, lo, hi, end, theta)
        lo = hi
    return theta


@routine
def farther_between(g: LikelihoodRegion, lo: float, hi: float, end: float, theta: float) -> float:
    """Return the theta inside that is nearest to an end with x0 on a piece without kinks, or the given one if that is.

    In turn the likeliest x0 at the best theta so far, and the edge of the region there, until no x0 has that theta
    inside. At each x0 the region is an interval of theta. It ends before that theta then, unless it begins beyond it:
    the log-likelihood rises towards the end there, and the piece is searched in full.
    """
    for _ in range(ALTERNATIONS):
        if rises_beyond(g, lo, hi, end, theta):
            sign = 1.0 if end == g.arm.theta_hi else -1.0
            found = sign * largest_between(ThetaTowards(g.arm, sign), g, lo, hi)
            return found if sign * found > sign * theta else theta
        x0, at = likeliest_x0(g, lo, hi, theta)
        at_end = margin(g, end, x0)
        if at <= CLOSE or at_end >= 0.0:
            return theta if at <= CLOSE else end
        before, theta = theta, edge_between(g, x0, theta, at, end, at_end)
        if abs(theta - before) <= TINY * (g.arm.theta_hi - g.arm.theta_lo):
            break
    return theta


@inlined
def rises_beyond(g: LikelihoodRegion, lo: float, hi: float, end: float, theta: float) -> bool:
    """Return whether at a sample of x0 theta is outside and the log-likelihood rises from there towards an end."""
    f, s, further = g.arm.rewards, g.seen, theta + NEXT_TO * (end - theta)
    here, there = settled_loglik_of(f, s, theta) - g.least, settled_loglik_of(f, s, further) - g.least
    for j in range(SAMPLES):
        x0 = lo + (hi - lo) * j / (SAMPLES - 1)
        at = here + early_loglik(f, s, theta, x0)
        if at < 0.0 and there + early_loglik(f, s, further, x0) > at:
            return True
    return False


@inlined
def likeliest_x0(g: LikelihoodRegion, lo: float, hi: float, theta: float) -> tuple[float, float]:
    """Return the likeliest x0 on a piece without kinks at one theta, and its margin; any x0 where that is negative.

    The log-likelihood is concave there, so that lines through samples bound what lies between them.
    """
    f, s, samples, best = g.arm.rewards, g.seen, np.empty(SAMPLES), 0
    settled, width = settled_loglik_of(f, s, theta) - g.least, (hi - lo) / (SAMPLES - 1)
    for j in range(SAMPLES):
        samples[j] = settled + early_loglik(f, s, theta, lo + width * j)
        best = j if samples[j] > samples[best] else best
    at, top = lo + width * best, samples[best]
    if samples.min() == top or concave_limit(samples, best) <= CLOSE:
        return at, top
    search = initialise(max(lo, at - width), min(hi, at + width), at, top, 1e-9 * (hi - lo))
    for _ in range(MOST_TRIALS):
        if has_converged(search):
            break
        search = next_trial(search)
        search = updated(search, settled + early_loglik(f, s, theta, search.trial))
    return search.x, search.fx


# ---- the ends of x0 --------------------------------------------------------------------------------------------------
@routine
def farthest_x0(g: LikelihoodRegion, sign: float) -> float:
    """Return the largest x0 inside the region with some theta if `sign` is 1, the smallest if it is −1."""
    farthest, cuts, lo = g.local_fit.x0, x0_cuts(g), g.arm.dynamics.lo
    while lo < g.arm.dynamics.hi:
        hi = next_cut(g, cuts, lo)
        near, far = (lo, hi) if sign > 0.0 else (hi, lo)
        near = sign * max(sign * near, sign * farthest)  # what is known to be inside is itself a sample, unrounded
        if sign * far > sign * near:
            found = last_between(g, near, far)
            farthest = farthest if math.isnan(found) else sign * max(sign * farthest, sign * found)
        lo = hi
    return farthest


@routine
def last_between(g: LikelihoodRegion, near: float, far: float) -> float:
    """Return the x0 of a piece without kinks that is inside the region and nearest to `far`; nan if there is none."""
    margins, outside, step = np.empty(SAMPLES), far, (near - far) / (SAMPLES - 1)
    for j in range(SAMPLES):
        x0 = near if j == SAMPLES - 1 else far + step * j
        margins[j] = inside_at(g, x0)[1]
        if margins[j] >= 0.0:
            return last_inside(g, x0, outside)
        outside = x0
    lo, hi = min(near, far), max(near, far)
    x0 = inside_between_samples(g, lo, hi, margins if far < near else margins[::-1].copy())
    return x0 if math.isnan(x0) else last_inside(g, x0, min(hi, max(lo, x0 - step)))


@inlined
def last_inside(g: LikelihoodRegion, inside: float, outside: float) -> float:
    """Return the x0 between two at which the region ends, by bisection."""
    for _ in range(BISECTIONS):
        middle = 0.5 * (inside + outside)
        if inside_at(g, middle)[1] >= 0.0:
            inside = middle
        else:
            outside = middle
    return inside


@upper_bound_of.register(LikelihoodRegion)
def likelihood_upper_bound_of(g: LikelihoodRegion) -> float:
    """Return the largest mean inside the region, by search over x0."""
    return largest_inside(MeanTowards(g.arm, 1.0), g)


@bound_and_gap.register(LikelihoodRegion)
def likelihood_bound_and_gap(g: LikelihoodRegion) -> tuple[float, float]:
    """Return the largest mean and infinity as its gap: the search proves nothing, see the tests."""
    return upper_bound_of(g), math.inf


rewards_of.register(LikelihoodRegion)(line_rewards_of)
mean_at_fit.register(LikelihoodRegion)(line_mean_at_fit)
