"""Points inside the radius with increasing means: from the fit outwards, and from one such point to better ones."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.belief.play_log.boxes import point_in_box
from rogue_bandits.belief.play_log.cuts import highest_now
from rogue_bandits.belief.play_log.local_fit import PlayLogRegion, play_log_normalised_divergence
from rogue_bandits.belief.play_log.pattern_search import height
from rogue_bandits.belief.play_log.relaxation import RegionConstants, new_linear
from rogue_bandits.belief.play_log.trajectory import BY_X0, trajectory_box
from rogue_bandits.compile.laws import inlined, overwrite, routine
from rogue_bandits.model.dynamics.enclosure import new_form
from rogue_bandits.model.rewards.exponential import natural
from rogue_bandits.numerics.illinois import Bracket, narrowed, next_point
from rogue_bandits.types import Floats, mean

MOST_LOOKS = 100
MOST_STEPS = 80
LARGEST, SHRINK, SMALLEST = 0.25, 0.4, 1e-7  # boxes around a point, as shares of the range


@inlined
def divergence_at_share(g: PlayLogRegion, p: Floats, share: float, to: Floats, room: Floats) -> float:
    """Return the normalised divergence at a fraction of the way from the fit to p; write that point to `to`."""
    c = g.local_fit
    to[0] = c.theta + share * (p[0] - c.theta)
    for k in range(1, p.size):
        to[k] = c.x0[k - 1] + share * (p[k] - c.x0[k - 1])
    return play_log_normalised_divergence(g, to[0], to[1:], room)


@routine
def go_towards(g: PlayLogRegion, p: Floats, to: Floats, room: Floats) -> None:
    """Set `to` to the last point inside the region on the segment from the fit to p, as found by secants.

    `room` ends as the trajectory from that point.
    """
    at = divergence_at_share(g, p, 1.0, to, room) - 1.0
    if at <= 0.0:
        return
    search = Bracket(0.0, -1.0, 1.0, at, 0)
    for step in range(MOST_LOOKS):
        if search.b - search.a <= 1e-11:
            break
        share = next_point(search, step % 4 == 3)
        at = divergence_at_share(g, p, share, to, room) - 1.0
        if -1e-11 < at <= 0.0:
            return
        search = narrowed(search, share, at)
    divergence_at_share(g, p, search.a, to, room)


class InsideRegion(NamedTuple):
    """The mean of the next reward at the last point inside the region on the segment from the fit to p."""

    region: PlayLogRegion
    to: Floats
    room: Floats


@height.register(InsideRegion)
def inside_region_height(goal: InsideRegion, p: Floats) -> float:
    """Return the mean at the point."""
    go_towards(goal.region, p, goal.to, goal.room)
    return mean(goal.region.arm.rewards, goal.to[0], goal.room[goal.room.size - 1])


@routine
def eta_towards(g: PlayLogRegion, sign: float, p: Floats, to: Floats) -> float:
    """Return sign·eta of the next reward at the last point inside the region towards p; write that point to `to`."""
    room = np.empty(g.seen.early.shape[0] + 1)
    go_towards(g, p, to, room)
    return sign * natural(g.arm.rewards, to[0], float(room[room.size - 1]))


@routine
def straight_ahead(g: PlayLogRegion, sign: float, p: Floats) -> None:
    """Set p to the top if the region were an ellipsoid: from the fit along information⁻¹·(slopes of the next eta).

    Components without information go to their bounds. The segment ends at a side of the box.
    """
    f, root, n, m = g.arm.rewards, g.local_fit.root, p.size, g.seen.early.shape[0]
    rows, (fit, lo, hi) = np.empty((m + 1, BY_X0 + n - 1)), point_in_box(g.arm, g.local_fit.theta, g.local_fit.x0)
    trajectory_box(g.arm.dynamics, g.seen, fit[1:], fit[1:], new_form(n - 1), rows)
    gain, way, longest = np.empty(n), np.zeros(n), math.inf
    for j in range(n):
        gain[j] = sign * (f.theta_weight if j == 0 else f.state_weight * rows[m, BY_X0 + j - 1])
    for i in range(n):
        along = 0.0
        for j in range(n):
            along += root[i, j] * gain[j]
        for j in range(n):
            way[j] += root[i, j] * along
    for j in range(n):
        unknown = root[j, j] == 0.0 and gain[j] != 0.0
        p[j] = fit[j] if not unknown else hi[j] if gain[j] > 0.0 else lo[j]
        if not unknown and way[j] != 0.0:
            longest = min(longest, ((hi[j] if way[j] > 0.0 else lo[j]) - fit[j]) / way[j])
    for j in range(n):
        if p[j] == fit[j] and 0.0 < longest < math.inf:
            p[j] = min(max(p[j] + longest * way[j], lo[j]), hi[j])


@routine
def ascend(g: PlayLogRegion, k: RegionConstants, sign: float, lo: Floats, hi: Floats, best: float, at: Floats) -> float:
    """Improve a point of the region, in place: to the maximum of the linear bounds on a small box, and back inside.

    Boxes shrink where that does not lead up. The largest sign·eta of the next reward is returned; `best` is the
    value at the given point.
    """
    n = at.size
    rows, to, p = np.empty((g.seen.early.shape[0] + 1, BY_X0 + n - 1)), np.empty(n), np.empty(n)
    form, of, box_lo, box_hi, size = new_form(n - 1), new_linear(n), np.empty(n), np.empty(n), LARGEST
    for _ in range(MOST_STEPS):
        for j in range(n):
            box_lo[j] = max(lo[j], at[j] - size * (hi[j] - lo[j]))
            box_hi[j] = min(hi[j], at[j] + size * (hi[j] - lo[j]))
        trajectory_box(g.arm.dynamics, g.seen, box_lo[1:], box_hi[1:], form, rows)
        overwrite(p, at)
        highest_now(g, k, rows, box_lo, box_hi, sign, best, of, p)
        value = eta_towards(g, sign, p, to)
        if value > best:
            best = value
            overwrite(at, to)
        else:
            size *= SHRINK
            if size < SMALLEST:
                break
    return best
