"""What is known of arms whose states have to be walked to: the laws of `inference.knowledge` for trails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import rogue_bandits.belief.play_log.region  # noqa: F401  its laws are chosen by the region made here
from rogue_bandits.belief.contract import (
    divergence_between,
    fitted_point,
    fitted_to,
    has_place,
    moment,
    move_on,
    nothing_seen,
    observe,
    refit,
    region_of,
    with_places,
)
from rogue_bandits.belief.evidence import potential_at, settled_from
from rogue_bandits.belief.play_log.evidence import (
    Trails,
    components,
    go_on,
    longer,
    moment_of,
    no_trails,
    rewards_seen,
    take_in,
    trail,
)
from rogue_bandits.belief.play_log.fit import best_on_trail
from rogue_bandits.belief.play_log.local_fit import (
    FIXED,
    TrailRegion,
    centre_size,
    keep_trail_centre,
    kept_trail_centre,
    trail_loglik,
)
from rogue_bandits.belief.play_log.trajectory import walk
from rogue_bandits.model.dynamics.projected import Watched, limits
from rogue_bandits.types import Arm, Floats, Line, kl


@nothing_seen.register
def no_trails_seen(dynamics: Watched, arms: Sequence[Arm], people: int, looks: int) -> tuple[Trails, Floats]:
    """The fits lie in the middle of everything."""
    n = components(arms[0])
    centre = np.zeros((people, len(arms), centre_size(n)))
    for k, arm in enumerate(arms):
        centre[:, k, 0] = 0.5 * (arm.theta_lo + arm.theta_hi)
        centre[:, k, FIXED : FIXED + n] = [0.5 * sum(limits(arm.dynamics.dynamics, j)) for j in range(n)]
    return no_trails(arms, people, looks), centre


@fitted_point.register
def trail_fitted_point(e: Trails, row: Floats) -> tuple[float, tuple[float, ...]]:
    """As `keep_trail_centre` wrote it."""
    return float(row[0]), tuple(row[FIXED : FIXED + e.now.shape[3]].tolist())


@moment.register(Trails)
def trail_moment(e: Trails, arm: Any, person: int, k: int) -> Line:
    """The state, if it is known; else the place on the trail."""
    return moment_of(arm.dynamics, trail(e, person, k))


@move_on.register(Trails)
def trail_move_on(e: Trails, arm: Any, person: int, k: int, told: float) -> None:
    """One step on the trail."""
    go_on(e, arm.dynamics, person, k, told)


@observe.register(Trails)
def trail_observe(e: Trails, arm: Any, person: int, k: int, line: Line, r: float) -> bool:
    """On the trail, or summed up."""
    take_in(e, arm, person, k, line, r)
    return line.slope != 0.0


@refit.register(Trails)
def trail_refit(e: Trails, arm: Any, person: int, k: int, row: Floats, early_came: bool) -> None:
    """By branch and bound, or by search."""
    s, x0 = trail(e, person, k), row[FIXED : FIXED + e.now.shape[3]].copy()
    theta, gap = best_on_trail(arm.rewards, arm, s, row[0], x0, e.looks)
    keep_trail_centre(arm, s, theta, x0, gap, row)


@fitted_to.register(Trails)
def trail_fitted_to(e: Trails, arm: Any, person: int, k: int, row: Floats) -> tuple[float, float, float]:
    """What the search proved."""
    s, c = trail(e, person, k), kept_trail_centre(row, e.now.shape[3])
    room = np.empty(s.early.shape[0] + 1)
    walk(arm.dynamics, s, c.x0, room)
    return trail_loglik(arm, s, c.theta, room), rewards_seen(s), c.gap


@divergence_between.register(Trails)
def trail_divergence(
    e: Trails, arm: Any, person: int, k: int, theta: float, x0: Floats, theta2: float, x02: Floats
) -> float:
    """A walk from either."""
    f, s = arm.rewards, trail(e, person, k)
    one, other = np.empty(s.early.shape[0] + 1), np.empty(s.early.shape[0] + 1)
    walk(arm.dynamics, s, x0, one)
    walk(arm.dynamics, s, x02, other)
    total = settled_from(f, s.sums, theta, theta2, potential_at(f, s.sums, theta2))[0]
    for i in range(s.early.shape[0]):
        total += kl(f, theta, one[i], theta2, other[i])
    return total


@region_of.register(Trails)
def trail_region(e: Trails, arm: Any, person: int, k: int, centre: Floats, rule: Any, log_t: float) -> TrailRegion:
    """With the trail to now."""
    c = kept_trail_centre(centre[person, k], e.now.shape[3])
    return TrailRegion(arm, trail(e, person, k), c, rule, log_t, e.looks)


@has_place.register(Trails)
def trail_has_place(e: Trails, person: int) -> bool:
    """For a play and for a reward."""
    for k in range(e.early_n.shape[1]):
        if max(e.early_n[person, k], e.told_n[person, k]) >= e.told.shape[2]:
            return False
    return True


@with_places.register
def trail_with_places(e: Trails, places: int) -> Trails:
    """Twice as many until there are enough."""
    while e.told.shape[2] < places:
        e = longer(e)
    return e
