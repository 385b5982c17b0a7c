"""Dynamics without a closed form in x0: states that are vectors, or numbers that are no clipped lines in x0.

Where the state is a clipped line in x0, four numbers give the state of every x0 (`next_line`). Elsewhere a trajectory
is computed step by step, from a single x0 (`next_vector`) or from a box of them (`enclosure.py`). Rewards depend on a
linear projection of the state.
"""

from __future__ import annotations

import math
from abc import ABC
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined, law, overwrite, routine
from rogue_bandits.model.dynamics.clipped_affine import observed_state, out_of_bounds, step
from rogue_bandits.model.protocols import Dynamics, ScalarDynamics
from rogue_bandits.types import Floats, Vector, next_state, signal


class ProjectedDynamics(NamedTuple):
    """Dynamics with the projection weights·x of their state that rewards depend on, which lies from lo to hi.

    `lipschitz` is their Lipschitz constant in the Euclidean norm.
    """

    dynamics: Any
    weights: Vector
    lo: float
    hi: float
    lipschitz: float


def base_dynamics(d: Any) -> Any:
    """Return the dynamics that are projected, or `d` itself."""
    return d.dynamics if isinstance(d, ProjectedDynamics) else d


class Vectorial(ABC):
    """The kind of dynamics whose state, `lo` and `hi` are vectors; they give `next_vector` in place of `next_state`."""


# ---- laws ------------------------------------------------------------------------------------------------------------
@law
def limits(d: Any, j: int) -> tuple[float, float]:
    """Return the bounds of component j of the state."""


@law
def next_vector(d: Any, x_t: Floats, played_t: float, x_tp1: Floats) -> None:
    """Write the state at the next decision to x_tp1."""


@law
def tangent(d: Any, x_t: Floats, v_t: Floats, played_t: float, inwards: bool, v_tp1: Floats) -> None:
    """Write the derivative of the next state as x_t moves along v_t to v_tp1; 0 in components whose clip is active.

    At the kink of a clip: if `inwards`, the one-sided derivative ahead of v_t, else 0.
    """


@law
def slopes(d: Any, lo: float, hi: float, played_t: float) -> tuple[float, float]:
    """Return the least and the largest slope of `next_state` between two states that are single numbers."""


@law
def lipschitz_state(d: Any) -> float:
    """Return the Lipschitz constant of a step in the state, at most 1.  [Assumption 5]"""


# ---- states that are single numbers: `next_state` is enough ----------------------------------------------------------
limits.register(tuple)(lambda d, j: (d.lo, d.hi))
slopes.register(tuple)(lambda d, lo, hi, played_t: (-1.0, 1.0))  # Assumption 5, and no more
lipschitz_state.register(tuple)(lambda d: 1.0)


@next_vector.register(tuple)
def next_vector_of_number(d: ScalarDynamics, x_t: Floats, played_t: float, x_tp1: Floats) -> None:
    """Write the `next_state` of a number."""
    x_tp1[0] = next_state(d, x_t[0], played_t)


@tangent.register(tuple)
def tangent_by_differences(d: Any, x_t: Floats, v_t: Floats, played_t: float, inwards: bool, v_tp1: Floats) -> None:
    """Write the derivative along v_t by differences of `next_vector`: forward if `inwards`, else central."""
    differences(d, x_t, v_t, played_t, inwards, v_tp1)


@routine
def differences(d: Dynamics, x_t: Floats, v_t: Floats, played_t: float, inwards: bool, v_tp1: Floats) -> None:
    """Write the derivative along v_t by a difference of two states inside the bounds."""
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
def inside_step(d: Dynamics, x_t: Floats, v_t: Floats, step: float) -> float:
    """Return `step`, or 0 if it leads out of the bounds."""
    for j in range(x_t.size):
        lo, hi = limits(d, j)
        if not lo <= x_t[j] + step * v_t[j] <= hi:
            return 0.0
    return step


# ---- vectors ---------------------------------------------------------------------------------------------------------
limits.register(Vectorial)(lambda d, j: (d.lo[j], d.hi[j]))


@next_state.register(Vectorial)
def vector_next_state(d: Any, x_t: Any, played_t: float) -> Any:
    """Return a new vector written by `next_vector`; components that it does not write are nan."""
    x_tp1 = np.full(len(x_t), math.nan)
    next_vector(d, np.array(x_t, dtype=np.float64), played_t, x_tp1)
    return x_tp1


# ---- projections -----------------------------------------------------------------------------------------------------
@inlined
def dot(weights: Any, x: Any) -> float:
    """Return weights·x."""
    total = 0.0
    for j in range(len(x)):
        total += weights[j] * x[j]
    return total


@inlined
def extent(weights: Any, lo: Any, hi: Any) -> tuple[float, float]:
    """Return the least and the largest weights·x for x from lo to hi, summed in the order of `dot`: none is outside."""
    least = most = 0.0
    for j in range(len(lo)):
        a, b = weights[j] * lo[j], weights[j] * hi[j]
        least, most = least + min(a, b), most + max(a, b)
    return least, most


@inlined
def project(d: ProjectedDynamics, x: Floats) -> float:
    """Return the number of a state that rewards depend on."""
    return dot(d.weights, x)


observed_state.register(ProjectedDynamics)(lambda d, x, k: project(d, x[k]))
signal.register(ProjectedDynamics)(lambda d, k, arm: signal(d.dynamics, k, arm))


@out_of_bounds.register(ProjectedDynamics)
def projected_out_of_bounds(d: ProjectedDynamics, x: Floats, k: int) -> bool:
    """Compare each component with its bounds."""
    for j in range(x.shape[1]):
        lo, hi = limits(d.dynamics, j)
        slack = 1e-9 * (1.0 + abs(lo) + abs(hi))
        if not lo - slack <= x[k, j] <= hi + slack:
            return True
    return False


@step.register(ProjectedDynamics)
def projected_step(d: ProjectedDynamics, x: Floats, k: int, played_t: float) -> None:
    """Replace a vector by its `next_vector`."""
    after = np.empty(x.shape[1])
    next_vector(d.dynamics, x[k], played_t, after)
    overwrite(x[k], after)
