"""The largest mean reward inside the radius: g^UCB.  [Alg. 1, Alg. 3]

The mean is monotone in theta, so at one x0 the bound lies where theta leaves the region, a root in one dimension. Over
x0, which matters only through the early rewards and a state that has not settled, the best of those is searched for
strip by strip.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from rogue_bandits.inference.centre import Centre, departure
from rogue_bandits.inference.evidence import Seen, count, potential_at
from rogue_bandits.inference.radius import allowed, out_of_reach
from rogue_bandits.laws import inlined, routine
from rogue_bandits.model.dynamics import state_at
from rogue_bandits.types import Line, mean, settled_kl

GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
SAMPLES = 6


class Region(NamedTuple):
    """All that decides whether a (theta, x0) is believed."""

    arm: Any
    seen: Seen
    centre: Centre
    rule: Any
    line: Line  # the state at the decision being made
    log_t: float


class Peak(NamedTuple):
    """The largest mean at one x0, and the theta that has it; −inf where no theta is believed."""

    value: float
    theta: float


@routine
def excess(g: Region, theta: float, x0: float) -> float:
    """By how much the mean divergence exceeds the radius: believed where it is not positive."""
    n = count(g.seen)
    if n == 0.0:
        return -1.0
    divergence, spread = departure(g.arm.rewards, g.seen, g.centre, theta, x0)
    return divergence / n - allowed(g.rule, n, g.log_t, spread)


@inlined
def mean_at_fit(g: Region) -> float:
    """The mean of the next reward, were the fit the truth."""
    return mean(g.arm.rewards, g.centre.theta, state_at(g.line, g.centre.x0))


@inlined
def best_end(g: Region, x: float) -> float:
    """The bound of theta at which the mean at state x is larger."""
    f = g.arm.rewards
    return g.arm.theta_hi if mean(f, g.arm.theta_hi, x) >= mean(f, g.arm.theta_lo, x) else g.arm.theta_lo


@inlined
def best_state(g: Region) -> float:
    """The state of now that has the largest mean, over all x0."""
    f, d = g.arm.rewards, g.arm.dynamics
    a, b = state_at(g.line, d.lo), state_at(g.line, d.hi)
    return a if mean(f, g.centre.theta, a) >= mean(f, g.centre.theta, b) else b


@inlined
def hopeful_mean(g: Region) -> float:
    """The mean at the fit. Without a reward everything fits, and the most hopeful mean is taken."""
    if count(g.seen) > 0.0:
        return mean_at_fit(g)
    x = best_state(g)
    return mean(g.arm.rewards, best_end(g, x), x)


@routine
def leaving(g: Region, x0: float, believed: float, doubted: float) -> float:
    """The theta between the two at which belief ends: regula falsi, halving when it stalls (Illinois)."""
    a, b = believed, doubted
    fa, fb = excess(g, a, x0), excess(g, b, x0)
    tiny = 1e-13 * (g.arm.theta_hi - g.arm.theta_lo)
    for step in range(80):
        if abs(b - a) <= tiny:
            break
        c = b - fb * (b - a) / (fb - fa)
        if step % 3 == 2 or not min(a, b) < c < max(a, b):
            c = 0.5 * (a + b)
        fc = excess(g, c, x0)
        if fc <= 0.0:
            a, fa, fb = c, fc, 0.5 * fb
        else:
            b, fb, fa = c, fc, 0.5 * fa
    return a


@routine
def least_doubted(g: Region, x0: float, theta: float) -> float:
    """A theta that is believed at this x0 if there is one: from `theta`, golden section down the excess."""
    if excess(g, theta, x0) <= 0.0:
        return theta
    a, b = g.arm.theta_lo, g.arm.theta_hi
    c, d = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
    fc, fd = excess(g, c, x0), excess(g, d, x0)
    while b - a > 1e-9 * (g.arm.theta_hi - g.arm.theta_lo):
        if fc <= 0.0:
            return c
        if fd <= 0.0:
            return d
        if fc < fd:
            b, d, fd = d, c, fc
            c = b - GOLDEN * (b - a)
            fc = excess(g, c, x0)
        else:
            a, c, fc = c, d, fd
            d = a + GOLDEN * (b - a)
            fd = excess(g, d, x0)
    return c


@routine
def peak_at(g: Region, x0: float, theta: float) -> Peak:
    """The largest mean at this x0; `theta` is a guess at what is believed."""
    f, x = g.arm.rewards, state_at(g.line, x0)
    end = best_end(g, x)
    if excess(g, end, x0) <= 0.0:
        return Peak(mean(f, end, x), end)
    believed = least_doubted(g, x0, theta)
    if excess(g, believed, x0) > 0.0:
        return Peak(-math.inf, believed)
    theta = leaving(g, x0, believed, end)
    return Peak(mean(f, theta, x), theta)


@routine
def peak_between(g: Region, lo: float, hi: float) -> float:
    """The largest mean with x0 in [lo, hi], a piece of one strip with the fit's x0 at neither end or at one."""
    best, at = -math.inf, lo
    theta = g.centre.theta
    for j in range(SAMPLES):
        x0 = lo + (hi - lo) * j / (SAMPLES - 1)
        peak = peak_at(g, x0, theta)
        if peak.value > best:
            best, at, theta = peak.value, x0, peak.theta
    if best == -math.inf:
        return best
    width = (hi - lo) / (SAMPLES - 1)
    a, b = max(lo, at - width), min(hi, at + width)
    c, d = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
    pc, pd = peak_at(g, c, theta), peak_at(g, d, theta)
    while b - a > 1e-9 * (hi - lo):
        best = max(best, pc.value, pd.value)
        # Where neither is believed, what is lies on the side of the best sample.
        if pc.value > pd.value or (pc.value == pd.value and at <= c):
            b, d, pd = d, c, pc
            c = b - GOLDEN * (b - a)
            pc = peak_at(g, c, pd.theta)
        else:
            a, c, pc = c, d, pd
            d = a + GOLDEN * (b - a)
            pd = peak_at(g, d, pc.theta)
    return best


@routine
def upper_bound_of(g: Region) -> float:
    """The largest mean of the next reward inside the region."""
    if count(g.seen) == 0.0:
        return hopeful_mean(g)
    d = g.arm.dynamics
    best = peak_at(g, g.centre.x0, g.centre.theta).value
    kinks = g.seen.kinks
    now_lo, now_hi = kink(g.line, g.line.lo, d.lo), kink(g.line, g.line.hi, d.lo)
    lo = d.lo
    while lo < d.hi:
        hi = d.hi
        for j in range(kinks.size):
            hi = nearer(lo, kinks[j], hi)
        hi = nearer(lo, g.centre.x0, hi)
        hi = nearer(lo, now_lo, nearer(lo, now_hi, hi))
        best = max(best, peak_between(g, lo, hi))
        lo = hi
    return best


@inlined
def kink(line: Line, level: float, otherwise: float) -> float:
    """The x0 at which the state of a line comes to a level."""
    return (level - line.offset) / line.slope if line.slope != 0.0 else otherwise


@inlined
def nearer(lo: float, x0: float, hi: float) -> float:
    """x0 if it cuts the piece (lo, hi), else hi."""
    return x0 if lo < x0 < hi else hi


# ---- the race: which arm has the largest bound, without working them all out ----------------------------------------
@routine
def cannot_reach(g: Region, level: float) -> bool:
    """Is the upper bound proven to lie below `level`? One look at a relaxed region, see `out_of_reach`."""
    f, n = g.arm.rewards, count(g.seen)
    x = best_state(g)
    end = best_end(g, x)
    if mean(f, end, x) < level:
        return True
    if n == 0.0 or mean(f, g.centre.theta, x) >= level:
        return False
    low = short_of(f, x, level, g.centre.theta, end)
    c = g.centre
    divergence, slope, information = settled_kl(f, low, potential_at(f, g.seen, low), c.theta, c.w)
    spread = slope * slope / information if information > 0.0 else 0.0
    # The margin is for rounding: what is this near is worked out in full.
    return out_of_reach(g.rule, n, g.log_t, divergence * (1.0 - 1e-9), spread, c.price)


@inlined
def short_of(f: Any, x: float, level: float, below: float, above: float) -> float:
    """A theta whose mean at state x is just short of the level, between one that is below and one that is not."""
    start, low, high = below, mean(f, below, x) - level, mean(f, above, x) - level
    for _ in range(3):
        theta = below - low * (above - below) / (high - low)
        gap = mean(f, theta, x) - level
        if gap < 0.0:
            below, low = theta, gap
        else:
            above, high = theta, gap
    theta = start + 0.999 * (above - start)
    return theta if mean(f, theta, x) < level else below
