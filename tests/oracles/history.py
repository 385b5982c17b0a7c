"""Sums over a whole history: log-likelihood, trajectory divergence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tests.oracles.agent import Agent
from tests.oracles.dynamics import Floats, History, Walk, walk
from tests.oracles.glm import Glm, natural


class Model(NamedTuple):
    """An arm, in the oracles' own words."""

    decay: float
    pull: float
    drift: float
    lo: float
    hi: float
    family: Glm | Agent
    theta_lo: float
    theta_hi: float

    def walk(self, x0: ArrayLike, played: History) -> Walk:
        """The trajectories from each x0."""
        return walk(self.decay, self.pull, self.drift, self.lo, self.hi, x0, played)


def observed(rewards: History) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """The decisions whose reward was seen."""
    return np.flatnonzero(~np.isnan(np.asarray(rewards, dtype=np.float64)))


def seen_states(model: Model, played: History, rewards: History, x0: ArrayLike) -> Floats:
    """The states at the observed decisions: one row for each x0."""
    return model.walk(x0, played).states[:, observed(rewards)]


def brute_loglik(model: Model, played: History, rewards: History, theta: ArrayLike, x0: ArrayLike) -> Floats:
    """Σ log p(r_t | theta, x_t) over the observed decisions, for each of the pairs (theta, x0).  [Eq. 6]"""
    f = model.family
    x = seen_states(model, played, rewards, x0)
    th = np.atleast_1d(np.asarray(theta, dtype=np.float64))[:, None]
    r = np.asarray(rewards, dtype=np.float64)[observed(rewards)][None, :]
    each = f.loglik(th, x, r) if isinstance(f, Agent) else f.loglik_of(natural(f, th, x), r)
    return np.asarray(each.sum(axis=1))


def brute_divergence(
    model: Model, played: History, rewards: History, theta: ArrayLike, x0: ArrayLike, theta2: float, x02: float
) -> Floats:
    """Σ KL(P_{theta, x_t} ‖ P_{theta2, x2_t}) over the observed decisions, for each pair (theta, x0).  [Def. 1]"""
    f = model.family
    x, x2 = seen_states(model, played, rewards, x0), seen_states(model, played, rewards, x02)
    th, th2 = np.atleast_1d(np.asarray(theta, dtype=np.float64))[:, None], np.full((1, 1), theta2)
    if isinstance(f, Agent):
        return np.asarray(f.kl(th, x, th2, x2).sum(axis=1))
    return np.asarray(f.kl_of(natural(f, th, x), natural(f, th2, x2)).sum(axis=1))


def brute_mean(model: Model, played: History, theta: ArrayLike, x0: ArrayLike) -> Floats:
    """g(theta, x_T), T the decision after the history, for each of the pairs (theta, x0)."""
    f = model.family
    x = model.walk(x0, played).states[:, -1]
    th = np.atleast_1d(np.asarray(theta, dtype=np.float64))
    return f.mean(th, x) if isinstance(f, Agent) else f.mean_of(natural(f, th, x))
