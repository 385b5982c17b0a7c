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
SAMPLES = 5
NOWHERE = -1e6  # stands for −inf where values are subtracted
FAR = 1e9  # and for +inf where doubts are


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
def doubt(g: Region, theta: float, x0: float) -> float:
    """The mean divergence over the radius: (theta, x0) is believed where this is at most 1.

    Under the tuned radius it grows as the distance from the fit, so that secants find where it is 1 in a few steps.
    """
    n = count(g.seen)
    if n == 0.0:
        return 0.0
    divergence, spread = departure(g.arm.rewards, g.seen, g.centre, theta, x0)
    most = n * allowed(g.rule, n, g.log_t, spread)
    if divergence <= max(most, rounding(g)):
        return min(divergence / most, 1.0) if most > 0.0 else 0.0
    return min(divergence / most, FAR) if most > 0.0 else FAR


@inlined
def rounding(g: Region) -> float:
    """At the fit divergence and radius are both 0, up to the rounding of sums as large as W."""
    return 1e-13 + 4e-16 * abs(g.centre.w.value)


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
    return a if a == b or mean(f, g.centre.theta, a) >= mean(f, g.centre.theta, b) else b


@inlined
def hopeful_mean(g: Region) -> float:
    """The mean at the fit. Without a reward everything fits, and the most hopeful mean is taken."""
    if count(g.seen) > 0.0:
        return mean_at_fit(g)
    x = best_state(g)
    return mean(g.arm.rewards, best_end(g, x), x)


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
def peak_between(g: Region, lo: float, hi: float, best: float) -> float:
    """The largest mean with x0 in [lo, hi], a piece of one strip, or `best` if that is larger.

    A few samples, then Brent's method around the best of them.
    """
    top, at, theta = -math.inf, lo, g.centre.theta
    for j in range(SAMPLES):
        x0 = lo + (hi - lo) * j / (SAMPLES - 1)
        peak = peak_at(g, x0, theta)
        if peak.value > top:
            top, at, theta = peak.value, x0, peak.theta
    if top == -math.inf:
        return best
    width = (hi - lo) / (SAMPLES - 1)
    a, b = max(lo, at - width), min(hi, at + width)
    tiny = 3e-8 * (hi - lo)
    x, w, v = at, at, at
    fx, fw, fv = top, top, top
    step = before = 0.0
    for _ in range(60):
        middle = 0.5 * (a + b)
        if abs(x - middle) <= 2.0 * tiny - 0.5 * (b - a):
            break
        r, q = (x - w) * (fx - fv), (x - v) * (fx - fw)
        p, q = (x - v) * q - (x - w) * r, 2.0 * (q - r)
        if q > 0.0:
            p = -p
        q = abs(q)
        if abs(p) < abs(0.5 * q * before) and q * (a - x) < p < q * (b - x):
            before, step = step, p / q  # the top of the parabola through the last three
        else:
            before = (b if x < middle else a) - x
            step = (1.0 - GOLDEN) * before
        x0 = x + (step if abs(step) >= tiny else math.copysign(tiny, step))
        peak = peak_at(g, x0, theta)
        value = max(peak.value, NOWHERE)
        if value >= fx:
            if x0 < x:
                b = x
            else:
                a = x
            v, w, x, fv, fw, fx, theta = w, x, x0, fw, fx, value, peak.theta
        else:
            if x0 < x:
                a = x0
            else:
                b = x0
            if value >= fw or w == x:
                v, w, fv, fw = w, x0, fw, value
            elif value >= fv or v in (x, w):
                v, fv = x0, value
    return max(best, fx)


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
        best = peak_between(g, lo, hi, best)
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
    divergence = max(0.0, divergence * (1.0 - 1e-9) - rounding(g))
    return out_of_reach(g.rule, n, g.log_t, divergence, spread, c.price)


@inlined
def short_of(f: Any, x: float, level: float, below: float, above: float) -> float:
    """A theta whose mean at state x is just short of the level, between one that is below and one that is not."""
    start, low, high = below, mean(f, below, x) - level, mean(f, above, x) - level
    close = 1e-4 * abs(low)
    for _ in range(6):
        if min(abs(low), abs(high)) <= close:
            break
        theta = below - low * (above - below) / (high - low)
        gap = mean(f, theta, x) - level
        if gap < 0.0:
            below, low = theta, gap
        else:
            above, high = theta, gap
    theta = start + 0.999 * (above - start)
    return theta if mean(f, theta, x) < level else below
