"""The largest log-likelihood over the box of (theta, x0), with a certificate.

For each x0 the best theta is found by bisection. The range of x0 is split into cells; what a cell can hold is bounded,
and cells that cannot beat the best point are dropped. Where no clip changes its mind between the ends of a cell, states
are linear in x0, so that the log-likelihood is concave and lies below its tangents. Elsewhere every reward may pick
the state that suits it best from the range of the cell.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tests.oracles.agent import Agent
from tests.oracles.dynamics import Floats, History
from tests.oracles.glm import Glm, natural, score
from tests.oracles.history import Model, brute_loglik, observed

BISECTIONS = 60
CELLS_AT_MOST = 200_000


class BestFit(NamedTuple):
    """The best point found, its log-likelihood, and a ceiling that no other point exceeds."""

    theta: float
    x0: float
    loglik: float
    ceiling: float


class Profile(NamedTuple):
    """For each x0: the best theta, the log-likelihood there, and its derivative by x0 while no clip changes."""

    theta: Floats
    loglik: Floats
    slope: Floats


def brute_fit(model: Model, played: History, rewards: History, tolerance: float = 1e-8) -> BestFit:
    """The global maximum of the log-likelihood, to within `tolerance`."""
    x0 = np.unique(np.linspace(model.lo, model.hi, 65))
    left, right = x0[:-1], x0[1:]
    best = BestFit(model.theta_lo, model.lo, -math.inf, math.inf)
    while len(left):
        ends = np.unique(np.concatenate([left, right]))
        profile, bound = _examine(model, played, rewards, ends, left, right)
        k = int(np.argmax(profile.loglik))
        if profile.loglik[k] > best.loglik:
            best = BestFit(float(profile.theta[k]), float(ends[k]), float(profile.loglik[k]), math.inf)
        keep = bound > best.loglik + tolerance
        middle = 0.5 * (left + right)
        keep &= (middle > left) & (middle < right)
        if keep.sum() > CELLS_AT_MOST:
            return best._replace(ceiling=float(bound.max()))
        left, right = _halves(left[keep], middle[keep], right[keep])
    loglik = float(brute_loglik(model, played, rewards, best.theta, best.x0)[0])
    return best._replace(loglik=loglik, ceiling=best.loglik + tolerance)


def _halves(left: Floats, middle: Floats, right: Floats) -> tuple[Floats, Floats]:
    return np.concatenate([left, middle]), np.concatenate([middle, right])


def _examine(
    model: Model, played: History, rewards: History, ends: Floats, left: Floats, right: Floats
) -> tuple[Profile, Floats]:
    """The profile at the ends of the cells, and a bound on what each cell can hold."""
    seen = observed(rewards)
    r = np.asarray(rewards, dtype=np.float64)[seen]
    projected_arm = model.walk(ends, played)
    x = projected_arm.states[:, seen]
    moving = np.cumprod(
        np.hstack([np.ones((len(ends), 1)), np.where(projected_arm.bites == 0, model.decay, 0.0)]), axis=1
    )
    moving = moving[:, seen]
    i, j = np.searchsorted(ends, left), np.searchsorted(ends, right)
    straight = (projected_arm.bites[i] == projected_arm.bites[j]).all(axis=1)
    low, high = np.minimum(x[i], x[j]), np.maximum(x[i], x[j])
    if isinstance(model.family, Agent):
        profile = _agent_profile(model, x, r)
        straight &= (np.sign(x[i] - r) == np.sign(x[j] - r)).all(axis=1)
        distance = np.minimum(np.abs(x - r).sum(axis=1)[i], np.abs(x - r).sum(axis=1)[j])
        nearest = np.maximum(np.maximum(low - r, r - high), 0.0).sum(axis=1)
        return profile, _agent_loglik(model, np.where(straight, distance, nearest), r)[1]
    profile = _glm_profile(model, model.family, x, x, moving, r)
    bound = _glm_profile(model, model.family, low, high, moving[i], r).loglik
    crossing = _tangents(profile.loglik[i], profile.slope[i], profile.loglik[j], profile.slope[j], right - left)
    return profile, np.where(straight, np.minimum(crossing, bound), bound)


def _tangents(at_left: Floats, slope_left: Floats, at_right: Floats, slope_right: Floats, width: Floats) -> Floats:
    """The highest point under both tangents of a concave function."""
    rise, fall = np.maximum(slope_left, 0.0), np.maximum(-slope_right, 0.0)
    # The two lines meet where at_left + rise·s = at_right + fall·(width − s).
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.clip((at_right - at_left + fall * width) / (rise + fall), 0.0, width)
    return np.where(rise + fall > 0.0, at_left + rise * np.nan_to_num(s), np.maximum(at_left, at_right))


def _glm_profile(model: Model, f: Glm, low: Floats, high: Floats, moving: Floats, r: Floats) -> Profile:
    """The best theta by bisection on the score, which falls with it; each reward picks its state from [low, high]."""
    suits = f.likeliest(r)[None, :]

    def eta_at(theta: Floats) -> Floats:
        one, other = natural(f, theta[:, None], low), natural(f, theta[:, None], high)
        return np.clip(suits, np.minimum(one, other), np.maximum(one, other))

    below, above = np.full(len(low), model.theta_lo), np.full(len(low), model.theta_hi)
    for _ in range(BISECTIONS):
        theta = 0.5 * (below + above)
        rising = f.theta_weight * score(f, eta_at(theta), r).sum(axis=1) > 0.0
        below, above = np.where(rising, theta, below), np.where(rising, above, theta)
    bounds = np.array([np.full(len(low), model.theta_lo), 0.5 * (below + above), np.full(len(low), model.theta_hi)])
    loglik = np.array([f.loglik_of(eta_at(theta), r).sum(axis=1) for theta in bounds])
    k, rows = np.argmax(loglik, axis=0), np.arange(len(low))
    theta = bounds[k, rows]
    slope = (f.state_weight * moving * score(f, eta_at(theta), r)).sum(axis=1)
    return Profile(theta, loglik[k, rows], slope)


def _agent_profile(model: Model, x: Floats, r: Floats) -> Profile:
    theta, loglik = _agent_loglik(model, np.abs(x - r).sum(axis=1), r)
    return Profile(theta, loglik, np.zeros_like(theta))


def _agent_loglik(model: Model, distance: Floats, r: Floats) -> tuple[Floats, Floats]:
    """The best theta when the rewards lie `distance` from their states in all: a root of −m/theta + distance/theta²."""
    m = int(((r > 0.0) & (r < 1.0)).sum())
    theta = np.clip(distance / m, model.theta_lo, model.theta_hi) if m else np.full_like(distance, model.theta_hi)
    return theta, -m * np.log(theta) - len(r) * math.log(2.0) - distance / theta
