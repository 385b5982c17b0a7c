"""The maximum-likelihood (theta, x0): the global optimum, not a local one.

Between two kinks every early state is a straight line in x0, or does not depend on it. On such a *strip* the
log-likelihood of an exponential family is concave in (theta, x0), so the best of the strips' tops is the fit. The
agent's is a distance that is linear from kink to kink, so the best kink is. Of any other family only values are known:
its fit is the best that a search finds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rogue_bandits.belief.evidence import (
    ArmEvidence,
    early_line,
    early_loglik,
    loglik_of,
    pool_surface,
    potential_at,
)
from rogue_bandits.belief.grid_search import best_point
from rogue_bandits.belief.pool import AT_FIRST, AT_LAST, FIRST, FIRST_CAPACITY, LAST, clipped_x0
from rogue_bandits.belief.strip_groups import ceiling_between, may_exceed
from rogue_bandits.belief.surfaces import statistics_at
from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.model.dynamics.clipped_affine import clip, slope_at, state_on_line
from rogue_bandits.model.protocols import LinearPredictor, ScalarDynamics
from rogue_bandits.model.rewards.exponential import (
    Exponential,
    by_weights,
    dispersion,
    log_partition,
    natural,
    sufficient,
)
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.model.rewards.numeric import Numeric
from rogue_bandits.numerics.newton import MOST_STEPS, initialise, newton_step
from rogue_bandits.types import Arm, information

FEW_STRIPS = 2 * FIRST_CAPACITY + 1  # are visited one by one
FEWEST_GROUPS = 8  # a larger group is not worth an evaluation
MOST_HALVINGS = 64  # of the number of strips, which is below 2^63


@law
def maximise(f: Any, arm: Any, s: ArmEvidence, theta: float, x0: float, early_came: bool) -> tuple[float, float]:
    """Return the best (theta, x0), from the last fit; `early_came`: an early reward has come since."""


# ---- exponential families --------------------------------------------------------------------------------------------
@maximise.register(Exponential)
def exponential_maximise(
    f: LinearPredictor, arm: Arm, s: ArmEvidence, theta: float, x0: float, early_came: bool
) -> tuple[float, float]:
    """Climb the strip of the last fit, then every other strip that is not proven to lie lower.

    The settled part is `least`-strongly concave in theta. So the maximum of a strip exceeds that at the best theta so
    far by at most slope² / 2 least, and most strips are excluded by one evaluation. Many strips are excluded in groups.
    """
    last = strip_of(s, x0)
    theta, x0 = strip_top(f, arm, s, last, theta, x0)
    if s.kinks.size == 2:
        return theta, x0
    if s.kinks.size - 1 > FEW_STRIPS:
        return best_of_groups(f, arm, s, last, theta, x0)
    least, best = least_curvature(f, arm) * s.sums[0], early_loglik(f, s, theta, x0)
    for j in range(s.kinks.size - 1):
        if j == last:
            continue
        x0_j = strip_top_at(f, s, j, theta, x0)
        lower = best - early_loglik(f, s, theta, x0_j)
        slope = slopes(f, s, theta, x0_j, x0_j)[0]
        if least > 0.0 and 0.5 * slope * slope / least <= lower:
            continue
        theta_j, x0_j = strip_top(f, arm, s, j, theta, x0_j)
        if loglik_of(f, s, theta_j, x0_j) > loglik_of(f, s, theta, x0):
            theta, x0, best = theta_j, x0_j, early_loglik(f, s, theta_j, x0_j)
    return theta, x0


@routine
def best_of_groups(
    f: LinearPredictor, arm: Arm, s: ArmEvidence, last: int, theta: float, x0: float
) -> tuple[float, float]:
    """Return the best of the given point, the top of strip `last`, and of all other strips.

    Groups of neighbouring strips are halved, until they are proven to lie lower, up to rounding, or are one strip.
    """
    strips, best = s.kinks.size - 1, ceiling_between(f, s, theta, x0, x0).value
    groups, left = np.empty((MOST_HALVINGS, 2), dtype=np.int64), 1
    groups[0, 0], groups[0, 1] = 0, strips
    while left > 0:
        left -= 1
        first, end = groups[left, 0], groups[left, 1]
        if end - first == 1 and first == last:
            continue
        level, is_small = best + 2e-15 * (abs(best) + s.early.shape[0]), (end - first) * FEWEST_GROUPS <= strips
        if is_small and not may_exceed(f, arm, s, s.kinks[first], s.kinks[end], theta, level):
            continue
        if end - first == 1:
            theta_j, x0_j = strip_top(f, arm, s, first, theta, x0)
            value = ceiling_between(f, s, theta_j, x0_j, x0_j).value
            if value > best:
                theta, x0, best = theta_j, x0_j, value
            continue
        middle = (first + end) // 2
        groups[left, 0], groups[left, 1] = middle, end
        groups[left + 1, 0], groups[left + 1, 1] = first, middle
        left += 2
    return theta, x0


@inlined
def least_curvature(f: LinearPredictor, arm: Arm) -> float:
    """Return the least information about theta in a reward: A'' falls on both sides of its top; it is at a corner."""
    d = arm.dynamics
    least = np.inf
    for theta in (arm.theta_lo, arm.theta_hi):
        for x in (d.lo, d.hi):
            least = min(least, information(f, theta, x)[0])
    return least


@inlined
def strip_of(s: ArmEvidence, x0: float) -> int:
    """Return the number of the strip that holds x0."""
    j = 0
    while j < s.kinks.size - 2 and s.kinks[j + 1] < x0:
        j += 1
    return j


@inlined
def slopes(
    f: LinearPredictor, s: ArmEvidence, theta: float, x0: float, within: float
) -> tuple[float, float, float, float, float]:
    """Return the slopes of the log-likelihood by theta and x0; then minus its second derivatives: tt, tx, xx.

    The early states move with x0 as they do at `within`: at a kink, a point of the strip meant.
    """
    w = potential_at(f, s, theta)
    by_theta, by_x0 = s.sums[1] - w.slope, 0.0
    tt, tx, xx = w.curvature, 0.0, 0.0
    for i in range(s.early.shape[0]):
        line = early_line(s, i)
        along = slope_at(line, within, s.kinks[0], s.kinks[-1])
        _, a1, a2 = log_partition(f, natural(f, theta, state_on_line(line, x0)))
        rest = (sufficient(f, s.early[i, 4]) - a1) / dispersion(f)
        i_tt, i_tx, i_xx = by_weights(f, a2 / dispersion(f))
        by_theta += f.theta_weight * rest
        by_x0 += f.state_weight * along * rest
        tt += i_tt
        tx += along * i_tx
        xx += along * along * i_xx
    for j in range(s.pools.shape[0]):
        pool, line = s.pools[j], clipped_x0(s.pools[j])
        along, c = slope_at(line, within, s.kinks[0], s.kinks[-1]), state_on_line(line, x0)
        at = pool_surface(f, s, j, theta, c)
        by_theta += pool[AT_FIRST] - at.by_theta
        by_x0 += along * ((pool[AT_LAST + 1] - pool[AT_FIRST + 1]) / (pool[LAST] - pool[FIRST]) - at.by_c)
        tt += at.theta_theta
        tx += along * at.theta_c
        xx += along * along * at.c_c
    return by_theta, by_x0, tt, tx, xx


@routine
def best_theta(f: LinearPredictor, arm: Arm, s: ArmEvidence, theta: float, x0: float) -> float:
    """Return the best theta at this x0."""
    climb = initialise(arm.theta_lo, arm.theta_hi, theta)
    for _ in range(MOST_STEPS):
        by_theta, _, tt, _, _ = slopes(f, s, climb.at, x0, x0)
        climb = newton_step(climb, by_theta, tt)
        if climb.done:
            break
    return climb.at


@routine
def strip_top_at(f: LinearPredictor, s: ArmEvidence, j: int, theta: float, x0: float) -> float:
    """Return the best x0 of strip j at this theta."""
    climb = initialise(s.kinks[j], s.kinks[j + 1], x0)
    within = 0.5 * (climb.lo + climb.hi)
    for _ in range(MOST_STEPS):
        _, by_x0, _, _, xx = slopes(f, s, theta, climb.at, within)
        climb = newton_step(climb, by_x0, xx)
        if climb.done:
            break
    return climb.at


@routine
def strip_top(f: LinearPredictor, arm: Arm, s: ArmEvidence, j: int, theta: float, x0: float) -> tuple[float, float]:
    """Return the best (theta, x0) of strip j: maximise over x0, with the best theta at each x0."""
    climb = initialise(s.kinks[j], s.kinks[j + 1], x0)
    within = 0.5 * (climb.lo + climb.hi)
    for _ in range(MOST_STEPS):
        theta = best_theta(f, arm, s, theta, climb.at)
        _, by_x0, tt, tx, xx = slopes(f, s, theta, climb.at, within)
        if tt > 0.0 and arm.theta_lo < theta < arm.theta_hi:
            xx -= tx * tx / tt
        here = climb.at
        climb = newton_step(climb, by_x0, xx)
        if climb.at == here:  # the top, and theta is already the best for it
            return theta, here
        if climb.done:
            break
    return best_theta(f, arm, s, theta, climb.at), climb.at


# ---- the agent -------------------------------------------------------------------------------------------------------
@maximise.register(LaplaceAgent)
def laplace_agent_maximise(
    f: LaplaceAgent, arm: Arm, s: ArmEvidence, theta: float, x0: float, early_came: bool
) -> tuple[float, float]:
    """Return theta = S / n_inside within its bounds, and the x0 of least distance S, which is best at every theta."""
    if early_came and s.early.shape[0] + s.pools.shape[0] > 0:
        x0 = least_distance(arm.dynamics, s)
    inside, distance = s.sums[1], s.sums[3]
    for i in range(s.early.shape[0]):
        r = s.early[i, 4]
        inside += 1.0 if 0.0 < r < 1.0 else 0.0
        distance += abs(r - state_on_line(early_line(s, i), x0))
    for j in range(s.pools.shape[0]):
        s1, _, s3 = statistics_at(s.pools[j], state_on_line(clipped_x0(s.pools[j]), x0))
        inside += s1
        distance += s3
    return best_scale(inside, distance, arm.theta_lo, arm.theta_hi), x0


@inlined
def best_scale(inside: float, distance: float, theta_lo: float, theta_hi: float) -> float:
    """Return theta = S / n_inside, within its bounds."""
    if inside == 0.0:
        return theta_hi  # every reward at an edge: the wider the noise, the likelier
    return clip(distance / inside, theta_lo, theta_hi)


@routine
def least_distance(d: ScalarDynamics, s: ArmEvidence) -> float:
    """Return the smallest x0 with the least Σ |r − x(x0)|: one sweep over the sorted points where its slope changes."""
    m = s.early.shape[0]
    where, change, points = np.empty(3 * m + 2 * s.pools.shape[0]), np.empty(3 * m + 2 * s.pools.shape[0]), 0
    slope = distance = 0.0
    for i in range(m):
        line, r = early_line(s, i), s.early[i, 4]
        distance += abs(r - state_on_line(line, d.lo))
        if line.slope == 0.0:
            continue
        target = (clip(r, line.lo, line.hi) - line.offset) / line.slope
        first, last = (line.lo - line.offset) / line.slope, (line.hi - line.offset) / line.slope
        steep = abs(line.slope)
        # |r − x| falls from where the clip lets go to the target, rises from there to where it bites again.
        for x0, turn in ((min(first, last), -steep), (target, 2.0 * steep), (max(first, last), -steep)):
            if x0 <= d.lo:
                slope += turn
            elif x0 < d.hi:
                where[points], change[points] = x0, turn
                points += 1
    for j in range(s.pools.shape[0]):
        pool = s.pools[j]
        distance += statistics_at(pool, pool[FIRST])[2]
        steep = (pool[AT_LAST + 2] - pool[AT_FIRST + 2]) / (pool[LAST] - pool[FIRST])
        for x0, turn in ((pool[FIRST], steep), (pool[LAST], -steep)):
            if x0 <= d.lo:
                slope += turn
            elif x0 < d.hi:
                where[points], change[points] = x0, turn
                points += 1
    best_x0: float = d.lo
    best, at = distance, d.lo
    order = np.argsort(where[:points], kind="mergesort")
    for point in order:
        distance += slope * (where[point] - at)
        at = where[point]
        slope += change[point]
        if distance < best - 1e-14 * m:
            best, best_x0 = distance, at
    if distance + slope * (d.hi - at) < best - 1e-14 * m:
        best_x0 = d.hi
    return best_x0


# ---- any other family ------------------------------------------------------------------------------------------------
@maximise.register(Numeric)
def numeric_maximise(
    f: LinearPredictor, arm: Arm, s: ArmEvidence, theta: float, x0: float, early_came: bool
) -> tuple[float, float]:
    """Return the best point of a cold-start search."""
    return best_point(f, arm, s, x0)
