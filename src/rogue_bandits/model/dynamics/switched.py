"""Two affine steps, one when played and one at rest; among them the delay since the last play."""

from __future__ import annotations

from typing import NamedTuple

from rogue_bandits.model.dynamics.clipped_affine import bounds_fault, clip, expansion_fault, stepped
from rogue_bandits.model.numbers import checked_whole
from rogue_bandits.model.validation import dynamics_fault
from rogue_bandits.types import Arm, Line, next_line, next_state


class SwitchedAffine(NamedTuple):
    """x' = clip(played_decay·x + played_drift, lo, hi) when played, clip(rest_decay·x + rest_drift, lo, hi) at rest.

    >>> from rogue_bandits.types import next_state
    >>> halves = SwitchedAffine(played_decay=0.5, played_drift=0.0, rest_decay=1.0, rest_drift=0.125)
    >>> next_state(halves, 0.5, 1.0), next_state(halves, 0.5, 0.0)
    (0.25, 0.625)
    """

    played_decay: float
    played_drift: float
    rest_decay: float
    rest_drift: float
    lo: float = 0.0
    hi: float = 1.0


def since_last_play(longest: int) -> SwitchedAffine:
    """Return dynamics whose state is the delay since the last play: 0 after a play, 1 after `longest` rests.

    Arms with these dynamics are recovering bandits.

    >>> from rogue_bandits.types import next_state
    >>> delay = since_last_play(longest=4)
    >>> next_state(delay, 0.75, 1.0), next_state(delay, 0.75, 0.0), next_state(delay, 1.0, 0.0)
    (0.0, 1.0, 1.0)
    """
    longest = checked_whole(longest, "since_last_play, longest", 1)
    return SwitchedAffine(played_decay=0.0, played_drift=0.0, rest_decay=1.0, rest_drift=1.0 / longest)


@next_state.register(SwitchedAffine)
def switched_affine_next_state(d: SwitchedAffine, x_t: float, played_t: float) -> float:
    """Return the state after one of two clipped affine steps."""
    if played_t == 1.0:
        return clip(d.played_decay * x_t + d.played_drift, d.lo, d.hi)
    return clip(d.rest_decay * x_t + d.rest_drift, d.lo, d.hi)


@next_line.register(SwitchedAffine)
def switched_affine_next_line(d: SwitchedAffine, line: Line, played_t: float) -> Line:
    """Return the line after one of two clipped affine steps."""
    if played_t == 1.0:
        return stepped(d, line, d.played_decay, d.played_drift)
    return stepped(d, line, d.rest_decay, d.rest_drift)


@dynamics_fault.register
def switched_affine_fault(d: SwitchedAffine, arm: Arm) -> str | None:
    """Check that neither step expands.  [Assumption 5]"""
    return expansion_fault(d, "played_decay") or expansion_fault(d, "rest_decay") or bounds_fault(d)
