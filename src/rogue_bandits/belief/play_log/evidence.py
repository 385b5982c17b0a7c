"""All that an arm's rewards say about (theta, x0) where the state has to be walked to.

Until the first state is forgotten every play is kept (the *trail*), and every reward with its place on the trail. From
then on the state is known: it is moved on by itself, and only sums remain of rewards, as for all arms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.evidence import ArmEvidence, Evidence, add_sums, no_line_evidence
from rogue_bandits.compile.laws import inlined, overwrite, routine
from rogue_bandits.model.dynamics.enclosure import Hull, enclose, is_known, move_hull
from rogue_bandits.model.dynamics.projected import ProjectedDynamics, limits, project
from rogue_bandits.types import Arm, Floats, Ints, Line, is_summable

FIRST_LENGTH = 32
DECISION, REWARD, STATE, SLOPE = 0, 1, 2, 3  # columns of `early`; slopes go on to the end


class PlayLogs(NamedTuple):
    """The evidence on every arm (second axis) of every person (first axis)."""

    sums: Evidence  # of rewards whose state is known; its lines and early rewards are not used
    now: Floats  # [people, arms, 4, components]: the `Hull` of the state now
    told: Floats  # [people, arms, length]: the trail
    told_n: Ints  # [people, arms]
    early: Floats  # [people, arms, capacity, 3 + components]: decision, reward; the state at the fit and its slopes
    early_n: Ints  # [people, arms]
    looks: int  # that a search may take


class PlayLog(NamedTuple):
    """The evidence on one arm of one person: views into `Trails`."""

    sums: ArmEvidence
    now: Floats
    told: Floats
    early: Floats


def components(arm: Arm) -> int:
    """How many the state of a walked arm has."""
    return len(arm.dynamics.weights)


def empty_play_logs(arms: Sequence[Arm], people: int, looks: int) -> PlayLogs:
    """Before the first decision; the arms are walked ones."""
    n, shape = components(arms[0]), (people, len(arms))
    now = np.zeros((*shape, 4, n))
    for k, arm in enumerate(arms):
        ends = np.array([limits(arm.dynamics.dynamics, j) for j in range(n)])
        enclose(hull_of(now[0, k]), ends[:, 0], ends[:, 1])
        now[:, k] = now[0, k]
    return PlayLogs(
        sums=no_line_evidence(arms, people),
        now=now,
        told=np.zeros((*shape, FIRST_LENGTH)),
        told_n=np.zeros(shape, dtype=np.int64),
        early=np.zeros((*shape, FIRST_LENGTH, SLOPE + n)),
        early_n=np.zeros(shape, dtype=np.int64),
        looks=looks,
    )


def longer(e: PlayLogs) -> PlayLogs:
    """The same evidence with room for twice as many plays and rewards."""
    room = ((0, 0), (0, 0))
    told = np.pad(e.told, (*room, (0, e.told.shape[2])))
    return e._replace(told=told, early=np.pad(e.early, (*room, (0, e.early.shape[2]), (0, 0))))


@inlined
def play_log_of(e: PlayLogs, person: int, k: int) -> PlayLog:
    """The evidence on arm k of one person."""
    s = e.sums
    return PlayLog(
        ArmEvidence(
            s.sums[person, k],
            s.w[person, k],
            s.early[person, k, :0],
            s.kinks[person, k],
            s.pools[person, k, :0],
            s.middle[k],
            s.half[k],
        ),
        e.now[person, k],
        e.told[person, k, : e.told_n[person, k]],
        e.early[person, k, : e.early_n[person, k]],
    )


@inlined
def hull_of(now: Floats) -> Hull:
    """The rows of `now`."""
    return Hull(now[0], now[1], now[2], now[3])


@inlined
def known_now(d: ProjectedDynamics, now: Floats) -> bool:
    """Is the state known, whatever x0 was?"""
    return is_known(d, hull_of(now))


@inlined
def moment_of(d: ProjectedDynamics, s: PlayLog) -> Line:
    """What a reward of this decision must be told with: the state itself, or its place on the trail (slope 1)."""
    if known_now(d, s.now):
        x = project(d, s.now[2])
        return Line(0.0, x, x, x)
    return Line(1.0, float(s.told.size), 0.0, 0.0)


@routine
def go_on(e: PlayLogs, d: ProjectedDynamics, person: int, k: int, played: float) -> None:
    """The state of arm k moves on by one decision; until it is known, the play is kept."""
    hull = hull_of(e.now[person, k])
    if is_known(d, hull):
        # Once known, known: intervals of a matrix that mixes may widen again, and the plays since are not kept.
        enclose(hull, hull.way, hull.way)
    else:
        e.told[person, k, e.told_n[person, k]] = played
        e.told_n[person, k] += 1
    move_hull(d, hull, played, np.empty((3, e.now.shape[3])))


@routine
def take_in(e: PlayLogs, arm: Any, person: int, k: int, line: Line, r: float) -> None:
    """Take in one reward of the moment `line`, see `moment_of`."""
    known = line.slope == 0.0
    if known and is_summable(arm.rewards):
        add_sums(e.sums, arm.rewards, person, k, line.offset, r)
        return
    rows, n = e.early[person, k], e.early_n[person, k]
    i = n
    if known:  # a family that cannot be summed up: kept, with the state in place of a decision
        rows[i, DECISION], rows[i, REWARD], rows[i, STATE], rows[i, SLOPE:] = -1.0, r, line.offset, 0.0
    else:
        while i > 0 and not 0.0 <= rows[i - 1, DECISION] <= line.offset:  # late rewards go where they belong
            overwrite(rows[i], rows[i - 1])
            i -= 1
        rows[i] = 0.0
        rows[i, DECISION], rows[i, REWARD] = line.offset, r
    e.early_n[person, k] = n + 1


@inlined
def rewards_seen(s: PlayLog) -> float:
    """n."""
    return s.sums.sums[0] + s.early.shape[0]
