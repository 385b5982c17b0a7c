"""Maximisation by Hooke–Jeeves pattern search from several starts, without a certificate.

The function is a `height`, chosen by the type of the goal: a log-likelihood here, a mean inside the radius in
`upper_bound.py`. p = (theta, x0).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.play_log.boxes import point_in_box
from rogue_bandits.belief.play_log.evidence import PlayLog
from rogue_bandits.belief.play_log.local_fit import play_log_loglik
from rogue_bandits.belief.play_log.trajectory import trajectory
from rogue_bandits.compile.laws import law, overwrite, routine
from rogue_bandits.types import Arm, Floats

STARTS = 8
FIRST_STEP, LAST_STEP = 0.25, 1e-8  # of the range
MOST_EVALUATIONS = 400
PLASTIC = 1.32471795724474602596  # its powers spread points evenly over any number of dimensions


@law
def height(goal: Any, p: Floats) -> float:
    """Return the value to maximise."""


class Likely(NamedTuple):
    """The log-likelihood of a play log, as a function to maximise."""

    arm: Arm
    seen: PlayLog
    room: Floats


@height.register(Likely)
def likely_height(goal: Likely, p: Floats) -> float:
    """Return the log-likelihood at (theta, x0)."""
    trajectory(goal.arm.dynamics, goal.seen, p[1:], goal.room)
    return play_log_loglik(goal.arm, goal.seen, p[0], goal.room)


@routine
def height_at(goal: Any, p: Floats) -> float:
    """Return `height`, not inlined: several copies of a trajectory's loop would take long to compile."""
    return height(goal, p)


@routine
def search_fit(arm: Arm, s: PlayLog, theta: float, x0: Floats) -> float:
    """Return the best theta found, from the given start and from points spread over the box; x0 is written in place."""
    goal = Likely(arm, s, np.empty(s.early.shape[0] + 1))
    p, lo, hi = point_in_box(arm, theta, x0)
    multistart_search(goal, p, lo, hi, STARTS)
    overwrite(x0, p[1:])
    at: float = p[0]
    return at


@routine
def multistart_search(goal: Any, p: Floats, lo: Floats, hi: Floats, starts: int) -> float:
    """Search from p and from points spread over the box; write the best point to p and return its value."""
    best, best_p = climb(goal, p, lo, hi), p.copy()
    for start in range(starts):
        for j in range(p.size):
            share = (0.5 + (start + 1) * PLASTIC ** -(j + 1.0)) % 1.0
            p[j] = lo[j] + share * (hi[j] - lo[j])
        value = climb(goal, p, lo, hi)
        if value > best:
            best = value
            overwrite(best_p, p)
    overwrite(p, best_p)
    return best


@routine
def climb(goal: Any, p: Floats, lo: Floats, hi: Floats) -> float:
    """Search from p, in place: steps along each coordinate, then along the sum of those that improved."""
    here, step, evaluations = height_at(goal, p), FIRST_STEP, 1
    to, last = np.empty(p.size), p.copy()
    while step > LAST_STEP and evaluations < MOST_EVALUATIONS:
        moved = False
        for j in range(2 * p.size):
            k = j // 2
            size = step * (hi[k] - lo[k])
            overwrite(to, p)
            to[k] = min(max(p[k] + (size if j % 2 == 0 else -size), lo[k]), hi[k])
            if to[k] == p[k]:
                continue
            value = height_at(goal, to)
            evaluations += 1
            if value > here:
                here, moved = value, True
                overwrite(p, to)
        if moved:
            # Hooke and Jeeves: along a ridge that no dimension follows, the sum of the steps does.
            for k in range(p.size):
                to[k] = min(max(2.0 * p[k] - last[k], lo[k]), hi[k])
            overwrite(last, p)
            value = height_at(goal, to)
            evaluations += 1
            if value > here:
                here = value
                overwrite(p, to)
        else:
            step *= 0.5
    return here
