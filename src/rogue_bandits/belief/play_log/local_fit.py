"""The fit of a play log, with the information around it and the divergence from it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.belief.evidence import (
    potential_at,
    prepare_fit,
    settled_from_fit,
)
from rogue_bandits.belief.from_fit import DivergenceFromFit
from rogue_bandits.belief.play_log.evidence import FIXED, REWARD, SLOPE, STATE, PlayLog, rewards_seen
from rogue_bandits.belief.play_log.trajectory import trajectory, trajectory_slopes
from rogue_bandits.belief.radius import RadiusRule, largest_divergence
from rogue_bandits.belief.region import normalise, rounding, rounding_of
from rogue_bandits.compile.laws import inlined, overwrite, routine
from rogue_bandits.types import (
    Arm,
    Floats,
    Potential,
    curvature_ratio,
    information,
    kl_and_slopes,
    loglik,
    settled_loglik,
)

EXPLAINED = 1e-12  # what is left of a direction when the ones before have explained it  [Errata 7]


class PlayLogFit(NamedTuple):
    """The fit, W there, and a root of the generalised inverse of the information about (theta, x0)."""

    theta: float
    w: Potential
    curvature_ratio: float
    gap: float  # how much likelier another point may be
    x0: Floats
    root: Floats  # |root·g|² is the quadratic form of a gradient g


class PlayLogRegion(NamedTuple):
    """What decides whether a (theta, x0) is inside the confidence region."""

    arm: Arm
    seen: PlayLog
    local_fit: PlayLogFit
    rule: RadiusRule
    log_t: float
    evaluations: int  # of a search for its bound, at most


def play_log_fit_size(n: int) -> int:
    """Return how many numbers a local fit has, with n components of the state."""
    return FIXED + n + (1 + n) ** 2


@inlined
def read_play_log_fit(row: Floats, n: int) -> PlayLogFit:
    """Read a local fit from its row of numbers; x0 and the root are views."""
    root = row[FIXED + n : FIXED + n + (1 + n) * (1 + n)].reshape((1 + n, 1 + n))
    return PlayLogFit(row[0], Potential(row[1], row[2], row[3]), row[4], row[5], row[FIXED : FIXED + n], root)


@routine
def write_play_log_fit(arm: Arm, s: PlayLog, theta: float, x0: Floats, gap: float, row: Floats) -> None:
    """Write the local fit to its row of numbers, and the states at the fit to the log."""
    f, n = arm.rewards, x0.size
    trajectory_slopes(arm.dynamics, s, x0)
    w, info = potential_at(f, s.sums, theta), np.zeros((1 + n, 1 + n))
    info[0, 0], cheapest = prepare_fit(f, s.sums, theta, w)
    for i in range(s.early.shape[0]):
        x = s.early[i, STATE]
        tt, tx, xx = information(f, theta, x)
        info[0, 0] += tt
        for j in range(n):
            info[1 + j, 0] += s.early[i, SLOPE + j] * tx
            for k in range(j + 1):
                info[1 + j, 1 + k] += s.early[i, SLOPE + j] * s.early[i, SLOPE + k] * xx
        cheapest = min(cheapest, curvature_ratio(f, arm, theta, x))
    row[0], row[1], row[2], row[3], row[4], row[5] = theta, w.value, w.slope, w.curvature, cheapest, gap
    overwrite(row[FIXED : FIXED + n], x0)
    set_root(info, row[FIXED + n :].reshape((1 + n, 1 + n)))


@routine
def set_root(info: Floats, root: Floats) -> None:
    """Write the root, by Gram–Schmidt in the order theta, x0; dependent directions are dropped (decision 0006).

    With info = L·D·L' and L unit lower triangular, root = D^(−1/2)·L⁻¹, a dropped direction having 0 for 1/D.
    """
    n = info.shape[0]
    lower, pivot = np.zeros((n, n)), np.zeros(n)
    root[:, :] = 0.0
    for j in range(n):
        left = info[j, j]
        for k in range(j):
            cross = info[j, k]
            for i in range(k):
                cross -= lower[j, i] * lower[k, i] * pivot[i]
            lower[j, k] = cross / pivot[k] if pivot[k] > 0.0 else 0.0
            left -= lower[j, k] * lower[j, k] * pivot[k]
        pivot[j] = left if left > EXPLAINED * info[j, j] and left > 0.0 else 0.0
        root[j, j] = 1.0
        for k in range(j):
            for i in range(n):
                root[j, i] -= lower[j, k] * root[k, i]
    for j in range(n):
        for i in range(n):
            root[j, i] *= 1.0 / math.sqrt(pivot[j]) if pivot[j] > 0.0 else 0.0


@routine
def play_log_loglik(arm: Arm, s: PlayLog, theta: float, seen: Floats) -> float:
    """Return the log-likelihood of all rewards; `seen` is the trajectory from x0."""
    f, q = arm.rewards, s.sums
    total = settled_loglik(f, theta, q.sums[1], q.sums[2], q.sums[3], potential_at(f, q, theta).value)
    for i in range(s.early.shape[0]):
        total += loglik(f, theta, seen[i], s.early[i, REWARD])
    return total


@routine
def play_log_departure(g: PlayLogRegion, theta: float, seen: Floats) -> DivergenceFromFit:
    """Return the divergence of a point from the fit; `seen` is the trajectory from its x0.  [Alg. 3]"""
    f, c, s = g.arm.rewards, g.local_fit, g.seen
    total, by_theta = settled_from_fit(f, s.sums, theta, c.theta, c.w)
    n = c.x0.size
    slope = np.zeros(1 + n)
    for i in range(s.early.shape[0]):
        divergence, g_theta, g_x = kl_and_slopes(f, theta, seen[i], c.theta, s.early[i, STATE])
        total += divergence
        by_theta += g_theta
        for k in range(n):
            slope[1 + k] += s.early[i, SLOPE + k] * g_x
    slope[0] = by_theta
    return DivergenceFromFit(total, quadratic(c.root, slope), by_theta)


@inlined
def quadratic(root: Floats, slope: Floats) -> float:
    """Return |root·slope|²."""
    total = 0.0
    for j in range(slope.size):
        along = 0.0
        for k in range(j + 1):
            along += root[j, k] * slope[k]
        total += along * along
    return total


@routine
def play_log_normalised_divergence(g: PlayLogRegion, theta: float, x0: Floats, seen: Floats) -> float:
    """Return the mean divergence over the radius, inside where it is at most 1; `seen` is the trajectory from x0."""
    trajectory(g.arm.dynamics, g.seen, x0, seen)
    n = rewards_seen(g.seen)
    if n == 0.0:
        return 0.0
    away = play_log_departure(g, theta, seen)
    return normalise(away.divergence, largest_divergence(g.rule, n, g.log_t, away.spread), rounding(g))


@rounding.register(PlayLogRegion)
def play_log_rounding(g: PlayLogRegion) -> float:
    """Return the rounding error of sums as large as W, and of each reward in the log."""
    return rounding_of(abs(g.local_fit.w.value), g.seen.early.shape[0])
