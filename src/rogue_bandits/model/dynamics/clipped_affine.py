"""Clipped affine dynamics: the state falls when the arm is played and recovers when it rests."""

from __future__ import annotations

from typing import Any, NamedTuple

from rogue_bandits.compile.laws import inlined, law, pick
from rogue_bandits.model.protocols import Dynamics, ScalarDynamics
from rogue_bandits.model.shapes import named_bounds
from rogue_bandits.model.validation import dynamics_fault
from rogue_bandits.types import Arm, Floats, Line, mean, next_line, next_state, signal

KINK = 1e-9  # of the range: what is this near to a bound counts as clipped, as a kink is hit only to rounding error


class ClippedAffine(NamedTuple):
    """x' = clip(decay·x + pull·played + drift, lo, hi).

    >>> from rogue_bandits.types import next_state
    >>> next_state(ClippedAffine(decay=0.5, pull=-1.0, drift=0.5), 1.0, 0.0)
    1.0
    >>> next_state(ClippedAffine(decay=0.5, pull=-1.0, drift=0.5), 1.0, 1.0)
    0.0
    """

    decay: float
    pull: float
    drift: float
    lo: float = 0.0
    hi: float = 1.0


@inlined
def clip(x: float, lo: float, hi: float) -> float:
    """Return the point of [lo, hi] nearest to x."""
    return min(max(x, lo), hi)


@next_state.register(ClippedAffine)
def clipped_affine_next_state(d: ClippedAffine, x_t: float, played_t: float) -> float:
    """x_{t+1} = clip(decay x_t + pull played_t + drift, lo, hi).  [Sec. 2.4.1, Sec. 5.3]"""
    return clip(d.decay * x_t + d.pull * played_t + d.drift, d.lo, d.hi)


@next_line.register(ClippedAffine)
def clipped_affine_next_line(d: ClippedAffine, line: Line, played_t: float) -> Line:
    """Return the line after one step; a negative decay swaps its ends."""
    return stepped(d, line, d.decay, d.pull * played_t + d.drift)


@inlined
def stepped(d: ScalarDynamics, line: Line, a: float, b: float) -> Line:
    """Return the line after the step x' = clip(a·x + b, lo, hi)."""
    lo = clip(a * line.lo + b, d.lo, d.hi)
    hi = clip(a * line.hi + b, d.lo, d.hi)
    return Line(a * line.slope, a * line.offset + b, min(lo, hi), max(lo, hi))


@law
def observed_state(d: Any, x: Any, k: int) -> float:
    """Return the number on which rewards of arm k depend, from its state x[k]."""


@law
def step(d: Any, x: Floats, k: int, played_t: float) -> None:
    """Advance x[k] by one decision, in place."""


@law
def out_of_bounds(d: Any, x: Floats, k: int) -> bool:
    """Return whether x[k] is outside of its bounds by more than rounding, or not a number."""


@out_of_bounds.register(tuple)
def number_out_of_bounds(d: ScalarDynamics, x: Floats, k: int) -> bool:
    """Compare a number with its bounds."""
    slack = 1e-9 * (1.0 + abs(d.lo) + abs(d.hi))
    return not d.lo - slack <= x[k] <= d.hi + slack


@step.register(tuple)
def step_number(d: ScalarDynamics, x: Floats, k: int, played_t: float) -> None:
    """Replace a number by its `next_state`."""
    x[k] = next_state(d, x[k], played_t)


observed_state.register(tuple)(lambda d, x, k: x[k])


@inlined
def move(arms: Arm, x: Floats, played: int) -> None:
    """Advance every state x[k] by one decision, in place, when arm `played` is played (−1: none)."""
    for k in range(x.shape[0]):
        d = pick(arms, k).dynamics
        step(d, x, k, signal(d, k, played))


@inlined
def mean_now(arms: Arm, theta: Floats, x: Floats, k: int) -> float:
    """Return the mean reward of arm k at its state."""
    arm = pick(arms, k)
    return mean(arm.rewards, theta[k], observed_state(arm.dynamics, x, k))


@inlined
def first_line(d: ScalarDynamics) -> Line:
    """Return the line of decision 0: the state is x0 itself."""
    return Line(1.0, 0.0, d.lo, d.hi)


def line_before_first(arm: Arm) -> Line:
    """Return the line of decision 0 of an arm: where x0 is known, a line that does not depend on it."""
    return first_line(arm.dynamics) if arm.x0 is None else Line(0.0, arm.x0, arm.x0, arm.x0)


@inlined
def state_on_line(line: Line, x0: float) -> float:
    """Return the state that x0 leads to."""
    return clip(line.slope * x0 + line.offset, line.lo, line.hi)


@inlined
def slope_at(line: Line, x0: float, lo: float, hi: float) -> float:
    """Return d state / d x0: at the bounds lo and hi of x0 the derivative from inside, 0 where the clip is active.

    At a kink between the bounds the two one-sided derivatives differ, and one is 0: that one is returned.
    """
    free, near = line.slope * x0 + line.offset, KINK * (hi - lo)
    margin = KINK * (line.hi - line.lo) + 1e-15 * max(abs(line.lo), abs(line.hi), abs(line.offset))
    inwards = line.slope if x0 <= lo + near else -line.slope if x0 >= hi - near else 0.0
    above = free >= line.lo - margin if inwards > 0.0 else free > line.lo + margin
    below = free <= line.hi + margin if inwards < 0.0 else free < line.hi - margin
    return line.slope if above and below else 0.0


@inlined
def is_settled(d: ScalarDynamics, line: Line) -> bool:
    """Return whether x0 = lo and x0 = hi lead to the same state, up to rounding error."""
    spread = abs(state_on_line(line, d.hi) - state_on_line(line, d.lo))
    return spread <= 4e-16 * max(abs(d.lo), abs(d.hi))


@dynamics_fault.register(ClippedAffine)
def decay_fault(d: Dynamics, arm: Arm) -> str | None:
    """Check that dynamics with a field `decay` do not expand.  [Assumption 5]"""
    return expansion_fault(d, "decay") or bounds_fault(d)


def expansion_fault(d: Dynamics, field: str) -> str | None:
    """Say if the slope in `field` exceeds 1 in size: two states would move apart."""
    slope = getattr(d, field)
    return f"{field} {slope} must be from -1 to 1" if abs(slope) > 1.0 else None


def bounds_fault(d: Dynamics) -> str | None:
    """Say which lower bound of the state exceeds its upper bound."""
    for name, lo, hi in named_bounds("", d.lo, d.hi):
        if lo > hi:
            return f"lo{name} {lo} must not be above hi{name} {hi}"
    return None
