"""A bound on every plan's long-run average, from any multiplier and any function of each arm's state.

Let h_k be a function of the cells of arm k, and Th_k(i) = max(mean_k(i) − λ + h_k(after play), h_k(after rest)), where
"after" is the largest over the cells that cell i leads to. Along any plan the rewards of decision t sum to at most

    λ + Σ_k (h_k(cell of x_k,t) − h_k(cell of x_k,t+1)) + Σ_k max(Th_k − h_k),

so that the total is at most horizon · (λ + Σ_k max(Th_k − h_k)) + Σ_k (h_k(x_k,0) − min h_k), whether or not h_k is a
converged bias. The cost does not depend on the horizon.
"""

from __future__ import annotations

import numpy as np

from rogue_bandits.compile.laws import inlined, kernel
from rogue_bandits.planning.cells import Cells, cell_of
from rogue_bandits.planning.grid import Place
from rogue_bandits.planning.lookahead import add_bias
from rogue_bandits.planning.relaxed import action_values, rounding
from rogue_bandits.planning.values import DAMPING, Values, multiplier_place
from rogue_bandits.types import Floats

CELLS = 4_000  # of an arm
SWEEPS = 500  # of value iteration over these cells, from the tabulated bias …
CONVERGED = 1e-7  # … or until the span of Th − h is this share of its terms


def long_run_bound(cells: Cells, x: Floats, values: Values, multiplier: float, horizon: int) -> float:
    """Return an upper bound on the total of every plan from states x, from the bias at this multiplier."""
    bias = np.zeros(cells.mean.shape)
    bound = improve(cells, x, values, multiplier, horizon, bias)
    scale = float(np.abs(cells.mean).max() + abs(multiplier) + 2.0 * np.abs(bias).max())
    return bound + rounding(scale, x.size, horizon)


@kernel
def improve(cells: Cells, x: Floats, values: Values, multiplier: float, horizon: int, bias: Floats) -> float:
    """Return the least bound found by value iteration from the tabulated bias; `bias` must be 0, and is filled in."""
    bound, difference, at = horizon * multiplier, np.empty(bias.shape[1]), multiplier_place(values, multiplier)
    for k in range(x.size):
        h, start, least = bias[k], cell_of(cells, k, x[k]), np.inf
        add_bias(values, 0, k, Place(0, 0.0), at, cells.edge[k], h)
        for _ in range(SWEEPS):
            excess = backup(cells, k, multiplier, h, difference)
            least = min(least, horizon * excess + h[start] - h.min())
            if excess - difference.min() < CONVERGED * (abs(excess) + abs(multiplier)):
                break
            top = h[h.size - 1] + DAMPING * difference[h.size - 1]
            for i in range(h.size):
                h[i] += DAMPING * difference[i] - top
        bound += least
    return bound


@inlined
def backup(cells: Cells, k: int, multiplier: float, h: Floats, difference: Floats) -> float:
    """Fill `difference` with Th − h of arm k; return the largest."""
    largest = -np.inf
    for i in range(h.size):
        rest, play = action_values(cells, k, i, multiplier, h)
        difference[i] = max(rest, play) - h[i]
        largest = max(largest, difference[i])
    return largest
