"""An arm's states cut into cells: what is proven of a cell holds for every state in it.

A cell's mean is the largest in it. Played or at rest, a cell leads to every cell that holds the next state of one of
its states. So any path of states is a path of cells that earns no less, whatever the sign of decay and whether the mean
rises or falls with the state: only that both are monotone is used. Floating-point steps are monotone too, so that the
states which a simulation meets are covered to the last digit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.compile.laws import inlined, kernel, pick, stack
from rogue_bandits.model.dynamics.probe import signals_of
from rogue_bandits.model.dynamics.projected import slopes
from rogue_bandits.model.probe import has_law
from rogue_bandits.types import Arm, Floats, Ints, Truth, mean, next_line, next_state, signal

RESTS, PLAYED = 0, 1


class Cells(NamedTuple):
    """The cells of every arm."""

    mean: Floats  # [arms, cells], the largest of the cell
    first: NDArray[np.int32]  # [arms, 2, cells], of the cells it leads to at rest and played …
    last: NDArray[np.int32]  # … and the last of them
    start: Ints  # [arms], the cell that holds x0
    lo: Floats  # [arms], the bounds of the state
    width: Floats  # [arms]


def cells_fault(truth: Truth) -> str | None:
    """Why cells would prove nothing of these arms; None if they do."""
    for k, arm in enumerate(truth.arms):
        d = arm.dynamics
        if isinstance(d.lo, tuple):
            return "bounds are worked out only for states that are single numbers"
        for told in signals_of(d, k, len(truth.arms)):
            least, most = slopes(d, d.lo, d.hi, told)
            if not has_law(next_line, d) and least < 0.0 < most:
                return f"bounds are worked out only where the next state rises, or falls, with the state: the law "\
                       f"`slopes` of {type(d).__name__} says from {least:g} to {most:g}"  # fmt: skip
    return None


def cut(truth: Truth, cells: int, stride: int = 1) -> Cells:
    """The states of each arm in cells // stride cells of equal width, each made of `stride` of the finest ones."""
    arms, n = len(truth.arms), cells // stride
    made = Cells(
        np.empty((arms, n)),
        np.empty((arms, 2, n), dtype=np.int32),
        np.empty((arms, 2, n), dtype=np.int32),
        np.empty(arms, dtype=np.int64),
        np.array([arm.dynamics.lo for arm in truth.arms]),
        np.array([(arm.dynamics.hi - arm.dynamics.lo) / n for arm in truth.arms]),
    )
    share = np.arange(0, cells, stride) / cells  # the edges of coarse cells are those of fine ones, to the last digit
    fill(stack(list(truth.arms)), np.array(truth.theta), np.array(truth.x0), share, made)
    return made


@kernel
def fill(arms: Arm, theta: Floats, x0: Floats, share: Floats, made: Cells) -> None:
    """Where each cell leads, and the most it rewards. A cell runs from its edge to the last number below the next."""
    for k in range(x0.size):
        arm = pick(arms, k)
        d = arm.dynamics
        edge = d.lo + (d.hi - d.lo) * share
        made.start[k] = place(edge, x0[k])
        for i in range(edge.size):
            lo, hi = edge[i], np.nextafter(edge[i + 1], -np.inf) if i + 1 < edge.size else d.hi
            made.mean[k, i] = max(mean(arm.rewards, theta[k], lo), mean(arm.rewards, theta[k], hi))
            made.first[k, :, i], made.last[k, :, i] = edge.size, -1
            for arm_played in range(-1, x0.size):
                told, move = signal(d, k, arm_played), PLAYED if arm_played == k else RESTS
                one, other = next_state(d, lo, told), next_state(d, hi, told)
                made.first[k, move, i] = min(made.first[k, move, i], place(edge, min(one, other)))
                made.last[k, move, i] = max(made.last[k, move, i], place(edge, max(one, other)))


@inlined
def place(edge: Floats, x: float) -> int:
    """The cell that holds x: the last one whose edge is not above it."""
    return max(int(np.searchsorted(edge, x, side="right")) - 1, 0)


@inlined
def most(value: Floats, first: int, last: int) -> float:
    """The largest of value[first … last]."""
    largest = value[first]
    for i in range(first + 1, last + 1):
        largest = max(largest, value[i])
    return largest
