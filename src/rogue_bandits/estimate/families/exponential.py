"""Exponential families with their canonical link: 0/1 rewards, counts, and numbers with normal noise.

The state is the loss of natural parameter against a rested arm: eta = theta + x, where theta is the level of a rested
arm and x' = clip(decay·x + pull·played, floor, 0). p = (decay, pull, floor). The scale of the state is that of eta, so
that all numbers are identifiable, but for a floor that is never reached.

Given p, the negative log-likelihood is convex in (theta, x0) wherever no state is clipped: Newton's method.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rogue_bandits.compile.laws import law, routine
from rogue_bandits.estimate.families.agent import store
from rogue_bandits.estimate.families.contract import Family, Limits, Model, dynamics_at, profile_fit, with_noise
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine, first_line, state_on_line
from rogue_bandits.model.rewards.bernoulli_logit import BernoulliLogit
from rogue_bandits.model.rewards.binomial_logit import BinomialLogit
from rogue_bandits.model.rewards.exponential import Exponential, log_partition
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.model.rewards.poisson_log import MOST, PoissonLog
from rogue_bandits.types import Bools, Floats, next_line

FARTHEST = 8.0  # of log odds or log means from 0: a probability of 0.0003
SPAN = 8.0  # the largest change of log odds or log means by the state
MOST_NEWTON, MOST_HALVINGS = 30, 20
CONVERGED = 1e-10
X0_STARTS = 4  # values of x0 that are compared after the first Newton search
NEGLIGIBLE = 1e-9  # difference of states


def _model(rewards: Any, lo: float, hi: float, level: float, span: float) -> Model:
    return Model(
        rewards,
        Limits(lo, hi, -span, 0.0, min(max(level, lo), hi)),
        slow=np.array([1.0, 0.0, 0.0]),
        fast=np.array([0.0, -span, -span]),
        power=np.array([3.0, 3.0, 1.0]),
    )


def _logit_model(rewards: Any, share: float) -> Model:
    share = min(max(share, 1e-3), 1.0 - 1e-3)
    return _model(rewards, -FARTHEST, FARTHEST, math.log(share / (1.0 - share)), SPAN)


def poisson_model(rewards: Floats, trials: float) -> Model:
    """Return the model for counts; log means stay below what `PoissonLog` allows."""
    hi = min(math.log(rewards.max() + 1.0) + 2.0, math.log(MOST))
    return _model(PoissonLog(1.0, 1.0), -FARTHEST, hi, math.log(max(rewards.mean(), 1e-3)), SPAN)


def gaussian_model(rewards: Floats, trials: float) -> Model:
    """Return the model for any numbers; `sd` is the least that is allowed."""
    lo, hi = float(rewards.min()), float(rewards.max())
    span = hi - lo or max(abs(hi), 1.0)
    least = 1.1e-4 * (max(abs(lo), abs(hi)) + 2.0 * span)  # what `Gaussian` allows at means this large
    return _model(Gaussian(1.0, 1.0, least), lo - span, hi + span, float(rewards.mean()), span)


def _is_count(rewards: Floats, largest: float) -> Bools:
    return (rewards >= 0.0) & (rewards <= largest) & (rewards == np.floor(rewards))


MEAN_LINE = "the fitted mean reward of a sending at that time"
LIMITS = (
    "A rested arm always returns to the same level, and the first state is at most that of a rested arm. A level that "
    "itself changes in the course of a study is not part of the model."
)


def _family(
    name: str,
    words: str,
    scale: str,
    accepts: Callable[[Floats, float], Bools],
    model: Callable[[Floats, float], Model],
) -> Family:
    numbers = (
        f"Theta is the level of a rested arm, on the scale of {scale}, and the state is what it has lost. A sending "
        "adds pull to the state, a decision leaves decay of it, and it never falls below floor."
    )
    return Family(name, words, accepts, model, ("decay", "pull", "floor"), MEAN_LINE, numbers, LIMITS)


LOGIT = _family(
    "logit", "0 or 1", "log odds",
    lambda r, trials: (r == 0.0) | (r == 1.0),
    lambda r, trials: _logit_model(BernoulliLogit(1.0, 1.0), float(r.mean())),
)  # fmt: skip
BINOMIAL = _family(
    "binomial", "whole numbers from 0 to the number of trials", "log odds",
    lambda r, trials: _is_count(r, trials or math.inf),
    lambda r, trials: _logit_model(BinomialLogit(1.0, 1.0, trials), float(r.mean()) / trials),
)  # fmt: skip
POISSON = _family(
    "poisson", "whole numbers from 0 to 100,000", "log means", lambda r, trials: _is_count(r, 1e5), poisson_model
)
GAUSSIAN = _family("gaussian", "any numbers", "the reward", lambda r, trials: np.isfinite(r), gaussian_model)


# ---- the laws --------------------------------------------------------------------------------------------------------
@law
def reward_cost(f: Any, eta: float, r: float) -> tuple[float, float, float]:
    """The negative log-likelihood of a reward without its constant, and its first two derivatives by eta."""


@law
def total_cost(f: Any, total: float, n: int) -> float:
    """The negative log-likelihood of n rewards from the sum of `reward_cost`, at the best noise."""


@reward_cost.register(Exponential)
def exponential_reward_cost(f: Any, eta: float, r: float) -> tuple[float, float, float]:
    """A(eta) − r·eta."""
    a, slope, curvature = log_partition(f, eta)
    return a - r * eta, slope - r, curvature


@total_cost.register(Exponential)
def exponential_total_cost(f: Any, total: float, n: int) -> float:
    """The sum: there is no noise to estimate."""
    return total


@reward_cost.register(Gaussian)
def gaussian_reward_cost(f: Gaussian, eta: float, r: float) -> tuple[float, float, float]:
    """½(r − eta)², from the residual: squares of large rewards would cancel."""
    return 0.5 * (r - eta) * (r - eta), eta - r, 1.0


@total_cost.register(Gaussian)
def gaussian_total_cost(f: Gaussian, total: float, n: int) -> float:
    """n·log sd + Σ(r − eta)² / 2 sd² at the best sd, which is at least `f.sd`."""
    variance = max(2.0 * total / n, f.sd * f.sd) if n > 0 else 1.0
    return 0.5 * n * math.log(variance) + total / variance


@with_noise.register
def gaussian_with_noise(f: Gaussian, residuals: Floats) -> Gaussian:
    """Estimate the standard deviation by maximum likelihood."""
    return f._replace(sd=max(float(np.sqrt(np.mean(residuals**2))), f.sd))


@dynamics_at.register(Exponential)
def exponential_dynamics_at(f: Any, p: Floats) -> ClippedAffine:
    """A rested arm is in state 0."""
    return ClippedAffine(p[0], p[1], 0.0, p[2], 0.0)


@profile_fit.register(Exponential)
def exponential_profile_fit(
    f: Any, d: ClippedAffine, limits: Limits, played: Floats, rewards: Floats, room: Floats
) -> tuple[float, float, float]:
    """Newton's method from the highest x0, and once more from another x0 where that is lower."""
    if limits.x0_hi < d.lo:
        return limits.theta, d.lo, np.inf
    lo, hi = max(limits.x0_lo, d.lo), limits.x0_hi
    n, early, sum_x, line = 0, 0, 0.0, first_line(d)
    for t in range(played.size):
        if not math.isnan(rewards[t]):
            store(room, n, line, rewards[t])
            n += 1
            sum_x += state_on_line(line, hi)
            if state_on_line(line, hi) - state_on_line(line, lo) > NEGLIGIBLE:
                early = n
        line = next_line(d, line, played[t])
    theta, x0, total = newton(f, limits, room[:n], limits.theta - sum_x / max(n, 1), hi, lo)
    if early > 0:  # a clipped state can make a second local optimum
        best, here = x0, derivatives(f, room[:early], theta, x0)[0]
        least = here
        for i in range(X0_STARTS):
            other = lo + (hi - lo) * i / X0_STARTS
            value = derivatives(f, room[:early], theta, other)[0]
            if value < least:
                best, least = other, value
        if least < here - CONVERGED * (1.0 + abs(total)):
            theta, x0, total = newton(f, limits, room[:n], theta, best, lo)
    return theta, x0, total_cost(f, total, n)


@routine
def derivatives(f: Any, lines: Floats, theta: float, x0: float) -> tuple[float, float, float, float, float, float]:
    """Return Σ `reward_cost`, its slopes by theta and x0, and its curvatures theta-theta, theta-x0, x0-x0."""
    total = by_theta = by_x0 = tt = tx = xx = 0.0
    for i in range(lines.shape[0]):
        free = lines[i, 0] * x0 + lines[i, 1]
        x = min(max(free, lines[i, 2]), lines[i, 3])
        value, slope, curvature = reward_cost(f, theta + x, lines[i, 4])
        along = lines[i, 0] if x == free else 0.0
        total += value
        by_theta += slope
        by_x0 += along * slope
        tt += curvature
        tx += along * curvature
        xx += along * along * curvature
    return total, by_theta, by_x0, tt, tx, xx


@routine
def newton(f: Any, limits: Limits, lines: Floats, theta: float, x0: float, x0_lo: float) -> tuple[float, float, float]:
    """Return (theta, x0) in their ranges at which Σ `reward_cost` is least, and that sum: projected Newton steps."""
    theta = min(max(theta, limits.theta_lo), limits.theta_hi)
    total, by_theta, by_x0, tt, tx, xx = derivatives(f, lines, theta, x0)
    for _ in range(MOST_NEWTON):
        moves_theta = limits.theta_lo < theta < limits.theta_hi or (by_theta < 0.0) == (theta <= limits.theta_lo)
        moves_theta = moves_theta and limits.theta_lo < limits.theta_hi
        moves_x0 = x0_lo < limits.x0_hi and (x0_lo < x0 < limits.x0_hi or (by_x0 < 0.0) == (x0 <= x0_lo))
        step, step_x0 = newton_step(by_theta, by_x0, tt, tx, xx, moves_theta, moves_x0)
        if by_theta * step + by_x0 * step_x0 <= CONVERGED * (1.0 + abs(total)):
            break
        share, lower = 1.0, False
        for _ in range(MOST_HALVINGS):
            new = min(max(theta - share * step, limits.theta_lo), limits.theta_hi)
            new_x0 = min(max(x0 - share * step_x0, x0_lo), limits.x0_hi)
            there = derivatives(f, lines, new, new_x0)
            if there[0] < total:
                lower = True
                break
            share *= 0.5
        if not lower:
            break
        theta, x0 = new, new_x0
        total, by_theta, by_x0, tt, tx, xx = there
    return theta, x0, total


@routine
def newton_step(
    by_theta: float, by_x0: float, tt: float, tx: float, xx: float, moves_theta: bool, moves_x0: bool
) -> tuple[float, float]:
    """Return the Newton step over the numbers that move; theta alone where the two are not identified."""
    determinant = tt * xx - tx * tx
    if moves_theta and moves_x0 and determinant > 1e-9 * tt * xx:
        return (xx * by_theta - tx * by_x0) / determinant, (tt * by_x0 - tx * by_theta) / determinant
    if moves_theta:
        return by_theta / max(tt, 1e-12), 0.0
    if moves_x0:
        return 0.0, by_x0 / max(xx, 1e-12)
    return 0.0, 0.0
