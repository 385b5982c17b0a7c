"""What happened in a simulation, and how good it was."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.compile.laws import kernel, stack
from rogue_bandits.model.dynamics.clipped_affine import mean_now, move, observed_state
from rogue_bandits.model.probe import BrokenLawError, evaluate
from rogue_bandits.model.rewards.weighted import arms_and_states
from rogue_bandits.planning.optimal import optimal_plan
from rogue_bandits.planning.plan import Plan
from rogue_bandits.types import Arm, Floats, Truth, mean


class Trace(NamedTuple):
    """The arms played, the rewards and the probabilities of the choices, each [people, decisions].

    States and means follow from the arms played, so they are worked out when asked for rather than kept.
    """

    truth: Truth
    policy: Any
    seed: int
    arm: NDArray[np.int16]
    reward: Floats
    probability: Floats

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
        if plan is None:
            plan = optimal_plan(self.truth, self.arm.shape[1])
        if not isinstance(plan, Plan):
            raise TypeError(f"optimal gap, plan {plan!r} must be what optimal_plan gives")
        if plan.arm.size != self.arm.shape[1]:
            raise ValueError(
                f"optimal gap, plan has {plan.arm.size:,} decisions where the trace has {self.arm.shape[1]:,}"
            )
        behind: Floats = plan.mean - self.mean
        return np.cumsum(behind, axis=1, out=behind)

    def average_reward(self) -> Floats:
        """The rewards to date, divided by their number: [people, decisions]."""
        total = np.cumsum(self.reward, axis=1)
        total /= np.arange(1, total.shape[1] + 1)
        return total

    def _retraced(self) -> tuple[Floats, Floats]:
        played, best = np.empty(self.reward.shape), np.empty(self.reward.shape)
        arms, theta, x0 = arms_and_states(self.truth)
        retrace(stack(arms), theta, x0, self.arm, played, best)
        if not math.isfinite(best.sum()):
            person, t = np.argwhere(~np.isfinite(best))[0]
            raise ValueError(broken_mean(self, int(person), int(t)))
        return played, best


@kernel
def retrace(arms: Arm, theta: Floats, x0: Floats, arm: NDArray[np.int16], played: Floats, best: Floats) -> None:
    """The means of the arms played, and the best means there were, along each person's path."""
    for person in range(arm.shape[0]):
        x = x0.copy()
        for t in range(arm.shape[1]):
            best[person, t], unsound = -np.inf, 0.0
            for k in range(theta.size):
                now = mean_now(arms, theta, x, k)
                best[person, t] = max(best[person, t], now)
                if k == arm[person, t]:
                    played[person, t] = now
                unsound += now - now  # no number stays no number, where a maximum would pass over it
            best[person, t] += unsound
            move(arms, x, arm[person, t])


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
