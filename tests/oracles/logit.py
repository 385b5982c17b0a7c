"""Rewards 0 or 1 with P(1) = 1/(1 + exp(−theta_weight·theta − state_weight·x)).  [Sec. 2.4.2]"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from tests.oracles.dynamics import Floats


class Logit(NamedTuple):
    """All laws are vectorised over their arguments."""

    theta_weight: float
    state_weight: float

    @property
    def variance_unit(self) -> float:
        """d mean / d eta is the variance divided by this."""
        return 1.0

    def mean_of(self, eta: Floats) -> Floats:
        """P(1)."""
        return np.asarray(expit(eta), dtype=np.float64)

    def variance_of(self, eta: Floats) -> Floats:
        """p(1 − p)."""
        return self.mean_of(eta) * self.mean_of(-eta)

    def loglik_of(self, eta: Floats, r: Floats) -> Floats:
        """log p where r = 1, log(1 − p) where r = 0."""
        return -np.logaddexp(0.0, np.where(r > 0.5, -eta, eta))

    def kl_of(self, eta: Floats, eta2: Floats) -> Floats:
        """p log(p/q) + (1 − p) log((1 − p)/(1 − q))."""
        ones = np.logaddexp(0.0, -eta2) - np.logaddexp(0.0, -eta)
        zeros = np.logaddexp(0.0, eta2) - np.logaddexp(0.0, eta)
        kl: Floats = self.mean_of(eta) * ones + self.mean_of(-eta) * zeros
        return kl

    def likeliest(self, r: Floats) -> Floats:
        """The eta at which r is likeliest."""
        return np.where(r > 0.5, np.inf, -np.inf)
