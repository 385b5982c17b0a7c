"""All states that a box of first states leads to: a hull of intervals and a ball, and a linear form with a margin."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined, law, overwrite, routine
from rogue_bandits.model.dynamics.projected import ProjectedDynamics, Vectorial, limits, next_vector, slopes
from rogue_bandits.types import Floats, next_state

AS_GOOD_AS_SETTLED = 2e-15  # of the bounds: what rounding does to a step


class Hull(NamedTuple):
    """Every state lies from lo to hi, and no farther than `ball` from `way`, the true trajectory of one x0."""

    lo: Floats
    hi: Floats
    way: Floats
    ball: Floats  # its first number


class Form(NamedTuple):
    """The states of all x0 of a box: x + slope·(x0 − middle) ± loose, and each also lies in the hull.

    `x` belongs to the middle of the box up to the margin. What made the margin is laid at the door of components of x0
    (`blame`); `cut` is where a kink lies across such a component, nan if it lies askew.
    """

    middle: Floats
    half: Floats
    x: Floats
    slope: Floats  # [state, x0]
    loose: Floats
    hull: Hull
    blame: Floats
    cut: Floats
    after: Floats  # [3, state]: room for a step
    slope_after: Floats


@law
def next_box(d: Any, lo: Floats, hi: Floats, played_t: float, lo2: Floats, hi2: Floats) -> None:
    """Bounds, component by component, of the next state of every state from lo to hi."""


@law
def widen(d: Any, form: Form, played_t: float) -> None:
    """The form moves on by one decision: x, slope, loose, blame and cut; the hull is that of before."""


# ---- states that are single numbers ----------------------------------------------------------------------------------
@next_box.register(tuple)
def next_interval(d: Any, lo: Floats, hi: Floats, played_t: float, lo2: Floats, hi2: Floats) -> None:
    """From the ends where the step is monotone, else from the middle by the slopes."""
    least, most = slopes(d, lo[0], hi[0], played_t)
    if least >= 0.0 or most <= 0.0:
        one, other = next_state(d, lo[0], played_t), next_state(d, hi[0], played_t)
        lo2[0], hi2[0] = min(one, other), max(one, other)
    else:
        at, reach = next_state(d, 0.5 * (lo[0] + hi[0]), played_t), max(-least, most) * 0.5 * (hi[0] - lo[0])
        lo2[0], hi2[0] = max(d.lo, at - reach), min(d.hi, at + reach)


@widen.register(tuple)
def widen_number(d: Any, form: Form, played_t: float) -> None:
    """next_state(x) lies at next_state(middle) plus a slope between the least and the largest times the distance."""
    far = abs(form.slope[0, 0]) * form.half[0] + form.loose[0]
    lo, hi = max(form.hull.lo[0], form.x[0] - far), min(form.hull.hi[0], form.x[0] + far)
    x = min(max(form.x[0], d.lo), d.hi)
    least, most = slopes(d, min(lo, x), max(hi, x), played_t)
    slope, doubtful = 0.5 * (least + most), 0.5 * (most - least)
    beside = abs(form.x[0] - x)
    far = max(hi - x, x - lo)
    form.x[0] = next_state(d, x, played_t)
    form.slope[0, 0] *= slope
    form.loose[0] = abs(slope) * (form.loose[0] + beside) + doubtful * far
    form.blame[0] += doubtful * far


# ---- vectors ---------------------------------------------------------------------------------------------------------
@next_box.register(Vectorial)
def anywhere(d: Any, lo: Floats, hi: Floats, played_t: float, lo2: Floats, hi2: Floats) -> None:
    """Nothing is known but the bounds."""
    for j in range(lo.size):
        lo2[j], hi2[j] = d.lo[j], d.hi[j]


@widen.register(Vectorial)
def widen_to_anywhere(d: Any, form: Form, played_t: float) -> None:
    """Nothing is known but the bounds, so that the ball decides; all components of x0 are to blame for it."""
    for j in range(form.x.size):
        form.x[j], form.loose[j] = 0.5 * (d.lo[j] + d.hi[j]), 0.5 * (d.hi[j] - d.lo[j])
        form.slope[j, :] = 0.0
        form.blame[j] += form.half[j]


# ---- walking ---------------------------------------------------------------------------------------------------------
@routine
def move_hull(d: ProjectedDynamics, hull: Hull, played_t: float, after: Floats) -> None:
    """All states move on by one decision; `after` is room for three of them."""
    next_box(d.dynamics, hull.lo, hull.hi, played_t, after[0], after[1])
    next_vector(d.dynamics, hull.way, played_t, after[2])
    overwrite(hull.way, after[2])
    hull.ball[0] *= d.shrink
    for j in range(len(hull.way)):
        hull.lo[j] = max(after[0, j], hull.way[j] - hull.ball[0])
        hull.hi[j] = min(after[1, j], hull.way[j] + hull.ball[0])


@inlined
def is_known(d: ProjectedDynamics, hull: Hull) -> bool:
    """Have all x0 led to the same state, up to rounding error?"""
    for j in range(len(hull.lo)):
        least, most = limits(d.dynamics, j)
        tiny = AS_GOOD_AS_SETTLED * max(abs(least), abs(most))
        if hull.hi[j] - hull.lo[j] > tiny and hull.ball[0] > tiny:
            return False
    return True


@inlined
def enclose(hull: Hull, lo: Floats, hi: Floats) -> None:
    """At decision 0 the states are the box itself."""
    square = 0.0
    for j in range(len(lo)):
        hull.lo[j], hull.hi[j], hull.way[j] = lo[j], hi[j], 0.5 * (lo[j] + hi[j])
        square += (0.5 * (hi[j] - lo[j])) ** 2
    hull.ball[0] = math.sqrt(square)


def new_form(size: int) -> Form:
    """Room for a form."""
    hull = Hull(np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(1))
    return Form(
        np.zeros(size), np.zeros(size), np.zeros(size), np.zeros((size, size)), np.zeros(size), hull,
        np.zeros(size), np.zeros(size), np.zeros((3, size)), np.zeros((size, size)),
    )  # fmt: skip


new_form = inlined(new_form)


@inlined
def set_out(form: Form, lo: Floats, hi: Floats) -> None:
    """At decision 0 the form is x0 itself."""
    enclose(form.hull, lo, hi)
    for j in range(lo.size):
        form.middle[j], form.half[j] = 0.5 * (lo[j] + hi[j]), 0.5 * (hi[j] - lo[j])
        form.x[j] = form.middle[j]
        form.loose[j], form.blame[j], form.cut[j] = 0.0, 0.0, math.nan
        form.slope[j, :] = 0.0
        form.slope[j, j] = 1.0


@routine
def move_form(d: ProjectedDynamics, form: Form, played_t: float) -> None:
    """All states of the box move on by one decision."""
    widen(d.dynamics, form, played_t)
    move_hull(d, form.hull, played_t, form.after)
