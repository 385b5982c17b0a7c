"""Arms whose state and theta are vectors: x_{t+1} = clip(decay x_t + pull played_t + drift, lo, hi), decay a matrix.

A reward sees eta = theta_weight·(alpha·theta) + state_weight·(beta·x) alone, so that the vector theta matters through
the number s = alpha·theta only. What is unknown of an arm is therefore (s, x0). As with numbers, states are walked
step by step and sums run over the whole history; nothing here imports the package that it judges.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tests.oracles.dynamics import Floats, History
from tests.oracles.glm import Glm, natural
from tests.oracles.history import observed


class VectorWalk(NamedTuple):
    """Many trajectories: states [start, decision, d], and at each step where the clip bit below (−1) or above (1)."""

    states: Floats
    bites: NDArray[np.int8]


class VectorModel(NamedTuple):
    """An arm, in the oracles' own words: decay [d, d]; pull, drift, lo, hi, beta [d]; alpha, theta_lo, theta_hi [p]."""

    decay: Floats
    pull: Floats
    drift: Floats
    lo: Floats
    hi: Floats
    family: Glm
    alpha: Floats
    beta: Floats
    theta_lo: Floats
    theta_hi: Floats

    @property
    def dims(self) -> int:
        """The length d of the state."""
        return len(self.lo)

    @property
    def s_range(self) -> tuple[float, float]:
        """The least and the largest s = alpha·theta: each theta_i at the end that its alpha_i asks for."""
        one, other = self.alpha * self.theta_lo, self.alpha * self.theta_hi
        return float(np.minimum(one, other).sum()), float(np.maximum(one, other).sum())

    def starts(self, x0: ArrayLike) -> Floats:
        """One first state or many, as rows."""
        return np.asarray(x0, dtype=np.float64).reshape(-1, self.dims)

    def free(self, x: Floats, played_t: float) -> Floats:
        """decay x + pull played_t + drift for each row x: the next state before the clip."""
        moved: Floats = (self.decay * x[:, None, :]).sum(axis=2)
        return moved + self.pull * played_t + self.drift

    def walk(self, x0: ArrayLike, played: History) -> VectorWalk:
        """The states at decisions 0, 1, …, len(played) from each x0: one more than there are plays."""
        x = self.starts(x0)
        states = np.empty((len(x), len(played) + 1, self.dims))
        bites = np.zeros((len(x), len(played), self.dims), dtype=np.int8)
        states[:, 0] = x
        for t, played_t in enumerate(played):
            free = self.free(states[:, t], float(played_t))
            bites[:, t] = (free > self.hi).astype(np.int8) - (free < self.lo)
            states[:, t + 1] = np.minimum(np.maximum(free, self.lo), self.hi)
        return VectorWalk(states, bites)


def etas(model: VectorModel, played: History, s: ArrayLike, x0: ArrayLike) -> Floats:
    """Eta at the decisions 0, …, len(played) of each of the points (s, x0): the last is the one to come."""
    level = np.atleast_1d(np.asarray(s, dtype=np.float64))[:, None]
    seen_part: Floats = (model.walk(x0, played).states * model.beta).sum(axis=2)
    return natural(model.family, level, seen_part)


def seen_rewards(rewards: History) -> Floats:
    """The rewards of the observed decisions."""
    return np.asarray(rewards, dtype=np.float64)[observed(rewards)]


def brute_vector_loglik(model: VectorModel, played: History, rewards: History, s: ArrayLike, x0: ArrayLike) -> Floats:
    """Σ log p(r_t | eta_t) over the observed decisions, for each of the points (s, x0).  [Eq. 6]"""
    eta = etas(model, played, s, x0)[:, observed(rewards)]
    return np.asarray(model.family.loglik_of(eta, seen_rewards(rewards)[None, :]).sum(axis=1))


def brute_vector_divergence(
    model: VectorModel,
    played: History,
    rewards: History,
    s: ArrayLike,
    x0: ArrayLike,
    s2: ArrayLike,
    x02: ArrayLike,
) -> Floats:
    """Σ KL(P_{eta_t} ‖ P_{eta2_t}) over the observed decisions, for each of the points (s, x0) and (s2, x02).

    Either side may be a single point.  [Def. 1]
    """
    seen = observed(rewards)
    eta, eta2 = etas(model, played, s, x0)[:, seen], etas(model, played, s2, x02)[:, seen]
    eta, eta2 = np.broadcast_arrays(eta, eta2)
    return np.asarray(model.family.kl_of(eta, eta2).sum(axis=1))


def brute_vector_mean(model: VectorModel, played: History, s: ArrayLike, x0: ArrayLike) -> Floats:
    """The mean of the reward after the whole history, for each of the points (s, x0)."""
    return model.family.mean_of(etas(model, played, s, x0)[:, -1])
