"""Piecewise linear dynamics given by the next states of a few states."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from rogue_bandits.compile.laws import inlined
from rogue_bandits.model.dynamics.clipped_affine import bounds_fault
from rogue_bandits.model.dynamics.projected import slopes
from rogue_bandits.model.validation import dynamics_fault
from rogue_bandits.types import Arm, Vector, next_state


class PiecewiseAffine(NamedTuple):
    """The next state from each of a few states, evenly spaced from lo to hi: at rest, and played; lines in between.

    Here a worn-out state hardly recovers, and one in the middle does so quickly:

    >>> from rogue_bandits.types import next_state
    >>> d = PiecewiseAffine(rested=(0.125, 0.5, 1.0, 1.0, 1.0), played=(0.0, 0.0, 0.25, 0.5, 0.75), lo=0.0, hi=2.0)
    >>> next_state(d, 0.0, 0.0), next_state(d, 0.75, 0.0), next_state(d, 2.0, 1.0)
    (0.125, 0.75, 0.75)
    """

    rested: Vector
    played: Vector
    lo: float = 0.0
    hi: float = 1.0


@inlined
def _piece_of(d: PiecewiseAffine, x: float) -> int:
    """Return the index of the piece that holds x."""
    pieces = len(d.rested) - 1
    return min(max(int((x - d.lo) / (d.hi - d.lo) * pieces), 0), pieces - 1) if d.hi > d.lo else 0


@inlined
def _ends_of(d: PiecewiseAffine, i: int, played_t: float) -> tuple[float, float]:
    """Return the next states from the two ends of piece i."""
    if played_t == 1.0:
        return d.played[i], d.played[i + 1]
    return d.rested[i], d.rested[i + 1]


@next_state.register(PiecewiseAffine)
def piecewise_affine_next_state(d: PiecewiseAffine, x_t: float, played_t: float) -> float:
    """Interpolate linearly between the ends of the piece."""
    i, width = _piece_of(d, x_t), (d.hi - d.lo) / (len(d.rested) - 1)
    left, right = _ends_of(d, i, played_t)
    share = min(max((x_t - d.lo) / width - i, 0.0), 1.0) if width > 0.0 else 0.0
    return left + share * (right - left)


@slopes.register(PiecewiseAffine)
def piecewise_affine_slopes(d: PiecewiseAffine, lo: float, hi: float, played_t: float) -> tuple[float, float]:
    """Return the extreme slopes of the pieces that the interval meets."""
    width, first = (d.hi - d.lo) / (len(d.rested) - 1), _piece_of(d, lo)
    left, right = _ends_of(d, first, played_t)
    least = most = (right - left) / width if width > 0.0 else 0.0
    for i in range(first + 1, _piece_of(d, hi) + 1):
        left, right = _ends_of(d, i, played_t)
        least, most = min(least, (right - left) / width), max(most, (right - left) / width)
    return least, most


@dynamics_fault.register
def piecewise_affine_fault(d: PiecewiseAffine, arm: Arm) -> str | None:
    """Check that states stay in bounds and do not move apart.  [Assumption 5]"""
    if len(d.rested) != len(d.played) or len(d.rested) < 2:
        return f"rested has {len(d.rested)} numbers and played {len(d.played)}: both need equally many, at least 2"
    if (wrong := bounds_fault(d)) is not None:
        return wrong
    width = (d.hi - d.lo) / (len(d.rested) - 1)
    for name in ("rested", "played"):
        for i, value in enumerate(getattr(d, name)):
            if not d.lo <= value <= d.hi:
                return f"{name}[{i}] {value} must be from lo {d.lo} to hi {d.hi}"
        for i, (left, right) in enumerate(pairwise(getattr(d, name))):
            if abs(right - left) > width * (1.0 + 1e-12):
                pair = f"{name}[{i}] {left} and {name}[{i + 1}] {right}"
                return f"{pair} must not be farther apart than the states that they follow, {width:g}"
    return None
