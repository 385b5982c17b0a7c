"""The agent r = clip(x + c, 0, 1), c Laplace of scale theta: point masses at 0 and 1, a density between.  [Sec. 5.4.1]

With E0 = exp(−x/theta) and E1 = exp(−(1−x)/theta): P(0) = E0/2, P(1) = E1/2, p(r) = exp(−|r−x|/theta)/(2 theta).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tests.oracles.dynamics import Floats


class Agent(NamedTuple):
    """All laws are vectorised over their arguments."""

    def mean(self, theta: Floats, x: Floats) -> Floats:
        """E r: the mean of the noise is x, cut off below 0 by theta·E0/2 and above 1 by theta·E1/2."""
        mean: Floats = x + 0.5 * theta * (np.exp(-x / theta) - np.exp((x - 1.0) / theta))
        return mean

    def loglik(self, theta: Floats, x: Floats, r: Floats) -> Floats:
        """The log of the mass at an edge, of the density between."""
        mass = np.where(r == 0.0, -x / theta, (x - 1.0) / theta) - math.log(2.0)
        density = -np.abs(r - x) / theta - np.log(2.0 * theta)
        return np.where((r == 0.0) | (r == 1.0), mass, density)

    def between(self, theta: Floats, x: Floats) -> Floats:
        """P(0 < r < 1)."""
        return 1.0 - 0.5 * np.exp(-x / theta) - 0.5 * np.exp((x - 1.0) / theta)

    def farther(self, theta: Floats, distance: Floats) -> Floats:
        """E|r − x2| − E|r − x| for |x2 − x| = distance: the reward's median has moved away by that much."""
        return distance - theta * -np.expm1(-distance / theta)

    def kl(self, theta: Floats, x: Floats, theta2: Floats, x2: Floats) -> Floats:
        """E[log p/p2] with E|r − x| = theta·P(0 < r < 1): the noise within [−x, 1−x], cut off at its ends."""
        middle = self.between(theta, x)
        scales = np.log(theta2 / theta) + theta / theta2 - 1.0
        return middle * scales + self.farther(theta, np.abs(x2 - x)) / theta2

    def kl_slopes(self, theta: Floats, x: Floats, theta2: Floats, x2: Floats) -> tuple[Floats, Floats]:
        """d KL / d theta2 = (P(between)·theta2 − E|r − x2|)/theta2²; d KL / d x2 = (P(r < x2) − P(r > x2))/theta2."""
        distance = np.abs(x2 - x)
        expected = theta * self.between(theta, x) + self.farther(theta, distance)
        by_theta = (self.between(theta, x) * theta2 - expected) / theta2**2
        return by_theta, np.sign(x2 - x) * -np.expm1(-distance / theta) / theta2

    def information(self, theta: Floats, x: Floats) -> tuple[Floats, Floats]:
        """About theta and x. Across it is 0: either side of x the score by theta has mean 0, that by x is constant."""
        return self.between(theta, x) / theta**2, np.broadcast_to(1.0 / theta**2, np.shape(x)).astype(np.float64)
