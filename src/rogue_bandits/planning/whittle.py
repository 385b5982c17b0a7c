"""The Whittle index: the multiplier at which playing an arm now and resting it are worth the same.

Path A plays at state x, path B rests; both then play if and only if the state is at least x. With rewards r, plays n,

    W(x) = (mean(x) + Σ_t w_t (r_A − r_B)) / (1 + Σ_t w_t (n_A − n_B)),   t = 1 … H − 1,

where w_t = (1 − s)²(1 + 2s), s = t/H, tapers the sums. The threshold policy is that of arms that recover at rest and
wear when played: decay ≥ 0 and pull ≤ 0. Where plays take the state to its lower bound, playing always may be better
than any threshold, and W is too small there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined, kernel, pick, routine
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.problem import ArmTable, arm_of, arm_table, types_in
from rogue_bandits.model.validation import checked_arms, checked_inside
from rogue_bandits.planning.grid import Grid, between, box_grid, grid_fault, state_place, theta_place
from rogue_bandits.types import Arm, Floats, mean, next_state, theta_at

THETAS, STATES = 17, 101
SHORTEST = 200  # with a taper over 100 decisions or fewer the denominator nearly vanishes
LONGEST = 100_000  # for decays near 1, where states never return
MEMORY = 10.0  # time constants of the decay, for the taper
ROUNDING = 1e-12  # of the range of the state: states this near to the threshold have reached it


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
    return exact_index(arm, theta, x)


def index_table(people: list[list[Arm]]) -> Indices:
    """Tabulate the index; `people` has one list of arms for all, or one for each (`model.problem.rows_of`)."""
    rows = tuple(tuple(arms) for arms in people)
    return _index_table(types_in(rows), rows)


@lru_cache(maxsize=32)
def _index_table(types: tuple[Any, ...], people: tuple[tuple[Arm, ...], ...]) -> Indices:
    """Tabulate once for each problem; `types` tells apart problems of equal numbers."""
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
    for row in range(indices.value.shape[0]):
        for k in range(indices.value.shape[1]):
            arm = pick(arms, (row, k))
            for i in range(grid.thetas):
                theta = theta_at(arm.rewards, grid.theta_lo[k] + i * grid.theta_step[k])
                for j in range(grid.states):
                    indices.value[row, k, i, j] = exact_index(arm, theta, grid.state_lo[k] + j * grid.state_step[k])


@routine
def exact_index(arm: Arm, theta: float, x: float) -> float:
    """Return the index by its two paths, until they meet."""
    d = arm.dynamics
    horizon = max(SHORTEST, MEMORY / (1.0 - d.decay)) if d.decay < 1.0 else LONGEST
    horizon = min(horizon, LONGEST)
    least = x - ROUNDING * (d.hi - d.lo)
    a, b = next_state(d, x, 1.0), next_state(d, x, 0.0)
    reward, plays, t = mean(arm.rewards, theta, x), 1.0, 1.0
    while abs(a - b) > ROUNDING * (d.hi - d.lo) and t < horizon:
        s = t / horizon
        weight = (1.0 - s) * (1.0 - s) * (1.0 + 2.0 * s)
        a_plays, b_plays = 1.0 if a >= least else 0.0, 1.0 if b >= least else 0.0
        if a_plays > 0.0:
            reward += weight * mean(arm.rewards, theta, a)
        if b_plays > 0.0:
            reward -= weight * mean(arm.rewards, theta, b)
        plays += weight * (a_plays - b_plays)
        a, b, t = next_state(d, a, a_plays), next_state(d, b, b_plays), t + 1.0
    return reward / plays


@inlined
def index_at(table: ArmTable, indices: Indices, person: int, k: int, theta: float, x: float) -> float:
    """Interpolate the index of arm k of a person linearly between nodes."""
    at = theta_place(indices.grid, arm_of(table, person, k), k, theta)
    state, value = state_place(indices.grid, k, x), indices.value[person * table.stride, k]
    low = between(value[at.i], state)
    return low + at.weight * (between(value[min(at.i + 1, indices.grid.thetas - 1)], state) - low)
