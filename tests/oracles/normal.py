"""Rewards from Normal(theta_weight·theta + state_weight·x, sd²): a linear model with known noise."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tests.oracles.dynamics import Floats


class Normal(NamedTuple):
    """All laws are vectorised over their arguments."""

    theta_weight: float
    state_weight: float
    sd: float

    @property
    def variance_unit(self) -> float:
        """d mean / d eta is the variance divided by this."""
        return self.sd**2

    def mean_of(self, eta: Floats) -> Floats:
        """Eta itself."""
        return eta

    def variance_of(self, eta: Floats) -> Floats:
        """sd², everywhere."""
        return np.full_like(eta, self.sd**2)

    def loglik_of(self, eta: Floats, r: Floats) -> Floats:
        """The log of the normal density."""
        return -0.5 * ((r - eta) / self.sd) ** 2 - math.log(self.sd) - 0.5 * math.log(2.0 * math.pi)

    def kl_of(self, eta: Floats, eta2: Floats) -> Floats:
        """Half the squared distance in standard deviations."""
        return 0.5 * ((eta - eta2) / self.sd) ** 2

    def likeliest(self, r: Floats) -> Floats:
        """The eta at which r is likeliest."""
        return r
