"""REXP3: exponential weights that start anew after each batch of decisions.

O. Besbes, Y. Gur, A. Zeevi (2014), Stochastic multi-armed-bandit problem with non-stationary rewards, Advances in
Neural Information Processing Systems 27, Theorem 2.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.policies.exp3 import Exp3State, fresh_weights
from rogue_bandits.policies.settings import (
    VARIATION_PER_DECISION,
    horizon_of,
    require_positive,
    require_share,
    require_whole,
    reward_bounds,
)
from rogue_bandits.types import Problem, start


class Rexp3(NamedTuple):
    """Draws arm k with p_k = (1 − γ) w_k / W + γ / K, where w_k ← w_k exp(γ x̂_k / K), and all w_k = 1 at a new batch.

    Unless given, a batch is ⌈(K log K)^⅓ (T/V)^⅔⌉ decisions, for K arms, a horizon of T and mean rewards that move by V
    (`variation`) in all; V is by default T/10, in proportion to T as in the paper. Unless given,
    γ = min(1, √(K log K / ((e − 1)·batch))). Rewards are mapped from [reward_lo, reward_hi], by
    default all that the arms can give, to [0, 1], and clipped to it.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine
    >>> arms = (Arm(ClippedAffine(0.6, -1.0, 0.5), BernoulliLogit(0.4, 0.6)),) * 2
    >>> shared = start(Rexp3(), Problem(arms, horizon=20_000), people=1).shared
    >>> shared.batch, round(shared.gamma, 4)
    (6, 0.3667)
    """

    variation: float | None = None
    horizon: int | None = None
    batch: int | None = None
    gamma: float | None = None
    reward_lo: float | None = None
    reward_hi: float | None = None


def optimal_batch(arms: int, horizon: int, variation: float) -> int:
    """⌈(K log K)^⅓ (T/V)^⅔⌉; with one arm there is nothing to forget, and a batch is as short as can be."""
    return max(1, math.ceil(math.pow(arms * math.log(arms), 1 / 3) * math.pow(horizon / variation, 2 / 3)))


def optimal_gamma(arms: int, batch: int) -> float:
    """γ = min(1, √(K log K / ((e − 1)·batch))); one arm has γ = 0, and nothing to explore."""
    return min(1.0, math.sqrt(arms * math.log(arms) / ((math.e - 1.0) * batch)))


@start.register(Rexp3)
def start_rexp3(policy: Rexp3, problem: Problem, people: int) -> Exp3State:
    """Return the state before the first decision: equal weights."""
    require_positive("rexp3", "variation", policy.variation)
    require_whole("rexp3", "horizon", policy.horizon)
    require_whole("rexp3", "batch", policy.batch)
    require_share("rexp3", "gamma", policy.gamma)
    bounds = reward_bounds("rexp3", policy.reward_lo, policy.reward_hi, problem.arms)
    batch = policy.batch
    if batch is None:
        known = horizon_of("rexp3", policy.horizon, problem.horizon, otherwise="a batch: Rexp3(horizon=1000)")
        variation = VARIATION_PER_DECISION * known if policy.variation is None else policy.variation
        batch = optimal_batch(len(problem.arms), known, variation)
    gamma = optimal_gamma(len(problem.arms), batch) if policy.gamma is None else policy.gamma
    return fresh_weights(len(problem.arms), people, gamma, 0.0, batch, bounds)
