"""Maximisation of a concave function of one variable: Newton steps inside a shrinking bracket."""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.compile.laws import inlined

MOST_STEPS = 100


class Newton(NamedTuple):
    """The bracket, the current point, the tolerance, which ends were evaluated, and whether it has converged."""

    lo: float
    hi: float
    at: float
    small: float
    lo_tried: bool
    hi_tried: bool
    done: bool


@inlined
def initialise(lo: float, hi: float, at: float) -> Newton:
    """Return the state of a search that starts at the point of [lo, hi] nearest to `at`."""
    return Newton(lo, hi, min(max(at, lo), hi), 1e-9 * (hi - lo), False, False, False)


@inlined
def newton_step(c: Newton, slope: float, curvature: float) -> Newton:
    """Return the state after one step, given the slope and the (positive) curvature at the current point.

    Newton's step squares the error: after one smaller than `small` the search has converged.
    """
    lo, hi, lo_tried, hi_tried = c.lo, c.hi, c.lo_tried, c.hi_tried
    if slope == 0.0 or (slope > 0.0 and c.at >= hi) or (slope < 0.0 and c.at <= lo):
        return Newton(lo, hi, c.at, c.small, lo_tried, hi_tried, True)
    if slope > 0.0:
        lo, lo_tried = c.at, True
    else:
        hi, hi_tried = c.at, True
    step = slope / curvature if curvature > 0.0 else math.copysign(math.inf, slope)
    new = c.at + step
    if abs(step) <= c.small:
        return Newton(lo, hi, min(max(new, lo), hi), c.small, lo_tried, hi_tried, True)
    if lo < new < hi:
        return Newton(lo, hi, new, c.small, lo_tried, hi_tried, False)
    # An end that was not evaluated may be the maximum; one that was is not.
    end, tried = (hi, hi_tried) if slope > 0.0 else (lo, lo_tried)
    return Newton(lo, hi, 0.5 * (lo + hi) if tried else end, c.small, lo_tried, hi_tried, hi - lo <= 1e-6 * c.small)
