"""The top of a function of one variable without its slope: Brent's method, one trial at a time.

R. P. Brent (1973), Algorithms for Minimization without Derivatives, chapter 5.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.compile.laws import inlined

GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
MOST_TRIALS = 60


class Brent(NamedTuple):
    """A bracket, the three best points with their values, the point to try next, and the last two steps."""

    a: float
    b: float
    x: float
    w: float
    v: float
    fx: float
    fw: float
    fv: float
    trial: float
    step: float
    before: float
    tiny: float


@inlined
def set_out(a: float, b: float, x: float, fx: float, tiny: float) -> Brent:
    """Begin at x, the best point known of [a, b]; `tiny` is how near the top is near enough."""
    return Brent(a, b, x, x, x, fx, fx, fx, x, 0.0, 0.0, tiny)


@inlined
def arrived(s: Brent) -> bool:
    """Is the best point the top, as far as `tiny` can tell?"""
    return abs(s.x - 0.5 * (s.a + s.b)) <= 2.0 * s.tiny - 0.5 * (s.b - s.a)


@inlined
def next_trial(s: Brent) -> Brent:
    """Try the top of the parabola through the three best points, or else cut the longer side by the golden section."""
    r, q = (s.x - s.w) * (s.fx - s.fv), (s.x - s.v) * (s.fx - s.fw)
    p, q = (s.x - s.v) * q - (s.x - s.w) * r, 2.0 * (q - r)
    if q > 0.0:
        p = -p
    q = abs(q)
    if abs(p) < abs(0.5 * q * s.before) and q * (s.a - s.x) < p < q * (s.b - s.x):
        before, step = s.step, p / q
    else:
        before = (s.b if s.x < 0.5 * (s.a + s.b) else s.a) - s.x
        step = (1.0 - GOLDEN) * before
    trial = s.x + (step if abs(step) >= s.tiny else math.copysign(s.tiny, step))
    return Brent(s.a, s.b, s.x, s.w, s.v, s.fx, s.fw, s.fv, trial, step, before, s.tiny)


@inlined
def told(s: Brent, value: float) -> Brent:
    """The trial has this value: shrink the bracket, keep the three best."""
    a, b, x, w, v, fx, fw, fv, t = s.a, s.b, s.x, s.w, s.v, s.fx, s.fw, s.fv, s.trial
    if value >= fx:
        a, b = (a, x) if t < x else (x, b)
        x, w, v, fx, fw, fv = t, x, w, value, fx, fw
    else:
        a, b = (t, b) if t < x else (a, t)
        if value >= fw or w == x:
            w, v, fw, fv = t, w, value, fw
        elif value >= fv or v in (x, w):
            v, fv = t, value
    return Brent(a, b, x, w, v, fx, fw, fv, t, s.step, s.before, s.tiny)
