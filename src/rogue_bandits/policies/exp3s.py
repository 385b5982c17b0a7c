"""EXP3.S: exponential weights that no arm can lose for good.

P. Auer, N. Cesa-Bianchi, Y. Freund, R. Schapire (2002), The nonstochastic multiarmed bandit problem, SIAM Journal on
Computing 32(1), 48-77, Sec. 8.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.policies.exp3 import NEVER, Exp3State, fresh_weights
from rogue_bandits.policies.settings import horizon_of, is_number, require, require_share, require_whole, reward_bounds
from rogue_bandits.types import Problem, start


class Exp3S(NamedTuple):
    """Draws arm k with p_k = (1 − γ) w_k / W + γ / K, where w_k ← w_k exp(γ x̂_k / K) + (e α / K) W.

    Unless given, γ = min(1, √(K log(KT) / T)) and α = 1/T for K arms and a horizon of T. Rewards are mapped from
    [reward_lo, reward_hi], by default all that the arms can give, to [0, 1], and clipped to it.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine
    >>> arms = (Arm(ClippedAffine(0.6, -1.0, 0.5), BernoulliLogit(0.4, 0.6)),) * 2
    >>> shared = start(Exp3S(), Problem(arms, horizon=20_000), people=1).shared
    >>> round(shared.gamma, 4), shared.alpha
    (0.0326, 5e-05)
    """

    horizon: int | None = None
    gamma: float | None = None
    alpha: float | None = None
    reward_lo: float | None = None
    reward_hi: float | None = None


def optimal_gamma(arms: int, horizon: int) -> float:
    """γ = min(1, √(K log(KT) / T)); one arm at one decision has γ = 0, and nothing to explore."""
    return min(1.0, math.sqrt(arms * math.log(arms * horizon) / horizon))


@start.register(Exp3S)
def start_exp3s(policy: Exp3S, problem: Problem, people: int) -> Exp3State:
    """Return the state before the first decision: equal weights."""
    require_whole("exp3s", "horizon", policy.horizon)
    require_share("exp3s", "gamma", policy.gamma)
    if policy.alpha is not None:
        require("exp3s", "alpha", policy.alpha, "in [0, 1]", is_number(policy.alpha) and 0.0 <= policy.alpha <= 1.0)
    bounds = reward_bounds("exp3s", policy.reward_lo, policy.reward_hi, problem.arms)
    gamma, alpha = policy.gamma, policy.alpha
    if gamma is None or alpha is None:
        known = horizon_of(
            "exp3s", policy.horizon, problem.horizon, otherwise="both gamma and alpha: Exp3S(horizon=1000)"
        )
        gamma = optimal_gamma(len(problem.arms), known) if gamma is None else gamma
        alpha = 1.0 / known if alpha is None else alpha
    return fresh_weights(len(problem.arms), people, gamma, alpha, NEVER, bounds)
