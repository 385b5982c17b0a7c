"""The confidence region by likelihood ratios: points that are not much less likely than the mixture.

Its edge in theta at one x0 is a root of a concave function. What is maximised is a `goal`: the mean of the next reward,
or theta. `likelihood_bounds.py` puts together what is found on each piece of x0 without kinks.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.evidence import ArmEvidence, count, loglik_of
from rogue_bandits.belief.local_fit import LocalFit
from rogue_bandits.belief.mixture import log_mixture
from rogue_bandits.belief.radius import LikelihoodRule
from rogue_bandits.belief.region import best_end, region_under
from rogue_bandits.belief.upper_bound import SAMPLES, concave_limit
from rogue_bandits.belief.x0_pieces import is_cut_coarsely
from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.model.dynamics.clipped_affine import state_on_line
from rogue_bandits.model.rewards.exponential import Exponential
from rogue_bandits.numerics.brent import MOST_TRIALS, has_converged, initialise, next_trial, updated
from rogue_bandits.numerics.illinois import Bracket, narrowed, next_point
from rogue_bandits.types import Floats, Line, mean

CLOSE = 1e-10  # of a log-likelihood: tolerance of the edge
TINY = 1e-12  # of the range of theta


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
    """Return the bound of theta with the larger mean if `sign` is 1, else the other bound."""
    end: float = best_end(g, state_on_line(g.line, x0))
    return end if goal.sign > 0.0 else g.arm.theta_lo + g.arm.theta_hi - end


@value_of.register(MeanTowards)
def signed_mean(goal: MeanTowards, g: LikelihoodRegion, theta: float, x0: float) -> float:
    """Return the mean at the state now, or its negative."""
    return goal.sign * mean(g.arm.rewards, theta, state_on_line(g.line, x0))


@is_same_for_all_x0.register(MeanTowards)
def is_settled_now(goal: MeanTowards, g: LikelihoodRegion) -> bool:
    """Return whether all x0 have led to the same state."""
    return state_on_line(g.line, g.arm.dynamics.lo) == state_on_line(g.line, g.arm.dynamics.hi)


@end_for.register(ThetaTowards)
def end_for_theta(goal: ThetaTowards, g: LikelihoodRegion, x0: float) -> float:
    """Return theta_hi if `sign` is 1, else theta_lo."""
    end: float = g.arm.theta_hi if goal.sign > 0.0 else g.arm.theta_lo
    return end


@value_of.register(ThetaTowards)
def signed_theta(goal: ThetaTowards, g: LikelihoodRegion, theta: float, x0: float) -> float:
    """Return theta, or its negative."""
    return goal.sign * theta


is_same_for_all_x0.register(ThetaTowards)(lambda goal, g: True)


@region_under.register(LikelihoodRule)
def likelihood_region(
    rule: LikelihoodRule, arm: Any, seen: ArmEvidence, local_fit: LocalFit, line: Line, log_t: float
) -> LikelihoodRegion:
    """Return the points at least alpha times as likely as the mixture: by Ville's inequality a 1 − alpha region."""
    least = log_mixture(arm, seen, local_fit) - rule.log_inverse_alpha if count(seen) > 0.0 else -math.inf
    return LikelihoodRegion(arm, seen, local_fit, line, least)


@inlined
def margin(g: LikelihoodRegion, theta: float, x0: float) -> float:
    """Return the log-likelihood above `least`: a point is inside the region if it is not negative."""
    return loglik_of(g.arm.rewards, g.seen, theta, x0) - g.least


@routine
def edge_towards_end(g: LikelihoodRegion, x0: float, end: float) -> tuple[float, float]:
    """Return the theta inside the region that is nearest to an end of theta, and 0 or more.

    If no theta is inside at this x0: the likeliest theta and its negative margin.
    """
    at_end = margin(g, end, x0)
    if at_end >= 0.0:
        return end, at_end
    theta, at = inside_at(g, x0)
    return (edge_between(g, x0, theta, at, end, at_end), 0.0) if at >= 0.0 else (theta, at)


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
def largest_at(goal: Any, g: LikelihoodRegion, x0: float) -> tuple[float, float]:
    """Return the largest value of the goal inside at one x0, and its margin; −inf and a margin below 0 if none is."""
    theta, at = edge_towards_end(g, x0, end_for(goal, g, x0))
    return value_of(goal, g, theta, x0) if at >= 0.0 else -math.inf, at


@routine
def largest_between(goal: Any, g: LikelihoodRegion, lo: float, hi: float) -> float:
    """Return the largest value with x0 on a piece without kinks: samples, then Brent's method around the best.

    On such a piece the region of an exponential family is convex, so that there is one maximum. Of an
    agent the best margin at an x0 is a decreasing function of its sum of deviations, which is convex.
    """
    samples, margins, best, width = np.empty(SAMPLES), np.empty(SAMPLES), 0, (hi - lo) / (SAMPLES - 1)
    for j in range(SAMPLES):
        samples[j], margins[j] = largest_at(goal, g, lo + width * j)
        best = j if samples[j] > samples[best] else best
    at, top = lo + width * best, float(samples[best])
    if top == -math.inf:
        at = inside_between_samples(g, lo, hi, margins)
        if math.isnan(at):
            return top
        top = largest_at(goal, g, at)[0]
    elif samples.min() == top:
        return top
    nowhere = top - 1.0 - abs(top)  # stands for −inf where values are subtracted
    search = initialise(max(lo, at - width), min(hi, at + width), at, top, 1e-8 * (hi - lo))
    for _ in range(MOST_TRIALS):
        if has_converged(search):
            break
        search = next_trial(search)
        search = updated(search, max(nowhere, largest_at(goal, g, search.trial)[0]))
    return search.fx


@law
def highest_peak(f: Any, margins: Floats, best: int) -> float:
    """Return what the margin of the likeliest theta can be, at most, beside the best sample."""


# That of an exponential family is concave in x0, as the log-likelihood is in both numbers; that of others need not be.
highest_peak.register(Exponential)(lambda f, margins, best: concave_limit(margins, best))
highest_peak.register(object)(lambda f, margins, best: math.inf)


@routine
def inside_between_samples(g: LikelihoodRegion, lo: float, hi: float, margins: Floats) -> float:
    """Return an x0 with some theta inside on a piece without kinks whose samples are all outside; nan if there is none.

    The margin of the likeliest theta has one peak there. The region may be narrower than the distance between samples
    where the piece is wide and rewards are many.
    """
    best, width = int(np.argmax(margins)), (hi - lo) / (SAMPLES - 1)
    at = lo + width * best
    if highest_peak(g.arm.rewards, margins, best) < 0.0 and not is_cut_coarsely(g):
        return math.nan
    search = initialise(max(lo, at - width), min(hi, at + width), at, margins[best], 1e-9 * (hi - lo))
    for _ in range(MOST_TRIALS):
        if search.fx >= 0.0 or has_converged(search):
            break
        search = next_trial(search)
        search = updated(search, inside_at(g, search.trial)[1])
    return search.x if search.fx >= 0.0 else math.nan
