"""A plan: the arms to play, their means, and an upper bound on the total of every plan."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.compile.laws import stack
from rogue_bandits.model.numbers import checked_whole
from rogue_bandits.model.rewards.weighted import arms_and_states
from rogue_bandits.model.validation import checked_truth
from rogue_bandits.planning.rollout import MYOPIC, all_available, rollout
from rogue_bandits.types import Arm, Floats, Truth


class Plan(NamedTuple):
    """The arm to play at each decision, its mean reward then, and a proven bound on the total of every plan.

    >>> print(Plan(np.array([0, 1], dtype=np.int16), np.array([0.25, 0.5]), upper=0.76))
    2 decisions, total 0.75, 0.375 each; no plan has more than 0.76: gap 1.3 %
    """

    arm: NDArray[np.int16]
    mean: Floats
    upper: float = math.inf  # inf where nothing was proven
    truth: Truth | None = None  # what it was made for; its x0 are the states that the plan starts from

    @property
    def total(self) -> float:
        """The sum of the means of the arms played."""
        return float(self.mean.sum())

    @property
    def average(self) -> float:
        """The mean reward per decision."""
        return self.total / self.mean.size

    @property
    def lower(self) -> float:
        """A lower bound on the total of the best plan: that of this one."""
        return self.total

    @property
    def gap(self) -> float:
        """(upper − lower) / |upper|: an upper bound on the relative suboptimality of this plan."""
        apart = self.upper - self.lower
        if math.isinf(self.upper):
            return math.inf
        return 0.0 if apart <= 0.0 else apart / abs(self.upper) if self.upper else math.inf

    def __str__(self) -> str:
        each = f"{self.mean.size:,} decisions, total {self.total:,.6g}, {self.average:.5g} each"
        if math.isinf(self.upper):
            return each
        return f"{each}; no plan has more than {self.upper:,.6g}: gap {100.0 * self.gap:.2g} %"


def arrays_of(truth: Truth) -> tuple[Arm, Floats, Floats]:
    """Return the stacked arms, theta [arms] and x0 [arms] (or [arms, components]) of a truth, as kernels take them."""
    arms, theta, x0 = arms_and_states(truth)
    return stack(arms), theta, x0


def followed(arms: Arm, theta: Floats, x: Floats, arm: NDArray[np.int16]) -> Plan:
    """Return the plan that plays these arms from states x; `MYOPIC` entries become the myopic choice."""
    mean = np.empty((1, arm.size))
    rollout(arms, theta, x, arm[np.newaxis], mean, np.empty_like(mean), all_available(1, arm.size, theta.size))
    return Plan(arm, mean[0])


def plan_of(truth: Truth, arm: NDArray[np.int16]) -> Plan:
    """Return the plan that plays these arms."""
    return followed(*arrays_of(truth), arm)._replace(truth=truth)


def myopic_plan(truth: Truth, horizon: int) -> Plan:
    """Return the plan that always plays the arm with the largest mean at that decision, the first of equals.

    It proves nothing about other plans: its `upper` is inf.

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> myopic_plan(rb.Truth([arm, arm], theta=[0.5, 0.7], x0=[0.1, 0.3]), horizon=4).arm.tolist()
    [1, 0, 1, 0]
    """
    truth, horizon = checked_truth(truth), checked_whole(horizon, "myopic plan, horizon", 1)
    return plan_of(truth, np.full(horizon, MYOPIC, dtype=np.int16))


def truth_difference(plan: Plan, truth: Truth) -> str | None:
    """Return, in words, why a plan is not one of this truth; None if it is. Names of arms do not matter."""
    if plan.truth is None:
        return "does not say for which truth it was made"
    one, other = checked_truth(plan.truth), checked_truth(truth)
    if [arm._replace(name="") for arm in one.arms] != [arm._replace(name="") for arm in other.arms]:
        return "was made for other arms"
    for name, its, here in (("theta", one.theta, other.theta), ("x0", one.x0, other.x0)):
        if its != here:
            return f"was made for {name} {its} where the truth has {here}"
    return None
