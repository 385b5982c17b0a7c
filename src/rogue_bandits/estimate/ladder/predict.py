"""The predictive distribution of rewards that a fit has not seen."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from rogue_bandits.estimate.ladder.laplace import Design
from rogue_bandits.estimate.ladder.laws import has_noise
from rogue_bandits.estimate.ladder.logliks import loglik_of
from rogue_bandits.estimate.ladder.population import PopulationFit
from rogue_bandits.types import Floats

LEVEL_NODES, NOISE_NODES = 7, 3


@cache
def nodes(n: int) -> tuple[Floats, Floats]:
    """Return the nodes and weights of Gauss–Hermite quadrature for a standard normal variable.

    >>> x, w = nodes(5)
    >>> float((w * x**4).sum().round(9))
    3.0
    """
    x, w = np.polynomial.hermite_e.hermegauss(n)
    return x, w / w.sum()


def predictive(fitted: PopulationFit, law: Any, design: Design) -> Floats:
    """Return the log predictive density of every row, half-lives averaged by their posterior weights.

    Level and slope of a person, and the noise, are integrated by quadrature: their uncertainty belongs to the
    prediction, and more so for models with more numbers.
    """
    k, person = design.columns.shape[1], design.person
    eta = np.zeros((design.columns.shape[0], person.size))
    variance = np.zeros_like(eta)
    for j in range(k):
        eta += design.columns[:, j] * fitted.mode[:, person, j]
        for i in range(k):
            variance += design.columns[:, i] * design.columns[:, j] * fitted.covariance[:, person, i, j]
    sd = np.sqrt(np.maximum(variance, 0.0))
    s, s_sd = np.zeros((1, 1)), np.zeros((1, 1))
    if has_noise(law):
        s, s_sd = fitted.mode[:, person, -1], np.sqrt(np.maximum(fitted.covariance[:, person, -1, -1], 0.0))
    density = np.zeros_like(eta)
    for x, w in zip(*nodes(LEVEL_NODES), strict=True):
        for y, v in zip(*nodes(NOISE_NODES if has_noise(law) else 1), strict=True):
            density += w * v * np.exp(np.maximum(loglik_of(law, eta + x * sd, s + y * s_sd, design.reward), -700.0))
    return np.log(np.maximum((density * fitted.weight[:, person]).sum(0), 1e-300))
