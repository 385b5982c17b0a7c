"""The laws of a region for a play log."""

from __future__ import annotations

import math

import numpy as np

from rogue_bandits.belief.elimination import reaches_level
from rogue_bandits.belief.evidence import settled_from
from rogue_bandits.belief.play_log.ascent import go_towards
from rogue_bandits.belief.play_log.boxes import point_in_box
from rogue_bandits.belief.play_log.evidence import rewards_seen
from rogue_bandits.belief.play_log.local_fit import PlayLogRegion
from rogue_bandits.belief.play_log.upper_bound import mean_there, play_log_bound
from rogue_bandits.belief.region import (
    best_end,
    best_state,
    mean_at_fit,
    optimistic_mean,
    rewards_of,
    settled_divergence_from_fit,
)
from rogue_bandits.belief.upper_bound import bound_and_gap, peak_at_fit, upper_bound_of
from rogue_bandits.model.dynamics.projected import extent
from rogue_bandits.types import mean


@rewards_of.register(PlayLogRegion)
def play_log_rewards_of(g: PlayLogRegion) -> float:
    """Return the number of rewards, in the log and settled."""
    return rewards_seen(g.seen)


@settled_divergence_from_fit.register(PlayLogRegion)
def play_log_settled_divergence_from_fit(g: PlayLogRegion, theta: float) -> tuple[float, float, float]:
    """Return the divergence of settled rewards from their sums, as for all arms."""
    f, c = g.arm.rewards, g.local_fit
    return settled_from(f, g.seen.sums, theta, c.theta, c.w)


@best_state.register(PlayLogRegion)
def play_log_best_state(g: PlayLogRegion) -> float:
    """Return the end of the range of the present state at which the mean is larger."""
    f = g.arm.rewards
    lo, hi = extent(g.arm.dynamics.weights, g.seen.now[0], g.seen.now[1])
    return lo if mean(f, g.local_fit.theta, lo) >= mean(f, g.local_fit.theta, hi) else hi


@mean_at_fit.register(PlayLogRegion)
def play_log_mean_at_fit(g: PlayLogRegion) -> float:
    """Return the mean at the end of the trajectory from the fitted x0."""
    return mean_there(g, point_in_box(g.arm, g.local_fit.theta, g.local_fit.x0)[0])


@peak_at_fit.register(PlayLogRegion)
def play_log_peak_at_fit(g: PlayLogRegion) -> float:
    """Return the largest mean with x0 as fitted."""
    p, _, _ = point_in_box(g.arm, g.local_fit.theta, g.local_fit.x0)
    to, room = np.empty(p.size), np.empty(g.seen.early.shape[0] + 1)
    p[0] = best_end(g, best_state(g))
    go_towards(g, p, to, room)
    return mean(g.arm.rewards, to[0], room[room.size - 1])


@optimistic_mean.register(PlayLogRegion)
def play_log_optimistic_mean(g: PlayLogRegion) -> float:
    """Return the mean at the fit; without a reward, the largest mean possible."""
    return mean_at_fit(g) if rewards_of(g) > 0.0 else play_log_bound(g.arm.rewards, g, -math.inf).reached


@reaches_level.register(PlayLogRegion)
def play_log_reaches_level(g: PlayLogRegion, level: float) -> bool:
    """Return whether the upper bound exceeds the level; its search ends once that is decided."""
    return play_log_bound(g.arm.rewards, g, level).reached > level


@bound_and_gap.register(PlayLogRegion)
def play_log_bound_and_gap(g: PlayLogRegion) -> tuple[float, float]:
    """Return the bound and the gap that branch and bound has proven."""
    found = play_log_bound(g.arm.rewards, g, -math.inf)
    return found.reached, found.gap


@upper_bound_of.register(PlayLogRegion)
def play_log_upper_bound_of(g: PlayLogRegion) -> float:
    """Return the largest mean inside the region, by a search from the fit."""
    return play_log_bound(g.arm.rewards, g, -math.inf).reached
