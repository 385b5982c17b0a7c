"""The confidence region by likelihood ratios: points that are not much less likely than the mixture.

Its edge in theta at one x0 is a root of a concave function. Over x0 the farthest edge is searched for piece by piece.
What is maximised is a `goal`: the mean of the next reward, or theta.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.evidence import ArmEvidence, count, loglik_of
from rogue_bandits.belief.local_fit import LocalFit
from rogue_bandits.belief.mixture import log_mixture
from rogue_bandits.belief.radius import LikelihoodRule
from rogue_bandits.belief.region import best_end, mean_at_fit, region_under, rewards_of
from rogue_bandits.belief.upper_bound import SAMPLES, bound_and_gap, next_cut, upper_bound_of, x0_cuts
from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.model.dynamics.clipped_affine import state_on_line
from rogue_bandits.numerics.brent import MOST_TRIALS, has_converged, initialise, next_trial, updated
from rogue_bandits.numerics.illinois import Bracket, narrowed, next_point
from rogue_bandits.types import Line, mean

CLOSE = 1e-10  # of a log-likelihood: tolerance of the edge


class LikelihoodRegion(NamedTuple):
    """The points whose log-likelihood is `least` or more."""

    arm: Any
    seen: ArmEvidence
    local_fit: LocalFit
    line: Line  # the state at the decision being made
    least: float


class NextMean(NamedTuple):
    """Maximise the mean of the next reward."""

    arm: Any


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


@end_for.register(NextMean)
def end_for_mean(goal: NextMean, g: LikelihoodRegion, x0: float) -> float:
    """That of the larger mean."""
    return best_end(g, state_on_line(g.line, x0))


@value_of.register(NextMean)
def mean_of_next(goal: NextMean, g: LikelihoodRegion, theta: float, x0: float) -> float:
    """At the state now."""
    return mean(g.arm.rewards, theta, state_on_line(g.line, x0))


@end_for.register(ThetaTowards)
def end_for_theta(goal: ThetaTowards, g: LikelihoodRegion, x0: float) -> float:
    """By the sign."""
    end: float = g.arm.theta_hi if goal.sign > 0.0 else g.arm.theta_lo
    return end


@value_of.register(ThetaTowards)
def signed_theta(goal: ThetaTowards, g: LikelihoodRegion, theta: float, x0: float) -> float:
    """Theta, or its negative."""
    return goal.sign * theta


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
    if at < 0.0:
        return math.nan
    search, tiny = Bracket(theta, -at, end, -at_end, 0), 1e-12 * (g.arm.theta_hi - g.arm.theta_lo)
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


@upper_bound_of.register(LikelihoodRegion)
def likelihood_upper_bound_of(g: LikelihoodRegion) -> float:
    """By search over x0."""
    return largest_inside(NextMean(g.arm), g)


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
