"""Lower bounds of the distance Σ|r − x| over a box of (low, high, pull, x0), and the side to cut.

low = drift and high = drift + decay are the states that 0 and 1 go to at rest. The state rises with each of the four,
so every trajectory of a box lies in the corridor between those of its two corners, and a reward outside of it is at
least as far from the state as from the corridor's edge: the corridor's bound, which takes each reward separately. The
centred bound uses the trajectory of the box's centre and bounds of the slopes of states: what brings one reward
nearer takes another away. In small boxes it is much tighter.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.compile.laws import inlined
from rogue_bandits.estimate.history import Record
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine, clip
from rogue_bandits.types import Floats, next_state

# Decay from 0 to 1, drift from 0 to 1, pull from −1 to 0: recovers at rest, wears out when played.
LOWEST, HIGHEST = (0.0, 0.0, -1.0, 0.0), (1.0, 2.0, 0.0, 1.0)
TINY = 1e-300  # a box that is a point has no width to divide by


class Slopes(NamedTuple):
    """How fast the state rises with each side of a box, at least and at most in it; and sums over rewards."""

    least: Floats  # [4]: by low, high, pull and x0
    most: Floats
    sum_least: Floats
    sum_most: Floats


@inlined
def tighten(lo: Floats, hi: Floats) -> bool:
    """Cut off what 0 ≤ decay = high − low ≤ 1 does not allow. Is anything left?"""
    lo[1] = max(lo[1], lo[0])
    hi[0] = min(hi[0], hi[1])
    hi[1] = min(hi[1], hi[0] + 1.0)
    lo[0] = max(lo[0], lo[1] - 1.0)
    return lo[0] <= hi[0] and lo[1] <= hi[1]


@inlined
def corridor_bound(record: Record, lo: Floats, hi: Floats, target: float) -> float:
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
def centred_bound(record: Record, lo: Floats, hi: Floats, slopes: Slopes) -> float:
    """The least distance that the slopes allow: Σ w·(r − x) at the centre, less what Σ w·x can gain on the way out.

    Any weights w from −1 to 1 give a bound. These are the signs of the residuals, or less where the corridor leaves the
    sign open: of both signs, they cancel in the sums of the slopes, where a corridor adds up its widths.
    """
    begin(slopes)
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
def begin(slopes: Slopes) -> None:
    """At decision 0 the state is x0, and nothing has been summed."""
    slopes.least[:], slopes.most[:], slopes.sum_least[:], slopes.sum_most[:] = 0.0, 0.0, 0.0, 0.0
    slopes.least[3], slopes.most[3] = 1.0, 1.0


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
    """One step: a slope s becomes decay·s + (1 − x, x, played, 0)[side]; and 0 where the state is clipped."""
    decay, decay2 = max(lo[1] - hi[0], 0.0), min(hi[1] - lo[0], 1.0)
    may_move = after < 1.0 and after2 > 0.0
    surely_moves = after > 0.0 and after2 < 1.0
    for side in range(4):
        own = 1.0 - x2 if side == 0 else x if side == 1 else played if side == 2 else 0.0
        own2 = 1.0 - x if side == 0 else x2 if side == 1 else played if side == 2 else 0.0
        slopes.least[side] = decay * slopes.least[side] + own if surely_moves else 0.0
        slopes.most[side] = decay2 * slopes.most[side] + own2 if may_move else 0.0


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
    """The dynamics at a corner of a box: decay = high − low, drift = low."""
    return ClippedAffine(corner[1] - corner[0], corner[2], corner[0], 0.0, 1.0)
