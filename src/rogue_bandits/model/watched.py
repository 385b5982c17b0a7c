"""States that are vectors, or that are no clipped lines in x0: how they move, and what rewards see of them.

Where the state is a clipped line in x0, four numbers say where every x0 has led to (`next_line`). Elsewhere one has to
walk: from a single x0 (`advance`), or from a whole box of them at once, which yields an enclosure of all that the box
leads to (`next_box` by intervals, `widen` by a linear function of x0 and a margin).
"""

from __future__ import annotations

import math
from abc import ABC
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.laws import inlined, law, overwrite, routine
from rogue_bandits.model.dynamics import state_seen, step, strays
from rogue_bandits.types import Floats, Vector, next_state, signal

AS_GOOD_AS_SETTLED = 2e-15  # of the bounds: what rounding does to a step


class Watched(NamedTuple):
    """Dynamics, and the one number of their state that rewards depend on: weights·x, which lies from lo to hi.

    `shrink` bounds what one step makes of the Euclidean distance of two states.
    """

    dynamics: Any
    weights: Vector
    lo: float
    hi: float
    shrink: float


class Vectorial(ABC):
    """The kind of dynamics whose state is a vector; `lo` and `hi` are then vectors too, and `advance` is the law."""


class Form(NamedTuple):
    """The states of all x0 of a box: x + slope·(x0 − middle) ± loose, and each also lies from lo to hi.

    `x` belongs to the middle of the box up to the margin; `way` is its true trajectory, and no state is farther from it
    than `ball`. What made the margin is laid at the door of components of x0 (`blame`); `cut` is where a kink lies
    across such a component, nan if it lies askew.
    """

    middle: Floats
    half: Floats
    x: Floats
    slope: Floats  # [state, x0]
    loose: Floats
    lo: Floats
    hi: Floats
    way: Floats
    ball: Floats  # [1]
    blame: Floats
    cut: Floats
    after: Floats  # [5, state]: room for a step
    slope_after: Floats


# ---- what dynamics say -----------------------------------------------------------------------------------------------
@law
def limits(d: Any, j: int) -> tuple[float, float]:
    """The bounds of component j of the state."""


@law
def advance(d: Any, x_t: Floats, played_t: float, x_tp1: Floats) -> None:
    """The state at the next decision, written to x_tp1."""


@law
def tangent(d: Any, x_t: Floats, played_t: float, by_x: Floats) -> None:
    """The slopes of the next state (rows) by the present one (columns), written to by_x; 0 where a clip bites."""


@law
def slopes(d: Any, lo: float, hi: float, played_t: float) -> tuple[float, float]:
    """The least and the largest slope of `next_state` between two states that are single numbers."""


@law
def shrinks(d: Any) -> float:
    """How much farther apart, at most, a step takes two states: at most 1.  [Assumption 5]"""


@law
def next_box(d: Any, lo: Floats, hi: Floats, played_t: float, lo2: Floats, hi2: Floats) -> None:
    """Bounds, component by component, of the next state of every state from lo to hi."""


@law
def widen(d: Any, form: Form, played_t: float) -> None:
    """The form moves on by one decision: x, slope, loose, blame and cut; lo and hi are those of before."""


# ---- states that are single numbers: a user need not say more than `next_state` --------------------------------------
@limits.register(tuple)
def same_limits(d: Any, j: int) -> tuple[float, float]:
    """There is one component."""
    return d.lo, d.hi


@advance.register(tuple)
def advance_number(d: Any, x_t: Floats, played_t: float, x_tp1: Floats) -> None:
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
def tangent_by_differences(d: Any, x_t: Floats, played_t: float, by_x: Floats) -> None:
    """Central differences, inside the bounds."""
    differences(d, x_t, played_t, by_x)


@routine
def differences(d: Any, x_t: Floats, played_t: float, by_x: Floats) -> None:
    """The slopes of `advance`, column by column."""
    n = x_t.size
    at, above, below = x_t.copy(), np.empty(n), np.empty(n)
    for k in range(n):
        lo, hi = limits(d, k)
        up, down = min(hi, x_t[k] + 1e-6 * (hi - lo)), max(lo, x_t[k] - 1e-6 * (hi - lo))
        at[k] = up
        advance(d, at, played_t, above)
        at[k] = down
        advance(d, at, played_t, below)
        at[k] = x_t[k]
        for j in range(n):
            by_x[j, k] = (above[j] - below[j]) / (up - down) if up > down else 0.0


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
    lo, hi = max(form.lo[0], form.x[0] - far), min(form.hi[0], form.x[0] + far)
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
@limits.register(Vectorial)
def vector_limits(d: Any, j: int) -> tuple[float, float]:
    """Each component has its own."""
    return d.lo[j], d.hi[j]


@next_state.register(Vectorial)
def vector_next_state(d: Any, x_t: Any, played_t: float) -> Any:
    """A new vector, by `advance`."""
    x_tp1 = np.full(len(x_t), math.nan)  # what a law forgets to write is seen
    advance(d, np.array(x_t, dtype=np.float64), played_t, x_tp1)
    return x_tp1


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
@inlined
def watch(d: Watched, x: Floats) -> float:
    """What rewards see of a state."""
    total = 0.0
    for j in range(len(x)):
        total += d.weights[j] * x[j]
    return total


@state_seen.register(Watched)
def watched_state_seen(d: Watched, x: Any, k: int) -> float:
    """x[k] is a vector."""
    return watch(d, x[k])


@signal.register(Watched)
def watched_signal(d: Watched, k: int, arm: int) -> float:
    """As the dynamics say."""
    return signal(d.dynamics, k, arm)


@strays.register(Watched)
def watched_strays(d: Watched, x: Floats, k: int) -> bool:
    """In any component."""
    for j in range(x.shape[1]):
        lo, hi = limits(d.dynamics, j)
        slack = 1e-9 * (1.0 + abs(lo) + abs(hi))
        if not lo - slack <= x[k, j] <= hi + slack:
            return True
    return False


@step.register(Watched)
def watched_step(d: Watched, x: Floats, k: int, played_t: float) -> None:
    """By `advance`."""
    after = np.empty(x.shape[1])
    advance(d.dynamics, x[k], played_t, after)
    overwrite(x[k], after)


@inlined
def keep_in_ball(lo: Floats, hi: Floats, way: Floats, ball: float) -> None:
    """No state is farther from the one trajectory that was walked than the ball."""
    for j in range(lo.size):
        lo[j], hi[j] = max(lo[j], way[j] - ball), min(hi[j], way[j] + ball)


@inlined
def is_known(d: Watched, lo: Floats, hi: Floats, ball: float) -> bool:
    """Have all x0 led to the same state, up to rounding error?"""
    for j in range(lo.size):
        least, most = limits(d.dynamics, j)
        tiny = AS_GOOD_AS_SETTLED * max(abs(least), abs(most))
        if hi[j] - lo[j] > tiny and ball > tiny:
            return False
    return True


def new_form(size: int) -> Form:
    """Room for a form."""
    return Form(
        np.zeros(size), np.zeros(size), np.zeros(size), np.zeros((size, size)), np.zeros(size), np.zeros(size),
        np.zeros(size), np.zeros(size), np.zeros(1), np.zeros(size), np.zeros(size), np.zeros((5, size)),
        np.zeros((size, size)),
    )  # fmt: skip


new_form = inlined(new_form)


@inlined
def set_out(form: Form, lo: Floats, hi: Floats) -> None:
    """At decision 0 the states are the box itself."""
    square = 0.0
    for j in range(lo.size):
        form.middle[j], form.half[j] = 0.5 * (lo[j] + hi[j]), 0.5 * (hi[j] - lo[j])
        form.x[j] = form.way[j] = form.middle[j]
        form.lo[j], form.hi[j] = lo[j], hi[j]
        form.loose[j], form.blame[j], form.cut[j] = 0.0, 0.0, math.nan
        form.slope[j, :] = 0.0
        form.slope[j, j] = 1.0
        square += form.half[j] * form.half[j]
    form.ball[0] = math.sqrt(square)


@routine
def move_form(d: Watched, form: Form, played_t: float) -> None:
    """All states of the box move on by one decision."""
    inner, after = d.dynamics, form.after
    next_box(inner, form.lo, form.hi, played_t, after[0], after[1])
    widen(inner, form, played_t)
    advance(inner, form.way, played_t, after[2])
    form.ball[0] *= d.shrink
    for j in range(form.x.size):
        form.lo[j], form.hi[j], form.way[j] = after[0, j], after[1, j], after[2, j]
    keep_in_ball(form.lo, form.hi, form.way, form.ball[0])
