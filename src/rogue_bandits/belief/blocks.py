"""Blocks of early rewards whose states are parallel lines in x0: a few weighted states stand for all of a block.

A rotting arm keeps every reward, and their states are x0 + b with another b each. Where no clip is active, a sum over
the rewards of any smooth function of their states is a sum of a smooth function of b: `NODES` values of it, with
weights from the moments of b, give the sum of all `BLOCK`. Where all are clipped, one value does. See
docs/decisions/0034-sums-of-families-by-loglik.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rogue_bandits.belief.evidence import SLOPE_FIT, X_FIT, ArmEvidence, early_line
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.clipped_affine import state_on_line
from rogue_bandits.numerics.chebyshev import nodes

BLOCK = 32  # rewards
NODES = nodes(6)
# Row q: the weight of node q, from the moments of order 0 to 5 of places in [−1, 1].
WEIGHTS = np.ascontiguousarray(np.linalg.inv(np.vander(NODES, increasing=True).T))


class Block(NamedTuple):
    """The moments, of order 1 to 5, of the places (offset − middle) / half, and how the states depend on the offset.

    A state is slope·x0 + offset; where all are clipped to the same number, `slope` is 0 and `state` that number.
    """

    nodes: int  # 0: these rewards are to be read one by one
    middle: float
    half: float
    m1: float
    m2: float
    m3: float
    m4: float
    m5: float
    slope: float
    state: float
    slope_fit: float  # likewise at the fit
    state_fit: float


@routine
def block_at(s: ArmEvidence, i: int, x0: float) -> Block:
    """Return the block of early rewards from the i-th on.

    At x0, and at the fit, all states are free, or all are clipped to the same one.
    """
    slope, first, last = s.early[i, 0], s.early[i, 1], s.early[i + BLOCK - 1, 1]
    middle, half = 0.5 * (first + last), 0.5 * abs(last - first)
    state, state_fit, slope_fit = state_on_line(early_line(s, i), x0), s.early[i, X_FIT], s.early[i, SLOPE_FIT]
    free, flat, flat_fit = True, True, slope_fit == 0.0
    good = slope != 0.0 and 2.0 * half <= s.block_spread
    m1 = m2 = m3 = m4 = m5 = 0.0
    row = i
    while good and row < i + BLOCK:
        line = early_line(s, row)
        x, t = state_on_line(line, x0), (line.offset - middle) / half if half > 0.0 else 0.0
        free, flat = free and x == slope * x0 + line.offset, flat and x == state
        flat_fit = flat_fit and s.early[row, X_FIT] == state_fit
        good = (free or flat) and line.slope == slope and s.early[row, SLOPE_FIT] == slope_fit and abs(t) < 1.0 + 1e-9
        square = t * t
        m1 += t
        m2 += square
        m3 += square * t
        m4 += square * square
        m5 += square * square * t
        row += 1
    if not good or not (flat_fit or slope_fit == slope):
        return Block(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    count = 1 if flat and flat_fit else NODES.size
    return Block(count, middle, half, m1, m2, m3, m4, m5, 0.0 if flat else slope, state, slope_fit, state_fit)


@inlined
def node_of(block: Block, q: int, x0: float, x0_fit: float) -> tuple[float, float, float]:
    """Return the states of the q-th node of a block at x0 and at the fit, and its weight."""
    if block.nodes == 1:
        return block.state, block.state_fit, 1.0 * BLOCK
    row, offset = WEIGHTS[q], block.middle + block.half * NODES[q]
    weight = BLOCK * row[0] + row[1] * block.m1 + row[2] * block.m2
    weight += row[3] * block.m3 + row[4] * block.m4 + row[5] * block.m5
    x = block.slope * x0 + offset if block.slope != 0.0 else block.state
    x_fit = block.slope_fit * x0_fit + offset if block.slope_fit != 0.0 else block.state_fit
    return x, x_fit, weight
