"""The log-likelihood of rewards given eta and the noise: what is integrated and compared, once a search has ended."""

from __future__ import annotations

import math
from functools import singledispatch
from typing import Any

import numpy as np

from rogue_bandits.estimate.ladder.laws import (
    FAR,
    LOG_2PI,
    Agent,
    Gamma,
    Logit,
    Normal,
    Poisson,
    edges,
    has_noise,
    log_gamma,
    log_noise,
)
from rogue_bandits.types import Floats

LOG_2 = math.log(2.0)


def loglik_of(law: Any, eta: Floats, u: Floats, r: Floats) -> Floats:
    """Return the log-likelihood of rewards at a predictor and a person's number of the noise, elementwise.

    >>> loglik_of(Logit(), np.zeros(1), np.zeros(1), np.ones(1)).round(4).tolist()
    [-0.6931]
    """
    return loglik_by_noise(law, eta, log_noise(law, u) if has_noise(law) else u, r)


@singledispatch
def loglik_by_noise(law: Any, eta: Floats, s: Floats, r: Floats) -> Floats:
    """Return the log-likelihood of rewards, s being the logarithm of the noise."""
    raise TypeError(f"there is no log-likelihood for {type(law).__name__}")


@loglik_by_noise.register
def normal_loglik(law: Normal, eta: Floats, s: Floats, r: Floats) -> Floats:
    """Return the log-likelihood of a normal distribution."""
    d = r - eta
    return -0.5 * (LOG_2PI + d * d * np.exp(-2.0 * s)) - s


@loglik_by_noise.register
def logit_loglik(law: Logit, eta: Floats, s: Floats, r: Floats) -> Floats:
    """Return the log-likelihood of a binomial distribution; the coefficient counts the orders of successes."""
    n = law.trials
    constant = log_gamma(n + 1.0) - log_gamma(r + 1.0) - log_gamma(n - r + 1.0) if n > 1.0 else 0.0
    return np.asarray(constant + r * eta - n * np.logaddexp(0.0, eta))


@loglik_by_noise.register
def poisson_loglik(law: Poisson, eta: Floats, s: Floats, r: Floats) -> Floats:
    """Return the log-likelihood of a Poisson distribution."""
    return np.asarray(r * eta - np.exp(np.clip(eta, -FAR, FAR)) - log_gamma(r + 1.0))


@loglik_by_noise.register
def gamma_loglik(law: Gamma, eta: Floats, s: Floats, r: Floats) -> Floats:
    """Return, of a gamma distribution of shape k = exp(−2s), k·log(k r/mean) − k r/mean − log r − log Γ(k)."""
    k = np.exp(-2.0 * np.clip(s, -4.0, 4.0))
    ratio = r * np.exp(-np.clip(eta, -FAR, FAR))
    log_ratio = np.log(r) - eta
    return np.asarray(k * (np.log(k) + log_ratio - ratio) - np.log(r) - log_gamma(k))


@loglik_by_noise.register
def agent_loglik(law: Agent, eta: Floats, s: Floats, r: Floats) -> Floats:
    """Return the log-likelihood of the censored Laplace distribution, which has point masses at 0 and 1."""
    d = (r - eta) / np.exp(s)
    found = -LOG_2 - s - np.abs(d)
    for at, sign in edges(r, d):
        inward = -sign * d[..., at]  # how far inside eta lies, in units of the noise
        tail = 0.5 * np.exp(-np.abs(inward))
        found[..., at] = np.where(inward >= 0.0, -LOG_2 - inward, np.log1p(-tail))
    return np.asarray(found)
