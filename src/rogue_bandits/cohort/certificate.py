"""A proof of how far a fit is from the best: branch and bound over boxes of ways.

The state rises with each of low, high, pull and x0, so every trajectory of a box lies between those of its two
corners, and a reward outside of that corridor is at least as far from the state as from the corridor's edge. A box
whose sum of such distances reaches a target holds nothing below it; any other is cut in two. When no box is left, no
way of all has a distance below the target.
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np

from rogue_bandits.cohort.record import HIGHEST, LOWEST, Record
from rogue_bandits.laws import inlined, kernel
from rogue_bandits.model.dynamics import ClippedAffine
from rogue_bandits.types import Floats, Ints, next_state

GAPS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)  # as shares of the distance, one proof after the other
BOXES_AT_ONCE = 200_000  # a few tenths of a second: between two slices, time is checked and Ctrl-C is heard
DEEPEST = 256  # boxes that wait, one for each cut on the way down: then a box is a point, and its bound a distance
NOTHING = 1e-9  # a distance below this much a reward is 0, and needs no proof


class Waiting(NamedTuple):
    """Boxes that wait to be cut: a stack, whose top is at n − 1."""

    lowest: Floats  # [boxes, 4]: a corner of each, as a Way
    highest: Floats
    side: Ints  # [boxes]: where to cut it
    n: Ints  # [1]


def certify(record: Record, distance: float, seconds: float, least: float = GAPS[-1]) -> float:
    """The least gap proven within the time: no way of this record's state has a distance below (1 − gap)·distance.

    Gaps down to `least` are tried one after the other.

    >>> record = Record(np.ones(6), np.array([0.9, 0.2, 0.7, 0.1, 0.8, 0.3]))
    >>> from rogue_bandits.cohort.search import best_way
    >>> certify(record, best_way(record)[1], seconds=10.0) <= 0.01
    True
    """
    record = until_last_reward(record)
    if distance <= NOTHING * record.seen().size:
        return 0.0
    rule_out(record, 0.0, all_ways(), 0)  # compiles, if need be, before the clock starts
    began, gap = time.monotonic(), 1.0
    for smaller in (gap for gap in GAPS if gap >= least):
        waiting = all_ways()
        while waiting.n[0] > 0:
            if time.monotonic() - began > seconds or waiting.n[0] == DEEPEST:
                return gap
            rule_out(record, (1.0 - smaller) * distance, waiting, BOXES_AT_ONCE)
        gap = smaller
    return gap


def until_last_reward(record: Record) -> Record:
    """What comes after the last reward that was seen has no say."""
    end = int(np.flatnonzero(~np.isnan(record.rewards))[-1]) + 1
    return Record(record.played[:end], record.rewards[:end])


def all_ways() -> Waiting:
    """The one box of all ways."""
    waiting = Waiting(np.zeros((DEEPEST, 4)), np.zeros((DEEPEST, 4)), np.zeros(DEEPEST, np.int64), np.ones(1, np.int64))
    waiting.lowest[0], waiting.highest[0] = LOWEST, HIGHEST
    return waiting


@kernel
def rule_out(record: Record, target: float, waiting: Waiting, boxes: int) -> None:
    """Cut boxes, the deepest first, and keep the halves that may hold a distance below the target.

    It stops short where a box has become a point: a distance below the target has been found, and there is no proof.
    """
    lo, hi = np.empty(4), np.empty(4)
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
            if bound(record, lo, hi, target) < target:
                n = waiting.n[0]
                waiting.lowest[n], waiting.highest[n], waiting.side[n] = lo, hi, widest(record, lo, hi)
                waiting.n[0] = n + 1


@inlined
def tighten(lo: Floats, hi: Floats) -> bool:
    """Cut off what 0 ≤ decay = high − low ≤ 1 does not allow. Is anything left?"""
    lo[1] = max(lo[1], lo[0])
    hi[0] = min(hi[0], hi[1])
    hi[1] = min(hi[1], hi[0] + 1.0)
    lo[0] = max(lo[0], lo[1] - 1.0)
    return lo[0] <= hi[0] and lo[1] <= hi[1]


@inlined
def bound(record: Record, lo: Floats, hi: Floats, target: float) -> float:
    """The least distance that the corridor allows, or what is known of it once that is the target or more."""
    d, d2 = corner_dynamics(lo), corner_dynamics(hi)
    x, x2, least = lo[3], hi[3], 0.0
    for t in range(record.played.size):
        r, played = record.rewards[t], record.played[t]
        if not math.isnan(r):
            least += max(x - r, r - x2, 0.0)
            if least >= target:
                break
        x, x2 = next_state(d, x, played), next_state(d2, x2, played)
    return least


@inlined
def widest(record: Record, lo: Floats, hi: Floats) -> int:
    """The side of the box that widens the corridor most where rewards were seen.

    The width is shared out among the sides: a step adds (1 − x)·Δlow + x·Δhigh + played·Δpull at the middle of the
    corridor, and passes on what was there in equal measure; a clip takes from all alike.
    """
    d, d2 = corner_dynamics(lo), corner_dynamics(hi)
    x, x2 = lo[3], hi[3]
    decay = 0.5 * (d.decay + d2.decay)
    by_low, by_high, by_pull, by_x0 = 0.0, 0.0, 0.0, x2 - x
    low, high, pull, first = 0.0, 0.0, 0.0, 0.0  # the sums over the rewards
    for t in range(record.played.size):
        played = record.played[t]
        if not math.isnan(record.rewards[t]):
            low, high, pull, first = low + by_low, high + by_high, pull + by_pull, first + by_x0
        middle = 0.5 * (x + x2)
        by_low = decay * by_low + (1.0 - middle) * (hi[0] - lo[0])
        by_high = decay * by_high + middle * (hi[1] - lo[1])
        by_pull = decay * by_pull + played * (hi[2] - lo[2])
        by_x0 = decay * by_x0
        x, x2 = next_state(d, x, played), next_state(d2, x2, played)
        free = by_low + by_high + by_pull + by_x0
        if x2 - x < free:
            kept = (x2 - x) / free
            by_low, by_high, by_pull, by_x0 = kept * by_low, kept * by_high, kept * by_pull, kept * by_x0
    most = max(low, high, pull, first)
    return 0 if low == most else 1 if high == most else 2 if pull == most else 3


@inlined
def corner_dynamics(corner: Floats) -> ClippedAffine:
    """The dynamics at a corner of a box, as `Way.dynamics` has them."""
    return ClippedAffine(corner[1] - corner[0], corner[2], corner[0], 0.0, 1.0)
