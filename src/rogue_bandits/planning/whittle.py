"""The Whittle index: the multiplier at which playing an arm now and resting it are worth the same.

Path A plays at state x, path B rests; both then play if and only if the state is at least x. With rewards r and plays n,

    W(x) = (mean(x) + Σ_t w_t (r_A − r_B)) / (1 + Σ_t w_t (n_A − n_B)),   t = 1 … H − 1,

where w_t = (1 − s)²(1 + 2s), s = t/H, tapers the sums. The threshold policy is optimal where states recover at rest and
wear when played: decay ≥ 0 and pull ≤ 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.problem import ArmTable
from rogue_bandits.planning.grid import Grid
from rogue_bandits.types import Arm, Floats

THETAS, STATES = 17, 201
SHORTEST = 200  # with a taper over 100 decisions or fewer the denominator nearly vanishes
MEMORY = 10.0  # time constants of the decay, for the taper


class Indices(NamedTuple):
    """The index of every arm at nodes of theta and the state: immutable, shared by all people."""

    grid: Grid
    index: Floats  # [rows, arms, thetas, states]; a row is that of an `ArmTable`


def index_fault(arms: Sequence[Arm]) -> str | None:
    """Say why these arms have no index; None if they do."""
    ...


def whittle_index(arm: Arm, theta: float, x: float) -> float:
    """Return the Whittle index of an arm at a known theta and state."""
    ...


def index_table(people: list[list[Arm]]) -> Indices:
    """Tabulate the index; `people` has one list of arms for all, or one for each (`model.problem.rows_of`)."""
    ...


@routine
def exact_index(arm: Arm, k: int, theta: float, x: float) -> float:
    """Return the index of arm k by its two paths."""
    ...


@inlined
def index_at(table: ArmTable, indices: Indices, person: int, k: int, theta: float, x: float) -> float:
    """Interpolate the index of arm k of a person linearly between nodes."""
    ...
