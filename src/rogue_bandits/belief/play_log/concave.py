"""The top of an exponential family's log-likelihood where states are taken to be linear in x0: Newton in a box.

p = (theta, y), y the distance of x0 from the middle of its box. Each eta is linear in p and the log-likelihood concave
in eta, so that the tangent at any p lies above: it bounds the top, and with the margins of the states the truth too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rogue_bandits.belief.evidence import potential_at
from rogue_bandits.belief.play_log.evidence import REWARD, PlayLog
from rogue_bandits.belief.play_log.trajectory import BY_X0, MARGIN, MIDDLE
from rogue_bandits.compile.laws import inlined, overwrite, routine
from rogue_bandits.model.protocols import LinearPredictor
from rogue_bandits.model.rewards.exponential import dispersion, log_base, log_partition, natural, sufficient
from rogue_bandits.numerics.newton_in_box import newton_step
from rogue_bandits.types import Floats, settled_loglik

MOST_STEPS = 40
CLOSE = 1e-10  # how far the tangent may lie above the top
ROUNDING = 1e-13


class Slope(NamedTuple):
    """The log-likelihood at a point, its gradient and (negated) curvature, and what the margins may add to it."""

    value: float
    slack: float
    by: Floats
    bend: Floats
    weight: Floats  # room for d eta / d p


@routine
def slope_at(f: LinearPredictor, s: PlayLog, rows: Floats, ends: tuple[float, float], p: Floats, room: Slope) -> Slope:
    """Return the log-likelihood at p, with its gradient and curvature.

    States taken to be linear may lead eta beyond its range, `ends`, where a family need not be defined. There its
    log-likelihood goes on straight: still concave, and no true eta is there.
    """
    n, theta, q = p.size, p[0], s.sums
    w = potential_at(f, q, theta)
    value, slack = settled_loglik(f, theta, q.sums[1], q.sums[2], q.sums[3], w.value), 0.0
    by, bend, weight = room.by, room.bend, room.weight
    by[:], bend[:, :], weight[0] = 0.0, 0.0, f.theta_weight
    by[0], bend[0, 0] = q.sums[1] - w.slope, w.curvature
    for i in range(s.early.shape[0]):
        x = rows[i, MIDDLE]
        for k in range(1, n):
            x += rows[i, BY_X0 + k - 1] * p[k]
            weight[k] = f.state_weight * rows[i, BY_X0 + k - 1]
        eta, t = natural(f, theta, x), sufficient(f, s.early[i, REWARD])
        inside = min(max(eta, ends[0]), ends[1])
        a, a1, a2 = log_partition(f, inside)
        rest, curved = (t - a1) / dispersion(f), a2 / dispersion(f) if inside == eta else 0.0
        value += (t * inside - a) / dispersion(f) + rest * (eta - inside) + log_base(f, s.early[i, REWARD])
        slack += abs(rest * f.state_weight) * rows[i, MARGIN]
        for j in range(n):
            by[j] += weight[j] * rest
            for k in range(j + 1):
                bend[j, k] += weight[j] * weight[k] * curved
    return Slope(value, slack, by, bend, weight)


@inlined
def above(by: Floats, p: Floats, lo: Floats, hi: Floats) -> float:
    """Return how far the tangent at p rises above p inside the box."""
    total = 0.0
    for j in range(p.size):
        total += by[j] * ((hi[j] if by[j] > 0.0 else lo[j]) - p[j])
    return total


@routine
def top_in_box(
    f: LinearPredictor,
    s: PlayLog,
    rows: Floats,
    ends: tuple[float, float],
    lo: Floats,
    hi: Floats,
    enough: float,
    p: Floats,
) -> tuple[float, float]:
    """Climb from p, in place, to the top; return its value and an upper bound over the box.

    The climb ends once the bound is at most `enough`.
    """
    n = p.size
    at = slope_at(f, s, rows, ends, p, new_slope(n))
    spare, to, step = new_slope(n), np.empty(n), np.empty(n)
    for _ in range(MOST_STEPS):
        higher = above(at.by, p, lo, hi)
        if higher <= CLOSE or at.value + higher + at.slack <= enough:
            break
        newton_step(at.by, at.bend, p, lo, hi, step)
        size, better = 1.0, False
        for _ in range(30):
            for j in range(n):
                to[j] = min(max(p[j] + size * step[j], lo[j]), hi[j])
            there = slope_at(f, s, rows, ends, to, spare)
            # Where values differ by rounding alone, the lower tangent is nearer to the top.
            tie_tolerance = there.value >= at.value - ROUNDING * (1.0 + abs(at.value))
            better = there.value > at.value or (tie_tolerance and above(there.by, to, lo, hi) < 0.5 * higher)
            if better:
                break
            size *= 0.5
        if not better:
            break
        overwrite(p, to)
        at, spare = there, at
    return at.value, at.value + above(at.by, p, lo, hi) + at.slack


@inlined
def new_slope(n: int) -> Slope:
    """Return room for a slope."""
    return Slope(0.0, 0.0, np.empty(n), np.empty((n, n)), np.empty(n))
