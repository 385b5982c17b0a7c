"""The states of an arm in cells, with bounds that hold for every state of a cell.

The mean of a cell is the largest in it. Played or at rest, a cell leads to every cell that holds the next state of one
of its states. Hence for every path of states there is a path of cells with a total at least as large. This uses only
that `next_state` and `mean` are monotone in the state, rising or falling. Floating-point steps are monotone too, so
the bounds hold for the states of a simulation exactly, rounding included.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.compile.laws import inlined, kernel, pick
from rogue_bandits.model.dynamics.probe import signals_of
from rogue_bandits.model.dynamics.projected import slopes
from rogue_bandits.model.probe import has_law
from rogue_bandits.types import Arm, Floats, mean, next_line, next_state, signal

REST, PLAY = 0, 1  # the two actions of an arm


class Cells(NamedTuple):
    """The cells of every arm at one theta; all of an arm's are equally wide."""

    mean: Floats  # [arms, cells], the largest of the cell
    first: NDArray[np.int32]  # [arms, actions, cells], the first cell that the cell leads to
    last: NDArray[np.int32]  # [arms, actions, cells], the last one
    edge: Floats  # [arms, cells], the least state of the cell
    width: Floats  # [arms]


def cells_fault(arms: Arm, x: Floats) -> str | None:
    """Return why cells give no bounds for these stacked arms; None if they do."""
    if x.ndim > 1:
        return "bounds are worked out only for states that are single numbers"
    for k in range(x.size):
        d = pick(arms, k).dynamics
        for played_t in signals_of(d, k, x.size):
            lowest, highest = slopes(d, d.lo, d.hi, played_t)
            if not has_law(next_line, d) and lowest < 0.0 < highest:
                return f"bounds are worked out only where the next state rises, or falls, with the state: the law "\
                       f"`slopes` of {type(d).__name__} says from {lowest:g} to {highest:g}"  # fmt: skip
    return None


def cut(arms: Arm, theta: Floats, cells: int, stride: int = 1) -> Cells:
    """Cut the states of each arm into cells // stride cells of equal width, each made of `stride` of the finest."""
    k, n = theta.size, cells // stride
    lo, hi = arms.dynamics.lo, arms.dynamics.hi
    share = np.arange(0, cells, stride) / cells  # the edges of coarse cells are those of fine ones, to the last digit
    made = Cells(
        mean=np.empty((k, n)),
        first=np.full((k, 2, n), n, dtype=np.int32),
        last=np.full((k, 2, n), -1, dtype=np.int32),
        edge=lo[:, np.newaxis] + (hi - lo)[:, np.newaxis] * share,
        width=(hi - lo) / n,
    )
    fill(arms, theta, made)
    return made


@kernel
def fill(arms: Arm, theta: Floats, cells: Cells) -> None:
    """Fill in means and successors. A cell ends at the last number below the edge of the next."""
    n = cells.edge.shape[1]
    for k in range(theta.size):
        arm = pick(arms, k)
        for i in range(n):
            lo = cells.edge[k, i]
            hi = np.nextafter(cells.edge[k, i + 1], -np.inf) if i + 1 < n else arm.dynamics.hi
            cells.mean[k, i] = max(mean(arm.rewards, theta[k], lo), mean(arm.rewards, theta[k], hi))
            for arm_played in range(-1, theta.size):
                played_t, action = signal(arm.dynamics, k, arm_played), PLAY if arm_played == k else REST
                one, other = next_state(arm.dynamics, lo, played_t), next_state(arm.dynamics, hi, played_t)
                first, last = cell_of(cells, k, min(one, other)), cell_of(cells, k, max(one, other))
                cells.first[k, action, i] = min(cells.first[k, action, i], first)
                cells.last[k, action, i] = max(cells.last[k, action, i], last)


@inlined
def cell_of(cells: Cells, k: int, x: float) -> int:
    """Return the cell of arm k that holds state x: the last one whose edge is not above it."""
    return max(int(np.searchsorted(cells.edge[k], x, side="right")) - 1, 0)


@inlined
def value_at(cells: Cells, k: int, value: Floats, x: float) -> float:
    """Return a function of arm k's state at x, interpolated linearly between value[i] at the upper edges of cells i.

    Upper edges, as that is where a bound on all states of a cell is tightest if values rise with the state.
    """
    at = (x - cells.edge[k, 0]) / cells.width[k] if cells.width[k] > 0.0 else 0.0
    i = min(int(at), value.size - 1)
    beyond: float = value[i] + (value[i] - value[max(i - 1, 0)]) * (at - i - 1.0)
    return beyond


@inlined
def largest(value: Floats, first: int, last: int) -> float:
    """Return the largest of value[first … last]."""
    found: float = value[first]
    for i in range(first + 1, last + 1):
        found = max(found, value[i])
    return found


@inlined
def least(value: Floats, first: int, last: int) -> float:
    """Return the least of value[first … last]."""
    found: float = value[first]
    for i in range(first + 1, last + 1):
        found = min(found, value[i])
    return found
