"""The point of an arm's box that the rewards so far can least tell from the truth, though it matters now."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import kernel, pick, routine
from rogue_bandits.numerics.brent import GOLDEN
from rogue_bandits.numerics.chebyshev import clenshaw
from rogue_bandits.types import Arm, Floats, coordinate, kl, mean, next_state, theta_at

GRID = 33  # first guesses of x0
ZOOMS, NEAR = 26, 4  # then 2·NEAR + 1 points around the best, 26 times on a scale NEAR times finer: to rounding error
CUTS = 60


class Past(NamedTuple):
    """A point of an arm, such as the truth, and the plays; divergences are held by their values at the theta nodes."""

    theta: float
    x0: float
    played: Floats
    thetas: Floats
    transform: Floats


class Found(NamedTuple):
    """The least divergence so far, and where."""

    divergence: float
    theta: float
    x0: float


@kernel
def nearest(arms: Arm, past: Past, gap: float) -> float:
    """The least Σ kl over the plays from the truth to a (theta, x0) whose mean now differs by `gap` or more."""
    arm = pick(arms, 0)
    d = arm.dynamics
    states = np.empty(past.played.size + 1)
    states[0] = past.x0
    for t in range(past.played.size):
        states[t + 1] = next_state(d, states[t], past.played[t])
    same = np.zeros(past.thetas.size)
    for t in range(past.played.size):
        if past.played[t] == 1.0:
            for i in range(same.size):
                same[i] += kl(arm.rewards, past.theta, states[t], past.thetas[i], states[t])
    # Above and below apart: the best x0 of one may lie across the truth from that of the other.
    above = best_x0(arm, past, states, same, 1.0, gap)
    below = best_x0(arm, past, states, same, -1.0, gap)
    best = better(above, below)
    return math.inf if math.isinf(best.divergence) else summed_kl(arm, past, states, best.theta, best.x0)


@routine
def best_x0(arm: Arm, past: Past, states: Floats, same: Floats, sign: float, gap: float) -> Found:
    """The least divergence of the points whose mean now is above (sign 1) or below (−1) by `gap`, over a grid of x0."""
    d = arm.dynamics
    best = best_theta(arm, past, states, same, sign, gap, past.x0)
    for j in range(GRID):
        best = better(best, best_theta(arm, past, states, same, sign, gap, d.lo + j * (d.hi - d.lo) / (GRID - 1)))
    width = (d.hi - d.lo) / (GRID - 1)
    for _ in range(ZOOMS):
        centre = best.x0
        for j in range(-NEAR, NEAR + 1):
            x0 = min(max(centre + j * width / NEAR, d.lo), d.hi)
            best = better(best, best_theta(arm, past, states, same, sign, gap, x0))
        width /= NEAR
    return best


@routine
def better(a: Found, b: Found) -> Found:
    """The one with the smaller divergence; of equals, the first."""
    return b if b.divergence < a.divergence else a


@routine
def best_theta(arm: Arm, past: Past, states: Floats, same: Floats, sign: float, gap: float, x0: float) -> Found:
    """The least divergence of any theta at this x0."""
    sums = same.copy()
    now = past.played.size
    x = x0
    for t in range(now):
        if abs(x - states[t]) <= 4e-16 * max(abs(arm.dynamics.lo), abs(arm.dynamics.hi)):
            x = states[now]  # x0 is forgotten: from here on both are in the same state
            break
        if past.played[t] == 1.0:
            for i in range(sums.size):
                apart = kl(arm.rewards, past.theta, states[t], past.thetas[i], x)
                sums[i] += apart - kl(arm.rewards, past.theta, states[t], past.thetas[i], states[t])
        x = next_state(arm.dynamics, x, past.played[t])
    c = np.zeros(sums.size)
    for i in range(sums.size):  # numba would ask for scipy to multiply a matrix
        c += past.transform[:, i] * sums[i]
    limit = sign * mean(arm.rewards, past.theta, states[now]) + gap
    found = least_beyond(arm, c, x, sign, limit)
    return Found(found.divergence, found.theta, x0)


@routine
def least_beyond(arm: Arm, c: Floats, x: float, sign: float, limit: float) -> Found:
    """The least divergence of the thetas at which sign·mean is at least `limit`; c holds it, and it has one valley."""
    f = arm.rewards
    lo, hi = coordinate(f, arm.theta_lo), coordinate(f, arm.theta_hi)
    rises = sign * mean(f, arm.theta_lo, x) <= sign * mean(f, arm.theta_hi, x)
    far, near = (1.0, -1.0) if rises else (-1.0, 1.0)
    if sign * mean(f, theta_at(f, lo + 0.5 * (far + 1.0) * (hi - lo)), x) < limit:
        return Found(math.inf, 0.0, 0.0)
    inside = far
    if sign * mean(f, theta_at(f, lo + 0.5 * (near + 1.0) * (hi - lo)), x) >= limit:
        inside = near
    else:
        for _ in range(CUTS):
            middle = 0.5 * (near + inside)
            if sign * mean(f, theta_at(f, lo + 0.5 * (middle + 1.0) * (hi - lo)), x) >= limit:
                inside = middle
            else:
                near = middle
    best = inside if clenshaw(c, inside)[0] <= clenshaw(c, far)[0] else far
    a, b = inside, far
    for _ in range(CUTS):
        left, right = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
        if clenshaw(c, left)[0] < clenshaw(c, right)[0]:
            b = right
        else:
            a = left
    if clenshaw(c, 0.5 * (a + b))[0] < clenshaw(c, best)[0]:
        best = 0.5 * (a + b)
    return Found(max(clenshaw(c, best)[0], 0.0), theta_at(f, lo + 0.5 * (best + 1.0) * (hi - lo)), 0.0)


@routine
def summed_kl(arm: Arm, past: Past, states: Floats, theta: float, x0: float) -> float:
    """Σ kl over the plays from the truth to (theta, x0), term by term: sums of tiny terms stay exact."""
    total, x = 0.0, x0
    for t in range(past.played.size):
        if past.played[t] == 1.0:
            total += kl(arm.rewards, past.theta, states[t], theta, x)
        x = next_state(arm.dynamics, x, past.played[t])
    return total
