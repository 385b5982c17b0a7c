"""The bank beside a long run of Markov chain Monte Carlo on the same histories.

The chains share no code and no coordinates with the bank: they sample (fresh level, loss, log half-life, x0, theta)
jointly, theta included, in natural units, decision by decision, with proposals from differences of chains
(C. ter Braak, 2006, Statistics and Computing 16).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

import rogue_bandits as rb
from rogue_bandits.belief.bank.summary import levels, states_and_means, weights
from rogue_bandits.policies.rogue import belief_in
from rogue_bandits.types import Floats, draw
from verification.finding import Finding

DECISIONS, HISTORIES = 100, 10
CHAINS, STEPS = 100, 3_000  # the first half is discarded
QUANTITIES = ("level when fresh", "level when worn out", "log half-life", "state now")
MOST_APART = 0.25  # root mean square difference of means, in posterior standard deviations
SPREADS = 0.8, 1.25  # of the ratio of standard deviations, on average
FLOOR = 0.01  # added to standard deviations: levels may be on a bound but for a few draws in thousands
FRESH, LOSS, LOG_HALF, SHARE, THETA = range(5)
SCALE_OF_STEPS = 2.38 / math.sqrt(2.0 * 5.0)
FAMILIES: dict[str, rb.Arm] = {
    "agent": rb.Arm(rb.Unknown(), rb.LaplaceAgent(), 0.02, 0.5),
    "logistic": rb.Arm(rb.Unknown(), rb.BernoulliLogit(2.0, 4.0), -2.0, 1.0),
    "Gaussian": rb.Arm(rb.Unknown(), rb.Gaussian(0.5, 1.0, 0.3), 0.0, 1.0),
}


class History(NamedTuple):
    """Decisions about one arm: whether it was played, and the reward."""

    played: Floats
    reward: Floats


class Moments(NamedTuple):
    """Posterior means and standard deviations of `QUANTITIES`."""

    mean: Floats
    sd: Floats


def agreement(histories: int, seed: int, steps: int = STEPS) -> Finding:
    """Compare posterior means and standard deviations on histories of all families."""
    rows, apart, spread, names = [], [], [], list(FAMILIES)
    for number in range(histories):
        name = names[number % len(names)]
        lived = history(FAMILIES[name], np.random.default_rng((seed, 9, number)))
        exact, found = by_chains(FAMILIES[name], lived, steps, seed + number), by_bank(FAMILIES[name], lived)
        difference, ratios = in_deviations(found.mean - exact.mean, exact.sd), (found.sd + FLOOR) / (exact.sd + FLOOR)
        apart.append(difference)
        spread.append(ratios)
        cells = [f"{d:+.2f}, {r:.2f}" for d, r in zip(difference, ratios, strict=True)]
        rows.append((f"{number + 1}, {name}", f"{lived.played.sum():.0f}", *cells))
    rms, average = float(np.sqrt(np.mean(np.square(apart)))), float(np.exp(np.mean(np.log(spread))))
    return Finding(
        "Unknown dynamics: the bank beside Markov chains",
        f"{histories} histories of {DECISIONS} decisions, plays at random, truths drawn from the prior `rb.Unknown()`. "
        f"{CHAINS} chains of {steps:,} steps, of which the second half counts, sample dynamics, x0 and theta jointly. "
        "In each cell: the posterior mean of the bank less that of the chains in posterior standard deviations, and "
        f"the ratio of the standard deviations, to each of which {FLOOR} is added: a level may be on a bound of the "
        "state but for a few draws in thousands. "
        f"Asked for: a root mean square difference of at most {MOST_APART}, and an average ratio within "
        f"{SPREADS[0]} and {SPREADS[1]}.",
        ("history", "plays", *QUANTITIES),
        rows,
        f"Root mean square difference {rms:.3f} standard deviations, average ratio of standard deviations "
        f"{average:.3f}.",
        rms <= MOST_APART and SPREADS[0] <= average <= SPREADS[1],
    )


def in_deviations(difference: Floats, sd: Floats) -> Floats:
    """Return differences in standard deviations; both posteriors may be sure of a bound, and do not differ then.

    >>> in_deviations(np.array([0.0, 0.5]), np.array([0.0, 0.25])).tolist()
    [0.0, 2.0]
    """
    return np.divide(difference, sd, out=np.zeros(difference.size), where=difference != 0.0)


def log_prior(d: Any, z: Floats) -> Floats:
    """Return the log-density of points [5, chains] but for a constant; −inf outside of the ranges.

    The square root of the loss is uniform, from 0.
    """
    ends = [d.fresh, d.loss, np.log(d.half_life), (0.0, 1.0)]
    inside = np.all([(lo <= row) & (row <= hi) for row, (lo, hi) in zip(z, ends, strict=False)], axis=0)
    return np.where(inside, -0.5 * np.log(np.maximum(z[LOSS], 1e-300)), -np.inf)


def run(arm: rb.Arm, z: Floats, lived: History) -> tuple[Floats, Floats]:
    """Return the log-likelihood of points [5, chains], and the state after the last decision."""
    d, decay = arm.dynamics, 0.5 ** np.exp(-z[LOG_HALF])
    x = np.clip(z[FRESH] - (1.0 - z[SHARE]) * z[LOSS], d.lo, d.hi)
    total = np.zeros(x.size)
    for played, r in zip(lived.played, lived.reward, strict=True):
        if played:
            total += log_density(arm.rewards, z[THETA], x, r)
        x = np.clip(decay * x + (1.0 - decay) * (z[FRESH] - z[LOSS] * played), d.lo, d.hi)
    return total, x


def log_density(family: Any, theta: Floats, x: Floats, r: float) -> Floats:
    """Return the log-density of a reward, from the text of the families; theta is a logarithm for agents."""
    if isinstance(family, rb.LaplaceAgent):
        edge = r in (0.0, 1.0)
        return -np.abs(r - x) * np.exp(-theta) - (0.0 if edge else theta)
    eta: Floats = family.theta_weight * theta + family.state_weight * x
    if isinstance(family, rb.BernoulliLogit):
        return r * eta - np.log1p(np.exp(eta))
    scaled: Floats = (r - eta) / family.sd
    return -0.5 * scaled**2


def ends_of_theta(arm: rb.Arm) -> tuple[float, float]:
    """Return the bounds of theta, of its logarithm for agents: its prior is uniform there."""
    ends = np.array([arm.theta_lo, arm.theta_hi])
    lo, hi = np.log(ends) if isinstance(arm.rewards, rb.LaplaceAgent) else ends
    return float(lo), float(hi)


def drawn_points(arm: rb.Arm, n: int, rng: np.random.Generator) -> Floats:
    """Return points [5, n] from the prior."""
    d, u = arm.dynamics, rng.random((5, n))
    loss = u[LOSS] ** 2 * d.loss[1]
    fresh = d.fresh[0] + u[FRESH] * (d.fresh[1] - d.fresh[0])
    log_half = np.log(d.half_life[0]) + u[LOG_HALF] * np.log(d.half_life[1] / d.half_life[0])
    first, last = ends_of_theta(arm)
    return np.stack([fresh, loss, log_half, u[SHARE], first + u[THETA] * (last - first)])


def history(arm: rb.Arm, rng: np.random.Generator) -> History:
    """Draw a truth from the prior, and a history of it."""
    z, d = drawn_points(arm, 1, rng)[:, 0], arm.dynamics
    theta = math.exp(z[THETA]) if isinstance(arm.rewards, rb.LaplaceAgent) else z[THETA]
    played, reward = (rng.random(DECISIONS) < 0.4).astype(np.float64), np.full(DECISIONS, np.nan)
    decay, x = 0.5 ** math.exp(-z[LOG_HALF]), float(np.clip(z[FRESH] - (1.0 - z[SHARE]) * z[LOSS], d.lo, d.hi))
    for t in range(DECISIONS):
        if played[t]:
            reward[t] = draw(arm.rewards, theta, x, rng.random())
        x = float(np.clip(decay * x + (1.0 - decay) * (z[FRESH] - z[LOSS] * played[t]), d.lo, d.hi))
    return History(played, reward)


def by_chains(arm: rb.Arm, lived: History, steps: int, seed: int) -> Moments:
    """Return the moments by Markov chains."""
    rng, first, last = np.random.default_rng((seed, 10)), *ends_of_theta(arm)
    many = drawn_points(arm, 20 * CHAINS, rng)
    z = many[:, np.argsort(run(arm, many, lived)[0])[-CHAINS:]]  # the most likely ones, so that few are lost

    def log_posterior(points: Floats, instead: Floats) -> tuple[Floats, Floats]:
        prior = log_prior(arm.dynamics, points)
        prior[(points[THETA] < first) | (points[THETA] > last)] = -np.inf
        safe = np.where(np.isfinite(prior), points, instead)
        value, x = run(arm, safe, lived)
        return prior + value, x

    now, x = log_posterior(z, z)
    half, kept = CHAINS // 2, []
    for step in range(2 * steps):
        own, others = slice(step % 2 * half, (step % 2 + 1) * half), z[:, (step + 1) % 2 * half :][:, :half]
        a, b = rng.permuted(np.tile(np.arange(half), (half, 1)), axis=1)[:, :2].T
        scale = 1.0 if rng.random() < 0.1 else SCALE_OF_STEPS * rng.random()  # of 1: jumps between modes
        near = z[:, own] + scale * (others[:, a] - others[:, b]) + 1e-4 * rng.standard_normal((5, half))
        value, x_near = log_posterior(near, z[:, own])
        accepted = np.log(rng.random(half)) < value - now[own]
        z[:, own] = np.where(accepted, near, z[:, own])
        now[own], x[own] = np.where(accepted, value, now[own]), np.where(accepted, x_near, x[own])
        if step >= steps and step % 10 == 0:
            kept.append(quantities(arm, z[FRESH], z[FRESH] - z[LOSS], z[LOG_HALF], x))
    every = np.concatenate(kept, axis=1)
    return Moments(every.mean(axis=1), every.std(axis=1))


def quantities(arm: rb.Arm, fresh: Floats, worn: Floats, log_half: Floats, x: Floats) -> Floats:
    """Return `QUANTITIES` of points: levels are within the bounds of the state."""
    d = arm.dynamics
    return np.stack([np.clip(fresh, d.lo, d.hi), np.clip(worn, d.lo, d.hi), log_half, x])


def by_bank(arm: rb.Arm, lived: History) -> Moments:
    """Return the moments by the bank of a bandit that has lived the history."""
    bandit = rb.Bandit([arm], rb.IndexTS(), seed=1)
    for played, r in zip(lived.played, lived.reward, strict=True):
        if played:
            bandit.record(0, float(r))
        else:
            bandit.rest()
    belief = belief_in(bandit._online.state)
    weight, by_name = weights(belief, 0, 0), levels(belief, 0, 0)
    values = np.stack([
        by_name["level when fresh"], by_name["level when worn out"], np.log(by_name["half-life"]),
        states_and_means(belief, 0, 0)[0],
    ])  # fmt: skip
    mean = values @ weight / weight.sum()
    return Moments(mean, np.sqrt((values - mean[:, None]) ** 2 @ weight / weight.sum()))
