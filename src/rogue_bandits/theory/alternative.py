"""The point of an arm's box that the rewards so far can least tell from the truth, though it matters now."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.inference.brent import GOLDEN
from rogue_bandits.inference.chebyshev import clenshaw
from rogue_bandits.laws import kernel, pick, routine
from rogue_bandits.types import Arm, Floats, coordinate, kl, mean, next_state, theta_at

GRID = 33  # first guesses of x0
ZOOMS, NEAR = 26, 4  # then 2·NEAR + 1 points around the best, 26 times on a scale NEAR times finer: to rounding error
CUTS = 60


class Past(NamedTuple):
    """The truth of an arm and its plays; divergences are held by their values at the theta nodes."""

    theta: float
    states: Floats  # at each decision, and at the next
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
    same = np.zeros(past.thetas.size)
    for t in range(past.played.size):
        if past.played[t] == 1.0:
            for i in range(same.size):
                x = past.states[t]
                same[i] += kl(arm.rewards, past.theta, x, past.thetas[i], x)
    best = best_theta(arm, past, same, gap, past.states[0])
    for j in range(GRID):
        best = better(best, best_theta(arm, past, same, gap, d.lo + j * (d.hi - d.lo) / (GRID - 1)))
    width = (d.hi - d.lo) / (GRID - 1)
    for _ in range(ZOOMS):
        centre = best.x0
        for j in range(-NEAR, NEAR + 1):
            x0 = min(max(centre + j * width / NEAR, d.lo), d.hi)
            best = better(best, best_theta(arm, past, same, gap, x0))
        width /= NEAR
    if math.isinf(best.divergence):
        return math.inf
    return summed_kl(arm, past, best.theta, best.x0)


@routine
def better(a: Found, b: Found) -> Found:
    """The one with the smaller divergence; of equals, the first."""
    return b if b.divergence < a.divergence else a


@routine
def best_theta(arm: Arm, past: Past, same: Floats, gap: float, x0: float) -> Found:
    """The least divergence of any theta at this x0, above and below the mean of the truth."""
    sums = same.copy()
    now = len(past.played)
    x = x0
    for t in range(now):
        if abs(x - past.states[t]) <= 4e-16 * max(abs(arm.dynamics.lo), abs(arm.dynamics.hi)):
            x = past.states[now]  # x0 is forgotten: from here on both are in the same state
            break
        if past.played[t] == 1.0:
            for i in range(sums.size):
                apart = kl(arm.rewards, past.theta, past.states[t], past.thetas[i], x)
                sums[i] += apart - kl(arm.rewards, past.theta, past.states[t], past.thetas[i], past.states[t])
        x = next_state(arm.dynamics, x, past.played[t])
    c = past.transform @ sums
    g = mean(arm.rewards, past.theta, past.states[now])
    above = least_beyond(arm, c, x, 1.0, g + gap)
    below = least_beyond(arm, c, x, -1.0, gap - g)
    found = better(above, below)
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
def summed_kl(arm: Arm, past: Past, theta: float, x0: float) -> float:
    """Σ kl over the plays from the truth to (theta, x0), term by term: sums of tiny terms stay exact."""
    total, x = 0.0, x0
    for t in range(past.played.size):
        if past.played[t] == 1.0:
            total += kl(arm.rewards, past.theta, past.states[t], theta, x)
        x = next_state(arm.dynamics, x, past.played[t])
    return total
