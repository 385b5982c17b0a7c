"""A proof of how far an agent's fit is from the best: branch and bound over boxes of (low, high, pull, x0).

A box whose bound (`boxes`) reaches a target holds no distance below it; any other is cut in two. When no box is left,
no dynamics and x0 have a distance below the target.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import kernel
from rogue_bandits.estimate.boxes import HIGHEST, LOWEST, Slopes, centred_bound, corridor_bound, tighten, widest
from rogue_bandits.estimate.families.contract import seen_states
from rogue_bandits.estimate.history import Record
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.types import Floats, Ints

# As shares of the distance, one proof after the other.
GAPS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0001, 0.00001)
BOXES_AT_ONCE = 200_000  # a few tenths of a second: between two slices, time is checked and Ctrl-C is heard
DEEPEST = 256  # boxes that wait, one for each cut on the way down: then a box is a point, and its bound a distance
NOTHING = 1e-9  # a distance below this much a reward is 0, and needs no proof


class Waiting(NamedTuple):
    """Boxes that wait to be cut: a stack, whose top is at n − 1."""

    lowest: Floats  # [boxes, 4]: a corner of each
    highest: Floats
    side: Ints  # [boxes]: where to cut it
    n: Ints  # [1]


def certify(record: Record, distance: float, seconds: float, least: float = 0.001) -> float:
    """Return the least gap proven within the time: nothing has a distance below (1 − gap)·distance.

    Gaps down to `least` are tried one after the other.

    >>> record = Record(np.ones(3), np.array([0.8, 0.1, 0.3]))
    >>> certify(record, 0.2, seconds=10.0) <= 0.01  # states 0.8, 0.1, 0.1 have this distance
    True
    """
    record = until_last_reward(record)
    if distance <= NOTHING * record.seen().size:
        return 0.0
    rule_out(record, 0.0, whole_box(), 0)  # compiles, if need be, before the clock starts
    began, gap = time.monotonic(), 1.0
    for smaller in (gap for gap in GAPS if gap >= least):
        waiting = whole_box()
        while waiting.n[0] > 0:
            if time.monotonic() - began > seconds or waiting.n[0] == DEEPEST:
                return gap
            rule_out(record, (1.0 - smaller) * distance, waiting, BOXES_AT_ONCE)
        gap = smaller
    return gap


def distance_of(record: Record, d: ClippedAffine, x0: float) -> float:
    """Return S = Σ|r − x|."""
    return float(np.sum(np.abs(record.seen() - seen_states(d, x0, record))))


def until_last_reward(record: Record) -> Record:
    """Drop what comes after the last reward: it has no influence."""
    end = int(np.flatnonzero(~np.isnan(record.rewards))[-1]) + 1
    return Record(record.played[:end], record.rewards[:end])


def whole_box() -> Waiting:
    """Return the box of everything that is possible."""
    waiting = Waiting(np.zeros((DEEPEST, 4)), np.zeros((DEEPEST, 4)), np.zeros(DEEPEST, np.int64), np.ones(1, np.int64))
    waiting.lowest[0], waiting.highest[0] = LOWEST, HIGHEST
    return waiting


@kernel
def rule_out(record: Record, target: float, waiting: Waiting, boxes: int) -> None:
    """Cut boxes, the deepest first, and keep the halves that may hold a distance below the target.

    It stops short where a box has become a point: a distance below the target has been found, and there is no proof.
    """
    lo, hi, slopes = np.empty(4), np.empty(4), Slopes(np.empty(4), np.empty(4), np.empty(4), np.empty(4))
    for _ in range(boxes):
        if waiting.n[0] == 0 or waiting.n[0] == DEEPEST:
            return
        top = waiting.n[0] - 1
        waiting.n[0] = top
        side = waiting.side[top]
        lowest, highest = waiting.lowest[top].copy(), waiting.highest[top].copy()
        middle = 0.5 * (lowest[side] + highest[side])
        for upper in range(2):
            lo[:], hi[:] = lowest, highest
            if upper == 1:
                lo[side] = middle
            else:
                hi[side] = middle
            if not tighten(lo, hi):
                continue
            # The corridor first: it is cheaper, and rules out most of the large boxes.
            if corridor_bound(record, lo, hi, target) < target and centred_bound(record, lo, hi, slopes) < target:
                n = waiting.n[0]
                waiting.lowest[n], waiting.highest[n], waiting.side[n] = lo, hi, widest(record, lo, hi)
                waiting.n[0] = n + 1
