"""The Whittle index: the multiplier at which playing an arm now and resting it are worth the same.

An arm by itself is charged a multiplier λ for every play (`values.py`). With its relaxed values h_λ, playing at state
x is worth more than resting by

    a(x, λ) = mean(x) − λ + h_λ(x after play) − h_λ(x after rest),

and the index W(x) is the largest λ at which that is not negative. It is found for all states at once: λ falls from
the largest mean, where no play is worth its charge, until every state has a play that is. The index is defined for
arms that recover at rest and wear when played: decay ≥ 0 and pull ≤ 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined, kernel, overwrite, pick, remembered, routine, stack
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.problem import ArmTable, arm_of, arm_table, types_in
from rogue_bandits.model.validation import checked_arms, checked_inside
from rogue_bandits.planning.cells import PLAY, REST
from rogue_bandits.planning.grid import Grid, between, box_grid, grid_fault, place, state_place
from rogue_bandits.planning.values import lerp, solve_arm, steps
from rogue_bandits.types import Arm, Floats, Ints, coordinate, mean, theta_at

THETAS, STATES = 17, 201  # values are solved at every second theta
FINE_STATES = 401  # for the index at one state
LEVELS = 60  # multipliers over the range of the means
LOWER_LEVELS, LOWER_GROWTH = 60, 1.1  # and below it, with steps that grow
LOWEST = 50.0  # ranges of the means below the least mean: so far down play is worth it everywhere
TOLERANCE = 1e-4  # of the range of the means, for the advantage of play: no more than multipliers and thetas leave
CUBIC = -0.0625, 0.5625, 0.5625, -0.0625  # weights of four nodes, of which the two in the middle are beside the place
CUBIC_AT_END = 0.3125, 0.9375, -0.3125, 0.0625  # the same where it is between the first two
LOOSEST = 1e-3  # and for relaxed values, where plays have next to no effect
EXACT = 1e-7  # of the range of the means, for the index at one state


class Indices(NamedTuple):
    """The index of every arm at nodes of theta and the state: immutable, shared by all people."""

    grid: Grid
    value: Floats  # [rows, arms, thetas, states]; a row is that of an `ArmTable`


def index_fault(arms: Sequence[Arm]) -> str | None:
    """Say why these arms have no index; None if they do."""
    for k, arm in enumerate(arms):
        where, d = f"arm {arm.name or k!r}", arm.dynamics
        if not isinstance(d, ClippedAffine):
            return f"{where}: the Whittle index is worked out for ClippedAffine dynamics, not {type(d).__name__}"
        if d.decay < 0.0 or d.pull > 0.0:
            name, value, allowed = ("decay", d.decay, "0 or more") if d.decay < 0.0 else ("pull", d.pull, "0 or less")
            return f"{where}, {name} {value} must be {allowed} for the Whittle index: a threshold policy need not be "\
                   "optimal there; the relaxed lookahead has no such condition"  # fmt: skip
        if d.decay >= 1.0 and d.pull < 0.0:
            return (
                f"{where}, decay {d.decay} must be below 1 for the Whittle index: an arm that never recovers has none"
            )
    return grid_fault(arms)


def whittle_index(arm: Arm, theta: float, x: float) -> float:
    """Return the Whittle index of an arm at a known theta and state.

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> round(whittle_index(arm, theta=0.5, x=1.0), 3), round(whittle_index(arm, theta=0.5, x=0.3), 3)
    (0.69, 0.515)
    """
    (arm,) = checked_arms([arm])
    if (wrong := index_fault([arm])) is not None:
        raise ValueError(wrong)
    theta = checked_inside(theta, arm.theta_lo, arm.theta_hi, "theta", "Whittle index")
    x = checked_inside(x, arm.dynamics.lo, arm.dynamics.hi, "x", "Whittle index")
    return float(exact_index(stack([arm]), theta, x))


def index_table(people: list[list[Arm]]) -> Indices:
    """Tabulate the index; `people` has one list of arms for all, or one for each (`model.problem.rows_of`)."""
    rows = tuple(tuple(arms) for arms in people)
    return _index_table(types_in(rows), rows)


@remembered(32)
def _index_table(types: tuple[Any, ...], people: tuple[tuple[Arm, ...], ...]) -> Indices:
    """Tabulate once for each problem; `types` distinguishes problems of equal numbers."""
    for arms in people:
        if (wrong := index_fault(arms)) is not None:
            raise ValueError(wrong)
    grid = box_grid(people[0], THETAS, STATES)
    indices = Indices(grid, np.empty((len(people), len(people[0]), THETAS, STATES)))
    fill_indices(arm_table([list(arms) for arms in people]).arms, indices)
    return indices


@kernel
def fill_indices(arms: Arm, indices: Indices) -> None:
    """Fill in the index of every arm [rows, arms] at every node."""
    grid = indices.grid
    at, weight = np.empty((2, grid.states), dtype=np.int64), np.empty((2, grid.states))
    means, lowest, width = np.empty(grid.states), np.empty(grid.thetas), np.empty(grid.thetas)
    for row in range(indices.value.shape[0]):
        for k in range(indices.value.shape[1]):
            arm = pick(arms, (row, k))
            tolerance = value_tolerance(arm.dynamics)
            fill_steps(grid, arm, k, at, weight)
            for i in range(grid.thetas):
                theta = theta_at(arm.rewards, grid.theta_lo[k] + i * grid.theta_step[k])
                fill_means_at(grid, arm, k, theta, means)
                lowest[i], width[i] = means.min(), means.max() - means.min()
                if i % 2 == 0:
                    fill_index(means, at, weight, tolerance, indices.value[row, k, i])
            fill_between(lowest, width, indices.value[row, k])


@inlined
def fill_between(lowest: Floats, width: Floats, index: Floats) -> None:
    """Fill in the index [thetas, states] at every second theta, by cubic interpolation between the others.

    What is interpolated is the share of the range of the means, lowest to lowest + width: shifting and stretching the
    means shifts and stretches the index, and what theta changes beyond that is smooth.
    """
    last = index.shape[0] - 1
    for i in range(1, last, 2):
        parts = CUBIC if 3 <= i <= last - 3 else CUBIC_AT_END
        index[i] = lowest[i]
        for j in range(4):
            node = last - 2 * j if i == last - 1 else max(i - 3, 0) + 2 * j
            if width[node] > 0.0:
                factor = parts[j] * width[i] / width[node]
                for x in range(index.shape[1]):
                    index[i, x] += factor * (index[node, x] - lowest[node])


@inlined
def value_tolerance(d: ClippedAffine) -> float:
    """Return to how much of the range of the means relaxed values must be solved for an advantage to `TOLERANCE`.

    The error of h is smooth: what sweeps leave longest is its slope, of which each takes away a share 1 − decay. It is
    span(Th − h) / (1 − decay) over the range of states, and h is subtracted at two states that are −pull apart.
    """
    wear = -d.pull / ((1.0 - d.decay) * (d.hi - d.lo)) if d.pull < 0.0 and d.hi > d.lo else 0.0
    return LOOSEST if wear * LOOSEST < TOLERANCE else TOLERANCE / min(wear, 1.0)


@inlined
def fill_steps(grid: Grid, arm: Arm, k: int, at: Ints, weight: Floats) -> None:
    """Fill in the places of the next states, [2, states]."""
    steps(grid, arm.dynamics, k, 0.0, at[REST], weight[REST])
    steps(grid, arm.dynamics, k, 1.0, at[PLAY], weight[PLAY])


@inlined
def fill_means_at(grid: Grid, arm: Arm, k: int, theta: float, means: Floats) -> None:
    """Fill in the mean at every state."""
    for j in range(grid.states):
        means[j] = mean(arm.rewards, theta, grid.state_lo[k] + j * grid.state_step[k])


@inlined
def advantage(means: Floats, multiplier: float, at: Ints, weight: Floats, h: Floats, x: int) -> float:
    """Return a(x, λ), by how much play is worth more than rest."""
    play, rest = lerp(h, at[PLAY, x], weight[PLAY, x]), lerp(h, at[REST, x], weight[REST, x])
    ahead: float = means[x] - multiplier + play - rest
    return ahead


@routine
def fill_index(means: Floats, at: Ints, weight: Floats, tolerance: float, index: Floats) -> None:
    """Fill in the index at every state of one arm at one theta, linear between multipliers.

    `tolerance` is that of relaxed values, of the range of the means. Where play is not worth it at any multiplier, the
    index is the last of them.
    """
    overwrite(index, means)
    highest, width = means.max(), means.max() - means.min()
    if width == 0.0:
        return
    multiplier, step = highest, width / LEVELS
    h, before, found = np.zeros(means.size), means - highest, means >= highest
    for level in range(LEVELS + LOWER_LEVELS):
        if found.all():
            break
        multiplier -= step
        solve_arm(means, multiplier, at, weight, tolerance * width, h)
        for x in range(means.size):
            now = advantage(means, multiplier, at, weight, h, x)
            if not found[x]:
                found[x] = now >= 0.0
                share = now / (now - before[x]) if found[x] else 0.0  # of the step back to the multiplier before
                index[x] = multiplier + share * step
            before[x] = now
        if level >= LEVELS:
            step *= LOWER_GROWTH


@kernel
def exact_index(arms: Arm, theta: float, x: float) -> float:
    """Return the index of the only one of stacked arms at one theta and state, by bisection."""
    arm = pick(arms, 0)
    d = arm.dynamics
    zero, lo, step = np.zeros(1), np.full(1, d.lo), np.full(1, (d.hi - d.lo) / (FINE_STATES - 1))
    grid = Grid(zero, zero, 1, lo, step, FINE_STATES)
    at, weight = np.empty((2, grid.states), dtype=np.int64), np.empty((2, grid.states))
    means, h, spot = np.empty(grid.states), np.zeros(grid.states), state_place(grid, 0, x)
    fill_steps(grid, arm, 0, at, weight)
    fill_means_at(grid, arm, 0, theta, means)
    width = means.max() - means.min()
    low, high = means.min() - LOWEST * width, means.max()
    while high - low > EXACT * width:
        middle = 0.5 * (low + high)
        solve_arm(means, middle, at, weight, EXACT * width, h)
        ahead = advantage(means, middle, at, weight, h, spot.i)
        if spot.weight > 0.0:
            ahead += spot.weight * (advantage(means, middle, at, weight, h, spot.i + 1) - ahead)
        if ahead >= 0.0:
            low = middle
        else:
            high = middle
    index: float = 0.5 * (low + high)
    return index


@inlined
def index_at(table: ArmTable, indices: Indices, person: int, k: int, theta: float, x: float) -> float:
    """Return the index of arm k of a person, interpolated linearly between nodes."""
    y = coordinate(arm_of(table, person, k).rewards, theta)
    return index_at_coordinate(indices, person * table.stride, k, y, x)


@inlined
def index_at_coordinate(indices: Indices, row: int, k: int, y: float, x: float) -> float:
    """Return the same at a coordinate of theta, of a row of the table."""
    grid = indices.grid
    at, state = place(y, grid.theta_lo[k], grid.theta_step[k], grid.thetas), state_place(grid, k, x)
    value = indices.value[row, k]
    low = between(value[at.i], state)
    return low + at.weight * (between(value[min(at.i + 1, grid.thetas - 1)], state) - low)
