"""States that are vectors, or that are no clipped lines in x0: how they move, and what rewards see of them.

Where the state is a clipped line in x0, four numbers say where every x0 has led to (`next_line`). Elsewhere one has to
walk: from a single x0 (`advance`), or from a whole box of them at once (`enclosure.py`).
"""

from __future__ import annotations

import math
from abc import ABC
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined, law, overwrite, routine
from rogue_bandits.model.dynamics.clipped_affine import observed_state, out_of_bounds, step
from rogue_bandits.types import Floats, Vector, next_state, signal


class ProjectedDynamics(NamedTuple):
    """Dynamics, and the one number of their state that rewards depend on: weights·x, which lies from lo to hi.

    `shrink` bounds what one step makes of the Euclidean distance of two states.
    """

    dynamics: Any
    weights: Vector
    lo: float
    hi: float
    shrink: float


def base_dynamics(d: Any) -> Any:
    """The dynamics that are watched, or those themselves."""
    return d.dynamics if isinstance(d, ProjectedDynamics) else d


class Vectorial(ABC):
    """The kind of dynamics whose state is a vector; `lo` and `hi` are then vectors too, and `advance` is the law."""


# ---- what dynamics say -----------------------------------------------------------------------------------------------
@law
def limits(d: Any, j: int) -> tuple[float, float]:
    """The bounds of component j of the state."""


@law
def next_vector(d: Any, x_t: Floats, played_t: float, x_tp1: Floats) -> None:
    """The state at the next decision, written to x_tp1."""


@law
def tangent(d: Any, x_t: Floats, v_t: Floats, played_t: float, inwards: bool, v_tp1: Floats) -> None:
    """Derivative of the next state as x_t moves along v_t, written to v_tp1; 0 in components whose clip is active.

    At the kink of a clip: if `inwards`, the one-sided derivative ahead of v_t, else 0.
    """


@law
def slopes(d: Any, lo: float, hi: float, played_t: float) -> tuple[float, float]:
    """The least and the largest slope of `next_state` between two states that are single numbers."""


@law
def shrinks(d: Any) -> float:
    """How much farther apart, at most, a step takes two states: at most 1.  [Assumption 5]"""


# ---- states that are single numbers: a user need not say more than `next_state` --------------------------------------
@limits.register(tuple)
def same_limits(d: Any, j: int) -> tuple[float, float]:
    """There is one component."""
    return d.lo, d.hi


@next_vector.register(tuple)
def next_vector_of_number(d: Any, x_t: Floats, played_t: float, x_tp1: Floats) -> None:
    """By `next_state`."""
    x_tp1[0] = next_state(d, x_t[0], played_t)


@slopes.register(tuple)
def unknown_slopes(d: Any, lo: float, hi: float, played_t: float) -> tuple[float, float]:
    """Assumption 5, and no more."""
    return -1.0, 1.0


@shrinks.register(tuple)
def does_not_expand(d: Any) -> float:
    """Assumption 5, and no more."""
    return 1.0


@tangent.register(tuple)
def tangent_by_differences(d: Any, x_t: Floats, v_t: Floats, played_t: float, inwards: bool, v_tp1: Floats) -> None:
    """Differences of `next_vector`: forward if `inwards`, else central."""
    differences(d, x_t, v_t, played_t, inwards, v_tp1)


@routine
def differences(d: Any, x_t: Floats, v_t: Floats, played_t: float, inwards: bool, v_tp1: Floats) -> None:
    """The derivative along v_t by a difference of two states inside the bounds."""
    n, step = x_t.size, math.inf
    for j in range(n):
        lo, hi = limits(d, j)
        if v_t[j] != 0.0:
            step = min(step, 1e-6 * (hi - lo) / abs(v_t[j]))
    if step == math.inf:
        step = 0.0  # v_t is 0
    ahead = inside_step(d, x_t, v_t, step)
    behind = 0.0 if inwards and ahead > 0.0 else inside_step(d, x_t, v_t, -step)
    if ahead == behind:
        v_tp1[:] = 0.0
        return
    there, back = np.empty(n), np.empty(n)
    next_vector(d, x_t + ahead * v_t, played_t, there)
    next_vector(d, x_t + behind * v_t, played_t, back)
    for j in range(n):
        v_tp1[j] = (there[j] - back[j]) / (ahead - behind)


@inlined
def inside_step(d: Any, x_t: Floats, v_t: Floats, step: float) -> float:
    """`step`, or 0 if it leads out of the bounds."""
    for j in range(x_t.size):
        lo, hi = limits(d, j)
        if not lo <= x_t[j] + step * v_t[j] <= hi:
            return 0.0
    return step


# ---- vectors ---------------------------------------------------------------------------------------------------------
@limits.register(Vectorial)
def vector_limits(d: Any, j: int) -> tuple[float, float]:
    """Each component has its own."""
    return d.lo[j], d.hi[j]


@next_state.register(Vectorial)
def vector_next_state(d: Any, x_t: Any, played_t: float) -> Any:
    """A new vector, by `advance`."""
    x_tp1 = np.full(len(x_t), math.nan)  # what a law forgets to write is seen
    next_vector(d, np.array(x_t, dtype=np.float64), played_t, x_tp1)
    return x_tp1


# ---- what rewards and lives see --------------------------------------------------------------------------------------
@inlined
def dot(weights: Any, x: Any) -> float:
    """weights·x."""
    total = 0.0
    for j in range(len(x)):
        total += weights[j] * x[j]
    return total


@inlined
def extent(weights: Any, lo: Any, hi: Any) -> tuple[float, float]:
    """The least and the largest of weights·x for x from lo to hi: none is outside, as all are rounded in one order."""
    least = most = 0.0
    for j in range(len(lo)):
        a, b = weights[j] * lo[j], weights[j] * hi[j]
        least, most = least + min(a, b), most + max(a, b)
    return least, most


@inlined
def project(d: ProjectedDynamics, x: Floats) -> float:
    """What rewards see of a state."""
    return dot(d.weights, x)


@observed_state.register(ProjectedDynamics)
def projected_observed_state(d: ProjectedDynamics, x: Any, k: int) -> float:
    """x[k] is a vector."""
    return project(d, x[k])


@signal.register(ProjectedDynamics)
def projected_signal(d: ProjectedDynamics, k: int, arm: int) -> float:
    """As the dynamics say."""
    return signal(d.dynamics, k, arm)


@out_of_bounds.register(ProjectedDynamics)
def projected_out_of_bounds(d: ProjectedDynamics, x: Floats, k: int) -> bool:
    """In any component."""
    for j in range(x.shape[1]):
        lo, hi = limits(d.dynamics, j)
        slack = 1e-9 * (1.0 + abs(lo) + abs(hi))
        if not lo - slack <= x[k, j] <= hi + slack:
            return True
    return False


@step.register(ProjectedDynamics)
def projected_step(d: ProjectedDynamics, x: Floats, k: int, played_t: float) -> None:
    """By `advance`."""
    after = np.empty(x.shape[1])
    next_vector(d.dynamics, x[k], played_t, after)
    overwrite(x[k], after)
