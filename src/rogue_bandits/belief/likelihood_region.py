"""The confidence region by likelihood ratios: points that are not much less likely than the mixture.

Its edge in theta at one x0 is a root of a concave function. Over x0 the farthest edge is searched for piece by piece.
What is maximised is a `goal`: the mean of the next reward, or theta. Where the goal does not depend on x0, as the mean
of an arm whose state has settled, `farthest_theta` finds it in a tenth of the time.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.evidence import ArmEvidence, count, early_loglik, loglik_of, settled_loglik_of
from rogue_bandits.belief.local_fit import LocalFit
from rogue_bandits.belief.mixture import log_mixture
from rogue_bandits.belief.radius import LikelihoodRule
from rogue_bandits.belief.region import best_end, mean_at_fit, region_under, rewards_of
from rogue_bandits.belief.upper_bound import SAMPLES, bound_and_gap, concave_limit, next_cut, upper_bound_of, x0_cuts
from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.model.dynamics.clipped_affine import state_on_line
from rogue_bandits.numerics.brent import MOST_TRIALS, has_converged, initialise, next_trial, updated
from rogue_bandits.numerics.illinois import Bracket, narrowed, next_point
from rogue_bandits.types import Line, mean

CLOSE = 1e-10  # of a log-likelihood: tolerance of the edge
TINY = 1e-12  # of the range of theta
FEW = 8.0  # rewards: the region may consist of several parts
ALTERNATIONS = 50
BISECTIONS = 40  # of a quarter of a piece of x0
NEXT_TO = 1e-4  # of the distance to the end of theta


class LikelihoodRegion(NamedTuple):
    """The points whose log-likelihood is `least` or more."""

    arm: Any
    seen: ArmEvidence
    local_fit: LocalFit
    line: Line  # the state at the decision being made
    least: float


class MeanTowards(NamedTuple):
    """Maximise the mean of the next reward if `sign` is 1, minus the mean if it is −1."""

    arm: Any
    sign: float


class ThetaTowards(NamedTuple):
    """Maximise theta if `sign` is 1, −theta if it is −1."""

    arm: Any
    sign: float


@law
def end_for(goal: Any, g: LikelihoodRegion, x0: float) -> float:
    """Return the bound of theta at which the goal is largest at this x0; the goal is monotone in theta."""


@law
def value_of(goal: Any, g: LikelihoodRegion, theta: float, x0: float) -> float:
    """Return the goal at a point."""


@law
def is_same_for_all_x0(goal: Any, g: LikelihoodRegion) -> bool:
    """Return whether the goal depends on theta alone."""


@end_for.register(MeanTowards)
def end_for_mean(goal: MeanTowards, g: LikelihoodRegion, x0: float) -> float:
    """That of the larger mean, or the other one."""
    end: float = best_end(g, state_on_line(g.line, x0))
    return end if goal.sign > 0.0 else g.arm.theta_lo + g.arm.theta_hi - end


@value_of.register(MeanTowards)
def signed_mean(goal: MeanTowards, g: LikelihoodRegion, theta: float, x0: float) -> float:
    """At the state now."""
    return goal.sign * mean(g.arm.rewards, theta, state_on_line(g.line, x0))


@is_same_for_all_x0.register(MeanTowards)
def is_settled_now(goal: MeanTowards, g: LikelihoodRegion) -> bool:
    """Where all x0 have led to the same state."""
    return state_on_line(g.line, g.arm.dynamics.lo) == state_on_line(g.line, g.arm.dynamics.hi)


@end_for.register(ThetaTowards)
def end_for_theta(goal: ThetaTowards, g: LikelihoodRegion, x0: float) -> float:
    """By the sign."""
    end: float = g.arm.theta_hi if goal.sign > 0.0 else g.arm.theta_lo
    return end


@value_of.register(ThetaTowards)
def signed_theta(goal: ThetaTowards, g: LikelihoodRegion, theta: float, x0: float) -> float:
    """Theta, or its negative."""
    return goal.sign * theta


@is_same_for_all_x0.register(ThetaTowards)
def always(goal: ThetaTowards, g: LikelihoodRegion) -> bool:
    """Theta is theta."""
    return True


@region_under.register(LikelihoodRule)
def likelihood_region(
    rule: LikelihoodRule, arm: Any, seen: ArmEvidence, local_fit: LocalFit, line: Line, log_t: float
) -> LikelihoodRegion:
    """Ville's inequality: the truth is less likely than alpha times the mixture with probability at most alpha."""
    least = log_mixture(arm, seen, local_fit) - rule.log_inverse_alpha if count(seen) > 0.0 else -math.inf
    return LikelihoodRegion(arm, seen, local_fit, line, least)


@inlined
def margin(g: LikelihoodRegion, theta: float, x0: float) -> float:
    """Return the log-likelihood above `least`: a point is inside the region if it is not negative."""
    return loglik_of(g.arm.rewards, g.seen, theta, x0) - g.least


@routine
def edge_towards_end(g: LikelihoodRegion, x0: float, end: float) -> float:
    """Return the theta inside the region that is nearest to an end of theta; nan if none is inside at this x0."""
    at_end = margin(g, end, x0)
    if at_end >= 0.0:
        return end
    theta, at = inside_at(g, x0)
    return edge_between(g, x0, theta, at, end, at_end) if at >= 0.0 else math.nan


@routine
def edge_between(g: LikelihoodRegion, x0: float, inside: float, at: float, outside: float, at_outside: float) -> float:
    """Return the theta between two at which the margin is 0, or up to CLOSE above."""
    search, tiny = Bracket(inside, -at, outside, -at_outside, 0), TINY * (g.arm.theta_hi - g.arm.theta_lo)
    for step in range(100):
        if abs(search.b - search.a) <= tiny:
            break
        trial = next_point(search, step % 8 == 7)
        above = margin(g, trial, x0)
        if 0.0 <= above <= CLOSE:
            return trial
        search = narrowed(search, trial, -above)
    return search.a


@inlined
def inside_at(g: LikelihoodRegion, x0: float) -> tuple[float, float]:
    """Return a theta inside the region and its margin; if none is, the likeliest theta and its negative margin."""
    lo, hi = g.arm.theta_lo, g.arm.theta_hi
    theta = g.local_fit.theta
    search = initialise(lo, hi, theta, margin(g, theta, x0), 1e-9 * (hi - lo))
    for _ in range(MOST_TRIALS):
        if search.fx >= 0.0 or has_converged(search):
            break
        search = next_trial(search)
        search = updated(search, margin(g, search.trial, x0))
    return search.x, search.fx


@inlined
def largest_at(goal: Any, g: LikelihoodRegion, x0: float) -> float:
    """Return the largest value of the goal inside the region at one x0; −inf if nothing is inside."""
    theta = edge_towards_end(g, x0, end_for(goal, g, x0))
    return -math.inf if math.isnan(theta) else value_of(goal, g, theta, x0)


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
    best, cuts, lo = largest_at(goal, g, g.local_fit.x0), x0_cuts(g), g.arm.dynamics.lo
    while lo < g.arm.dynamics.hi:
        hi = next_cut(g, cuts, lo)
        best = max(best, largest_between(goal, g, lo, hi))
        lo = hi
    return best


@routine
def largest_between(goal: Any, g: LikelihoodRegion, lo: float, hi: float) -> float:
    """Return the largest value with x0 on a piece without kinks: samples, then Brent's method around the best.

    On such a piece the region of an exponential family is convex, so that there is one maximum.
    """
    samples, best, width = np.empty(SAMPLES), 0, (hi - lo) / (SAMPLES - 1)
    for j in range(SAMPLES):
        samples[j] = largest_at(goal, g, lo + width * j)
        best = j if samples[j] > samples[best] else best
    top: float = samples[best]
    if top == -math.inf or samples.min() == top:
        return top
    at, nowhere = lo + width * best, top - 1.0 - abs(top)  # stands for −inf where values are subtracted
    search = initialise(max(lo, at - width), min(hi, at + width), at, top, 1e-8 * (hi - lo))
    for _ in range(MOST_TRIALS):
        if has_converged(search):
            break
        search = next_trial(search)
        search = updated(search, max(nowhere, largest_at(goal, g, search.trial)))
    return search.fx


# ---- where the goal depends on theta alone ---------------------------------------------------------------------------
@routine
def farthest_theta(g: LikelihoodRegion, end: float) -> float:
    """Return the theta inside the region that is nearest to an end, at any x0."""
    theta, cuts, lo = edge_towards_end(g, g.local_fit.x0, end), x0_cuts(g), g.arm.dynamics.lo
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


@routine
def farthest_x0(g: LikelihoodRegion, sign: float) -> float:
    """Return the largest x0 inside the region with some theta if `sign` is 1, the smallest if it is −1."""
    farthest, cuts, lo = g.local_fit.x0, x0_cuts(g), g.arm.dynamics.lo
    while lo < g.arm.dynamics.hi:
        hi = next_cut(g, cuts, lo)
        near, far = (lo, hi) if sign > 0.0 else (hi, lo)
        near = sign * max(sign * near, sign * farthest)  # what is known to be inside is itself a sample, unrounded
        outside = far
        for j in range(SAMPLES if sign * far > sign * near else 0):  # from the far end of the piece
            x0 = near if j == SAMPLES - 1 else far + (near - far) * j / (SAMPLES - 1)
            if inside_at(g, x0)[1] >= 0.0:
                farthest = last_inside(g, x0, outside)
                break
            outside = x0
        lo = hi
    return farthest


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
    """By search over x0."""
    return largest_inside(MeanTowards(g.arm, 1.0), g)


@bound_and_gap.register(LikelihoodRegion)
def likelihood_bound_and_gap(g: LikelihoodRegion) -> tuple[float, float]:
    """Without a proof that the search found the maximum; see the tests."""
    return upper_bound_of(g), math.inf


@rewards_of.register(LikelihoodRegion)
def likelihood_rewards_of(g: LikelihoodRegion) -> float:
    """Early and settled ones."""
    return count(g.seen)


@mean_at_fit.register(LikelihoodRegion)
def likelihood_mean_at_fit(g: LikelihoodRegion) -> float:
    """At the state that the fitted x0 has led to."""
    return mean(g.arm.rewards, g.local_fit.theta, state_on_line(g.line, g.local_fit.x0))
