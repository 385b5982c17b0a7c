"""What policies ask of a region, answered where the state has to be walked to."""

from __future__ import annotations

import math

import numpy as np

from rogue_bandits.belief.elimination import reaches
from rogue_bandits.belief.evidence import settled_from
from rogue_bandits.belief.play_log.ascent import go_towards
from rogue_bandits.belief.play_log.boxes import point_in_box
from rogue_bandits.belief.play_log.evidence import rewards_seen
from rogue_bandits.belief.play_log.local_fit import TrailRegion
from rogue_bandits.belief.play_log.upper_bound import bound_on_trail, mean_there
from rogue_bandits.belief.region import (
    best_end,
    best_state,
    hopeful_mean,
    mean_at_fit,
    rewards_of,
    settled_departure,
)
from rogue_bandits.belief.upper_bound import bound_and_gap, peak_at_fit, upper_bound_of
from rogue_bandits.model.dynamics.projected import extent
from rogue_bandits.types import mean


@rewards_of.register(TrailRegion)
def trail_rewards_of(g: TrailRegion) -> float:
    """Those on the trail and the settled ones."""
    return rewards_seen(g.seen)


@settled_departure.register(TrailRegion)
def trail_settled_departure(g: TrailRegion, theta: float) -> tuple[float, float, float]:
    """From sums as for all arms."""
    f, c = g.arm.rewards, g.centre
    return settled_from(f, g.seen.sums, theta, c.theta, c.w)


@best_state.register(TrailRegion)
def trail_best_state(g: TrailRegion) -> float:
    """The end of what rewards may see of the state now that has the larger mean."""
    f = g.arm.rewards
    lo, hi = extent(g.arm.dynamics.weights, g.seen.now[0], g.seen.now[1])
    return lo if mean(f, g.centre.theta, lo) >= mean(f, g.centre.theta, hi) else hi


@mean_at_fit.register(TrailRegion)
def trail_mean_at_fit(g: TrailRegion) -> float:
    """A walk from the fitted x0 to now."""
    return mean_there(g, point_in_box(g.arm, g.centre.theta, g.centre.x0)[0])


@peak_at_fit.register(TrailRegion)
def trail_peak_at_fit(g: TrailRegion) -> float:
    """The largest mean with x0 as fitted."""
    p, _, _ = point_in_box(g.arm, g.centre.theta, g.centre.x0)
    to, room = np.empty(p.size), np.empty(g.seen.early.shape[0] + 1)
    p[0] = best_end(g, best_state(g))
    go_towards(g, p, to, room)
    return mean(g.arm.rewards, to[0], room[room.size - 1])


@hopeful_mean.register(TrailRegion)
def trail_hopeful_mean(g: TrailRegion) -> float:
    """The mean at the fit; without a reward, the largest there is."""
    return mean_at_fit(g) if rewards_of(g) > 0.0 else bound_on_trail(g.arm.rewards, g, -math.inf).reached


@reaches.register(TrailRegion)
def trail_reaches(g: TrailRegion, level: float) -> bool:
    """The bound itself is asked, and no more of it than the question needs."""
    return bound_on_trail(g.arm.rewards, g, level).reached > level


@bound_and_gap.register(TrailRegion)
def trail_bound_and_gap(g: TrailRegion) -> tuple[float, float]:
    """What branch and bound has proven."""
    found = bound_on_trail(g.arm.rewards, g, -math.inf)
    return found.reached, found.gap


@upper_bound_of.register(TrailRegion)
def trail_upper_bound_of(g: TrailRegion) -> float:
    """From the fit."""
    return bound_on_trail(g.arm.rewards, g, -math.inf).reached
