"""Exponential families by their definition alone: P(r) ∝ h(r)·exp(T(r)·eta/unit), summed over explicit rewards.

Where rewards are whole numbers the sums are exact but for a tail; where they are not, the rewards are the nodes of
Gauss's rule on many short pieces. No log-partition is ever written down.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaln

from tests.oracles.dynamics import Floats

# Pieces that shrink towards both ends, where powers of r and of 1 − r turn.
TURNING = np.concatenate([[0.0], 0.5 ** np.arange(20.0, 0.0, -1.0), 1.0 - 0.5 ** np.arange(2.0, 13.0), [1.0]])
FURTHEST = 60.0  # of any eta that is tried


class Kind(NamedTuple):
    """The rewards, and the log of h at any reward; `whole` says that the rewards are all there are."""

    rewards: Callable[[float], tuple[Floats, Floats]]
    log_h: Callable[[Floats, float], Floats]
    whole: bool


def _counts(most: int) -> tuple[Floats, Floats]:
    return np.arange(most + 1.0), np.ones(most + 1)


@lru_cache
def _turning(known: float) -> tuple[Floats, Floats]:
    return _pieces(TURNING)


@lru_cache
def _even(known: float) -> tuple[Floats, Floats]:
    """Pieces no longer than twice `known`, where that is a standard deviation."""
    return _pieces(np.linspace(0.0, 1.0, 3 + math.ceil(0.5 / min(known, 1.0))))


def _pieces(ends: Floats) -> tuple[Floats, Floats]:
    """Gauss's rule on each."""
    nodes, weights = np.polynomial.legendre.leggauss(16)
    middles = [(0.5 * (a + b), 0.5 * (b - a)) for a, b in pairwise(ends)]
    return np.concatenate([m + h * nodes for m, h in middles]), np.concatenate([h * weights for _, h in middles])


KINDS = {
    "poisson": Kind(lambda known: _counts(int(known)), lambda r, known: -gammaln(r + 1.0), True),
    "binomial": Kind(
        lambda known: _counts(int(known)),
        lambda r, known: gammaln(known + 1.0) - gammaln(r + 1.0) - gammaln(known - r + 1.0),
        True,
    ),
    "exponential": Kind(_even, lambda r, known: np.zeros_like(r), False),
    "normal": Kind(_even, lambda r, known: -0.5 * (r / known) ** 2, False),
    "beta": Kind(_turning, lambda r, known: (known - 1.0) * np.log1p(-r) - np.log(r), False),
}


class Tilted(NamedTuple):
    """A family by its kind; `known` is what it knows: the longest count, the trials, the sd, or b."""

    theta_weight: float
    state_weight: float
    kind: str
    known: float = 1.0

    @property
    def variance_unit(self) -> float:
        """Eta is divided by this."""
        return self.known**2 if self.kind == "normal" else 1.0

    def rewards(self) -> tuple[Floats, Floats]:
        """The rewards with their weights."""
        return KINDS[self.kind].rewards(self.known)

    def statistic(self, r: Floats) -> Floats:
        """T(r)."""
        return np.log(r) if self.kind == "beta" else np.asarray(r, dtype=np.float64)

    def log_mass(self, eta: Floats, r: Floats) -> Floats:
        """log h(r) + T(r)·eta/unit."""
        return KINDS[self.kind].log_h(r, self.known) + self.statistic(r) * eta / self.variance_unit

    def chances(self, eta: Floats) -> tuple[Floats, Floats]:
        """The probability of each of the rewards (a new last axis), and the log of what they were divided by."""
        r, weight = self.rewards()
        log_mass = self.log_mass(np.asarray(eta)[..., None], r) + np.log(weight)
        top = log_mass.max(axis=-1, keepdims=True)
        mass = np.exp(log_mass - top)
        total = mass.sum(axis=-1, keepdims=True)
        return mass / total, (top + np.log(total))[..., 0]

    def mean_of(self, eta: Floats) -> Floats:
        """Σ r·P(r)."""
        return np.asarray(self.chances(eta)[0] @ self.rewards()[0])

    def statistic_of(self, eta: Floats) -> Floats:
        """Σ T(r)·P(r)."""
        return np.asarray(self.chances(eta)[0] @ self.statistic(self.rewards()[0]))

    def variance_of(self, eta: Floats) -> Floats:
        """The variance of T."""
        t = self.statistic(self.rewards()[0])
        away = t - self.statistic_of(eta)[..., None]
        return np.asarray((self.chances(eta)[0] * away**2).sum(axis=-1))

    def loglik_of(self, eta: Floats, r: Floats) -> Floats:
        """log P(r)."""
        return self.log_mass(eta, r) - self.chances(eta)[1]

    def kl_of(self, eta: Floats, eta2: Floats) -> Floats:
        """Σ P(r)·log(P(r)/P2(r))."""
        (chances, total), (_, total2) = self.chances(eta), self.chances(eta2)
        r = self.rewards()[0]
        one, other = (self.log_mass(np.asarray(e)[..., None], r) for e in (eta, eta2))
        return np.asarray((chances * (one - total[..., None] - other + total2[..., None])).sum(axis=-1))

    def likeliest(self, r: Floats) -> Floats:
        """The eta at which r is likeliest: where the mean of T is T(r), or as far as we go."""
        return np.array([_root(self, float(t)) for t in np.atleast_1d(self.statistic(r))])


@lru_cache(maxsize=10_000)
def _root(f: Tilted, t: float) -> float:
    lo, hi = (0.5 if f.kind == "beta" else -FURTHEST), (math.log(f.known / 4) if f.kind == "poisson" else FURTHEST)

    def away(eta: float) -> float:
        return float(f.statistic_of(np.array(eta))) - t

    if away(lo) >= 0.0 or away(hi) <= 0.0:
        return -np.inf if away(lo) >= 0.0 else np.inf
    return float(brentq(away, lo, hi, xtol=1e-13))
