"""Which policy is best most often, on problems drawn at random: families, arms, noise, half-lives and horizons?"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import rogue_bandits as rb
from rogue_bandits.planning.optimal import best_found
from rogue_bandits.types import Floats
from verification.finding import Finding
from verification.gains import NEAR, POLICIES

CLOSE = 0.02  # of the best plan's gain: so near to the best policy counts as best
HORIZONS = (200, 1_000, 5_000)
FAMILIES: dict[str, tuple[Callable[[float], Any], float, float]] = {
    "logistic": (lambda noise: rb.BernoulliLogit(2.0, 4.0), -2.0, 1.0),
    "binomial": (lambda noise: rb.BinomialLogit(2.0, 4.0, 5.0), -2.0, 1.0),
    "Gaussian": (lambda noise: rb.Gaussian(0.5, 1.0, noise), 0.0, 1.0),
    "Poisson": (lambda noise: rb.PoissonLog(1.0, 2.0), -1.0, 1.0),
    "agent": (lambda noise: rb.LaplaceAgent(), 0.02, 0.5),
}


class Drawn(NamedTuple):
    """A problem: what it was drawn from, and its arms."""

    family: str
    arms: int
    noise: float  # the sd of Gaussian rewards
    half_life: float  # of its arms, the geometric mean
    horizon: int
    truth: rb.Truth


def drawn_problem(rng: np.random.Generator, number: int) -> Drawn:
    """Draw a problem whose arms wear out when played and recover at rest; families and horizons take turns."""
    family = list(FAMILIES)[number % len(FAMILIES)]
    make, lo, hi = FAMILIES[family]
    arms, noise = int(rng.integers(2, 11)), math.exp(rng.uniform(math.log(0.1), math.log(2.0)))
    longest = math.exp(rng.uniform(0.0, math.log(60.0)))
    chosen, theta, x0, lives = [], [], [], []
    for _ in range(arms):
        lives.append(max(0.5, longest * rng.uniform(0.5, 1.0)))
        decay, fresh = 2.0 ** (-1.0 / lives[-1]), rng.uniform(0.3, 1.0)
        pull = -rng.uniform(0.3, 1.5) * (1.0 - decay) * fresh * rng.choice([1.0, 3.0])
        chosen.append(rb.Arm(rb.ClippedAffine(decay, pull, (1.0 - decay) * fresh), make(noise), lo, hi))
        theta.append(float(rng.uniform(lo + 0.1 * (hi - lo), hi - 0.1 * (hi - lo))))
        x0.append(float(rng.uniform(0.0, 1.0)))
    horizon = HORIZONS[number // len(FAMILIES) % len(HORIZONS)]
    half_life = float(np.exp(np.mean(np.log(lives))))
    return Drawn(family, arms, noise, half_life, horizon, rb.Truth(chosen, theta, x0))


def shares_of(problem: Drawn, seed: tuple[int, ...]) -> Floats:
    """The share of what the best plan gains over random choices, of each policy."""
    truth, horizon = problem.truth, problem.horizon
    at_random = rb.simulate(truth, rb.Random(), horizon, 20, seed).mean.mean()
    possible = best_found(truth, horizon, NEAR).average - at_random
    earned = [rb.simulate(truth, rb.POLICIES[name](), horizon, 2, seed).mean.mean() for name in POLICIES]
    return np.asarray((np.array(earned) - at_random) / possible)


def of_family(family: str) -> Callable[[Drawn], bool]:
    """Whether a problem has this family."""
    return lambda one: one.family == family


def of_horizon(horizon: int) -> Callable[[Drawn], bool]:
    """Whether a problem has this horizon."""
    return lambda one: one.horizon == horizon


GROUPS: dict[str, Callable[[Drawn], bool]] = {
    "all": lambda one: True,
    **{f"{family} rewards": of_family(family) for family in FAMILIES},
    "Gaussian, sd below 0.45": lambda one: one.family == "Gaussian" and one.noise < 0.45,
    "Gaussian, sd 0.45 or more": lambda one: one.family == "Gaussian" and one.noise >= 0.45,
    "2 arms": lambda one: one.arms == 2,
    "3 to 5 arms": lambda one: 3 <= one.arms <= 5,
    "6 to 10 arms": lambda one: one.arms >= 6,
    "half-life below 4": lambda one: one.half_life < 4.0,
    "half-life 4 to 15": lambda one: 4.0 <= one.half_life < 15.0,
    "half-life 15 or more": lambda one: one.half_life >= 15.0,
    **{f"{horizon:,} decisions": of_horizon(horizon) for horizon in HORIZONS},
}  # fmt: skip


def recommendation(problems: int, seed: int) -> Finding:
    """Shares by group, how often each policy is within two points of the best, and whether `rb.recommended` agrees."""
    every = [drawn_problem(np.random.default_rng((seed, 14, number)), number) for number in range(problems)]
    shares = np.array([shares_of(one, (seed, number)) for number, one in enumerate(every)])
    rows = []
    for name, holds in GROUPS.items():
        own = shares[[holds(one) for one in every]]
        if len(own):
            rows.append((name, str(len(own)), *(cell(own, k) for k in range(len(POLICIES)))))
    named = [rb.recommended(one.truth.arms, one.horizon) for one in every]
    right = np.mean([near_best(shares)[i, place_of(policy)] for i, policy in enumerate(named)])
    most = near_best(shares).mean(axis=0)
    return Finding(
        "Which policy to recommend",
        f"{problems} problems drawn at random, two runs each. The median share of (best plan found − random) in "
        f"expected reward; in brackets how often the policy is within {100 * CLOSE:.0f} points of the best of its "
        "row, and the smallest share. Asked for: `rb.recommended` is best at least as often as any one policy.",
        ("problems", "number", *POLICIES),
        rows,
        f"`rb.recommended` is among the best in {right:.0%} of the problems, the best policy in {most.max():.0%}.",
        bool(right >= most.max() - 1e-9),
    )


def near_best(shares: Floats) -> Any:
    """Whether each policy is among the best of each problem."""
    return shares >= shares.max(axis=1, keepdims=True) - CLOSE


def place_of(policy: Any) -> int:
    """The place of a policy in the table."""
    return next(k for k, name in enumerate(POLICIES) if rb.POLICIES[name]() == policy)


def cell(shares: Floats, k: int) -> str:
    """Median share, how often among the best, smallest share."""
    return f"{np.median(shares[:, k]):.0%} ({near_best(shares)[:, k].mean():.0%}; {shares[:, k].min():.0%})"
