"""Will the first state ever be forgotten? If not, every reward is kept, and each decision costs more than the last."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from rogue_bandits.model.dynamics.clipped_affine import first_line, is_settled
from rogue_bandits.model.dynamics.enclosure import Hull, enclose, is_known, move_hull
from rogue_bandits.model.dynamics.probe import signals_of
from rogue_bandits.model.dynamics.projected import ProjectedDynamics, base_dynamics, limits
from rogue_bandits.types import next_line

PATTERNS = ((1,), (0,), (1, 0), (1, 0, 0, 0))  # played again and again, never, every other decision, every fourth
DECISIONS = 2000


def forgets(d: Any, k: int = 0) -> bool:
    """Is there a plain pattern of plays after which all x0 have led to the same state? `d` is that of a walked arm k.

    >>> from rogue_bandits import ClippedAffine
    >>> forgets(ClippedAffine(decay=0.9, pull=-0.1, drift=0.1)), forgets(ClippedAffine(decay=1.0, pull=0.0, drift=0.0))
    (True, False)
    """
    kind: Any = type(base_dynamics(d))
    return told_forgets(kind, d, *signals_of(base_dynamics(d), k))


# Whoever makes a bandit for each of many people asks the same again and again. The type is part of the question: tuples
# of the same numbers are equal.
@lru_cache(maxsize=256, typed=True)
def told_forgets(kind: Any, d: Any, rest: float, play: float) -> bool:
    """The same, by what the dynamics are told at rest and when the arm is played."""
    patterns = [[play if played else rest for played in pattern] for pattern in PATTERNS]
    if isinstance(d, ProjectedDynamics):
        return d.shrink < 1.0 or any(walk_forgets(d, told) for told in patterns)
    steps = [next_line(d, first_line(d), told) for told in (rest, play)]
    return all(abs(line.slope) < 1.0 for line in steps) or any(line_forgets(d, told) for told in patterns)


def line_forgets(d: Any, told: list[float]) -> bool:
    """Does a line become a number?"""
    line = first_line(d)
    for t in range(DECISIONS):
        line = next_line(d, line, told[t % len(told)])
        if is_settled(d, line):
            return True
    return False


def walk_forgets(d: ProjectedDynamics, told: list[float]) -> bool:
    """Does the box of all states become a point?"""
    ends = np.array([limits(d.dynamics, j) for j in range(len(d.weights))])
    hull, after = Hull(*np.empty((4, len(ends)))), np.empty((3, len(ends)))
    enclose(hull, ends[:, 0], ends[:, 1])
    for t in range(DECISIONS):
        move_hull(d, hull, told[t % len(told)], after)
        if is_known(d, hull):
            return True
    return False
