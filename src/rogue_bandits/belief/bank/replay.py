"""States under many hypotheses: through a rest of any length, and through all plays of an arm."""

from __future__ import annotations

from typing import Any

import numpy as np

from rogue_bandits.belief.bank.likelihood import BLOCK, ThetaTables, add_to_replay, condense, replay_rows
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.clipped_affine import clip
from rogue_bandits.types import Arm, Floats, Ints

SHORT = 16  # rests of fewer decisions recur: the powers of the decay are computed once for each length


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
    return approached(level_at_rest(decay, drift), x, power(decay, rests), lo, hi) if rests > 0 else x


@inlined
def level_at_rest(decay: float, drift: float) -> float:
    """Return where the state goes at rest; any number will do where it stays, with decay 1."""
    return drift / (1.0 - decay) if decay < 1.0 else 0.0


@inlined
def approached(level: float, x: float, kept: float, lo: float, hi: float) -> float:
    """Return the state when the share `kept` is left of its distance to the level at rest."""
    return clip(level + (x - level) * kept, lo, hi)


@routine
def move_to_play(d: Any, decay: Floats, pull: Floats, drift: Floats, was_played: bool, rests: int, x: Floats) -> None:
    """Advance states from the last play, or from x0, through rests to the next play, in place."""
    if was_played:
        play_all(d, decay, pull, drift, x)
    if rests > 0:
        kept = np.empty(x.size)
        fill_powers(decay, rests, kept)
        for i in range(x.size):
            x[i] = approached(level_at_rest(decay[i], drift[i]), x[i], kept[i], d.lo, d.hi)


@inlined
def play_all(d: Any, decay: Floats, pull: Floats, drift: Floats, x: Floats) -> None:
    """Advance states by a play, in place."""
    for i in range(x.size):
        x[i] = clip(decay[i] * x[i] + pull[i] + drift[i], d.lo, d.hi)


@routine
def fill_powers(decay: Floats, n: int, result: Floats) -> None:
    """Write `power` of every decay: bit by bit of n for all of them, so that the compiler uses vectors."""
    square = np.empty(decay.size)
    for i in range(decay.size):
        result[i], square[i] = 1.0, decay[i]
    while n > 0:
        if n & 1:
            for i in range(decay.size):
                result[i] *= square[i]
        n >>= 1
        for i in range(decay.size):
            square[i] *= square[i]


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
    values = np.empty(replay_rows(arm.rewards, tables) * BLOCK)
    for first in range(0, x.size, BLOCK):
        end = min(first + BLOCK, x.size)
        values[:] = 0.0
        replay_block(
            arm, tables, k, decay[first:end], pull[first:end], drift[first:end], x[first:end], gap, reward, values
        )
        condense(arm.rewards, tables, k, totals, values, sums, first)


@routine
def replay_block(
    arm: Arm, tables: ThetaTables, k: int, decay: Floats, pull: Floats, drift: Floats, x: Floats,
    gap: Ints, reward: Floats, values: Floats,
) -> None:  # fmt: skip
    """Advance the states of a block through all plays, in place, and add all rewards to the rows of its replay."""
    d, level, kept, is_known = arm.dynamics, np.empty(x.size), np.empty((SHORT, x.size)), np.zeros(SHORT, np.bool_)
    for i in range(x.size):
        level[i] = level_at_rest(decay[i], drift[i])
    for j in range(gap.size):
        if j > 0:
            play_all(d, decay, pull, drift, x)
        if gap[j] > 0:
            row = gap[j] if gap[j] < SHORT else 0
            if row == 0 or not is_known[row]:
                fill_powers(decay, gap[j], kept[row])
                is_known[row] = True
            rest_all(d, level, kept[row], x)
        if not np.isnan(reward[j]):
            add_to_replay(arm.rewards, tables, k, x, reward[j], values)


@inlined
def rest_all(d: Any, level: Floats, kept: Floats, x: Floats) -> None:
    """Advance states by a rest of which `kept` has the powers of the decay, in place."""
    for i in range(x.size):
        x[i] = approached(level[i], x[i], kept[i], d.lo, d.hi)


@routine
def states_at_play(d: Any, decay: Floats, pull: Floats, drift: Floats, gap: Ints, play: int, x: Floats) -> None:
    """Advance the first states x to a play, in place."""
    for j in range(play + 1):
        move_to_play(d, decay, pull, drift, j > 0, gap[j], x)
