"""Gaussian priors of an unknown curve: a mean, and a covariance that falls with the distance of two places."""

from __future__ import annotations

import math
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.compile.laws import law
from rogue_bandits.types import Arm, Floats

LEFT_OUT = 1e-8  # of the variance: what the features of a curve may leave out


class SquaredExponential(NamedTuple):
    """A smooth curve: covariance sd²·exp(−(i − j)²/(2·length²)) between places i and j.

    >>> curve_covariance(SquaredExponential(length=2.0, sd=0.5), 3).round(3).tolist()
    [[0.25, 0.221, 0.152], [0.221, 0.25, 0.221], [0.152, 0.221, 0.25]]
    """

    length: float = 5.0
    sd: float = 1.0
    mean: float = 0.0


class Matern(NamedTuple):
    """A curve with kinks: the Matérn covariance of smoothness 3/2, sd²·(1 + s)·e^(−s), s = √3·|i − j|/length.

    >>> curve_covariance(Matern(length=2.0, sd=0.5), 3).round(3).tolist()
    [[0.25, 0.196, 0.121], [0.196, 0.25, 0.196], [0.121, 0.196, 0.25]]
    """

    length: float = 5.0
    sd: float = 1.0
    mean: float = 0.0


class RandomWalk(NamedTuple):
    """A curve that goes on at the level where it is: covariance sd² + step²·min(i, j), step the sd of a change.

    >>> curve_covariance(RandomWalk(step=0.5, sd=1.0), 3).tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.25, 1.25], [1.0, 1.25, 1.5]]
    """

    step: float
    sd: float = 1.0
    mean: float = 0.0


class Monotone(NamedTuple):
    """A curve of which another prior says how smooth it is, and that is monotone.

    The curve of a `Recovering` arm rises with the delay, that of a `Rotting` arm falls with the plays.

    >>> Monotone(Matern(length=4.0, sd=0.4, mean=0.4)).prior.length
    4.0
    """

    prior: Any


class Steps(NamedTuple):
    """A curve that is constant but for jumps, at each place with probability `rate`, to a level of this mean and sd.

    For `Rotting` arms. Its posterior is a mixture, and no Gaussian one (`belief.steps`).

    >>> Steps(rate=0.05, sd=0.5)
    Steps(rate=0.05, sd=0.5, mean=0.0)
    """

    rate: float = 0.05
    sd: float = 1.0
    mean: float = 0.0


PRIORS: dict[str, Any] = {kind.__name__: kind for kind in (SquaredExponential, Matern, RandomWalk, Monotone, Steps)}


@law
def prior_mean(prior: Any) -> float:
    """Return the mean of every value of a curve, before its shape is considered."""


prior_mean.register(tuple)(lambda prior: prior.mean)
prior_mean.register(Monotone)(lambda prior: prior.prior.mean)


@singledispatch
def covariance(prior: Any, i: Floats, j: Floats) -> Floats:
    """Return the covariance of the curve at places i and j. Each prior registers its own."""
    raise TypeError(f"{prior!r} is not a prior of a curve")


@covariance.register
def squared_exponential(prior: SquaredExponential, i: Floats, j: Floats) -> Floats:
    """sd²·exp(−(i − j)²/(2·length²))."""
    return prior.sd**2 * np.exp(-0.5 * ((i - j) / prior.length) ** 2)


@covariance.register
def matern(prior: Matern, i: Floats, j: Floats) -> Floats:
    """sd²·(1 + s)·e^(−s)."""
    s = math.sqrt(3.0) * np.abs(i - j) / prior.length
    return prior.sd**2 * (1.0 + s) * np.exp(-s)


@covariance.register
def random_walk(prior: RandomWalk, i: Floats, j: Floats) -> Floats:
    """sd² + step²·min(i, j)."""
    return prior.sd**2 + prior.step**2 * np.minimum(i, j)


@covariance.register
def monotone(prior: Monotone, i: Floats, j: Floats) -> Floats:
    """Return the covariance of the prior inside."""
    return covariance(prior.prior, i, j)


def curve_covariance(prior: Any, size: int) -> Floats:
    """Return the covariance matrix of a curve of so many values."""
    at = np.arange(float(size))
    return covariance(prior, at[:, None], at[None, :])


def curve_features(prior: Any, size: int) -> Floats:
    """Return F [size, features] with F·F' = the covariance: curve = mean + F·w with independent standard normal w.

    They are eigenvectors of the covariance; those that together have at most `LEFT_OUT` of its variance are left out.

    >>> curve_features(SquaredExponential(length=5.0), 31).shape
    (31, 15)
    """
    value, vector = np.linalg.eigh(curve_covariance(prior, size))
    kept = np.cumsum(np.maximum(value, 0.0)) > LEFT_OUT * value.sum()
    return np.ascontiguousarray((vector * np.sqrt(np.maximum(value, 0.0)))[:, kept][:, ::-1])


def prior_fault(prior: Any, arm: Arm) -> str | None:
    """Say what is wrong with the prior of an arm; None if nothing."""
    if type(prior) not in PRIORS.values():
        return f"prior {prior!r} must be one of {', '.join(PRIORS)}"
    if isinstance(prior, Monotone):
        if isinstance(prior.prior, Monotone | Steps):
            return f"prior of Monotone must be a Gaussian one, such as Matern, and is {type(prior.prior).__name__}"
        return prior_fault(prior.prior, arm)
    if isinstance(prior, Steps) and prior.rate >= 1.0:
        return f"prior, rate {prior.rate} must be below 1"
    for name, value in zip(prior._fields, prior, strict=True):
        if name != "mean" and value <= 0.0:
            return f"prior, {name} {value} must be above 0"
    if not arm.theta_lo <= prior.mean <= arm.theta_hi:
        return f"prior, mean {prior.mean} must be from theta_lo {arm.theta_lo} to theta_hi {arm.theta_hi}"
    return None
