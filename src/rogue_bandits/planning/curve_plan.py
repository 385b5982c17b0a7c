"""The best plan for known curves, with a proven upper bound.

Recovering arms: the plan of a lookahead that is made anew at every decision. For any λ and the gains g_k and biases h_k
of `recovering`, horizon·(λ + Σ g_k) + Σ_k (h_k(x_k) − min h_k) bounds the total of every plan, as an arm by itself,
charged λ a play, cannot have more than horizon·g_k + h_k(x_k) − min h_k.

Rotting arms: the total depends on the numbers of plays alone, and the best numbers are found by dynamic programming
over arms. The plan is optimal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.compile.laws import kernel, pick, stack
from rogue_bandits.model.dynamics.clipped_affine import move
from rogue_bandits.model.dynamics.curves import Rotting, place_on_curve
from rogue_bandits.model.problem import ArmTable, arm_of
from rogue_bandits.model.rewards.tabulated import Tabulated
from rogue_bandits.planning.plan import Plan, followed
from rogue_bandits.planning.recovering import (
    best_period,
    fill_bias,
    recovering_multiplier,
    recovering_scratch_size,
    recovering_values,
)
from rogue_bandits.types import Arm, Floats, Ints, mean

DEEP = 8  # decisions of the lookahead
MOST_ROTTING = 30_000  # decisions: the work grows with their square


def curve_plan(arms: Arm, theta: Floats, x: Floats, horizon: int) -> Plan | None:
    """Return the best plan found from states x over stacked arms; None where theta is no curve."""
    if not isinstance(arms.rewards, Tabulated):
        return None
    table = ArmTable(stack([arms]), 0)
    means = np.array([means_on_curve(pick(arms, k)) for k in range(theta.size)])
    if isinstance(arms.dynamics, Rotting):
        return followed_rotting(arms, theta, x, means, table, horizon)
    arm = np.empty(horizon, dtype=np.int16)
    recede_recovering(table, means, x, DEEP, arm)
    plan = followed(arms, theta, x, arm)
    return plan._replace(upper=max(plan.total, recovering_bound(table, means, x, horizon)))


def means_on_curve(arm: Arm) -> Floats:
    """Return the mean at each place of a known curve."""
    return np.array([mean(arm.rewards.rewards, value, 0.0) for value in arm.rewards.curve])


@kernel
def recede_recovering(table: ArmTable, means: Floats, x0: Floats, depth: int, arm: NDArray[np.int16]) -> None:
    """Fill in the first arm of a lookahead from the states of every decision, which ends with the horizon."""
    x, total, available = x0.copy(), np.empty(x0.size), np.ones(x0.size, dtype=np.bool_)
    scratch = np.empty(recovering_scratch_size(x0.size, means.shape[1], depth))
    for t in range(arm.size):
        arm[t] = recovering_values(table, 0, means, x, available, depth, scratch, total)
        move(pick(table.arms, 0), x, arm[t])


def recovering_bound(table: ArmTable, means: Floats, x: Floats, horizon: int) -> float:
    """Return an upper bound on the total of every plan of recovering arms."""
    multiplier = recovering_multiplier(table, 0, means)
    bound, bias = horizon * multiplier, np.empty(means.shape[1])
    for k in range(x.size):
        longest = int(arm_of(table, 0, k).dynamics.longest)
        gain, _ = best_period(means[k], longest, multiplier)
        fill_bias(means[k], longest, multiplier, gain, bias)
        bound += horizon * gain + bias[int(x[k])] - bias[: longest + 1].min()
    return float(bound)


# ---- rotting arms ----------------------------------------------------------------------------------------------------
def followed_rotting(arms: Arm, theta: Floats, x: Floats, means: Floats, table: ArmTable, horizon: int) -> Plan:
    """Return the plan with the best numbers of plays, one arm after the other."""
    if horizon > MOST_ROTTING:
        raise ValueError(f"optimal plan, horizon {horizon} must be {MOST_ROTTING:,} or less for rotting arms")
    earned = np.zeros((x.size, horizon + 1))
    for k in range(x.size):
        d = arm_of(table, 0, k).dynamics
        at = [place_on_curve(d, min(x[k] + n, d.longest)) for n in range(horizon)]
        earned[k, 1:] = np.cumsum(means[k, at])
    plays = np.zeros(x.size, dtype=np.int64)
    best_numbers(earned, plays)
    plan = followed(arms, theta, x, np.repeat(np.arange(x.size, dtype=np.int16), plays))
    return plan._replace(upper=plan.total)


@kernel
def best_numbers(earned: Floats, plays: Ints) -> None:
    """Fill in the numbers of plays, `horizon` together, with the largest sum of earned[k, plays[k]]."""
    arms, horizon = earned.shape[0], earned.shape[1] - 1
    best, choice = np.zeros(horizon + 1), np.zeros((arms, horizon + 1), dtype=np.int32)
    best[1:] = -np.inf
    for k in range(arms):
        ahead = np.full(horizon + 1, -np.inf)
        for n in range(horizon + 1):
            for m in range(n + 1):
                if best[n - m] + earned[k, m] > ahead[n]:
                    ahead[n], choice[k, n] = best[n - m] + earned[k, m], m
        best = ahead
    left = horizon
    for k in range(arms - 1, -1, -1):
        plays[k] = choice[k, left]
        left -= plays[k]
