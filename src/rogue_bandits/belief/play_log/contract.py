"""The Belief contract where dynamics have no closed form: from a log of plays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import rogue_bandits.belief.play_log.region  # noqa: F401  its laws are chosen by the region made here
from rogue_bandits.belief.contract import (
    HasFit,
    Shared,
    add_reward,
    advance,
    belief_of,
    capacity,
    divergence,
    fit,
    fit_gap,
    has_place,
    log_likelihood,
    refit,
    region,
    rewards_count,
    state_at,
    ticket,
    with_places,
)
from rogue_bandits.belief.evidence import potential_at, settled_from, settled_size
from rogue_bandits.belief.play_log.evidence import (
    FIXED,
    PlayLog,
    PlayLogs,
    add_logged_reward,
    components,
    empty_play_logs,
    go_on,
    known_now,
    longer,
    play_log_of,
    rewards_seen,
    ticket_of,
)
from rogue_bandits.belief.play_log.fit import play_log_best
from rogue_bandits.belief.play_log.local_fit import (
    PlayLogRegion,
    play_log_fit_size,
    play_log_loglik,
    read_play_log_fit,
    write_play_log_fit,
)
from rogue_bandits.belief.play_log.trajectory import trajectory
from rogue_bandits.belief.radius import RadiusRule
from rogue_bandits.compile.laws import inlined, overwrite
from rogue_bandits.model.problem import arm_of
from rogue_bandits.types import Arm, Floats, Ticket, kl


class PlayLogBelief(NamedTuple):
    """The belief about arms whose states are not clipped lines in x0."""

    shared: Shared
    personal: PlayLogs


HasFit.register(PlayLogBelief)


def empty_play_log_belief(shared: Shared, arms: list[Arm], people: int) -> PlayLogBelief:
    """Return the belief before the first decision."""
    size = play_log_fit_size(components(arms[0]))
    return PlayLogBelief(shared, empty_play_logs(arms, people, settled_size(shared.nodes), size))


@belief_of.register(PlayLogs)
def play_log_belief_of(personal: PlayLogs, shared: Shared) -> PlayLogBelief:
    """Return the belief with play logs."""
    return PlayLogBelief(shared, personal)


@inlined
def logged(b: PlayLogBelief, person: int, k: int) -> PlayLog:
    """Return the evidence on arm k of one person."""
    return play_log_of(b.shared.nodes, b.personal, person, k)


@ticket.register(PlayLogBelief)
def play_log_ticket(b: PlayLogBelief, person: int, k: int) -> Ticket:
    """Return the state if it is known, else the place in the play log."""
    return ticket_of(arm_of(b.shared.table, person, k).dynamics, logged(b, person, k))


@advance.register(PlayLogBelief)
def play_log_advance(b: PlayLogBelief, person: int, k: int, signal_t: float) -> None:
    """Append one entry to the play log, unless the state is known."""
    go_on(b.personal, arm_of(b.shared.table, person, k).dynamics, person, k, signal_t)


@add_reward.register(PlayLogBelief)
def play_log_add_reward(b: PlayLogBelief, person: int, k: int, token: Ticket, r: float) -> bool:
    """Store a reward in the play log, or add it to the sums."""
    add_logged_reward(b.shared.nodes, b.personal, arm_of(b.shared.table, person, k), person, k, token, r)
    return token.a != 0.0


@refit.register(PlayLogBelief)
def play_log_refit(b: PlayLogBelief, person: int, k: int, x0_moved: bool) -> None:
    """Fit by branch and bound, or by search, and store the local fit."""
    arm, row, s = arm_of(b.shared.table, person, k), b.personal.local_fit[person, k], logged(b, person, k)
    x0 = row[FIXED : FIXED + b.personal.now.shape[3]].copy()
    theta, gap = play_log_best(arm.rewards, arm, s, row[0], x0, b.shared.evaluations)
    if s.signals.size == 0 and known_now(arm.dynamics, s.now):  # known from the first decision on
        overwrite(x0, row[FIXED : FIXED + x0.size])
    write_play_log_fit(arm, s, theta, x0, gap, row)


@rewards_count.register(PlayLogBelief)
def play_log_rewards_count(b: PlayLogBelief, person: int, k: int) -> float:
    """Return the number of rewards, in the play log and summed up."""
    return rewards_seen(logged(b, person, k))


@log_likelihood.register(PlayLogBelief)
def play_log_log_likelihood(b: PlayLogBelief, person: int, k: int, theta: float, x0: Floats) -> float:
    """Return the log-likelihood along the trajectory from x0."""
    arm, s = arm_of(b.shared.table, person, k), logged(b, person, k)
    states = np.empty(s.early.shape[0] + 1)
    trajectory(arm.dynamics, s, x0, states)
    return play_log_loglik(arm, s, theta, states)


@fit.register(PlayLogBelief)
def play_log_fit(b: PlayLogBelief, person: int, k: int) -> tuple[float, Floats]:
    """Return the fit that `refit` stored."""
    row = b.personal.local_fit[person, k]
    return row[0], row[FIXED : FIXED + b.personal.now.shape[3]]


@fit_gap.register(PlayLogBelief)
def play_log_fit_gap(b: PlayLogBelief, person: int, k: int) -> float:
    """Return the gap that the search has proven."""
    return read_play_log_fit(b.personal.local_fit[person, k], b.personal.now.shape[3]).gap


@state_at.register(PlayLogBelief)
def play_log_state_at(b: PlayLogBelief, person: int, k: int, x0: Floats) -> float:
    """Return the state at the end of the trajectory from x0."""
    s = logged(b, person, k)
    states = np.empty(s.early.shape[0] + 1)
    trajectory(arm_of(b.shared.table, person, k).dynamics, s, x0, states)
    last: float = states[states.size - 1]
    return last


@divergence.register(PlayLogBelief)
def play_log_divergence(
    b: PlayLogBelief, person: int, k: int, theta: float, x0: Floats, theta2: float, x02: Floats
) -> float:
    """Return the divergence along the trajectories from both x0."""
    arm, s = arm_of(b.shared.table, person, k), logged(b, person, k)
    f, one, other = arm.rewards, np.empty(s.early.shape[0] + 1), np.empty(s.early.shape[0] + 1)
    trajectory(arm.dynamics, s, x0, one)
    trajectory(arm.dynamics, s, x02, other)
    total = settled_from(f, s.sums, theta, theta2, potential_at(f, s.sums, theta2))[0]
    for i in range(s.early.shape[0]):
        total += kl(f, theta, one[i], theta2, other[i])
    return total


@region.register(PlayLogBelief)
def play_log_region(b: PlayLogBelief, person: int, k: int, rule: RadiusRule, log_t: float) -> PlayLogRegion:
    """Return the region, with the play log up to now."""
    fitted = read_play_log_fit(b.personal.local_fit[person, k], b.personal.now.shape[3])
    arm = arm_of(b.shared.table, person, k)
    return PlayLogRegion(arm, logged(b, person, k), fitted, rule, log_t, b.shared.evaluations)


@has_place.register(PlayLogBelief)
def play_log_has_place(b: PlayLogBelief, person: int) -> bool:
    """Return whether there is room for a play and for a reward."""
    e = b.personal
    for k in range(e.early_n.shape[1]):
        if max(e.early_n[person, k], e.signals_n[person, k]) >= e.signals.shape[2]:
            return False
    return True


@with_places.register
def play_log_with_places(personal: PlayLogs, places: int) -> PlayLogs:
    """Return the logs, doubled in size until there are enough places."""
    while personal.signals.shape[2] < places:
        personal = longer(personal)
    return personal


@capacity.register
def play_log_capacity(personal: PlayLogs) -> int:
    """Return how many plays and rewards there is room for."""
    return int(personal.signals.shape[2])
