"""What is known of arms whose states have to be walked to: the laws of `inference.knowledge` for trails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import rogue_bandits.belief.play_log.region  # noqa: F401  its laws are chosen by the region made here
from rogue_bandits.belief.contract import (
    advance,
    divergence_between,
    empty_evidence,
    fitted_point,
    fitted_to,
    has_place,
    observe,
    refit,
    region_of,
    ticket,
    with_places,
)
from rogue_bandits.belief.evidence import potential_at, settled_from
from rogue_bandits.belief.play_log.evidence import (
    PlayLogs,
    components,
    empty_play_logs,
    go_on,
    longer,
    moment_of,
    play_log_of,
    rewards_seen,
    take_in,
)
from rogue_bandits.belief.play_log.fit import play_log_best
from rogue_bandits.belief.play_log.local_fit import (
    FIXED,
    PlayLogRegion,
    play_log_fit_size,
    play_log_loglik,
    read_play_log_fit,
    write_play_log_fit,
)
from rogue_bandits.belief.play_log.trajectory import trajectory
from rogue_bandits.model.dynamics.projected import ProjectedDynamics, limits
from rogue_bandits.types import Arm, Floats, Line, kl


@empty_evidence.register
def empty_play_log_evidence(
    dynamics: ProjectedDynamics, arms: Sequence[Arm], people: int, looks: int
) -> tuple[PlayLogs, Floats]:
    """The fits lie in the middle of everything."""
    n = components(arms[0])
    local_fit = np.zeros((people, len(arms), play_log_fit_size(n)))
    for k, arm in enumerate(arms):
        local_fit[:, k, 0] = 0.5 * (arm.theta_lo + arm.theta_hi)
        local_fit[:, k, FIXED : FIXED + n] = [0.5 * sum(limits(arm.dynamics.dynamics, j)) for j in range(n)]
    return empty_play_logs(arms, people, looks), local_fit


@fitted_point.register
def play_log_fitted_point(e: PlayLogs, row: Floats) -> tuple[float, tuple[float, ...]]:
    """As `keep_trail_centre` wrote it."""
    return float(row[0]), tuple(row[FIXED : FIXED + e.now.shape[3]].tolist())


@ticket.register(PlayLogs)
def play_log_moment(e: PlayLogs, arm: Any, person: int, k: int) -> Line:
    """The state, if it is known; else the place on the trail."""
    return moment_of(arm.dynamics, play_log_of(e, person, k))


@advance.register(PlayLogs)
def play_log_move_on(e: PlayLogs, arm: Any, person: int, k: int, told: float) -> None:
    """One step on the trail."""
    go_on(e, arm.dynamics, person, k, told)


@observe.register(PlayLogs)
def play_log_observe(e: PlayLogs, arm: Any, person: int, k: int, line: Line, r: float) -> bool:
    """On the trail, or summed up."""
    take_in(e, arm, person, k, line, r)
    return line.slope != 0.0


@refit.register(PlayLogs)
def play_log_refit(e: PlayLogs, arm: Any, person: int, k: int, row: Floats, early_came: bool) -> None:
    """By branch and bound, or by search."""
    s, x0 = play_log_of(e, person, k), row[FIXED : FIXED + e.now.shape[3]].copy()
    theta, gap = play_log_best(arm.rewards, arm, s, row[0], x0, e.looks)
    write_play_log_fit(arm, s, theta, x0, gap, row)


@fitted_to.register(PlayLogs)
def play_log_fitted_to(e: PlayLogs, arm: Any, person: int, k: int, row: Floats) -> tuple[float, float, float]:
    """What the search proved."""
    s, c = play_log_of(e, person, k), read_play_log_fit(row, e.now.shape[3])
    room = np.empty(s.early.shape[0] + 1)
    trajectory(arm.dynamics, s, c.x0, room)
    return play_log_loglik(arm, s, c.theta, room), rewards_seen(s), c.gap


@divergence_between.register(PlayLogs)
def play_log_divergence(
    e: PlayLogs, arm: Any, person: int, k: int, theta: float, x0: Floats, theta2: float, x02: Floats
) -> float:
    """A walk from either."""
    f, s = arm.rewards, play_log_of(e, person, k)
    one, other = np.empty(s.early.shape[0] + 1), np.empty(s.early.shape[0] + 1)
    trajectory(arm.dynamics, s, x0, one)
    trajectory(arm.dynamics, s, x02, other)
    total = settled_from(f, s.sums, theta, theta2, potential_at(f, s.sums, theta2))[0]
    for i in range(s.early.shape[0]):
        total += kl(f, theta, one[i], theta2, other[i])
    return total


@region_of.register(PlayLogs)
def play_log_region(
    e: PlayLogs, arm: Any, person: int, k: int, local_fit: Floats, rule: Any, log_t: float
) -> PlayLogRegion:
    """With the trail to now."""
    c = read_play_log_fit(local_fit[person, k], e.now.shape[3])
    return PlayLogRegion(arm, play_log_of(e, person, k), c, rule, log_t, e.looks)


@has_place.register(PlayLogs)
def play_log_has_place(e: PlayLogs, person: int) -> bool:
    """For a play and for a reward."""
    for k in range(e.early_n.shape[1]):
        if max(e.early_n[person, k], e.told_n[person, k]) >= e.told.shape[2]:
            return False
    return True


@with_places.register
def play_log_with_places(e: PlayLogs, places: int) -> PlayLogs:
    """Twice as many until there are enough."""
    while e.told.shape[2] < places:
        e = longer(e)
    return e
