"""States under many hypotheses: through a rest of any length, and through all plays of an arm."""

from __future__ import annotations

from typing import Any

import numpy as np

from rogue_bandits.belief.bank.likelihood import ThetaTables, add_to_replay, condense, replay_rows
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.clipped_affine import clip
from rogue_bandits.types import Arm, Floats, Ints


@inlined
def power(decay: float, n: int) -> float:
    """Return decay^n, n ≥ 0, by squaring: the same on every machine, and quick for short rests."""
    result, square = 1.0, decay
    while n > 0:
        if n & 1:
            result *= square
        square *= square
        n >>= 1
    return result


@inlined
def rested(decay: float, drift: float, x: float, rests: int, lo: float, hi: float) -> float:
    """Return the state after rests, in one step: it moves monotonically to a level that is not below lo."""
    return approached(decay, drift, x, power(decay, rests), lo, hi) if rests > 0 else x


@inlined
def approached(decay: float, drift: float, x: float, kept: float, lo: float, hi: float) -> float:
    """Return the state when the share `kept` is left of its distance to the level at rest; decay 1 has none."""
    level = drift / (1.0 - decay) if decay < 1.0 else x
    return clip(level + (x - level) * kept, lo, hi)


@routine
def move_to_play(d: Any, decay: Floats, pull: Floats, drift: Floats, was_played: bool, rests: int, x: Floats) -> None:
    """Advance states from the last play, or from x0, through rests to the next play, in place."""
    if was_played:
        for i in range(x.size):
            x[i] = clip(decay[i] * x[i] + pull[i] + drift[i], d.lo, d.hi)
    if rests > 0:
        kept = powers(decay, rests)
        for i in range(x.size):
            x[i] = approached(decay[i], drift[i], x[i], kept[i], d.lo, d.hi)


@routine
def powers(decay: Floats, n: int) -> Floats:
    """Return `power` of every decay: bit by bit of n for all of them, so that the compiler uses vectors."""
    result, square = np.empty(decay.size), np.empty(decay.size)
    for i in range(decay.size):
        result[i], square[i] = 1.0, decay[i]
    while n > 0:
        if n & 1:
            for i in range(decay.size):
                result[i] *= square[i]
        n >>= 1
        for i in range(decay.size):
            square[i] *= square[i]
    return result


@routine
def replay(
    arm: Arm,
    tables: ThetaTables,
    k: int,
    decay: Floats,
    pull: Floats,
    drift: Floats,
    x: Floats,
    gap: Ints,
    reward: Floats,
    totals: Floats,
    sums: Floats,
) -> None:
    """Advance the first states x through all plays, in place, and write the sums over all rewards."""
    values = np.zeros((replay_rows(arm.rewards, tables), x.size))
    for j in range(gap.size):
        move_to_play(arm.dynamics, decay, pull, drift, j > 0, gap[j], x)
        if not np.isnan(reward[j]):
            add_to_replay(arm.rewards, tables, k, x, reward[j], values)
    condense(arm.rewards, tables, k, totals, values, sums)


@routine
def states_at_play(d: Any, decay: Floats, pull: Floats, drift: Floats, gap: Ints, play: int, x: Floats) -> None:
    """Advance the first states x to a play, in place."""
    for j in range(play + 1):
        move_to_play(d, decay, pull, drift, j > 0, gap[j], x)
