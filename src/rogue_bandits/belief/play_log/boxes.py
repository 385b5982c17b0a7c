"""Branch and bound: boxes that may hold the best point, each with a bound on what it can hold."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined, overwrite, routine
from rogue_bandits.model.dynamics.projected import limits
from rogue_bandits.types import Arm, Floats, Ints

EDGE = 1e-9  # of its width: how near to a box's end it may be cut


class Boxes(NamedTuple):
    """The boxes that are open, and how many."""

    lo: Floats  # [boxes, dimensions]
    hi: Floats
    bound: Floats
    open: Ints  # [1]


@inlined
def set_box(boxes: Boxes, b: int, lo: Floats, hi: Floats, bound: float) -> None:
    """Set box b to run from lo to hi, with an upper bound on the values in it."""
    overwrite(boxes.lo[b], lo)
    overwrite(boxes.hi[b], hi)
    boxes.bound[b] = bound


@routine
def one_box(lo: Floats, hi: Floats, most: int) -> Boxes:
    """Return a single box that covers the whole domain, with room for `most` boxes."""
    boxes = Boxes(np.empty((most, lo.size)), np.empty((most, lo.size)), np.empty(most), np.ones(1, dtype=np.int64))
    set_box(boxes, 0, lo, hi, math.inf)
    return boxes


@inlined
def most_promising(boxes: Boxes) -> int:
    """Return the open box with the largest bound; −1 if none is open."""
    best = -1
    for b in range(boxes.open[0]):
        if best < 0 or boxes.bound[b] > boxes.bound[best]:
            best = b
    return best


@inlined
def close_box(boxes: Boxes, b: int) -> None:
    """Close box b; the last box takes its place."""
    last = boxes.open[0] - 1
    set_box(boxes, b, boxes.lo[last], boxes.hi[last], boxes.bound[last])
    boxes.open[0] = last


@inlined
def split_box(boxes: Boxes, b: int, bound: float, across: int, place: float) -> None:
    """Split box b across one dimension at a place in it (in the middle if that is nan or too near to an end)."""
    other = boxes.open[0]
    lo, hi = boxes.lo[b, across], boxes.hi[b, across]
    if not lo + EDGE * (hi - lo) < place < hi - EDGE * (hi - lo):
        place = 0.5 * (lo + hi)
    set_box(boxes, other, boxes.lo[b], boxes.hi[b], bound)
    boxes.lo[other, across], boxes.hi[b, across], boxes.bound[b] = place, place, bound
    boxes.open[0] = other + 1


@routine
def point_in_box(arm: Arm, theta: float, x0: Floats) -> tuple[Floats, Floats, Floats]:
    """Return (theta, x0) as one vector, with its bounds."""
    n = x0.size
    p, lo, hi = np.empty(1 + n), np.empty(1 + n), np.empty(1 + n)
    p[0], lo[0], hi[0] = theta, arm.theta_lo, arm.theta_hi
    for k in range(n):
        p[1 + k] = x0[k]
        lo[1 + k], hi[1 + k] = limits(arm.dynamics.dynamics, k)
    return p, lo, hi
