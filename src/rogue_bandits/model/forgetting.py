"""Will the first state ever be forgotten? If not, every reward is kept, and each decision costs more than the last."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from rogue_bandits.model.dynamics import first_line, is_settled
from rogue_bandits.model.probe_dynamics import signals_of
from rogue_bandits.model.watched import Watched, advance, is_known, keep_in_ball, limits, next_box
from rogue_bandits.types import next_line

PATTERNS = ((1,), (0,), (1, 0), (1, 0, 0, 0))  # played again and again, never, every other decision, every fourth
DECISIONS = 2000


# Whoever makes a bandit for each of many people asks the same again and again. Typed: see `inference.evidence`.
@lru_cache(maxsize=256, typed=True)
def forgets(d: Any) -> bool:
    """Is there a plain pattern of plays after which all x0 have led to the same state? `d` is that of a walked arm.

    >>> from rogue_bandits import ClippedAffine
    >>> forgets(ClippedAffine(decay=0.9, pull=-0.1, drift=0.1)), forgets(ClippedAffine(decay=1.0, pull=0.0, drift=0.0))
    (True, False)
    """
    if isinstance(d, Watched):
        return d.shrink < 1.0 or any(walk_forgets(d, pattern) for pattern in PATTERNS)
    steps = [next_line(d, first_line(d), told) for told in signals_of(d)]
    return all(abs(line.slope) < 1.0 for line in steps) or any(line_forgets(d, pattern) for pattern in PATTERNS)


def line_forgets(d: Any, pattern: tuple[int, ...]) -> bool:
    """Does a line become a number?"""
    line, told = first_line(d), signals_of(d)
    for t in range(DECISIONS):
        line = next_line(d, line, told[pattern[t % len(pattern)]])
        if is_settled(d, line):
            return True
    return False


def walk_forgets(d: Watched, pattern: tuple[int, ...]) -> bool:
    """Does the box of all states become a point? It has to by intervals: the ball does not shrink, or it is known."""
    ends = np.array([limits(d.dynamics, j) for j in range(len(d.weights))])
    lo, hi, way, ball = (
        ends[:, 0].copy(),
        ends[:, 1].copy(),
        ends.mean(axis=1),
        0.5 * np.linalg.norm(ends[:, 1] - ends[:, 0]),
    )
    told = [signals_of(d.dynamics)[played] for played in pattern]
    after = np.empty((3, len(way)))
    for t in range(DECISIONS):
        next_box(d.dynamics, lo, hi, told[t % len(told)], after[0], after[1])
        advance(d.dynamics, way, told[t % len(told)], after[2])
        lo[:], hi[:], way[:] = after
        keep_in_ball(lo, hi, way, float(ball))
        if is_known(d, lo, hi, float(ball)):
            return True
    return False
