"""The largest mean reward inside the radius, for dynamics without a closed form (docs/decisions/0014)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.play_log.ascent import InsideRegion, ascend, eta_towards, go_towards, straight_ahead
from rogue_bandits.belief.play_log.boxes import Boxes, close_box, most_promising, one_box, point_in_box, split_box
from rogue_bandits.belief.play_log.cuts import highest_now
from rogue_bandits.belief.play_log.local_fit import PlayLogRegion
from rogue_bandits.belief.play_log.pattern_search import multistart_search
from rogue_bandits.belief.play_log.relaxation import Linear, fitted, new_linear
from rogue_bandits.belief.play_log.trajectory import BY_X0, trajectory, trajectory_box
from rogue_bandits.belief.region import best_end, best_state
from rogue_bandits.compile.laws import inlined, law, overwrite, routine
from rogue_bandits.model.dynamics.enclosure import AffineForm, new_form
from rogue_bandits.model.protocols import LinearPredictor, Model
from rogue_bandits.model.rewards.exponential import Exponential, mean_of
from rogue_bandits.types import Floats, mean

GOOD_ENOUGH = 1e-6  # of the range of eta
STARTS, PER_START = 4, 5_000  # without a certificate; evaluations of a failed proof for each start of a search
HALVINGS = 60


class Bound(NamedTuple):
    """The largest mean that was found inside the radius, and how much larger one there may be."""

    reached: float
    gap: float  # inf where nothing is proven
    at: Floats  # (theta, x0), unless it is not above what was known


@law
def play_log_bound(f: Any, g: PlayLogRegion, known: float) -> Bound:
    """Return the bound, or what is `known` already if that is larger, which shortens the search."""


@play_log_bound.register(tuple)
def found_by_search(f: Model, g: PlayLogRegion, known: float) -> Bound:
    """Return the best bound of a search for any family, without a proof."""
    p, lo, hi = point_in_box(g.arm, g.local_fit.theta, g.local_fit.x0)
    goal = InsideRegion(g, p.copy(), np.empty(g.seen.early.shape[0] + 1))
    # At the fit itself every way is level. Begin at the theta that is best for the next reward.
    p[0] = best_end(g, best_state(g))
    reached = multistart_search(goal, p, lo, hi, STARTS)
    go_towards(g, p, goal.to, goal.room)
    return Bound(max(reached, known), math.inf, goal.to)


@play_log_bound.register(Exponential)
def proven(f: LinearPredictor, g: PlayLogRegion, known: float) -> Bound:
    """Return the bound by branch and bound over boxes of (theta, x0), by decreasing bound.

    Each has a bound of the next reward's eta in it (`relaxation`), in the direction `sign` in which the mean rises.
    """
    fit, (at, lo, hi) = fitted(g), point_in_box(g.arm, g.local_fit.theta, g.local_fit.x0)
    sign, n = 1.0 if rises(f, fit.eta_lo, fit.eta_hi) else -1.0, at.size
    tolerance = GOOD_ENOUGH * (fit.eta_hi - fit.eta_lo)
    enough = eta_of(f, known, fit.eta_lo, fit.eta_hi, sign)
    rows, p, to = np.empty((g.seen.early.shape[0] + 1, BY_X0 + n - 1)), np.empty(n), np.empty(n)
    boxes, form, of = one_box(lo, hi, g.evaluations + 1), new_form(n - 1), new_linear(n)
    best = eta_towards(g, sign, at, to)
    straight_ahead(g, sign, p)
    ahead = eta_towards(g, sign, p, to)
    if ahead > best:
        best = ahead
        overwrite(at, to)
    best, ceiling = ascend(g, fit, sign, lo, hi, best, at), -math.inf
    for _ in range(g.evaluations):
        b, level = most_promising(boxes), max(best, enough) + tolerance
        if b < 0 or boxes.bound[b] <= level:
            break
        trajectory_box(g.arm.dynamics, g.seen, boxes.lo[b, 1:], boxes.hi[b, 1:], form, rows)
        overwrite(p, at)
        bound = highest_now(g, fit, rows, boxes.lo[b], boxes.hi[b], sign, level, of, p)
        bound = min(bound, boxes.bound[b]) if not math.isnan(bound) else boxes.bound[b]
        there = eta_towards(g, sign, p, to) if bound > level else best
        if there > best + tolerance:
            overwrite(at, to)
            best = ascend(g, fit, sign, lo, hi, there, at)
            level = max(best, enough) + tolerance
        if bound <= level:
            ceiling = max(ceiling, bound)
            close_box(boxes, b)
        else:
            across, place = where_to_split(boxes, b, form, of, lo, hi)
            split_box(boxes, b, bound, across, place)
    b = most_promising(boxes)
    ceiling = max(ceiling, boxes.bound[b] if b >= 0 else -math.inf)
    if ceiling > max(best, enough) + tolerance:
        climb_kinks(g, lo, hi, at)
    reached = max(mean_there(g, at), known)
    highest = mean_of(f, min(max(sign * ceiling, fit.eta_lo), fit.eta_hi)) if ceiling > -math.inf else reached
    return Bound(reached, max(0.0, highest - reached), at)


@routine
def climb_kinks(g: PlayLogRegion, lo: Floats, hi: Floats, at: Floats) -> None:
    """Improve a point by pattern search, in place: close to a kink linear bounds are loose."""
    goal = InsideRegion(g, np.empty(at.size), np.empty(g.seen.early.shape[0] + 1))
    multistart_search(goal, at, lo, hi, g.evaluations // PER_START)
    go_towards(g, at, goal.to, goal.room)
    overwrite(at, goal.to)


@routine
def mean_there(g: PlayLogRegion, at: Floats) -> float:
    """Return the mean of the next reward at (theta, x0)."""
    room = np.empty(g.seen.early.shape[0] + 1)
    trajectory(g.arm.dynamics, g.seen, at[1:], room)
    return mean(g.arm.rewards, at[0], room[room.size - 1])


@inlined
def rises(f: LinearPredictor, lo: float, hi: float) -> bool:
    """Return whether the mean rises with eta: it does, unless what eta multiplies falls with the reward."""
    return mean_of(f, hi) >= mean_of(f, lo)


@inlined
def eta_of(f: LinearPredictor, level: float, lo: float, hi: float, sign: float) -> float:
    """Return the largest sign·eta whose mean is at most the level, by bisection; inf if all are, −inf if none is."""
    below, above = (lo, hi) if sign > 0.0 else (hi, lo)
    if mean_of(f, below) > level:
        return -math.inf
    if mean_of(f, above) <= level:
        return math.inf
    for _ in range(HALVINGS):
        middle = 0.5 * (below + above)
        if mean_of(f, middle) <= level:
            below = middle
        else:
            above = middle
    return sign * below


@inlined
def where_to_split(boxes: Boxes, b: int, form: AffineForm, of: Linear, lo: Floats, hi: Floats) -> tuple[int, float]:
    """Return the dimension with the largest share in the bound's slack, and its kink (nan: split in the middle)."""
    across, most, place = 0, -1.0, math.nan
    for j in range(lo.size):
        wide = (boxes.hi[b, j] - boxes.lo[b, j]) / (hi[j] - lo[j]) if hi[j] > lo[j] else 0.0
        share = of.slack[j] + 1e-3 * abs(of.now[j]) * (boxes.hi[b, j] - boxes.lo[b, j]) + 1e-9 * wide
        if j > 0:
            share += form.margin_share[j - 1]
        if wide > 0.0 and share > most:
            across, most = j, share
    if across > 0:
        place = form.cut[across - 1]
    return across, place
