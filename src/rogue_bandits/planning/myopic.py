"""The best arm of each moment, whatever becomes of the states."""

from __future__ import annotations

import numpy as np

from rogue_bandits.compile.laws import kernel, stack
from rogue_bandits.model.dynamics.clipped_affine import mean_now, move
from rogue_bandits.model.rewards.weighted import arms_and_states
from rogue_bandits.model.validation import checked_truth, checked_whole
from rogue_bandits.planning.plan import Plan
from rogue_bandits.types import Arm, Floats, Truth


def myopic_plan(truth: Truth, horizon: int) -> Plan:
    """Always the arm with the largest mean at that moment, whatever becomes of the states; of equals, the first.

    It proves nothing about other plans: its `upper` is inf.

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> myopic_plan(rb.Truth([arm, arm], theta=[0.5, 0.7], x0=[0.1, 0.3]), horizon=4).arm.tolist()
    [1, 0, 1, 0]
    """
    truth, horizon = checked_truth(truth), checked_whole(horizon, "myopic plan, horizon", 1)
    plan = Plan(np.empty(horizon, dtype=np.int16), np.empty(horizon))
    arms, theta, x0 = arms_and_states(truth)
    follow_best(stack(arms), theta, x0, plan)
    return plan


@kernel
def follow_best(arms: Arm, theta: Floats, x: Floats, plan: Plan) -> None:
    """Play the best arm decision by decision, and write it down; x ends as the last states."""
    for t in range(plan.arm.size):
        plan.mean[t] = -np.inf
        for k in range(theta.size):
            now = mean_now(arms, theta, x, k)
            if now > plan.mean[t]:
                plan.arm[t], plan.mean[t] = k, now
        move(arms, x, plan.arm[t])
