"""The hardest alternative: the point of an arm's box with the least divergence among those whose mean now differs."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined, kernel, pick, routine
from rogue_bandits.numerics.chebyshev import clenshaw, least_place
from rogue_bandits.types import Arm, Floats, coordinate, kl, mean, next_state, theta_at

GRID = 33  # initial values of x0
ZOOMS, NEAR = 26, 4  # then 2·NEAR + 1 points around the best, 26 times on a scale NEAR times finer: to rounding error
CUTS = 60


class Reference(NamedTuple):
    """The point from which divergences are measured, and the plays; the kernel fills in x[1:] and same."""

    theta: float
    x: Floats  # [decisions + 1], its states
    played: Floats  # [decisions], 1 or 0
    thetas: Floats  # Chebyshev nodes
    transform: Floats  # from values at the nodes to coefficients
    same: Floats  # [nodes], the divergence of each node with the same states


class Alternative(NamedTuple):
    """A point and its divergence."""

    divergence: float
    theta: float
    x0: float


@kernel
def least_divergence(arms: Arm, ref: Reference, gap: float) -> float:
    """Return the least Σ kl over the plays from the reference to a point whose mean now differs by `gap` or more."""
    arm = pick(arms, 0)
    ref.same[:] = 0.0
    for t in range(ref.played.size):
        ref.x[t + 1] = next_state(arm.dynamics, ref.x[t], ref.played[t])
        if ref.played[t] == 1.0:
            for i in range(ref.same.size):
                ref.same[i] += kl(arm.rewards, ref.theta, ref.x[t], ref.thetas[i], ref.x[t])
    # Separately for larger and smaller means: their best x0 may lie on either side of the reference.
    best = better(best_x0(arm, ref, 1.0, gap), best_x0(arm, ref, -1.0, gap))
    return math.inf if math.isinf(best.divergence) else summed_kl(arm, ref, best.theta, best.x0)


@routine
def best_x0(arm: Arm, ref: Reference, sign: float, gap: float) -> Alternative:
    """Return the least divergence of points whose mean now is larger (sign 1) or smaller (−1) by `gap`."""
    d = arm.dynamics
    best = best_theta(arm, ref, sign, gap, ref.x[0])
    width = (d.hi - d.lo) / (GRID - 1)
    for j in range(GRID):
        best = better(best, best_theta(arm, ref, sign, gap, d.lo + j * (d.hi - d.lo) / (GRID - 1)))
    for _ in range(ZOOMS):
        centre = best.x0
        for j in range(-NEAR, NEAR + 1):
            x0 = min(max(centre + j * width / NEAR, d.lo), d.hi)
            best = better(best, best_theta(arm, ref, sign, gap, x0))
        width /= NEAR
    return best


@routine
def better(a: Alternative, b: Alternative) -> Alternative:
    """Return the one with the smaller divergence; the first of equals."""
    return b if b.divergence < a.divergence else a


@routine
def best_theta(arm: Arm, ref: Reference, sign: float, gap: float, x0: float) -> Alternative:
    """Return the least divergence of any theta at this x0."""
    sums, now, x = ref.same.copy(), ref.played.size, x0
    for t in range(now):
        if abs(x - ref.x[t]) <= 4e-16 * max(abs(arm.dynamics.lo), abs(arm.dynamics.hi)):
            x = ref.x[now]  # x0 is forgotten: both are in the same state from here on
            break
        if ref.played[t] == 1.0:
            for i in range(sums.size):
                apart = kl(arm.rewards, ref.theta, ref.x[t], ref.thetas[i], x)
                sums[i] += apart - kl(arm.rewards, ref.theta, ref.x[t], ref.thetas[i], ref.x[t])
        x = next_state(arm.dynamics, x, ref.played[t])
    c = np.zeros(sums.size)
    for i in range(sums.size):  # numba needs scipy for a matrix product
        c += ref.transform[:, i] * sums[i]
    limit = sign * mean(arm.rewards, ref.theta, ref.x[now]) + gap
    s = least_beyond(arm, c, x, sign, limit)
    if math.isinf(s):
        return Alternative(math.inf, ref.theta, x0)
    return Alternative(max(clenshaw(c, s)[0], 0.0), theta_on_scale(arm, s), x0)


@routine
def least_beyond(arm: Arm, c: Floats, x: float, sign: float, limit: float) -> float:
    """Return the scaled theta in [−1, 1] with the least divergence among those with sign·mean ≥ limit; inf if none.

    The coefficients c hold the divergence, which is unimodal.
    """
    rises = sign * mean(arm.rewards, arm.theta_lo, x) <= sign * mean(arm.rewards, arm.theta_hi, x)
    far, near = (1.0, -1.0) if rises else (-1.0, 1.0)
    if sign * mean(arm.rewards, theta_on_scale(arm, far), x) < limit:
        return math.inf
    inside = far
    if sign * mean(arm.rewards, theta_on_scale(arm, near), x) >= limit:
        inside = near
    else:
        for _ in range(CUTS):
            middle = 0.5 * (near + inside)
            if sign * mean(arm.rewards, theta_on_scale(arm, middle), x) >= limit:
                inside = middle
            else:
                near = middle
    return least_place(c, inside, far)


@inlined
def theta_on_scale(arm: Arm, s: float) -> float:
    """Return theta at s in [−1, 1] on the scale of `coordinate`, from theta_lo to theta_hi."""
    lo, hi = coordinate(arm.rewards, arm.theta_lo), coordinate(arm.rewards, arm.theta_hi)
    return theta_at(arm.rewards, lo + 0.5 * (s + 1.0) * (hi - lo))


@routine
def summed_kl(arm: Arm, ref: Reference, theta: float, x0: float) -> float:
    """Return Σ kl over the plays from the reference to (theta, x0), term by term: sums of tiny terms stay exact."""
    total, x = 0.0, x0
    for t in range(ref.played.size):
        if ref.played[t] == 1.0:
            total += kl(arm.rewards, ref.theta, ref.x[t], theta, x)
        x = next_state(arm.dynamics, x, ref.played[t])
    return total
