"""Lagrangian relaxation: a multiplier on plays decouples the arms and bounds the total of every plan.

Drop the constraint that exactly one arm is played at each decision; charge λ_t for each play at decision t, and add λ_t
once. The total of a plan, which keeps the constraint, is unchanged. Hence for any multipliers λ

    total of any plan  ≤  Σ_t λ_t + Σ_k V_{k,0}(x_k),
    V_{k,t}(x) = max(mean_k(x) − λ_t + V_{k,t+1}(x after play), V_{k,t+1}(x after rest)),   V_{k,horizon} = 0.

The bound is convex in λ; its subgradient by λ_t is 1 less the number of arms that play at decision t. With the cells
of `cells.py`, V bounds the values of all states of a cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined, kernel, routine
from rogue_bandits.planning.cells import PLAY, REST, Cells, cell_of, largest
from rogue_bandits.types import Bools, Floats

FIRST_SHARE = 0.1
MOMENTUM = 0.9
PATIENCE = 15  # steps without progress before they are shortened …
SHORTER = 0.5  # … by this factor


class Relaxed(NamedTuple):
    """The relaxed problem under a multiplier: its bound, its optimal plays and its values."""

    multiplier: Floats  # λ [decisions]
    bound: float
    played: Bools  # [arms, decisions]
    value: Floats  # V [arms, decisions + 1, cells]


def relaxed(cells: Cells, x: Floats, multiplier: Floats) -> Relaxed:
    """Solve the relaxed problem from states x."""
    arms, n = cells.mean.shape
    value, played = np.empty((arms, multiplier.size + 1, n)), np.empty((arms, multiplier.size), dtype=np.bool_)
    return Relaxed(multiplier, solve(cells, x, multiplier, value, played), played, value)


def best_multiplier(cells: Cells, x: Floats, multiplier: Floats, lower: float, steps: int) -> Relaxed:
    """Minimise the bound by subgradient steps with momentum, each a share of Polyak's step towards `lower`.

    Where arms alternate, the subgradient at a decision changes sign at every step. Momentum cancels that, and what
    remains is where the multiplier is wrong: at the start, while states recover, and at the end.
    """
    best = current = relaxed(cells, x, multiplier)
    share, waited, direction = FIRST_SHARE, 0, np.zeros(multiplier.size)
    for _ in range(steps):
        slope = 1.0 - current.played.sum(axis=0)
        direction = MOMENTUM * direction + (1.0 - MOMENTUM) * slope
        if not slope.any() or not direction.any():
            break
        step = share * max(current.bound - lower, 0.0) / float(direction @ direction)
        current = relaxed(cells, x, current.multiplier - step * direction)
        waited = 0 if current.bound < best.bound else waited + 1
        if waited == 0:
            best = current
        elif waited == PATIENCE:
            share, waited, current, direction = share * SHORTER, 0, best, np.zeros(multiplier.size)
    return best


@kernel
def solve(cells: Cells, x: Floats, multiplier: Floats, value: Floats, played: Bools) -> float:
    """Fill `value` and `played`; return the bound."""
    bound: float = multiplier.sum()
    for k in range(x.size):
        backward_values(cells, k, multiplier, value[k])
        start = cell_of(cells, k, x[k])
        bound += value[k, 0, start]
        forward_plays(cells, k, start, multiplier, value[k], played[k])
    return bound


@routine
def backward_values(cells: Cells, k: int, multiplier: Floats, value: Floats) -> None:
    """Fill value [decisions + 1, cells] with V of arm k, by backward induction."""
    value[multiplier.size] = 0.0
    for t in range(multiplier.size - 1, -1, -1):
        for i in range(value.shape[1]):
            rest, play = action_values(cells, k, i, multiplier[t], value[t + 1])
            value[t, i] = max(rest, play)


@routine
def forward_plays(cells: Cells, k: int, start: int, multiplier: Floats, value: Floats, played: Bools) -> None:
    """Fill played [decisions] with the optimal actions of arm k from cell `start`."""
    i = start
    for t in range(multiplier.size):
        rest, play = action_values(cells, k, i, multiplier[t], value[t + 1])
        played[t] = play > rest
        action = PLAY if played[t] else REST
        first, last = cells.first[k, action, i], cells.last[k, action, i]
        i = first + np.argmax(value[t + 1, first : last + 1])


@inlined
def action_values(cells: Cells, k: int, i: int, multiplier: float, following: Floats) -> tuple[float, float]:
    """Return the values of rest and of play in cell i of arm k, given those of the following decision's cells."""
    rest = largest(following, cells.first[k, REST, i], cells.last[k, REST, i])
    play = largest(following, cells.first[k, PLAY, i], cells.last[k, PLAY, i])
    return rest, cells.mean[k, i] - multiplier + play


def rounding(scale: float, arms: int, horizon: int) -> float:
    """Bound the rounding error of a bound: for each arm, sums of 2·horizon numbers up to horizon·scale."""
    return 8.0 * float(np.finfo(np.float64).eps) * (arms + 1) * (horizon + 10.0) ** 2 * scale
