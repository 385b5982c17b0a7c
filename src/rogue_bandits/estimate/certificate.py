"""A proof of how far an agent's fit is from the best: branch and bound over boxes of (low, high, pull, x0).

The distance is Σ|r − x|. A box whose lower bound reaches a target holds no distance below it; any other is cut in two.
When no box is left, no dynamics and x0 have a distance below the target.

low = drift and high = drift + decay are the states that 0 and 1 go to at rest. The state rises with each of the four,
so every trajectory of a box lies in the corridor between those of its two corners, and a reward outside of it is at
least as far from the state as from the corridor's edge: the corridor bound, which takes each reward separately. The
centred bound linearises around the box's centre with bounds of the slopes of states, so that what brings one reward
nearer takes another away. In small boxes it is much tighter.
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined, kernel
from rogue_bandits.estimate.families.contract import seen_states
from rogue_bandits.estimate.history import Record
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine, clip
from rogue_bandits.types import Floats, Ints, next_state

# Decay from 0 to 1, drift from 0 to 1, pull from −1 to 0: recovers at rest, wears out when played.
LOWEST, HIGHEST = (0.0, 0.0, -1.0, 0.0), (1.0, 2.0, 0.0, 1.0)
TINY = 1e-300  # a box that is a point has no width to divide by
# As shares of the distance, one proof after the other.
GAPS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0001, 0.00001)
BOXES_AT_ONCE = 200_000  # a few tenths of a second: between two slices, time and Ctrl-C are checked
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
                waiting.lowest[n], waiting.highest[n], waiting.side[n] = lo, hi, widest(record, lo, hi, slopes)
                waiting.n[0] = n + 1


# ---- lower bounds over a box -----------------------------------------------------------------------------------------
class Slopes(NamedTuple):
    """Bounds of the derivatives of the state with respect to each side of a box, and their sums over rewards."""

    least: Floats  # [4]: by low, high, pull and x0
    most: Floats
    sum_least: Floats
    sum_most: Floats


@inlined
def tighten(lo: Floats, hi: Floats) -> bool:
    """Cut off what 0 ≤ decay = high − low ≤ 1 does not allow; return whether anything is left."""
    lo[1] = max(lo[1], lo[0])
    hi[0] = min(hi[0], hi[1])
    hi[1] = min(hi[1], hi[0] + 1.0)
    lo[0] = max(lo[0], lo[1] - 1.0)
    return lo[0] <= hi[0] and lo[1] <= hi[1]


@inlined
def corridor_bound(record: Record, lo: Floats, hi: Floats, target: float) -> float:
    """Return the least distance that the corridor allows, or what is known of it once that is the target or more."""
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
def centred_bound(record: Record, lo: Floats, hi: Floats, slopes: Slopes) -> float:
    """The least distance that the slopes allow: Σ w·(r − x) at the centre, less what Σ w·x can gain on the way out.

    Any weights w from −1 to 1 give a bound. These are the signs of the residuals, or less where the corridor leaves the
    sign open: of both signs, they cancel in the sums of the slopes, where a corridor adds up its widths.
    """
    slopes.least[:], slopes.most[:], slopes.sum_least[:], slopes.sum_most[:] = 0.0, 0.0, 0.0, 0.0
    slopes.least[3], slopes.most[3] = 1.0, 1.0  # at decision 0 the state is x0
    d, d2, d_mid = corner_dynamics(lo), corner_dynamics(hi), corner_dynamics(0.5 * (lo + hi))
    x, x2, x_mid, least = lo[3], hi[3], 0.5 * (lo[3] + hi[3]), 0.0
    for t in range(record.played.size):
        r, played = record.rewards[t], record.played[t]
        if not math.isnan(r):
            weight = clip((r - x_mid) / (max(x2 - x_mid, x_mid - x) + TINY), -1.0, 1.0)
            least += weight * (r - x_mid)
            add_up(slopes, weight)
        after, after2 = next_state(d, x, played), next_state(d2, x2, played)
        follow(slopes, lo, hi, x, x2, played, after, after2)
        x, x2, x_mid = after, after2, next_state(d_mid, x_mid, played)
    for side in range(4):
        least -= 0.5 * (hi[side] - lo[side]) * max(-slopes.sum_least[side], slopes.sum_most[side])
    return least


@inlined
def add_up(slopes: Slopes, weight: float) -> None:
    """Add the slopes at a reward, by its weight."""
    for side in range(4):
        one, other = weight * slopes.least[side], weight * slopes.most[side]
        slopes.sum_least[side] += min(one, other)
        slopes.sum_most[side] += max(one, other)


@inlined
def follow(
    slopes: Slopes, lo: Floats, hi: Floats, x: float, x2: float, played: float, after: float, after2: float
) -> None:
    """Advance by one decision: a slope s becomes decay·s + (1 − x, x, played, 0)[side], or 0 where x is clipped."""
    decay, decay2 = max(lo[1] - hi[0], 0.0), min(hi[1] - lo[0], 1.0)
    may_move = after < 1.0 and after2 > 0.0
    surely_moves = after > 0.0 and after2 < 1.0
    for side in range(4):
        own = 1.0 - x2 if side == 0 else x if side == 1 else played if side == 2 else 0.0
        own2 = 1.0 - x if side == 0 else x2 if side == 1 else played if side == 2 else 0.0
        slopes.least[side] = decay * slopes.least[side] + own if surely_moves else 0.0
        slopes.most[side] = decay2 * slopes.most[side] + own2 if may_move else 0.0


@inlined
def widest(record: Record, lo: Floats, hi: Floats, room: Slopes) -> int:
    """Return the side of the box that widens the corridor most where rewards were seen.

    The width is attributed to the sides: a step adds (1 − x)·Δlow + x·Δhigh + played·Δpull at the middle of the
    corridor and multiplies what was there by decay; a clip shrinks all parts in proportion. `room` is overwritten.
    """
    d, d2 = corner_dynamics(lo), corner_dynamics(hi)
    x, x2 = lo[3], hi[3]
    decay = 0.5 * (d.decay + d2.decay)
    width, total = room.least, room.most  # by side: at this decision, and summed over the rewards
    width[:], total[:] = 0.0, 0.0
    width[3] = x2 - x
    for t in range(record.played.size):
        middle, played = 0.5 * (x + x2), record.played[t]
        x, x2 = next_state(d, x, played), next_state(d2, x2, played)
        sum_of_widths = 0.0
        for side in range(4):
            if not math.isnan(record.rewards[t]):
                total[side] += width[side]
            by_side = 1.0 - middle if side == 0 else middle if side == 1 else played if side == 2 else 0.0
            width[side] = decay * width[side] + by_side * (hi[side] - lo[side])
            sum_of_widths += width[side]
        if x2 - x < sum_of_widths:
            for side in range(4):
                width[side] *= (x2 - x) / sum_of_widths
    return int(np.argmax(total))


@inlined
def corner_dynamics(corner: Floats) -> ClippedAffine:
    """Return the dynamics at a corner of a box: decay = high − low, drift = low."""
    return ClippedAffine(corner[1] - corner[0], corner[2], corner[0], 0.0, 1.0)
