"""Tuned ROGUE-UCB as one would write it from the paper: at each decision, the whole history on a grid of (theta, x0).

numpy does the grid, a loop the history. Logistic arms, radius as printed.  [Alg. 3]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rogue_bandits import Arm
from rogue_bandits.types import Floats

POINTS = 50  # of theta, and of x0


class NaiveFit(NamedTuple):
    """The most likely grid point, and its log-likelihood."""

    theta: float
    x0: float
    loglik: float


def naive_choose(arms: Sequence[Arm], chosen: Sequence[int], rewards: Sequence[float]) -> int:
    """The arm to play after a history: the arms chosen so far, and what followed."""
    for k in range(len(arms)):
        if k not in chosen:
            return k
    bounds = [naive_upper_bound(arm, [c == k for c in chosen], rewards) for k, arm in enumerate(arms)]
    return int(np.argmax(bounds))


def naive_fit(arm: Arm, played: Sequence[bool], rewards: Sequence[float], points: int = POINTS) -> NaiveFit:
    """The grid point with the largest log-likelihood of the rewards at which this arm was played."""
    theta, x = grid(arm, points)
    x0, total = x, np.zeros((points, points))
    for p, r in zip(played, rewards, strict=True):
        if p:
            total += log_probability(arm, theta, x, r)
        x = moved(arm, x, p)
    i, j = np.unravel_index(np.argmax(total), total.shape)
    return NaiveFit(float(theta[i, 0]), float(x0[0, j]), float(total[i, j]))


def naive_upper_bound(
    arm: Arm, played: Sequence[bool], rewards: Sequence[float], points: int = POINTS, eta: float = 1.0
) -> float:
    """The largest mean of the next reward on the grid, the mean divergence from the fit being inside the radius."""
    fit = naive_fit(arm, played, rewards, points)
    theta, x = grid(arm, points)
    x_fit, slope = np.array(fit.x0), 1.0  # slope: d x_fit / d x0
    n, divergence, information = 0, np.zeros((points, points)), np.zeros((2, 2))
    by_theta, by_x0 = np.zeros((points, points)), np.zeros((points, points))
    for p in played:
        if p:
            n += 1
            prob, prob_fit = success(arm, theta, x), success(arm, np.array(fit.theta), x_fit)
            divergence += prob * np.log(prob / prob_fit) + (1.0 - prob) * np.log((1.0 - prob) / (1.0 - prob_fit))
            along = np.array([arm.rewards.theta_weight, arm.rewards.state_weight * slope])
            by_theta += along[0] * (prob_fit - prob)
            by_x0 += along[1] * (prob_fit - prob)
            information += prob_fit * (1.0 - prob_fit) * np.outer(along, along)
        inside = arm.dynamics.lo < unclipped(arm, x_fit, p) < arm.dynamics.hi
        slope *= arm.dynamics.decay if inside else 0.0
        x, x_fit = moved(arm, x, p), moved(arm, x_fit, p)
    inverse = np.linalg.pinv(information)
    variance = (inverse[0, 0] * by_theta**2 + 2 * inverse[0, 1] * by_theta * by_x0 + inverse[1, 1] * by_x0**2) / n**2
    radius = np.sqrt(np.minimum(eta / 4.0, variance) * math.log(len(played) + 1) / n)
    return float(np.max(np.where(divergence / n <= radius, success(arm, theta, x), -np.inf)))


def grid(arm: Arm, points: int) -> tuple[Floats, Floats]:
    """Theta down the rows, x0 along the columns."""
    theta = np.linspace(arm.theta_lo, arm.theta_hi, points)[:, None]
    return theta, np.linspace(arm.dynamics.lo, arm.dynamics.hi, points)[None, :]


def unclipped(arm: Arm, x: Floats, played: bool) -> Floats:
    """A x + B played + K."""
    d = arm.dynamics
    next_x: Floats = d.decay * x + d.pull * played + d.drift
    return next_x


def moved(arm: Arm, x: Floats, played: bool) -> Floats:
    """The state at the next decision."""
    return np.clip(unclipped(arm, x, played), arm.dynamics.lo, arm.dynamics.hi)


def success(arm: Arm, theta: Floats, x: Floats) -> Floats:
    """The probability of a reward of 1."""
    f = arm.rewards
    probability: Floats = 1.0 / (1.0 + np.exp(-f.theta_weight * theta - f.state_weight * x))
    return probability


def log_probability(arm: Arm, theta: Floats, x: Floats, r: float) -> Floats:
    """The log of the probability of the reward r, which is 0 or 1."""
    probability = success(arm, theta, x)
    return np.log(probability if r == 1.0 else 1.0 - probability)
