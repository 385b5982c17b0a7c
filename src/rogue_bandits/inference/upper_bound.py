"""The largest mean reward inside the radius: g^UCB.  [Alg. 1, Alg. 3]

The mean is monotone in theta, so at one x0 the bound lies where theta leaves the region, a root in one dimension. Over
x0, which matters only through the early rewards and a state that has not settled, the best of those is searched for
piece by piece.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.inference.brent import GOLDEN, MOST_TRIALS, arrived, next_trial, set_out, told
from rogue_bandits.inference.region import Region, best_end, best_state, doubt
from rogue_bandits.laws import inlined, routine
from rogue_bandits.model.dynamics import state_at
from rogue_bandits.types import Line, mean

SAMPLES = 5


class Peak(NamedTuple):
    """The largest mean at one x0, and the theta that has it; −inf where no theta is believed."""

    value: float
    theta: float


@routine
def leaving(g: Region, x0: float, believed: float, at_believed: float, doubted: float, at_doubted: float) -> float:
    """The theta between the two at which belief ends: secants that keep the end in between.

    Where one side is kept twice running its weight is halved (Illinois); and now and then the middle is tried.
    """
    a, fa, b, fb = believed, at_believed - 1.0, doubted, at_doubted - 1.0
    tiny = 1e-11 * (g.arm.theta_hi - g.arm.theta_lo)
    kept = 0
    for step in range(100):
        if abs(b - a) <= tiny or fa == 0.0:
            break
        theta = b - fb * (b - a) / (fb - fa)
        if step % 8 == 7 or not min(a, b) < theta < max(a, b):
            theta = 0.5 * (a + b)
        at = doubt(g, theta, x0) - 1.0
        if abs(at) <= 1e-11:
            return theta
        if at <= 0.0:
            a, fa = theta, at
            fb *= 0.5 if kept == 1 else 1.0
            kept = 1
        else:
            b, fb = theta, at
            fa *= 0.5 if kept == -1 else 1.0
            kept = -1
    return a


@routine
def least_doubted(g: Region, x0: float) -> tuple[float, float]:
    """A theta that is believed at this x0, or else the one least in doubt; and its doubt.

    Near the fit it lies along the tilt of the information; elsewhere golden section finds it, to 1e-7 of the range.
    """
    c = g.centre
    theta = min(max(c.theta - c.tilt * (x0 - c.x0), g.arm.theta_lo), g.arm.theta_hi)
    at = doubt(g, theta, x0)
    if at <= 1.0:
        return theta, at
    a, b = g.arm.theta_lo, g.arm.theta_hi
    left, right = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
    at_left, at_right = doubt(g, left, x0), doubt(g, right, x0)
    for _ in range(33):
        if min(at_left, at_right) <= 1.0:
            break
        on_left = at_left < at_right
        if on_left:
            b, right, at_right = right, left, at_left
            left = theta = b - GOLDEN * (b - a)
        else:
            a, left, at_left = left, right, at_right
            right = theta = a + GOLDEN * (b - a)
        at = doubt(g, theta, x0)
        if on_left:
            at_left = at
        else:
            at_right = at
    return (left, at_left) if at_left < at_right else (right, at_right)


@routine
def peak_at(g: Region, x0: float, theta: float) -> Peak:
    """The largest mean at this x0; `theta` is a guess at where it lies."""
    f, x = g.arm.rewards, state_at(g.line, x0)
    end = best_end(g, x)
    at_end = doubt(g, end, x0)
    if at_end <= 1.0:
        return Peak(mean(f, end, x), end)
    at = doubt(g, theta, x0)
    if at > 1.0:  # the guess is a good end of the bracket, if what is believed lies behind it
        believed, at_believed = least_doubted(g, x0)
        if at_believed > 1.0:
            return Peak(-math.inf, believed)
        if (believed - theta) * (end - theta) < 0.0:
            end, at_end = theta, at
        theta, at = believed, at_believed
    theta = leaving(g, x0, theta, at, end, at_end)
    return Peak(mean(f, theta, x), theta)


@routine
def peak_between(g: Region, lo: float, hi: float) -> float:
    """The largest mean with x0 in [lo, hi], a piece without kinks: a few samples, then Brent's method at the best."""
    top, at, theta = -math.inf, lo, g.centre.theta
    for j in range(SAMPLES):
        x0 = lo + (hi - lo) * j / (SAMPLES - 1)
        peak = peak_at(g, x0, theta)
        if peak.value > top:
            top, at, theta = peak.value, x0, peak.theta
    if top == -math.inf:
        return top
    width = (hi - lo) / (SAMPLES - 1)
    nowhere = top - 1.0 - abs(top)  # stands for −inf where values are subtracted
    search = set_out(max(lo, at - width), min(hi, at + width), at, top, 3e-8 * (hi - lo))
    for _ in range(MOST_TRIALS):
        if arrived(search):
            break
        search = next_trial(search)
        peak = peak_at(g, search.trial, theta)
        if peak.value >= search.fx:
            theta = peak.theta
        search = told(search, peak.value if peak.value > -math.inf else nowhere)
    return search.fx


@routine
def upper_bound_of(g: Region) -> float:
    """The largest mean of the next reward inside the region."""
    x = best_state(g)
    most = mean(g.arm.rewards, best_end(g, x), x)
    best = peak_at(g, g.centre.x0, g.centre.theta).value
    d, kinks = g.arm.dynamics, g.seen.kinks
    now_lo, now_hi = kink(g.line, g.line.lo, d.lo), kink(g.line, g.line.hi, d.lo)
    lo = d.lo
    while lo < d.hi and best < most:
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
    # A slope that has all but vanished belongs to a settled state, and would overflow.
    return (level - line.offset) / line.slope if abs(line.slope) > 1e-300 else otherwise


@inlined
def nearer(lo: float, x0: float, hi: float) -> float:
    """x0 if it cuts the piece (lo, hi), else hi."""
    return x0 if lo < x0 < hi else hi
