"""Enclosures of all states that a box of first states leads to: intervals with a ball, and affine forms."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined, law, overwrite, routine
from rogue_bandits.model.dynamics.projected import ProjectedDynamics, Vectorial, limits, next_vector, slopes
from rogue_bandits.model.protocols import ScalarDynamics, VectorDynamics
from rogue_bandits.types import Floats, next_state

ROUNDING_OF_STEP = 2e-15  # relative to the bounds


class Hull(NamedTuple):
    """Every state lies from lo to hi, and within `radius` of `centre`, the trajectory of one x0."""

    lo: Floats
    hi: Floats
    centre: Floats
    radius: Floats  # its first number


class AffineForm(NamedTuple):
    """The states of all x0 of a box: x + slope·(x0 − middle) ± margin; each also lies in the hull.

    `margin_share` attributes the margin to components of x0; `cut` is where a kink lies across such a component, nan
    if it is oblique.
    """

    middle: Floats
    half: Floats
    x: Floats
    slope: Floats  # [state, x0]
    margin: Floats
    hull: Hull
    margin_share: Floats
    cut: Floats
    after: Floats  # [3, state]: workspace of a step
    slope_after: Floats


@law
def next_box(d: Any, lo: Floats, hi: Floats, played_t: float, lo2: Floats, hi2: Floats) -> None:
    """Write bounds of the next states of all states from lo to hi to lo2 and hi2, component by component."""


@law
def widen(d: Any, form: AffineForm, played_t: float) -> None:
    """Advance x, slope, margin, margin_share and cut of a form by one decision; its hull is that before the step."""


# ---- states that are single numbers ----------------------------------------------------------------------------------
@next_box.register(tuple)
def next_interval(d: ScalarDynamics, lo: Floats, hi: Floats, played_t: float, lo2: Floats, hi2: Floats) -> None:
    """Bound a number by the next states of the ends if the step is monotone, else by the slopes."""
    least, most = slopes(d, lo[0], hi[0], played_t)
    if least >= 0.0 or most <= 0.0:
        one, other = next_state(d, lo[0], played_t), next_state(d, hi[0], played_t)
        lo2[0], hi2[0] = min(one, other), max(one, other)
    else:
        at, spread = next_state(d, 0.5 * (lo[0] + hi[0]), played_t), max(-least, most) * 0.5 * (hi[0] - lo[0])
        lo2[0], hi2[0] = max(d.lo, at - spread), min(d.hi, at + spread)


@widen.register(tuple)
def widen_number(d: ScalarDynamics, form: AffineForm, played_t: float) -> None:
    """Apply the mean value theorem: next_state(middle) plus a slope between the extremes times the distance."""
    far = abs(form.slope[0, 0]) * form.half[0] + form.margin[0]
    lo, hi = max(form.hull.lo[0], form.x[0] - far), min(form.hull.hi[0], form.x[0] + far)
    x = min(max(form.x[0], d.lo), d.hi)
    least, most = slopes(d, min(lo, x), max(hi, x), played_t)
    slope, slope_error = 0.5 * (least + most), 0.5 * (most - least)
    beside = abs(form.x[0] - x)
    far = max(hi - x, x - lo)
    form.x[0] = next_state(d, x, played_t)
    form.slope[0, 0] *= slope
    form.margin[0] = abs(slope) * (form.margin[0] + beside) + slope_error * far
    form.margin_share[0] += slope_error * far


# ---- vectors ---------------------------------------------------------------------------------------------------------
@next_box.register(Vectorial)
def whole_box(d: VectorDynamics, lo: Floats, hi: Floats, played_t: float, lo2: Floats, hi2: Floats) -> None:
    """Write the bounds of the state: nothing else is known of a vector."""
    for j in range(lo.size):
        lo2[j], hi2[j] = d.lo[j], d.hi[j]


@widen.register(Vectorial)
def widen_to_whole_box(d: VectorDynamics, form: AffineForm, played_t: float) -> None:
    """Set the form to the bounds of the state; every component of x0 has a share in the margin."""
    for j in range(form.x.size):
        form.x[j], form.margin[j] = 0.5 * (d.lo[j] + d.hi[j]), 0.5 * (d.hi[j] - d.lo[j])
        form.slope[j, :] = 0.0
        form.margin_share[j] += form.half[j]


# ---- steps -----------------------------------------------------------------------------------------------------------
@routine
def move_hull(d: ProjectedDynamics, hull: Hull, played_t: float, after: Floats) -> None:
    """Advance a hull by one decision; `after` is a workspace of three states."""
    next_box(d.dynamics, hull.lo, hull.hi, played_t, after[0], after[1])
    next_vector(d.dynamics, hull.centre, played_t, after[2])
    overwrite(hull.centre, after[2])
    hull.radius[0] *= d.lipschitz
    for j in range(len(hull.centre)):
        hull.lo[j] = max(after[0, j], hull.centre[j] - hull.radius[0])
        hull.hi[j] = min(after[1, j], hull.centre[j] + hull.radius[0])


@inlined
def is_known(d: ProjectedDynamics, hull: Hull) -> bool:
    """Return whether all x0 lead to the same state, up to rounding error."""
    for j in range(len(hull.lo)):
        least, most = limits(d.dynamics, j)
        tiny = ROUNDING_OF_STEP * max(abs(least), abs(most))
        if hull.hi[j] - hull.lo[j] > tiny and hull.radius[0] > tiny:
            return False
    return True


@inlined
def initialise_hull(hull: Hull, lo: Floats, hi: Floats) -> None:
    """Set the hull of decision 0, the box itself."""
    square = 0.0
    for j in range(len(lo)):
        hull.lo[j], hull.hi[j], hull.centre[j] = lo[j], hi[j], 0.5 * (lo[j] + hi[j])
        square += (0.5 * (hi[j] - lo[j])) ** 2
    hull.radius[0] = math.sqrt(square)


@inlined
def new_form(size: int) -> AffineForm:
    """Allocate a form of `size` components."""
    hull = Hull(np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(1))
    return AffineForm(
        np.zeros(size), np.zeros(size), np.zeros(size), np.zeros((size, size)), np.zeros(size), hull,
        np.zeros(size), np.zeros(size), np.zeros((3, size)), np.zeros((size, size)),
    )  # fmt: skip


@inlined
def initialise_form(form: AffineForm, lo: Floats, hi: Floats) -> None:
    """Set the form of decision 0, x0 itself."""
    initialise_hull(form.hull, lo, hi)
    for j in range(lo.size):
        form.middle[j], form.half[j] = 0.5 * (lo[j] + hi[j]), 0.5 * (hi[j] - lo[j])
        form.x[j] = form.middle[j]
        form.margin[j], form.margin_share[j], form.cut[j] = 0.0, 0.0, math.nan
        form.slope[j, :] = 0.0
        form.slope[j, j] = 1.0


@routine
def move_form(d: ProjectedDynamics, form: AffineForm, played_t: float) -> None:
    """Advance a form and its hull by one decision."""
    widen(d.dynamics, form, played_t)
    move_hull(d, form.hull, played_t, form.after)
