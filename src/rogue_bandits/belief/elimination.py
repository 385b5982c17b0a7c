"""Elimination of arms whose upper bound cannot be the largest (docs/decisions/0005-elimination.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rogue_bandits.belief.boxes import is_bounded_by_cap, level_is_excluded
from rogue_bandits.belief.evidence import X_FIT, count
from rogue_bandits.belief.level_curve import (
    FEW,
    NEARLY,
    attainable_x0,
    is_near_region_on,
    normalised_divergence_on,
)
from rogue_bandits.belief.pool import COUNT, LARGEST, LEAST
from rogue_bandits.belief.profile import has_profile, profile_exceeds
from rogue_bandits.belief.radius import is_excluded
from rogue_bandits.belief.region import (
    Region,
    best_end,
    best_state,
    mean_at_fit,
    prepared,
    rewards_of,
    rounding,
    settled_divergence_from_fit,
)
from rogue_bandits.belief.upper_bound import SPARSE, larger_bound
from rogue_bandits.belief.x0_pieces import next_cut, x0_cuts
from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.model.protocols import LinearPredictor, Model
from rogue_bandits.model.rewards.exponential import Exponential, natural
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent, inside, scale_kl
from rogue_bandits.model.rewards.numeric import UNPROVEN
from rogue_bandits.numerics.illinois import Bracket, narrowed, next_point
from rogue_bandits.types import kl, mean

if TYPE_CHECKING:
    from rogue_bandits.belief.play_log.local_fit import PlayLogRegion


@routine
def is_proven_below(g: Region | PlayLogRegion, level: float) -> bool:
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


least_early_divergence.register(tuple)(lambda g, theta: 0.0)  # the trivial lower bound


@least_early_divergence.register(Region)
def line_least_early_divergence(g: Region, theta: float) -> float:
    """Return the sum over rewards of a lower bound of kl over all states of each reward.

    Only agents have a bound in pools, and their pools no part for wide states: LEAST and LARGEST are of all rewards.
    """
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


# The trivial lower bounds.
least_kl.register(tuple)(lambda f, theta, lo, hi, theta2, x2: 0.0)
least_kl_in_pool.register(tuple)(lambda f, theta, lo, hi, theta2: 0.0)


@least_kl.register(Exponential)
def exponential_least_kl(f: LinearPredictor, theta: float, lo: float, hi: float, theta2: float, x2: float) -> float:
    """Return kl at the attainable eta closest to eta2; 0 if eta2 is attainable."""
    a, b = natural(f, theta, lo), natural(f, theta, hi)
    eta2 = natural(f, theta2, x2)
    if min(a, b) <= eta2 <= max(a, b):
        return 0.0
    return kl(f, theta, lo if abs(a - eta2) < abs(b - eta2) else hi, theta2, x2)


@least_kl.register(LaplaceAgent)
def laplace_agent_least_kl(f: Model, theta: float, lo: float, hi: float, theta2: float, x2: float) -> float:
    """Return the KL of the scales, to which a shift only adds."""
    return least_kl_in_pool(f, theta, lo, hi, theta2)


@least_kl_in_pool.register(LaplaceAgent)
def laplace_agent_least_kl_in_pool(f: Model, theta: float, lo: float, hi: float, theta2: float) -> float:
    """Return inside·scale_kl at the end where it is less: `inside` is concave in x."""
    return min(inside(theta, lo), inside(theta, hi)) * scale_kl(theta, theta2)


@law
def reaches_level(g: Any, level: float) -> bool:
    """Return whether a search finds a mean of the next reward of `level` or more, or nearly, inside the region."""


@reaches_level.register(Region)
def line_reaches_level(g: Region, level: float) -> bool:
    """Compare the normalised divergence with 1 on the curve on which the mean equals the level."""
    return prepared(region_crosses_level, g, level)


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
    if has_profile(g):
        return profile_exceeds(g, level)
    is_provable = count(g.seen) < FEW and g.local_fit.curvature_ratio > UNPROVEN and is_bounded_by_cap(g)
    if is_provable and level_is_excluded(g, level):
        return False
    if normalised_divergence_on(g, level, g.local_fit.x0, FEW) <= NEARLY:
        return True
    lo, last = attainable_x0(g, level)
    cuts = x0_cuts(g)
    while lo <= last:
        hi = min(next_cut(g, cuts, lo), last)
        if is_near_region_on(g, level, lo, hi, FEW):
            return True
        if hi >= last:
            break
        lo = hi
    return count(g.seen) < SPARSE and larger_bound(g, level) > level


@inlined
def short_of(f: Model, x: float, level: float, below: float, above: float) -> float:
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
