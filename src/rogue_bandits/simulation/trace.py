"""What happened in a simulation, and how good it was."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.compile.laws import stack
from rogue_bandits.model.dynamics.clipped_affine import move, observed_state
from rogue_bandits.model.probe import BrokenLawError, evaluate
from rogue_bandits.model.rewards.weighted import arms_and_states
from rogue_bandits.model.validation import checked_truth
from rogue_bandits.planning.optimal import optimal_plan
from rogue_bandits.planning.plan import Plan, arrays_of, truth_difference
from rogue_bandits.planning.rollout import rollout
from rogue_bandits.types import Floats, Truth, mean

Seed = int | Sequence[int]


class Trace(NamedTuple):
    """The arms played, the rewards and the probabilities of the choices, each [people, decisions].

    `probability` is nan where it was not asked for; `probabilities` [people, decisions, arms] has that of every arm.

    States and means follow from the arms played, so they are worked out when asked for rather than kept.
    """

    truth: Truth
    policy: Any
    seed: Seed
    arm: NDArray[np.int16]
    reward: Floats
    probability: Floats
    probabilities: Floats | None = None

    @property
    def mean(self) -> Floats:
        """The mean of the arm played, at its state then: [people, decisions]."""
        return self._retraced()[0]

    @property
    def myopic(self) -> Floats:
        """The largest mean of any arm at the learner's own states, the myopic oracle: [people, decisions]."""
        return self._retraced()[1]

    def tracking_regret(self) -> Floats:
        """The myopic oracle's mean less that of the arm played, summed to date: [people, decisions]."""
        played, best = self._retraced()
        best -= played
        return np.cumsum(best, axis=1, out=best)

    def optimal_gap(self, plan: Plan | None = None) -> Floats:
        """The best plan's means less those of the arms played, summed to date: [people, decisions].

        The last column is the optimal gap. Before it a learner may be ahead, who plays now what the plan lets rest.
        `plan` is the `optimal_plan` of the truth over these decisions, if you have it already. Where it is not exact,
        the optimal gap may be larger than this one, by at most plan.upper − plan.lower.

        >>> import rogue_bandits as rb
        >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
        >>> truth = rb.Truth([arm, arm], theta=[0.5, 0.7], x0=[0.1, 0.3])
        >>> gap = rb.simulate(truth, rb.Random(), horizon=100, people=3).optimal_gap()
        >>> gap.shape, bool((gap[:, -1] > 0.0).all())
        ((3, 100), True)
        """
        behind = self.mean
        if plan is None:
            plan = optimal_plan(self.truth, self.arm.shape[1])
        if not isinstance(plan, Plan):
            raise TypeError(f"optimal gap, plan {plan!r} must be what optimal_plan gives")
        if (wrong := truth_difference(plan, self.truth)) is not None:
            raise ValueError(f"optimal gap, plan {wrong}")
        if plan.arm.size != self.arm.shape[1]:
            raise ValueError(
                f"optimal gap, plan has {plan.arm.size:,} decisions where the trace has {self.arm.shape[1]:,}"
            )
        np.subtract(plan.mean, behind, out=behind)
        return np.cumsum(behind, axis=1, out=behind)

    def average_reward(self) -> Floats:
        """The rewards to date, divided by their number: [people, decisions]."""
        total = np.cumsum(self.reward, axis=1)
        total /= np.arange(1, total.shape[1] + 1)
        return total

    def _retraced(self) -> tuple[Floats, Floats]:
        arm = checked_paths(self)
        played, best = np.empty(arm.shape), np.empty(arm.shape)
        rollout(*arrays_of(self.truth), arm, played, best)
        if not math.isfinite(best.sum()):
            person, t = np.argwhere(~np.isfinite(best))[0]
            raise ValueError(broken_mean(self, int(person), int(t)))
        return played, best


def checked_paths(trace: Trace) -> NDArray[np.int16]:
    """The arms played, [people, decisions]: kernels read wherever an arm's number leads, so each must be an arm."""
    arm, arms = np.asarray(trace.arm), len(checked_truth(trace.truth).arms)
    if arm.ndim != 2 or not np.issubdtype(arm.dtype, np.integer) or arm.shape != np.shape(trace.reward):
        raise ValueError(
            f"trace, arm ({arm.dtype}, shape {arm.shape}) must hold whole numbers, [people, decisions] as reward "
            f"(shape {np.shape(trace.reward)})"
        )
    for person, t in np.argwhere((arm < 0) | (arm >= arms)):
        raise ValueError(f"trace, person {person}, decision {t}: arm {arm[person, t]} must be from 0 to {arms - 1}")
    return np.require(arm, np.int16, ["C", "W"])  # what the kernel is compiled for


def broken_mean(trace: Trace, person: int, t: int) -> str:
    """Which arm's mean is no number at decision t of a person, at what values."""
    arms, theta, x = arms_and_states(trace.truth)
    for played in trace.arm[person, :t]:
        move(stack(arms), x, int(played))
    found = "a mean is no number"
    for k, arm in enumerate(arms):
        try:
            evaluate(mean, arm.rewards, theta[k], observed_state(arm.dynamics, x, k))
        except BrokenLawError as broken:
            found = f"arm {arm.name or k!r}, {broken}"
            break
    return f"{found} at decision {t} of person {person}: it must be finite"
