"""Root finding by the Illinois method, one evaluation at a time.

It is regula falsi, but when one end is kept twice in a row its value is halved, so that the other end moves too.
"""

from __future__ import annotations

from typing import NamedTuple

from rogue_bandits.compile.laws import inlined


class Bracket(NamedTuple):
    """A point a at which the function is not positive, one b at which it is, and which end was kept last.

    fa and fb are the values there, or halved values.
    """

    a: float
    fa: float
    b: float
    fb: float
    kept: int  # 1 if it was b, -1 if it was a, 0 before the first evaluation


@inlined
def next_point(s: Bracket, halve: bool) -> float:
    """Return the root of the secant, or the midpoint if `halve` or if that root is outside of the bracket."""
    at = s.b - s.fb * (s.b - s.a) / (s.fb - s.fa)
    return 0.5 * (s.a + s.b) if halve or not min(s.a, s.b) < at < max(s.a, s.b) else at


@inlined
def narrowed(s: Bracket, at: float, value: float) -> Bracket:
    """Return the bracket after an evaluation."""
    if value <= 0.0:
        return Bracket(at, value, s.b, s.fb * (0.5 if s.kept == 1 else 1.0), 1)
    return Bracket(s.a, s.fa * (0.5 if s.kept == -1 else 1.0), at, value, -1)
