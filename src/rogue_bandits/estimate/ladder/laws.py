"""Distributions of a reward given eta, a linear predictor, and s, the logarithm of the noise.

Each law gives the slope of the log-likelihood of rewards and its expected information by eta and by s, elementwise; the
log-likelihood itself, which a search does not need, is in `logliks`.
A law with noise may know the noise that is `typical` of people: a person's number u then stands for the noise
√(exp(2u) + (QUIETEST · typical)²). Without that, rewards of a person that are all equal have a noise of 0, and a
density without bound.
"""

from __future__ import annotations

import math
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.types import Floats, Ints

LOG_2PI = math.log(2.0 * math.pi)
KINK = 0.1  # of the agent's noise: |d| is smoothed within, so that scoring converges
FAR = 30.0  # of log odds and log means: beyond, exponentials are of no use
QUIETEST = 0.3  # least noise of a person, relative to the noise that is typical
ASYMPTOTIC = 10  # terms of the recurrence before the asymptotic series of digamma


class Terms(NamedTuple):
    """Slope and expected information of the log-likelihood, by eta and by s."""

    slope: Floats
    information: Floats
    noise_slope: Floats
    noise_information: Floats


class Normal(NamedTuple):
    """Rewards with mean eta and standard deviation exp(s)."""

    typical: float = 0.0


class Logit(NamedTuple):
    """Successes out of so many trials, with log odds eta."""

    trials: float = 1.0


class Poisson(NamedTuple):
    """Counts with mean exp(eta)."""


class Gamma(NamedTuple):
    """Positive rewards with mean exp(eta) and coefficient of variation exp(s)."""

    typical: float = 0.0


class Agent(NamedTuple):
    """Rewards clip(eta + noise, 0, 1) with Laplace noise of scale exp(s): that of `LaplaceAgent` for eta in [0, 1]."""

    typical: float = 0.0


def terms(law: Any, eta: Floats, u: Floats, r: Floats) -> Terms:
    """Return the derivatives of the log-likelihood of rewards by eta and by u, the number of the noise.

    >>> terms(Logit(), np.zeros(1), np.zeros(1), np.ones(1)).slope.tolist()
    [0.5]
    """
    if not has_noise(law) or law.typical == 0.0:
        return terms_by_noise(law, eta, u, r)
    s = log_noise(law, u)
    share = np.exp(2.0 * (u - s))  # slope of s by u
    found = terms_by_noise(law, eta, s, r)
    return found._replace(noise_slope=share * found.noise_slope, noise_information=share**2 * found.noise_information)


def log_noise(law: Any, u: Floats) -> Floats:
    """Return the logarithm of the noise that a person's number stands for.

    >>> np.exp(log_noise(Normal(typical=0.5), np.array([-50.0, 0.0]))).round(4).tolist()
    [0.15, 1.0112]
    """
    return u if law.typical == 0.0 else 0.5 * np.logaddexp(2.0 * u, 2.0 * math.log(QUIETEST * law.typical))


@singledispatch
def terms_by_noise(law: Any, eta: Floats, s: Floats, r: Floats) -> Terms:
    """Return the derivatives of the log-likelihood of rewards by eta and by s."""
    raise TypeError(f"there are no terms for {type(law).__name__}")


@singledispatch
def mean_of(law: Any, eta: Floats, s: Floats) -> Floats:
    """Return the mean reward."""
    raise TypeError(f"there is no mean for {type(law).__name__}")


@singledispatch
def draw_of(law: Any, eta: Floats, s: Floats, rng: np.random.Generator) -> Floats:
    """Draw a reward for each eta and s."""
    raise TypeError(f"there are no draws of {type(law).__name__}")


def has_noise(law: Any) -> bool:
    """Return whether the law has a parameter of noise.

    >>> has_noise(Normal()), has_noise(Poisson())
    (True, False)
    """
    return isinstance(law, Normal | Gamma | Agent)


def _without_noise(slope: Floats, information: Floats) -> Terms:
    none = np.broadcast_to(0.0, slope.shape)
    return Terms(slope, information, none, none)


@terms_by_noise.register
def normal_terms(law: Normal, eta: Floats, s: Floats, r: Floats) -> Terms:
    """Return the terms of a normal distribution."""
    precision = np.exp(-2.0 * s)
    d = r - eta
    squared = d * d * precision
    information = np.broadcast_to(precision, d.shape)
    return Terms(d * precision, information, squared - 1.0, np.broadcast_to(2.0, d.shape))


@terms_by_noise.register
def logit_terms(law: Logit, eta: Floats, s: Floats, r: Floats) -> Terms:
    """Return the terms of a binomial distribution."""
    n = law.trials
    p = 1.0 / (1.0 + np.exp(-np.clip(eta, -FAR, FAR)))
    return _without_noise(r - n * p, n * p * (1.0 - p) + 1e-12)


@terms_by_noise.register
def poisson_terms(law: Poisson, eta: Floats, s: Floats, r: Floats) -> Terms:
    """Return the terms of a Poisson distribution."""
    mean = np.exp(np.clip(eta, -FAR, FAR))
    return _without_noise(r - mean, mean + 1e-12)


@terms_by_noise.register
def gamma_terms(law: Gamma, eta: Floats, s: Floats, r: Floats) -> Terms:
    """Return the terms of a gamma distribution with shape k = exp(−2s)."""
    k = np.exp(-2.0 * np.clip(s, -4.0, 4.0))
    ratio = r * np.exp(-np.clip(eta, -FAR, FAR))
    log_ratio = np.log(r) - eta
    by_shape = log_ratio - ratio + 1.0 + np.log(k) - digamma(k)
    information = 4.0 * k * k * (trigamma(k) - 1.0 / k)
    return Terms(k * (ratio - 1.0), np.broadcast_to(k, ratio.shape), -2.0 * k * by_shape, information)


@terms_by_noise.register
def agent_terms(law: Agent, eta: Floats, s: Floats, r: Floats) -> Terms:
    """Return the terms of the censored Laplace distribution, which has point masses at 0 and 1."""
    theta = np.exp(s)
    d = (r - eta) / theta
    size = np.sqrt(d * d + KINK * KINK)
    slope, by_s = d / size / theta, np.abs(d) - 1.0
    for at, sign in edges(r, d):
        inward, scale = -sign * d[..., at], theta if theta.size == 1 else theta[..., at]
        tail = 0.5 * np.exp(-np.abs(inward))
        rate = np.where(inward >= 0.0, 1.0, tail / (1.0 - tail))
        slope[..., at], by_s[..., at] = -sign * rate / scale, rate * inward
    return Terms(slope, np.broadcast_to(theta**-2.0, d.shape), by_s, np.broadcast_to(1.0, d.shape))


def edges(r: Floats, d: Floats) -> list[tuple[Ints, float]]:
    """Return which of the last axis of d have rewards of 0 and of 1, and the signs with which −d is how far inside.

    >>> edges(np.array([0.0, 0.4, 1.0]), np.zeros((2, 3)))[1]
    (array([2]), -1.0)
    """
    every = r if r.size == d.shape[-1] else np.broadcast_to(r, d.shape[-1:])
    found = ((every <= 0.0).nonzero()[0], 1.0), ((every >= 1.0).nonzero()[0], -1.0)
    return [(at, sign) for at, sign in found if at.size]


mean_of.register(Normal)(lambda law, eta, s: eta)
mean_of.register(Logit)(lambda law, eta, s: law.trials / (1.0 + np.exp(-np.clip(eta, -FAR, FAR))))
mean_of.register(Poisson)(lambda law, eta, s: np.exp(np.clip(eta, -FAR, FAR)))
mean_of.register(Gamma)(lambda law, eta, s: np.exp(np.clip(eta, -FAR, FAR)))


@mean_of.register
def agent_mean(law: Agent, eta: Floats, s: Floats) -> Floats:
    """Return the mean of clip(eta + noise, 0, 1): the integral of P(reward > y) over y from 0 to 1."""

    def integral(d: Floats) -> Floats:
        """Return the integral of P(noise ≤ y) up to y = d."""
        return np.maximum(d, 0.0) + 0.5 * theta * np.exp(-np.abs(d) / theta)

    theta = np.exp(s)
    return integral(eta) - integral(eta - 1.0)


draw_of.register(Normal)(lambda law, eta, s, rng: eta + np.exp(s) * rng.standard_normal(eta.shape))
draw_of.register(Logit)(lambda law, eta, s, rng: rng.binomial(int(law.trials), mean_of(Logit(), eta, s)).astype(float))
draw_of.register(Poisson)(lambda law, eta, s, rng: rng.poisson(mean_of(law, eta, s)).astype(float))
draw_of.register(Agent)(lambda law, eta, s, rng: np.clip(eta + rng.laplace(0.0, np.exp(s), eta.shape), 0.0, 1.0))


@draw_of.register
def gamma_draw(law: Gamma, eta: Floats, s: Floats, rng: np.random.Generator) -> Floats:
    """Draw gamma variates; one that underflows is the smallest positive number."""
    k = np.exp(-2.0 * np.clip(s, -4.0, 4.0))
    return np.maximum(rng.gamma(np.broadcast_to(k, eta.shape)) * np.exp(eta) / k, 1e-300)


# ---- special functions of arrays ---------------------------------------------------------------------------------
def _asymptotic(x: Floats) -> Floats:
    """Return x, after as many steps of a recurrence as bring it to where the asymptotic series hold."""
    return np.where(x < ASYMPTOTIC, x + ASYMPTOTIC, x)


def log_gamma(x: Any) -> Any:
    """Return log Γ(x), x > 0: the recurrence, then Stirling's series.

    >>> round(float(log_gamma(np.array(5.0))), 10) == round(math.log(24.0), 10)
    True
    """
    x = np.asarray(x, dtype=np.float64)
    product = small = np.minimum(x, ASYMPTOTIC)  # of large x, which needs no recurrence, it would overflow
    for step in range(1, ASYMPTOTIC):
        product = product * (small + step)
    product, y = np.where(x < ASYMPTOTIC, product, 1.0), _asymptotic(x)
    q = 1.0 / (y * y)
    series = (1.0 / 12.0 - q * (1.0 / 360.0 - q * (1.0 / 1260.0 - q * (1.0 / 1680.0 - q / 1188.0)))) / y
    return (y - 0.5) * np.log(y) - y + 0.5 * LOG_2PI + series - np.log(product)


def digamma(x: Floats) -> Floats:
    """Return the slope of log Γ at x > 0.

    >>> round(float(digamma(np.array(1.0))), 8)
    -0.57721566
    """
    total = -1.0 / x
    for step in range(1, ASYMPTOTIC):
        total = total - 1.0 / (x + step)
    total, y = np.where(x < ASYMPTOTIC, total, 0.0), _asymptotic(x)
    q = 1.0 / (y * y)
    series = q * (1.0 / 12.0 - q * (1.0 / 120.0 - q * (1.0 / 252.0 - q * (1.0 / 240.0 - q / 132.0))))
    return total + np.log(y) - 0.5 / y - series


def trigamma(x: Floats) -> Floats:
    """Return the curvature of log Γ at x > 0.

    >>> round(float(trigamma(np.array(1.0))), 8) == round(math.pi**2 / 6.0, 8)
    True
    """
    total = 1.0 / (x * x)
    for step in range(1, ASYMPTOTIC):
        total = total + 1.0 / (x + step) ** 2
    total, y = np.where(x < ASYMPTOTIC, total, 0.0), _asymptotic(x)
    q = 1.0 / (y * y)
    series = q / y * (1.0 / 6.0 - q * (1.0 / 30.0 - q * (1.0 / 42.0 - q * (1.0 / 30.0 - q * 5.0 / 66.0))))
    return total + 1.0 / y + 0.5 * q + series
