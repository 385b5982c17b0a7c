"""Where a function of one variable becomes positive: secants that keep the place in between, one look at a time.

Where one side is kept twice running its weight is halved, so that the other moves too (the Illinois method).
"""

from __future__ import annotations

from typing import NamedTuple

from rogue_bandits.compile.laws import inlined


class Bracket(NamedTuple):
    """A place a at which the function is not positive, one b at which it is, and which of the two was kept last.

    fa and fb are weights: the values there, or halves of them.
    """

    a: float
    fa: float
    b: float
    fb: float
    kept: int  # 1 if it was b, -1 if it was a, 0 before the first look


@inlined
def next_look(s: Bracket, halve: bool) -> float:
    """Where to look next: where the secant crosses zero, or in the middle if that is asked for or lies outside."""
    at = s.b - s.fb * (s.b - s.a) / (s.fb - s.fa)
    return 0.5 * (s.a + s.b) if halve or not min(s.a, s.b) < at < max(s.a, s.b) else at


@inlined
def narrowed(s: Bracket, at: float, value: float) -> Bracket:
    """The bracket after a look."""
    if value <= 0.0:
        return Bracket(at, value, s.b, s.fb * (0.5 if s.kept == 1 else 1.0), 1)
    return Bracket(s.a, s.fa * (0.5 if s.kept == -1 else 1.0), at, value, -1)
