"""Which arm has the largest upper bound, without working them all out (docs/decisions/0005-elimination.md)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rogue_bandits.belief.evidence import X_FIT, count
from rogue_bandits.belief.pool import COUNT, LARGEST, LEAST
from rogue_bandits.belief.radius import is_excluded
from rogue_bandits.belief.region import (
    FAR,
    Region,
    best_end,
    best_state,
    mean_at_fit,
    normalised_divergence,
    rewards_of,
    rounding,
    settled_divergence_from_fit,
)
from rogue_bandits.belief.upper_bound import larger_bound, next_cut, peak_at, x0_cuts
from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.model.dynamics.clipped_affine import state_at
from rogue_bandits.model.rewards.exponential import Exponential, natural
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent, inside, scale_kl
from rogue_bandits.numerics.brent import MOST_TRIALS, arrived, next_trial, set_out, told
from rogue_bandits.numerics.illinois import Bracket, narrowed, next_look
from rogue_bandits.types import kl, mean

NEARLY = 1.01  # the doubt of what is nearly believed
A_FEW = 8.0  # rewards
LOOKS = 9  # on each piece of the curve
FLAT = 1e-6  # of the range of means


@routine
def cannot_exceed(g: Any, level: float) -> bool:
    """Is the upper bound proven to lie below `level`? One look at a relaxed region, see `out_of_reach`."""
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
    # The margin is for rounding: what is this near is worked out in full.
    divergence = max(0.0, divergence * (1.0 - 1e-9) - rounding(g))
    early = least_early_divergence(g, low) * (1.0 - 1e-9)
    return is_excluded(g.rule, n, g.log_t, divergence, spread, early, c.curvature_ratio)


@law
def least_early_divergence(g: Any, theta: float) -> float:
    """A lower bound of the divergence of the early rewards from the fit at theta, whatever x0 is.

    It does not fall as theta moves away from the fit.
    """


@least_early_divergence.register(tuple)
def no_early_divergence(g: Any, theta: float) -> float:
    """None is known."""
    return 0.0


@least_early_divergence.register(Region)
def line_least_early_divergence(g: Region, theta: float) -> float:
    """Each reward by itself, at the state of its line that is nearest to the fit."""
    f, s, c, total = g.arm.rewards, g.seen, g.local_fit, 0.0
    for i in range(s.early.shape[0]):
        total += least_kl(f, theta, s.early[i, 2], s.early[i, 3], c.theta, s.early[i, X_FIT])
    for j in range(s.pools.shape[0]):
        pool = s.pools[j]
        total += pool[COUNT] * least_kl_in_pool(f, theta, pool[LEAST], pool[LARGEST], c.theta)
    return total


@law
def least_kl(f: Any, theta: float, lo: float, hi: float, theta2: float, x2: float) -> float:
    """A lower bound of kl from (theta, x) to (theta2, x2) over lo ≤ x ≤ hi; it does not fall away from theta2."""


@law
def least_kl_in_pool(f: Any, theta: float, lo: float, hi: float, theta2: float) -> float:
    """The same where x2, too, may be any state from lo to hi."""


@least_kl.register(tuple)
def unknown_least_kl(f: Any, theta: float, lo: float, hi: float, theta2: float, x2: float) -> float:
    """None is known."""
    return 0.0


@least_kl_in_pool.register(tuple)
def unknown_least_kl_in_pool(f: Any, theta: float, lo: float, hi: float, theta2: float) -> float:
    """None is known."""
    return 0.0


@least_kl.register(Exponential)
def exponential_least_kl(f: Any, theta: float, lo: float, hi: float, theta2: float, x2: float) -> float:
    """The eta in reach that is nearest to eta2; 0 if eta2 is in reach."""
    a, b = natural(f, theta, lo), natural(f, theta, hi)
    eta2 = natural(f, theta2, x2)
    if min(a, b) <= eta2 <= max(a, b):
        return 0.0
    return kl(f, theta, lo if abs(a - eta2) < abs(b - eta2) else hi, theta2, x2)


@least_kl.register(LaplaceAgent)
def laplace_agent_least_kl(f: Any, theta: float, lo: float, hi: float, theta2: float, x2: float) -> float:
    """A shift only adds to the kl of the scales."""
    return least_kl_in_pool(f, theta, lo, hi, theta2)


@least_kl_in_pool.register(LaplaceAgent)
def laplace_agent_least_kl_in_pool(f: Any, theta: float, lo: float, hi: float, theta2: float) -> float:
    """inside·scale_kl; `inside` is concave in x, so that it is least at an end."""
    return min(inside(theta, lo), inside(theta, hi)) * scale_kl(theta, theta2)


@law
def can_exceed(g: Any, level: float) -> bool:
    """Is any (theta, x0) believed whose mean of the next reward is `level`?"""


@can_exceed.register(Region)
def line_reaches(g: Region, level: float) -> bool:
    """By the curve on which the mean is the level."""
    return region_crosses_level(g, level)


@routine
def region_crosses_level(g: Region, level: float) -> bool:
    """Does what is believed come to the curve on which the mean is the level?

    As far as is known, what is believed hangs together and holds the fit: where it reaches beyond the level it crosses
    the curve on which the mean *is* the level. Doubt along that curve has one variable, so that this takes a few looks
    where the bound itself takes hundreds. What is nearly believed counts as believed. Of a few rewards, whose regions
    have odd shapes, the bound itself costs little.
    """
    if mean_at_fit(g) >= level:
        return True
    if count(g.seen) < A_FEW:
        return larger_bound(g, level) > level
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
    return False


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
        x0 = next_look(search, step % 4 == 3)
        value = largest_mean(g, x0) - level
        if value == 0.0:
            return (lo, x0) if at_lo >= 0.0 else (x0, hi)
        search = narrowed(search, x0, value)
    return (lo, search.b) if at_lo >= 0.0 else (search.b, hi)


@inlined
def largest_mean(g: Region, x0: float) -> float:
    """Over all theta, believed or not."""
    x = state_at(g.line, x0)
    return mean(g.arm.rewards, best_end(g, x), x)


@routine
def normalised_divergence_on(g: Region, level: float, x0: float) -> float:
    """The doubt at this x0 of the theta whose mean is the level; 0 where theta does not matter for reaching it."""
    f, x = g.arm.rewards, state_at(g.line, x0)
    end = best_end(g, x)
    above, below = end, g.arm.theta_lo + g.arm.theta_hi - end
    high, low = mean(f, above, x) - level, mean(f, below, x) - level
    if low >= 0.0:
        return 0.0
    if high < 0.0:
        return FAR
    if high <= FLAT * (high - low):  # many thetas have the mean at the top, all but rounding: any of them will do
        return 0.0 if peak_at(g, x0) >= level - FLAT * (high - low) else FAR
    search, tiny = Bracket(below, low, above, high, 0), 1e-12 * (g.arm.theta_hi - g.arm.theta_lo)
    for step in range(60):
        if abs(search.b - search.a) <= tiny:
            break
        theta = next_look(search, step % 8 == 7)
        gap = mean(f, theta, x) - level
        search = narrowed(search, theta, gap)
        if abs(gap) <= 1e-9 * abs(level):  # NEARLY leaves more room than that
            return normalised_divergence(g, theta, x0)
    return normalised_divergence(g, search.b, x0)


@routine
def least_divergence_on(g: Region, level: float, lo: float, hi: float) -> float:
    """The least normalised divergence on the curve with x0 in [lo, hi]: a few points, then Brent's method.

    It is searched for around each point below its neighbours, also around high ones: valleys may be narrow.
    """
    looks = np.empty(LOOKS)
    for j in range(LOOKS):
        looks[j] = normalised_divergence_on(g, level, lo + (hi - lo) * j / (LOOKS - 1))
        if looks[j] <= NEARLY:
            return looks[j]
    least = FAR
    for j in range(LOOKS):
        if looks[j] < FAR and looks[j] == looks[max(j - 1, 0) : j + 2].min():
            least = min(least, valley(g, level, lo, hi, j, looks[j]))
    return least


@routine
def valley(g: Region, level: float, lo: float, hi: float, j: int, at_j: float) -> float:
    """The least doubt near the j-th look; as soon as it is nearly belief, that will do."""
    width = (hi - lo) / (LOOKS - 1)
    x0 = lo + width * j
    search = set_out(max(lo, x0 - width), min(hi, x0 + width), x0, -at_j, 1e-3 * (hi - lo))
    for _ in range(MOST_TRIALS):
        if arrived(search) or search.fx >= -NEARLY:
            break
        search = next_trial(search)
        search = told(search, -normalised_divergence_on(g, level, search.trial))
    return -search.fx


@inlined
def short_of(f: Any, x: float, level: float, below: float, above: float) -> float:
    """A theta whose mean at state x is just short of the level, between one that is below and one that is not."""
    low = mean(f, below, x) - level
    search, close = Bracket(below, low, above, mean(f, above, x) - level, 0), 1e-4 * abs(low)
    for _ in range(6):
        theta = next_look(search, False)
        gap = mean(f, theta, x) - level
        search = narrowed(search, theta, gap)
        if abs(gap) <= close:
            break
    theta = below + 0.999 * (search.b - below)
    return theta if mean(f, theta, x) < level else search.a
