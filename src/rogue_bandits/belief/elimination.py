"""Elimination of arms whose upper bound cannot be the largest (docs/decisions/0005-elimination.md)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rogue_bandits.belief.boxes import is_bounded_by_cap, level_is_excluded
from rogue_bandits.belief.edge import cannot_improve, least_divergent, stationary_theta
from rogue_bandits.belief.evidence import X_FIT, count
from rogue_bandits.belief.local_fit import divergence_from_fit
from rogue_bandits.belief.pool import COUNT, LARGEST, LEAST
from rogue_bandits.belief.radius import is_excluded
from rogue_bandits.belief.region import (
    FAR,
    Region,
    best_end,
    best_state,
    mean_at_fit,
    normalised_divergence,
    normalised_divergence_of,
    rewards_of,
    rounding,
    settled_divergence_from_fit,
)
from rogue_bandits.belief.upper_bound import larger_bound, next_cut, peak_at, x0_cuts
from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.model.dynamics.clipped_affine import state_on_line
from rogue_bandits.model.rewards.exponential import Exponential, natural
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent, inside, scale_kl
from rogue_bandits.numerics.brent import MOST_TRIALS, has_converged, initialise, next_trial, updated
from rogue_bandits.numerics.illinois import Bracket, narrowed, next_point
from rogue_bandits.types import kl, mean

NEARLY = 1.01  # a normalised divergence within tolerance of the region
A_FEW = 8.0  # rewards
SPARSE = 4.0  # rewards
SAMPLES = 9  # on each piece of the curve
FLAT = 1e-6  # of the range of means
NEXT_TO = 1e-4  # of the distance to the end of theta


@routine
def cannot_exceed(g: Any, level: float) -> bool:
    """Return whether the upper bound is proven to be below `level`, by one evaluation: see `is_excluded`."""
    f, n = g.arm.rewards, rewards_of(g)
    x = best_state(g)
    end = best_end(g, x)
    if mean(f, end, x) < level:
        return True
    if n == 0.0 or mean(f, g.local_fit.theta, x) >= level:
        return False
    low = short_of(f, x, level, g.local_fit.theta, end)
    c = g.local_fit
    divergence, slope, information = settled_divergence_from_fit(g, low)
    spread = slope * slope / information if information > 0.0 else 0.0
    # The margin is for rounding errors: bounds this close are computed in full.
    divergence = max(0.0, divergence * (1.0 - 1e-9) - rounding(g))
    early = least_early_divergence(g, low) * (1.0 - 1e-9)
    return is_excluded(g.rule, n, g.log_t, divergence, spread, early, c.curvature_ratio)


@law
def least_early_divergence(g: Any, theta: float) -> float:
    """Return a lower bound, over all x0, of the divergence of the early rewards from the fit at theta.

    It does not decrease as theta moves away from the fit.
    """


@least_early_divergence.register(tuple)
def no_early_divergence(g: Any, theta: float) -> float:
    """No bound is known."""
    return 0.0


@least_early_divergence.register(Region)
def line_least_early_divergence(g: Region, theta: float) -> float:
    """The sum over rewards, each at the state of its line that is closest to the fit."""
    f, s, c, total = g.arm.rewards, g.seen, g.local_fit, 0.0
    for i in range(s.early.shape[0]):
        total += least_kl(f, theta, s.early[i, 2], s.early[i, 3], c.theta, s.early[i, X_FIT])
    for j in range(s.pools.shape[0]):
        pool = s.pools[j]
        total += pool[COUNT] * least_kl_in_pool(f, theta, pool[LEAST], pool[LARGEST], c.theta)
    return total


@law
def least_kl(f: Any, theta: float, lo: float, hi: float, theta2: float, x2: float) -> float:
    """Return a lower bound of kl from (theta, x) to (theta2, x2) over lo ≤ x ≤ hi, monotone in |theta − theta2|."""


@law
def least_kl_in_pool(f: Any, theta: float, lo: float, hi: float, theta2: float) -> float:
    """Return the same where x2, too, may be any state from lo to hi."""


@least_kl.register(tuple)
def unknown_least_kl(f: Any, theta: float, lo: float, hi: float, theta2: float, x2: float) -> float:
    """No bound is known."""
    return 0.0


@least_kl_in_pool.register(tuple)
def unknown_least_kl_in_pool(f: Any, theta: float, lo: float, hi: float, theta2: float) -> float:
    """No bound is known."""
    return 0.0


@least_kl.register(Exponential)
def exponential_least_kl(f: Any, theta: float, lo: float, hi: float, theta2: float, x2: float) -> float:
    """At the attainable eta closest to eta2; 0 if eta2 is attainable."""
    a, b = natural(f, theta, lo), natural(f, theta, hi)
    eta2 = natural(f, theta2, x2)
    if min(a, b) <= eta2 <= max(a, b):
        return 0.0
    return kl(f, theta, lo if abs(a - eta2) < abs(b - eta2) else hi, theta2, x2)


@least_kl.register(LaplaceAgent)
def laplace_agent_least_kl(f: Any, theta: float, lo: float, hi: float, theta2: float, x2: float) -> float:
    """The KL of the scales: a shift only adds to it."""
    return least_kl_in_pool(f, theta, lo, hi, theta2)


@least_kl_in_pool.register(LaplaceAgent)
def laplace_agent_least_kl_in_pool(f: Any, theta: float, lo: float, hi: float, theta2: float) -> float:
    """inside·scale_kl, at an end: `inside` is concave in x."""
    return min(inside(theta, lo), inside(theta, hi)) * scale_kl(theta, theta2)


@law
def can_exceed(g: Any, level: float) -> bool:
    """Return whether a point of the region has a mean of the next reward of `level` or more."""


@can_exceed.register(Region)
def line_can_exceed(g: Region, level: float) -> bool:
    """By the normalised divergence on the curve on which the mean is the level."""
    return region_crosses_level(g, level)


@routine
def region_crosses_level(g: Region, level: float) -> bool:
    """Return whether the region, with a tolerance of NEARLY, crosses the curve on which the mean is the level.

    The region is assumed to be connected, and contains the fit: if it extends beyond the level, it crosses the curve.
    The curve has one variable, x0, so this takes some 20 evaluations where a bound takes hundreds. With few rewards a
    region may not be connected, and what lies beyond the curve is searched as well. With fewer still it may be too
    narrow for that, and its bound is computed, unless `level_is_excluded` proves that this is not necessary.
    """
    if mean_at_fit(g) >= level:
        return True
    if count(g.seen) < A_FEW and is_bounded_by_cap(g) and level_is_excluded(g, level):
        return False
    if normalised_divergence_on(g, level, g.local_fit.x0) <= NEARLY:
        return True
    lo, last = attainable_x0(g, level)
    cuts = x0_cuts(g)
    while lo <= last:
        hi = min(next_cut(g, cuts, lo), last)
        if least_divergence_on(g, level, lo, hi) <= NEARLY:
            return True
        if hi >= last:
            break
        lo = hi
    return count(g.seen) < SPARSE and larger_bound(g, level) > level


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


@routine
def normalised_divergence_on(g: Region, level: float, x0: float) -> float:
    """Return the normalised divergence at x0 of the theta whose mean is the level; 0 where every mean exceeds it.

    With few rewards: the least one of the thetas whose mean is the level or more.
    """
    f, x = g.arm.rewards, state_on_line(g.line, x0)
    end = best_end(g, x)
    above, below = end, g.arm.theta_lo + g.arm.theta_hi - end
    high, low = mean(f, above, x) - level, mean(f, below, x) - level
    if low >= 0.0:
        return least_beyond(g, x0, below, end) if count(g.seen) < A_FEW else 0.0
    if high < 0.0:
        return FAR
    if high <= FLAT * (high - low):  # many thetas have the largest mean, up to rounding error
        return 0.0 if peak_at(g, x0) >= level - FLAT * (high - low) else FAR
    search, tiny = Bracket(below, low, above, high, 0), 1e-12 * (g.arm.theta_hi - g.arm.theta_lo)
    for step in range(60):
        if abs(search.b - search.a) <= tiny:
            break
        theta = next_point(search, step % 8 == 7)
        gap = mean(f, theta, x) - level
        search = narrowed(search, theta, gap)
        if abs(gap) <= 1e-9 * abs(level):  # NEARLY leaves more room than that
            return least_beyond(g, x0, theta, end)
    return least_beyond(g, x0, search.b, end)


@routine
def least_beyond(g: Region, x0: float, theta: float, end: float) -> float:
    """Return the normalised divergence at theta; with few rewards the least one from theta to an end.

    From the stationary theta it falls, then grows. So a second value, close to theta, tells most often that theta has
    the least.
    """
    here = divergence_from_fit(g.arm.rewards, g.seen, g.local_fit, theta, x0)
    at = normalised_divergence_of(g, here)
    if at <= NEARLY or count(g.seen) >= A_FEW:
        return at
    if here.by_theta * (end - theta) > 0.0:
        middle = stationary_theta(g, x0, theta)
        return min(at, least_divergent(g, x0, middle, theta)[1], least_divergent(g, x0, middle, end)[1])
    if normalised_divergence(g, theta + NEXT_TO * (end - theta), x0) >= at:
        return at
    return min(at, least_divergent(g, x0, theta, end)[1])


@routine
def least_divergence_on(g: Region, level: float, lo: float, hi: float) -> float:
    """Return the least normalised divergence on the curve with x0 in [lo, hi]: samples, then Brent's method.

    The search starts from every local minimum of the samples, as a minimum may be narrow.
    """
    samples = np.empty(SAMPLES)
    for j in range(SAMPLES):
        samples[j] = normalised_divergence_on(g, level, lo + (hi - lo) * j / (SAMPLES - 1))
        if samples[j] <= NEARLY:
            return samples[j]
    least = FAR
    for j in range(SAMPLES):
        if samples[j] < FAR and samples[j] == samples[max(j - 1, 0) : j + 2].min():
            least = min(least, local_minimum(g, level, lo, hi, j, samples[j]))
    return least


@routine
def local_minimum(g: Region, level: float, lo: float, hi: float, j: int, at_j: float) -> float:
    """Return the local minimum near the j-th sample, or the first value within NEARLY."""
    width = (hi - lo) / (SAMPLES - 1)
    x0 = lo + width * j
    search = initialise(max(lo, x0 - width), min(hi, x0 + width), x0, -at_j, 1e-3 * (hi - lo))
    for _ in range(MOST_TRIALS):
        if has_converged(search) or search.fx >= -NEARLY:
            break
        if count(g.seen) >= A_FEW and cannot_improve(search, -FAR, -NEARLY):
            break
        search = next_trial(search)
        search = updated(search, -normalised_divergence_on(g, level, search.trial))
    return -search.fx


@inlined
def short_of(f: Any, x: float, level: float, below: float, above: float) -> float:
    """Return a theta whose mean at state x is slightly below the level, from a bracket of the level."""
    low = mean(f, below, x) - level
    search, close = Bracket(below, low, above, mean(f, above, x) - level, 0), 1e-4 * abs(low)
    for _ in range(6):
        theta = next_point(search, False)
        gap = mean(f, theta, x) - level
        search = narrowed(search, theta, gap)
        if abs(gap) <= close:
            break
    theta = below + 0.999 * (search.b - below)
    return theta if mean(f, theta, x) < level else search.a
