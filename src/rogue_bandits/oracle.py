"""What somebody who knows every theta and every state would do."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.laws import kernel, pick, stack
from rogue_bandits.model.check import checked_truth
from rogue_bandits.types import Arm, Floats, Truth, mean, next_state


class Plan(NamedTuple):
    """The arm to play at each decision, and its mean reward then."""

    arm: NDArray[np.int16]
    mean: Floats


def myopic_plan(truth: Truth, horizon: int) -> Plan:
    """Always the arm with the largest mean at that moment, whatever becomes of the states; of equals, the first.

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> myopic_plan(rb.Truth([arm, arm], theta=[0.5, 0.7], x0=[0.1, 0.3]), horizon=4).arm.tolist()
    [1, 0, 1, 0]
    """
    truth = checked_truth(truth)
    if horizon < 1:
        raise ValueError(f"myopic plan, horizon {horizon} must be 1 or more")
    plan = Plan(np.empty(horizon, dtype=np.int16), np.empty(horizon))
    follow_best(stack(list(truth.arms)), np.array(truth.theta), np.array(truth.x0), plan)
    return plan


@kernel
def follow_best(arms: Arm, theta: Floats, x: Floats, plan: Plan) -> None:
    """Play the best arm decision by decision, and write it down; x ends as the last states."""
    for t in range(plan.arm.size):
        plan.mean[t] = -np.inf
        for k in range(x.size):
            now = mean(pick(arms, k).rewards, theta[k], x[k])
            if now > plan.mean[t]:
                plan.arm[t], plan.mean[t] = k, now
        for k in range(x.size):
            x[k] = next_state(pick(arms, k).dynamics, x[k], 1.0 if k == plan.arm[t] else 0.0)
