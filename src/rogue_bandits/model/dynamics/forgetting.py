"""Whether the first state of an arm is forgotten. If not, every reward is stored and decisions get ever slower."""

from __future__ import annotations

from typing import Any

import numpy as np

from rogue_bandits.compile.laws import remembered
from rogue_bandits.model.dynamics.clipped_affine import first_line, is_settled
from rogue_bandits.model.dynamics.enclosure import Hull, initialise_hull, is_known, move_hull
from rogue_bandits.model.dynamics.probe import signals_of
from rogue_bandits.model.dynamics.projected import ProjectedDynamics, base_dynamics, limits
from rogue_bandits.model.protocols import ScalarDynamics
from rogue_bandits.types import next_line

PATTERNS = ((1,), (0,), (1, 0), (1, 0, 0, 0))  # always played, never, every second decision, every fourth
DECISIONS = 2000
SOON = 24  # decisions


def forgets(d: Any, k: int = 0) -> bool:
    """Return whether a simple pattern of plays of arm k leads all x0 to the same state; `d` is that of `projected_arm`.

    >>> from rogue_bandits import ClippedAffine
    >>> forgets(ClippedAffine(decay=0.9, pull=-0.1, drift=0.1)), forgets(ClippedAffine(decay=1.0, pull=0.0, drift=0.0))
    (True, False)
    """
    kind: Any = type(base_dynamics(d))
    return _forgets_under(kind, d, *signals_of(base_dynamics(d), k))


# Cached, as it is computed again for each bandit of a crowd. `kind` is an argument since tuples of different types are
# equal if their numbers are.
@remembered(256, typed=True)
def _forgets_under(kind: type, d: Any, rest: float, play: float) -> bool:
    """Return `forgets`, given the signals of rest and play."""
    patterns = [[play if played else rest for played in pattern] for pattern in PATTERNS]
    if isinstance(d, ProjectedDynamics):
        return d.lipschitz < 1.0 or any(_hull_collapses(d, signals) for signals in patterns)
    steps = [next_line(d, first_line(d), played) for played in (rest, play)]
    return all(abs(line.slope) < 1.0 for line in steps) or any(_line_settles(d, signals) for signals in patterns)


def forgets_soon(d: ScalarDynamics) -> bool:
    """Return whether every simple pattern of plays leads all x0 to the same state within few decisions.

    >>> from rogue_bandits import ClippedAffine
    >>> forgets_soon(ClippedAffine(0.6, -1.0, 0.5)), forgets_soon(ClippedAffine(0.9, -0.08, 0.09))
    (True, False)
    """
    rest, play = signals_of(d, 0)
    return all(_line_settles(d, [play if played else rest for played in pattern], SOON) for pattern in PATTERNS)


def _line_settles(d: ScalarDynamics, signals: list[float], decisions: int = DECISIONS) -> bool:
    """Return whether the clipped line becomes a constant."""
    line = first_line(d)
    for t in range(decisions):
        line = next_line(d, line, signals[t % len(signals)])
        if is_settled(d, line):
            return True
    return False


def _hull_collapses(d: ProjectedDynamics, signals: list[float]) -> bool:
    """Return whether the hull of all states becomes a point."""
    ends = np.array([limits(d.dynamics, j) for j in range(len(d.weights))])
    hull, after = Hull(*np.empty((4, len(ends)))), np.empty((3, len(ends)))
    initialise_hull(hull, ends[:, 0], ends[:, 1])
    for t in range(DECISIONS):
        move_hull(d, hull, signals[t % len(signals)], after)
        if is_known(d, hull):
            return True
    return False
