"""Evidence on arms whose dynamics have no closed form: a log of plays, and rewards with their place in it.

Until the first state is forgotten every play is kept, and every reward with its place in the play log. From then on
the state is a known number: it is advanced by itself, and rewards are summed up as for all arms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rogue_bandits.belief.evidence import ArmEvidence, add_settled
from rogue_bandits.belief.nodes import NodeTables, pool_shape
from rogue_bandits.compile.laws import inlined, overwrite, routine
from rogue_bandits.model.dynamics.enclosure import Hull, initialise_hull, is_known, move_hull
from rogue_bandits.model.dynamics.projected import ProjectedDynamics, limits, project
from rogue_bandits.types import Arm, Floats, Ints, Ticket

FIRST_LENGTH = 32
FIXED = 6  # numbers of a local fit beside x0 and the root
DECISION, REWARD, STATE, SLOPE = 0, 1, 2, 3  # columns of `early`; slopes go on to the end


class PlayLogs(NamedTuple):
    """The evidence on every arm (second axis) of every person (first axis), and the fits to it."""

    sums: Floats  # [people, arms, 4], of rewards whose state is known: their number, and their three statistics
    w: Floats  # [people, arms, numbers]: as in `LineEvidence`
    now: Floats  # [people, arms, 4, components]: the `Hull` of the state now
    signals: Floats  # [people, arms, length]: the plays since decision 0, until the state is known
    signals_n: Ints  # [people, arms]
    early: Floats  # [people, arms, capacity, 3 + components]: decision, reward; the state at the fit and its slopes
    early_n: Ints  # [people, arms]
    local_fit: Floats  # [people, arms, numbers]: see `local_fit.py`
    plays: Ints  # [people, arms]


class PlayLog(NamedTuple):
    """The evidence on one arm of one person: views into `PlayLogs`."""

    sums: ArmEvidence
    now: Floats
    signals: Floats
    early: Floats


def components(arm: Arm) -> int:
    """Return the number of components of the state of a projected arm."""
    return len(arm.dynamics.weights)


def empty_play_logs(arms: Sequence[Arm], people: int, w_size: int, fit_size: int) -> PlayLogs:
    """Return the evidence before the first decision; the arms are projected ones, their fits the middle of the box."""
    n, shape = components(arms[0]), (people, len(arms))
    now, local_fit = np.zeros((*shape, 4, n)), np.zeros((*shape, fit_size))
    for k, arm in enumerate(arms):
        ends = np.array([limits(arm.dynamics.dynamics, j) for j in range(n)])
        if arm.x0 is not None:
            ends = np.repeat(np.reshape(arm.x0, (n, 1)), 2, axis=1)
        initialise_hull(hull_of(now[0, k]), ends[:, 0], ends[:, 1])
        now[:, k] = now[0, k]
        local_fit[:, k, 0] = 0.5 * (arm.theta_lo + arm.theta_hi)
        local_fit[:, k, FIXED : FIXED + n] = 0.5 * ends.sum(axis=1)
    return PlayLogs(
        sums=np.zeros((*shape, 4)),
        w=np.zeros((*shape, w_size)),
        now=now,
        signals=np.zeros((*shape, FIRST_LENGTH)),
        signals_n=np.zeros(shape, dtype=np.int64),
        early=np.zeros((*shape, FIRST_LENGTH, SLOPE + n)),
        early_n=np.zeros(shape, dtype=np.int64),
        local_fit=local_fit,
        plays=np.zeros(shape, dtype=np.int64),
    )


def longer(e: PlayLogs) -> PlayLogs:
    """Return the same evidence with room for twice as many plays and rewards."""
    room = ((0, 0), (0, 0))
    signals = np.pad(e.signals, (*room, (0, e.signals.shape[2])))
    return e._replace(signals=signals, early=np.pad(e.early, (*room, (0, e.early.shape[2]), (0, 0))))


@inlined
def play_log_of(nodes: NodeTables, e: PlayLogs, person: int, k: int) -> PlayLog:
    """Return the evidence on arm k of one person."""
    no_rewards, no_kinks = e.early[person, k, :0], e.sums[person, k, :0]
    return PlayLog(
        ArmEvidence(
            e.sums[person, k],
            e.w[person, k],
            no_rewards,
            no_kinks,
            no_rewards,
            nodes.middle[k],
            nodes.half[k],
            nodes.quotients[k],
            nodes.factors[k],
            nodes.x_middle[k],
            nodes.x_half[k],
            0.0,
            pool_shape(nodes),
        ),
        e.now[person, k],
        e.signals[person, k, : e.signals_n[person, k]],
        e.early[person, k, : e.early_n[person, k]],
    )


@inlined
def hull_of(now: Floats) -> Hull:
    """Return the rows of `now` as a hull."""
    return Hull(now[0], now[1], now[2], now[3])


@inlined
def known_now(d: ProjectedDynamics, now: Floats) -> bool:
    """Return whether the state is known, that is the same for every x0."""
    return is_known(d, hull_of(now))


@inlined
def ticket_of(d: ProjectedDynamics, s: PlayLog) -> Ticket:
    """Return the ticket of this decision: (0, the state) if that is known, else (1, its place in the play log)."""
    if known_now(d, s.now):
        return Ticket(0.0, project(d, s.now[2]), 0.0, 0.0)
    return Ticket(1.0, float(s.signals.size), 0.0, 0.0)


@routine
def go_on(e: PlayLogs, d: ProjectedDynamics, person: int, k: int, signal_t: float) -> None:
    """Advance the state of arm k by one decision; until it is known, the play is kept."""
    hull = hull_of(e.now[person, k])
    if is_known(d, hull):
        # Once known, known: intervals of a matrix that mixes may widen again, and the plays since are not kept.
        initialise_hull(hull, hull.centre, hull.centre)
    else:
        e.signals[person, k, e.signals_n[person, k]] = signal_t
        e.signals_n[person, k] += 1
    move_hull(d, hull, signal_t, np.empty((3, e.now.shape[3])))


@routine
def add_logged_reward(nodes: NodeTables, e: PlayLogs, arm: Arm, person: int, k: int, token: Ticket, r: float) -> None:
    """Add one reward, see `ticket_of`."""
    known = token.a == 0.0
    if known and add_settled(arm.rewards, nodes, e.sums[person, k], e.w[person, k], k, token.b, r):
        return
    rows, n = e.early[person, k], e.early_n[person, k]
    i = n
    if known:  # it cannot be summed up: kept, with the state in place of a decision
        rows[i, DECISION], rows[i, REWARD], rows[i, STATE], rows[i, SLOPE:] = -1.0, r, token.b, 0.0
    else:
        while i > 0 and not 0.0 <= rows[i - 1, DECISION] <= token.b:  # late rewards go where they belong
            overwrite(rows[i], rows[i - 1])
            i -= 1
        rows[i] = 0.0
        rows[i, DECISION], rows[i, REWARD] = token.b, r
    e.early_n[person, k] = n + 1


@inlined
def rewards_seen(s: PlayLog) -> float:
    """Return n, the number of rewards."""
    n: float = s.sums.sums[0] + s.early.shape[0]
    return n
