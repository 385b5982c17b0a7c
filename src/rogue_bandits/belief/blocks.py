"""Blocks of early rewards whose states are parallel lines in x0: a few weighted states stand for all of a block.

A rotting arm keeps every reward, and their states are x0 + b with another b each. Where no clip is active, a sum over
the rewards of any smooth function of their states is a sum of a smooth function of b: `NODES` values of it, with
weights from the moments of b, give the sum of all `BLOCK`. See docs/decisions/0034-sums-of-families-by-loglik.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rogue_bandits.belief.evidence import SLOPE_FIT, ArmEvidence
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.numerics.chebyshev import nodes

BLOCK = 32  # rewards
NODES = nodes(6)
# Row q: the weight of node q, from the moments of order 0 to 5 of places in [−1, 1].
WEIGHTS = np.ascontiguousarray(np.linalg.inv(np.vander(NODES, increasing=True).T))


class Block(NamedTuple):
    """The moments, of order 1 to 5, of the places (offset − middle) / half; `slope` is 0 if there is no such block."""

    slope: float
    middle: float
    half: float
    m1: float
    m2: float
    m3: float
    m4: float
    m5: float


@routine
def block_at(s: ArmEvidence, i: int, x0: float) -> Block:
    """Return the block of early rewards from the i-th on, if all states are parallel and free at x0 and at the fit."""
    none, slope = Block(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), s.early[i, 0]
    first, last = s.early[i, 1], s.early[i + BLOCK - 1, 1]
    middle, half = 0.5 * (first + last), 0.5 * abs(last - first)
    if slope == 0.0 or 2.0 * half > s.block_spread:
        return none
    m1 = m2 = m3 = m4 = m5 = 0.0
    for row in range(i, i + BLOCK):
        offset = s.early[row, 1]
        x, t = slope * x0 + offset, (offset - middle) / half if half > 0.0 else 0.0
        # SLOPE_FIT is 0 where a clip is active at the fit.
        if s.early[row, 0] != slope or s.early[row, SLOPE_FIT] != slope or abs(t) > 1.0 + 1e-9:
            return none
        if x < s.early[row, 2] or x > s.early[row, 3]:
            return none
        square = t * t
        m1 += t
        m2 += square
        m3 += square * t
        m4 += square * square
        m5 += square * square * t
    return Block(slope, middle, half, m1, m2, m3, m4, m5)


@inlined
def node_of(block: Block, q: int) -> tuple[float, float]:
    """Return the offset of the q-th node of a block, and its weight."""
    row = WEIGHTS[q]
    weight = BLOCK * row[0] + row[1] * block.m1 + row[2] * block.m2
    weight += row[3] * block.m3 + row[4] * block.m4 + row[5] * block.m5
    return block.middle + block.half * NODES[q], weight
