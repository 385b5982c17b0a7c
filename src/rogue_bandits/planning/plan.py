"""A plan: the arms to play, what they earn, and what no plan can earn."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.compile.laws import kernel, stack
from rogue_bandits.model.dynamics.clipped_affine import mean_now, move
from rogue_bandits.model.rewards.weighted import arms_and_states
from rogue_bandits.types import Arm, Floats, Truth


class Plan(NamedTuple):
    """The arm to play at each decision, its mean reward then, and a proven bound on the total of every plan.

    >>> print(Plan(np.array([0, 1], dtype=np.int16), np.array([0.25, 0.5]), upper=0.76))
    2 decisions, total 0.75, 0.375 each; no plan has more than 0.76: gap 1.3 %
    """

    arm: NDArray[np.int16]
    mean: Floats
    upper: float = math.inf  # inf where nothing was proven

    @property
    def total(self) -> float:
        """The means of the arms played, summed."""
        return float(self.mean.sum())

    @property
    def average(self) -> float:
        """The mean reward of a decision."""
        return self.total / self.mean.size

    @property
    def lower(self) -> float:
        """What the best plan earns at least: this one earns it."""
        return self.total

    @property
    def gap(self) -> float:
        """(upper − lower) / |upper|: how much of its total the best plan may have ahead of this one."""
        apart = self.upper - self.lower
        if math.isinf(self.upper):
            return math.inf
        return 0.0 if apart <= 0.0 else apart / abs(self.upper) if self.upper else math.inf

    def __str__(self) -> str:
        each = f"{self.mean.size:,} decisions, total {self.total:,.6g}, {self.average:.5g} each"
        if math.isinf(self.upper):
            return each
        return f"{each}; no plan has more than {self.upper:,.6g}: gap {100.0 * self.gap:.2g} %"


def plan_of(truth: Truth, arm: NDArray[np.int16]) -> Plan:
    """The plan that plays these arms."""
    plan = Plan(arm, np.empty(arm.size))
    arms, theta, x0 = arms_and_states(truth)
    follow(stack(arms), theta, x0, plan)
    return plan


@kernel
def follow(arms: Arm, theta: Floats, x: Floats, plan: Plan) -> None:
    """Write down the means along the plan; x ends as the last states."""
    for t in range(plan.arm.size):
        k = plan.arm[t]
        plan.mean[t] = mean_now(arms, theta, x, k)
        move(arms, x, k)
