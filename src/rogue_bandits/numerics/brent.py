"""Maximisation of a function of one variable without its derivative: Brent's method, one trial at a time.

R. P. Brent (1973), Algorithms for Minimization without Derivatives, chapter 5.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.compile.laws import inlined

GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
MOST_TRIALS = 60


class Brent(NamedTuple):
    """A bracket, the three best points with their values, the next trial point, the last two steps, the tolerance."""

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
def initialise(a: float, b: float, x: float, fx: float, tiny: float) -> Brent:
    """Return the state of a search that starts at x, the best known point of [a, b]; `tiny` is the tolerance of x."""
    return Brent(a, b, x, x, x, fx, fx, fx, x, 0.0, 0.0, tiny)


@inlined
def has_converged(s: Brent) -> bool:
    """Return whether the best point is within tolerance of the maximum."""
    return abs(s.x - 0.5 * (s.a + s.b)) <= 2.0 * s.tiny - 0.5 * (s.b - s.a)


@inlined
def next_trial(s: Brent) -> Brent:
    """Set the trial to the vertex of the parabola through the three best points, or to a golden section."""
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
def updated(s: Brent, value: float) -> Brent:
    """Return the state after the value of the trial is known: a smaller bracket, the three best points."""
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
