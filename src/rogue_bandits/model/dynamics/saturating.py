"""Recovery at a bounded pace: nearly constant far below the upper bound, slower close to it."""

from __future__ import annotations

from typing import NamedTuple

from rogue_bandits.compile.laws import inlined
from rogue_bandits.model.dynamics.clipped_affine import bounds_fault
from rogue_bandits.model.dynamics.projected import slopes, tangent
from rogue_bandits.model.validation import dynamics_fault
from rogue_bandits.types import Arm, Floats, next_state

NEAR = 1e-6


class Saturating(NamedTuple):
    """At rest x' = x + pace·gap/(half + gap), gap = hi − x; played, x' = max(x − drop, lo).

    However far below hi, a rest gains no more than `pace`; at a gap of `half` it gains half of that.

    >>> from rogue_bandits.types import next_state
    >>> d = Saturating(pace=0.25, half=0.5, drop=0.5)
    >>> next_state(d, 0.5, 0.0), next_state(d, 1.0, 0.0), next_state(d, 0.75, 1.0)
    (0.625, 1.0, 0.25)
    """

    pace: float
    half: float
    drop: float
    lo: float = 0.0
    hi: float = 1.0


@next_state.register(Saturating)
def saturating_next_state(d: Saturating, x_t: float, played_t: float) -> float:
    """Subtract `drop` when played, recover at rest."""
    if played_t == 1.0:
        return max(x_t - d.drop, d.lo)
    gap = d.hi - x_t
    return min(x_t + d.pace * gap / (d.half + gap), d.hi)


@inlined
def _rest_slope(d: Saturating, x: float) -> float:
    """Return the slope of the step at rest, which decreases in x."""
    wide = d.half + d.hi - x
    return 1.0 - d.pace * d.half / (wide * wide)


@slopes.register(Saturating)
def saturating_slopes(d: Saturating, lo: float, hi: float, played_t: float) -> tuple[float, float]:
    """Return the slopes at the ends of the interval; a play has slope 1, or 0 where it leads to lo."""
    if played_t == 1.0:
        return 1.0 if lo - d.drop > d.lo else 0.0, 1.0 if hi - d.drop > d.lo else 0.0
    return _rest_slope(d, hi), _rest_slope(d, lo)


@tangent.register(Saturating)
def saturating_tangent(d: Saturating, x_t: Floats, v_t: Floats, played_t: float, inwards: bool, v_tp1: Floats) -> None:
    """Write slope·v; 0 where a play leads down to lo, to a millionth of the range."""
    above, near = x_t[0] - d.drop - d.lo, NEAR * (d.hi - d.lo)
    moves = above >= -near if inwards and v_t[0] > 0.0 else above > near
    v_tp1[0] = v_t[0] * (_rest_slope(d, x_t[0]) if played_t != 1.0 else 1.0 if moves else 0.0)


@dynamics_fault.register
def saturating_fault(d: Saturating, arm: Arm) -> str | None:
    """Check that states stay in bounds and do not move apart."""
    if not 0.0 <= d.pace <= d.half or d.half == 0.0:
        return f"pace {d.pace} must be from 0 to half {d.half}, and half above 0: else a rest would overshoot hi"
    if d.drop < 0.0:
        return f"drop {d.drop} must be 0 or more"
    return bounds_fault(d)
