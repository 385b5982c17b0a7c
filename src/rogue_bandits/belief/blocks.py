"""Blocks of early rewards whose states are parallel lines in x0: a few weighted states stand for all of a block.

A rotting arm keeps every reward, and their states are x0 + b with another b each. Where no clip is active, a sum over
the rewards of any smooth function of their states is a sum of a smooth function of b: `NODES` values of it, with
weights from the moments of b, give the sum of all `BLOCK`. Where all are clipped, one value does. A search for an upper
bound evaluates such sums hundreds of times around one fit, so blocks are made once for it. See
docs/decisions/0034-sums-of-families-by-loglik.md.
"""

from __future__ import annotations

import numpy as np

from rogue_bandits.belief.evidence import SLOPE_FIT, X_FIT, ArmEvidence, early_line
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.numerics.chebyshev import nodes
from rogue_bandits.types import Floats

BLOCK = 32  # rewards
NODES = nodes(6)
# Row q: the weight of node q, from the moments of order 0 to 5 of places in [−1, 1].
WEIGHTS = np.ascontiguousarray(np.linalg.inv(np.vander(NODES, increasing=True).T))
# Columns of a block. All its states are free, slope·x0 + offset, for x0 from FREE_FROM to FREE_TO; they are AT_LEAST up
# to LEAST_TO, and AT_MOST from MOST_FROM on. SLOPE is 0 where the rewards are to be read one by one.
SLOPE, FREE_FROM, FREE_TO, LEAST_TO, AT_LEAST, MOST_FROM, AT_MOST = range(7)
OF_FIT, STATE_FIT = 7, 8  # the slope by x0 at the fit, and the state there if that is 0
OFFSETS, WEIGHED = 9, 9 + NODES.size  # of the nodes
COLUMNS = WEIGHED + NODES.size


@routine
def blocks_of(s: ArmEvidence) -> Floats:
    """Return the blocks of the early rewards, in their order, a row each; the last few rewards are in none."""
    blocks = np.zeros((s.early.shape[0] // BLOCK, COLUMNS))
    for b in range(blocks.shape[0]):
        write_block(s, b * BLOCK, blocks[b])
    return blocks


@routine
def write_block(s: ArmEvidence, i: int, row: Floats) -> None:
    """Write the block of early rewards from the i-th on, if at the fit all are free, or all clipped to one state."""
    slope, first, last = s.early[i, 0], s.early[i, 1], s.early[i + BLOCK - 1, 1]
    middle, half = 0.5 * (first + last), 0.5 * abs(last - first)
    slope_fit, state_fit = s.early[i, SLOPE_FIT], s.early[i, X_FIT]
    if slope == 0.0 or 2.0 * half > s.block_spread or slope_fit not in (0.0, slope):
        return
    row[FREE_FROM], row[FREE_TO], row[LEAST_TO], row[MOST_FROM] = -np.inf, np.inf, np.inf, -np.inf
    row[OF_FIT], row[STATE_FIT] = slope_fit, state_fit
    moments = np.zeros(NODES.size)
    for j in range(i, i + BLOCK):
        place = (s.early[j, 1] - middle) / half if half > 0.0 else 0.0
        clipped = slope_fit == 0.0 and s.early[j, X_FIT] != state_fit
        if s.early[j, 0] != slope or s.early[j, SLOPE_FIT] != slope_fit or clipped or abs(place) > 1.0 + 1e-9:
            return
        narrow(s, j, i, row)
        power = 1.0
        for p in range(NODES.size):
            moments[p] += power
            power *= place
    for q in range(NODES.size):
        row[OFFSETS + q] = middle + half * NODES[q]
        for p in range(NODES.size):
            row[WEIGHED + q] += WEIGHTS[q, p] * moments[p]
    row[SLOPE] = slope


@inlined
def narrow(s: ArmEvidence, j: int, i: int, row: Floats) -> None:
    """Narrow the x0 at which a block that begins with the i-th reward is free, or clipped, to those of the j-th."""
    line, first = early_line(s, j), early_line(s, i)
    from_lo, from_hi = (line.lo - line.offset) / line.slope, (line.hi - line.offset) / line.slope
    rising = line.slope > 0.0
    least, most = (line.lo, line.hi) if rising else (line.hi, line.lo)
    row[AT_LEAST], row[AT_MOST] = (first.lo, first.hi) if rising else (first.hi, first.lo)
    begins, ends = min(from_lo, from_hi), max(from_lo, from_hi)
    row[FREE_FROM], row[FREE_TO] = max(row[FREE_FROM], begins), min(row[FREE_TO], ends)
    row[LEAST_TO] = min(row[LEAST_TO], begins) if least == row[AT_LEAST] else -np.inf
    row[MOST_FROM] = max(row[MOST_FROM], ends) if most == row[AT_MOST] else np.inf


@inlined
def nodes_at(row: Floats, x0: float) -> int:
    """Return how many weighted states stand for a block at x0; 0 if its rewards are to be read one by one."""
    if row[SLOPE] == 0.0:
        return 0
    if row[FREE_FROM] <= x0 <= row[FREE_TO]:
        return NODES.size
    if x0 <= row[LEAST_TO] or x0 >= row[MOST_FROM]:
        return 1 if row[OF_FIT] == 0.0 else NODES.size
    return 0


@inlined
def node_of(row: Floats, count: int, q: int, x0: float, x0_fit: float) -> tuple[float, float, float]:
    """Return the states of the q-th of `count` nodes of a block at x0 and at the fit, and its weight."""
    offset, weight = row[OFFSETS + q], row[WEIGHED + q]
    if row[FREE_FROM] <= x0 <= row[FREE_TO]:
        x = row[SLOPE] * x0 + offset
    else:
        x = row[AT_LEAST] if x0 <= row[LEAST_TO] else row[AT_MOST]
    x_fit = row[OF_FIT] * x0_fit + offset if row[OF_FIT] != 0.0 else row[STATE_FIT]
    return x, x_fit, weight if count > 1 else 1.0 * BLOCK
