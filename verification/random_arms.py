"""How do policies compare on arms drawn at random: families, numbers of arms, half-lives?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import rogue_bandits as rb
from rogue_bandits.planning.optimal import best_found
from verification.finding import Finding
from verification.gains import NEAR, POLICIES

HORIZON = 2_000
ARMS = (2, 5, 10, 20)
FAMILIES: dict[str, tuple[Any, float, float]] = {
    "logistic": (lambda rng: rb.BernoulliLogit(2.0, 4.0), -2.0, 1.0),
    "Gaussian": (lambda rng: rb.Gaussian(0.5, 1.0, 0.5), 0.0, 1.0),
    "agent": (lambda rng: rb.LaplaceAgent(), 0.02, 0.5),
}
LEAST = 0.85  # of the best plan's gain, by plan-ts, over all truths of a row


def random_truth(rng: np.random.Generator, family: str, arms: int) -> rb.Truth:
    """Draw arms that wear out when played and recover at rest, with half-lives from 1 to 14 decisions."""
    make, lo, hi = FAMILIES[family]
    chosen, theta, x0 = [], [], []
    for _ in range(arms):
        decay = 2.0 ** (-1.0 / math.exp(rng.uniform(0.0, math.log(14.0))))
        fresh = rng.uniform(0.3, 1.0)
        pull = -rng.uniform(0.3, 1.5) * (1.0 - decay) * fresh
        chosen.append(rb.Arm(rb.ClippedAffine(decay, pull, (1.0 - decay) * fresh), make(rng), lo, hi))
        theta.append(float(rng.uniform(lo + 0.1 * (hi - lo), hi - 0.1 * (hi - lo))))
        x0.append(float(rng.uniform(0.0, 1.0)))
    return rb.Truth(chosen, theta, x0)


def random_arms(truths: int, seed: int) -> Finding:
    """The share of the best plan's gain over random choices, of several policies, pooled and in the worst truth."""
    rows, least = [], 1.0
    for family in FAMILIES:
        for arms in ARMS:
            gained, possible = gains(family, arms, truths, seed)
            shares = {name: of.sum() / possible.sum() for name, of in gained.items()}
            worst = {name: (of / possible).min() for name, of in gained.items()}
            rows.append((family, str(arms), *(f"{shares[name]:.1%} ({worst[name]:.0%})" for name in POLICIES)))
            least = min(least, shares["plan-ts"])
    return Finding(
        "Arms drawn at random",
        f"{truths} truths in each row, {HORIZON:,} decisions, one person each. The share of (best plan found − random) "
        "in expected reward, of all truths together and, in brackets, of the worst. Asked for: plan-ts reaches "
        f"{LEAST:.0%} in every row.",
        ("family", "arms", *POLICIES),
        rows,
        f"plan-ts reaches {least:.1%} or more.",
        least >= LEAST,
    )


def gains(family: str, arms: int, truths: int, seed: int) -> tuple[dict[str, Any], Any]:
    """The gain of each policy over random choices, and that of the best plan, by truth."""
    gained: dict[str, list[float]] = {name: [] for name in POLICIES}
    possible = []
    for number in range(truths):
        rng = np.random.default_rng((seed, arms, number))
        truth = random_truth(rng, family, arms)
        at_random = rb.simulate(truth, rb.Random(), HORIZON, 20, (seed, number)).mean.mean()
        possible.append(best_found(truth, HORIZON, NEAR).average - at_random)
        for name in POLICIES:
            gained[name].append(
                rb.simulate(truth, rb.POLICIES[name](), HORIZON, 1, (seed, number)).mean.mean() - at_random
            )
    return {name: np.array(values) for name, values in gained.items()}, np.array(possible)
