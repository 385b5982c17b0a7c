"""The upper bound: a toll on each play takes the arms apart.

Let "exactly one arm at each decision" go, and charge toll_t for each play at decision t while paying toll_t out once. A
plan keeps the rule, so its total is unchanged. Hence for any toll whatsoever

    total of any plan  ≤  Σ_t toll_t + Σ_k W_{k,0}(x0_k),
    W_{k,t}(x) = max(mean_k(x) − toll_t + W_{k,t+1}(x once played), W_{k,t+1}(x once rested)),

where each arm decides alone. The bound is convex in the tolls; its slope by toll_t is 1 less the number of arms that
play at decision t. The cells of `cells.py` make W a bound for all states of a cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.compile.laws import inlined, kernel
from rogue_bandits.planning.cells import PLAYED, RESTS, Cells, most
from rogue_bandits.types import Floats

HALVINGS = 26  # of the range of a constant toll: to some 1e-8 of the range of means
FIRST_SHARE = 0.1
MEMORY = 0.9  # of the direction of a step, for that of the next
PATIENCE = 15  # steps without progress before they are made smaller
SHORTER = 0.5

Played = NDArray[np.bool_]  # [arms, decisions]


class Relaxed(NamedTuple):
    """The arms on their own under a toll: the bound, who plays when, and what a state is worth."""

    multiplier: Floats  # [decisions]
    bound: float
    played: Played
    worth: Floats  # W [decisions + 1, arms, cells]


def relaxed(cells: Cells, multiplier: Floats) -> Relaxed:
    """Let each arm do its best under the toll."""
    arms, n = cells.mean.shape
    worth, played = np.empty((multiplier.size + 1, arms, n)), np.empty((arms, multiplier.size), dtype=np.bool_)
    return Relaxed(multiplier, decide_alone(cells, multiplier, worth, played), played, worth)


def constant_multiplier(cells: Cells, horizon: int) -> Floats:
    """The constant toll with the least bound: under it one arm a decision plays, on average."""
    lo, hi = float(cells.mean.min()), float(cells.mean.max())
    width = hi - lo
    lo, hi = lo - width, hi + width

    def too_low(multiplier: float) -> bool:
        return bool(relaxed(cells, np.full(horizon, multiplier)).played.sum() > horizon)

    below = lo - width * horizon  # there no arm would ever rest
    while lo > below and not too_low(lo):
        lo -= hi - lo
    for _ in range(HALVINGS):
        middle = 0.5 * (lo + hi)
        if too_low(middle):
            lo = middle
        else:
            hi = middle
    return np.full(horizon, hi)


def best_multiplier(cells: Cells, multiplier: Floats, lower: float, steps: int) -> Relaxed:
    """Follow the slope of the bound downhill, by a share of the step that reaches `lower` on a line [Polyak].

    Where arms take turns the slope at one decision changes its sign at every step. Averaged over the latest steps these
    cancel, and what remains is where the toll is wrong: at the start, while states recover, and at the end.
    """
    best = current = relaxed(cells, multiplier)
    share, waited, direction = FIRST_SHARE, 0, np.zeros(multiplier.size)
    for _ in range(steps):
        slope = 1.0 - current.played.sum(axis=0)
        direction = MEMORY * direction + (1.0 - MEMORY) * slope
        if not slope.any() or not direction.any():
            break
        step = share * max(current.bound - lower, 0.0) / float(direction @ direction)
        current = relaxed(cells, current.multiplier - step * direction)
        waited = 0 if current.bound < best.bound else waited + 1
        if waited == 0:
            best = current
        elif waited == PATIENCE:
            share, waited, current, direction = share * SHORTER, 0, best, np.zeros(multiplier.size)
    return best


@kernel
def decide_alone(cells: Cells, multiplier: Floats, worth: Floats, played: Played) -> float:
    """Backward through the decisions for W, forward for who plays; the bound."""
    bound = multiplier.sum()
    worth[multiplier.size] = 0.0
    for k in range(cells.mean.shape[0]):
        for t in range(multiplier.size - 1, -1, -1):
            for i in range(cells.mean.shape[1]):
                rests, plays = choices(cells, k, i, multiplier[t], worth[t + 1, k])
                worth[t, k, i] = max(rests, plays)
        i = cells.start[k]
        bound += worth[0, k, i]
        for t in range(multiplier.size):
            rests, plays = choices(cells, k, i, multiplier[t], worth[t + 1, k])
            played[k, t] = plays > rests
            move = PLAYED if played[k, t] else RESTS
            first, last = cells.first[k, move, i], cells.last[k, move, i]
            i = first + np.argmax(worth[t + 1, k, first : last + 1])
    return bound


@inlined
def choices(cells: Cells, k: int, i: int, multiplier: float, after: Floats) -> tuple[float, float]:
    """What rest and play are worth in cell i of arm k, if the next cells are worth `after`."""
    rests = most(after, cells.first[k, RESTS, i], cells.last[k, RESTS, i])
    plays = most(after, cells.first[k, PLAYED, i], cells.last[k, PLAYED, i])
    return rests, cells.mean[k, i] - multiplier + plays
