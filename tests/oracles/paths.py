"""Any dynamics of clipped affine steps, in any dimension, walked over the whole history; optima by grid and polishing.

At decision t the state goes from x to clip(a[t] x + b[t], lo, hi), and rewards depend on z = beta·x. A dense grid over
(theta, x0) finds where to look, a simplex search polishes what the best points of the grid promise. That proves nothing
about what lies higher, but shares no idea with branch and bound: neither may find more than the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from tests.oracles.agent import Agent
from tests.oracles.dynamics import Floats, History
from tests.oracles.glm import information_about_eta, kl_slope, natural
from tests.oracles.history import observed
from tests.oracles.logit import Logit
from tests.oracles.normal import Normal
from tests.oracles.radius import Tuned, radius_of


class Paths(NamedTuple):
    """What moved the state at each decision, what is read off it, and how that rewards."""

    a: Floats  # [decisions, d, d]
    b: Floats  # [decisions, d]
    lo: Floats
    hi: Floats
    beta: Floats
    family: Logit | Normal | Agent
    theta_lo: float
    theta_hi: float

    @property
    def corners(self) -> tuple[Floats, Floats]:
        """The lowest and the highest (theta, x0)."""
        return np.array([self.theta_lo, *self.lo]), np.array([self.theta_hi, *self.hi])


def readings(paths: Paths, x0: Floats) -> Floats:
    """The z of decisions 0, …, len(a) from each x0 (rows)."""
    x, z = x0.copy(), [x0 @ paths.beta]
    for a_t, b_t in zip(paths.a, paths.b, strict=True):
        x = np.clip(x @ a_t.T + b_t, paths.lo, paths.hi)
        z.append(x @ paths.beta)
    return np.stack(z, axis=1)


def path_loglik(paths: Paths, rewards: History, points: Floats) -> Floats:
    """Σ log p over the observed decisions, for each point (theta, x0…)."""
    z, theta = readings(paths, points[:, 1:])[:, observed(rewards)], points[:, :1]
    r, f = np.asarray(rewards, dtype=np.float64)[observed(rewards)], paths.family
    each = f.loglik(theta, z, r) if isinstance(f, Agent) else f.loglik_of(natural(f, theta, z), r)
    return np.asarray(each.sum(axis=1))


def path_divergence(paths: Paths, rewards: History, points: Floats, point2: Floats) -> Floats:
    """Σ KL from each point to point2, over the observed decisions."""
    seen, f = observed(rewards), paths.family
    z, z2 = readings(paths, points[:, 1:])[:, seen], readings(paths, point2[None, 1:])[:, seen]
    theta, theta2 = points[:, :1], point2[None, :1]
    if isinstance(f, Agent):
        return np.asarray(f.kl(theta, z, theta2, z2).sum(axis=1))
    return np.asarray(f.kl_of(natural(f, theta, z), natural(f, theta2, z2)).sum(axis=1))


def path_mean(paths: Paths, points: Floats) -> Floats:
    """The mean of the reward after the history."""
    z, theta, f = readings(paths, points[:, 1:])[:, -1], points[:, 0], paths.family
    return f.mean(theta, z) if isinstance(f, Agent) else f.mean_of(natural(f, theta, z))


def directions(paths: Paths, x0: Floats) -> Floats:
    """d z_t / d x0 at one x0, [decisions + 1, d]: what is clipped no longer moves, also at the kink itself."""
    margin = 1e-9 * (paths.hi - paths.lo)
    x, moves = x0, np.diag(((x0 > paths.lo + margin) & (x0 < paths.hi - margin)).astype(np.float64))
    found = [paths.beta @ moves]
    for a_t, b_t in zip(paths.a, paths.b, strict=True):
        free = a_t @ x + b_t
        moves = (a_t @ moves) * ((free > paths.lo + margin) & (free < paths.hi - margin))[:, None]
        x = np.clip(free, paths.lo, paths.hi)
        found.append(paths.beta @ moves)
    return np.array(found)


def path_spread(paths: Paths, rewards: History, points: Floats, fit: Floats) -> Floats:
    """n²S: the gradient of the divergence at the fit, measured by the pseudoinverse of the information there."""
    seen, f = observed(rewards), paths.family
    z, z2 = readings(paths, points[:, 1:])[:, seen], readings(paths, fit[None, 1:])[:, seen]
    theta, theta2, along = points[:, :1], fit[None, :1], directions(paths, fit[1:])[seen]
    if isinstance(f, Agent):
        by_theta, by_z = f.kl_slopes(theta, z, theta2, z2)
        about_theta, about_z = f.information(theta2, z2)
        info = np.zeros((1 + along.shape[1],) * 2)
        info[0, 0], info[1:, 1:] = about_theta.sum(), (along * about_z.T).T @ along
    else:
        slope = kl_slope(f, natural(f, theta, z), natural(f, theta2, z2))
        by_theta, by_z = f.theta_weight * slope, f.state_weight * slope
        both = np.hstack([np.full((len(seen), 1), f.theta_weight), f.state_weight * along])
        info = (both * information_about_eta(f, natural(f, theta2, z2)).T).T @ both
    gradient = np.hstack([by_theta.sum(axis=1, keepdims=True), by_z @ along])
    return np.asarray(np.einsum("ij,jk,ik->i", gradient, np.linalg.pinv(info, rcond=1e-10, hermitian=True), gradient))


def believed(paths: Paths, rewards: History, points: Floats, fit: Floats, radius: Tuned | float) -> Floats:
    """By how much each point is inside the radius: negative outside."""
    n = len(observed(rewards))
    if isinstance(radius, Tuned):
        most = n * radius_of(radius, path_spread(paths, rewards, points, fit), len(paths.a) + 1, n)
    else:
        most = np.full(len(points), n * radius)
    return most - path_divergence(paths, rewards, points, fit)


def lattice(paths: Paths, size: int) -> Floats:
    """All points of a grid over (theta, x0) with so many values of each."""
    low, high = paths.corners
    return np.array(list(product(*(np.linspace(a, b, size) for a, b in zip(low, high, strict=True)))))


def polished(value: Callable[[Floats], Floats], points: Floats, starts: int, paths: Paths) -> Floats:
    """The best point found: simplex searches from the best points of the grid, those of one value once."""
    low, high = paths.corners
    at = value(points)
    best = points[int(np.argmax(at))]
    span = np.where(high > low, high - low, 1.0)

    def cost(unit: Floats) -> float:
        return -float(value(np.clip(low + unit * span, low, high)[None])[0])

    for start in points[np.argsort(-at)[: starts * 40 : 40]]:  # the best point is the first
        found: Any = (start - low) / span
        for _ in range(2):  # a fresh simplex gets out of where the first one collapsed
            found = minimize(cost, found, method="Nelder-Mead",
                             options={"xatol": 1e-10, "fatol": 1e-13, "maxiter": 600}).x  # fmt: skip
        point = np.clip(low + found * span, low, high)
        if value(point[None])[0] > value(best[None])[0]:
            best = point
    return best


def path_fit(paths: Paths, rewards: History, size: int, starts: int = 4) -> Floats:
    """The likeliest (theta, x0…) found."""
    return polished(lambda points: path_loglik(paths, rewards, points), lattice(paths, size), starts, paths)


def path_upper_bound(
    paths: Paths, rewards: History, fit: Floats, radius: Tuned | float, size: int, starts: int = 4
) -> float:
    """The largest mean found inside the radius: outside, how far counts, so that searches come back."""

    def value(points: Floats) -> Floats:
        inside = believed(paths, rewards, points, fit, radius)
        return np.where(inside >= -1e-12, path_mean(paths, points), -1e3 + np.maximum(inside, -1e2))

    scaled = np.vstack([lattice(paths, size), fit[None]])
    near = fit[None] + (lattice(paths, size) - fit[None]) * 0.2  # the region may be smaller than the grid's step
    best = polished(value, np.vstack([scaled, near]), starts, paths)
    return float(value(best[None])[0]) if math.isfinite(float(value(best[None])[0])) else -math.inf
