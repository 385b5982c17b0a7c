"""What happened in a simulation, and how good it was."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
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
from rogue_bandits.planning.rollout import REST, all_available, rollout
from rogue_bandits.types import Arm, Bools, Floats, Ints, Truth, mean

Seed = int | Sequence[int]


class Trace(NamedTuple):
    """The arms played, the rewards and the probabilities of the choices, each [people, decisions].

    `probability` is nan where it was not asked for; `probabilities` [people, decisions, arms] has that of every arm.

    Where availability was simulated, `available` [people, decisions, arms] has it. A decision at which no arm was
    available is a rest: arm −1, with reward, probability and means nan. Where rewards were late or missing, `known_at`
    [people, decisions] has the number of the decision before which each became known, −1 for never; `reward` has all
    that were drawn, known or not. `learner_arms` are the arms that the learner assumed, where not those of the truth.

    States and means follow from the arms played, so they are worked out when asked for rather than kept.
    """

    truth: Truth
    policy: Any
    seed: Seed
    arm: NDArray[np.int16]
    reward: Floats
    probability: Floats
    probabilities: Floats | None = None
    available: Bools | None = None
    known_at: Ints | None = None
    learner_arms: Sequence[Arm] | None = None

    @property
    def mean(self) -> Floats:
        """The mean of the arm played, at its state then: [people, decisions]."""
        return self._retraced()[0]

    @property
    def myopic(self) -> Floats:
        """The largest mean of any available arm at the learner's own states, the myopic oracle: [people, decisions]."""
        return self._retraced()[1]

    def tracking_regret(self) -> Floats:
        """Return the myopic oracle's mean minus that of the arm played, summed to date: [people, decisions].

        The oracle has the same arms available; a rest adds nothing.
        """
        played, best = self._retraced()
        best -= played
        if self.available is not None:
            best[np.isnan(best)] = 0.0
        return np.cumsum(best, axis=1, out=best)

    def optimal_gap(self, plan: Plan | None = None) -> Floats:
        """Return the best plan's means minus those of the arms played, summed to date: [people, decisions].

        The last column is the optimal gap. Before it a learner may be ahead, who plays now what the plan lets rest.
        `plan` is the `optimal_plan` of the truth over these decisions, if you have it already. Where it is not exact,
        the optimal gap may be larger than this one, by at most plan.upper − plan.lower. A trace with availability has
        none: the best plan is for arms that are always available.

        >>> import rogue_bandits as rb
        >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
        >>> truth = rb.Truth([arm, arm], theta=[0.5, 0.7], x0=[0.1, 0.3])
        >>> gap = rb.simulate(truth, rb.Random(), horizon=100, people=3).optimal_gap()
        >>> gap.shape, bool((gap[:, -1] > 0.0).all())
        ((3, 100), True)
        """
        if self.available is not None:
            raise ValueError(
                "optimal gap: this trace has arms that were not always available, and the best plan is for arms that "
                "are; tracking_regret and average_reward take availability into account"
            )
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
        """Return the average reward to date, [people, decisions]: rests do not count; nan before the first reward."""
        total = np.nancumsum(self.reward, axis=1) if self.available is not None else np.cumsum(self.reward, axis=1)
        if self.available is None:
            total /= np.arange(1, total.shape[1] + 1)
        else:
            plays = np.cumsum(self.arm >= 0, axis=1)
            np.divide(total, plays, out=total, where=plays > 0)
            total[plays == 0] = np.nan
        return total

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row for each decision; needs `pip install rogue-bandits[frame]`.

        Columns: person, decision, arm, name, reward, probability, mean and myopic; `probability of …` and
        `available …` for each arm, `known_at`, where the trace has them.
        """
        from rogue_bandits.simulation.frames import trace_frame

        return trace_frame(self)

    def save(self, path: str | Path) -> None:
        """Write the trace to a file, with truth, policy and seed; `Trace.load` reads it, bit for bit.

        The file is a zip of numpy arrays with a JSON header (`simulation.trace_file`). Models and policies of your own
        must be in their registries: docs/policies.md.
        """
        from rogue_bandits.simulation.trace_file import save

        save(self, path)

    @staticmethod
    def load(path: str | Path) -> Trace:
        """Return the trace in a file that `save` wrote.

        >>> import rogue_bandits as rb, tempfile
        >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
        >>> trace = rb.simulate(rb.Truth([arm, arm], [0.5, 0.7], [0.1, 0.3]), rb.Random(), horizon=10)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     trace.save(f"{folder}/run.npz")
        ...     again = rb.Trace.load(f"{folder}/run.npz")
        >>> again.policy, again.truth == trace.truth, bool((again.reward == trace.reward).all())
        (Random(), True, True)
        """
        from rogue_bandits.simulation.trace_file import load

        return load(path)

    def plot(self, person: int = 0, last: int = 100) -> Any:
        """Return a matplotlib figure: how the policy did on average, and what it did with one person.

        Above, with bands of two standard errors over people: average reward and its oracles, regret, and how often
        each arm was played. Below, of the `last` decisions of one person: the mean of every arm and which was played.
        """
        from rogue_bandits.simulation.trace_figure import trace_figure

        return trace_figure(self, person, last)

    def _retraced(self) -> tuple[Floats, Floats]:
        arm = checked_paths(self)
        played, best = np.empty(arm.shape), np.empty(arm.shape)
        available = (
            all_available(arm.shape[0], arm.shape[1], len(self.truth.arms))
            if self.available is None
            else self.available
        )
        rollout(*arrays_of(self.truth), arm, played, best, available)
        if not math.isfinite(best.sum()):
            for person, t in np.argwhere(~np.isfinite(best) & (arm != REST)):
                raise ValueError(broken_mean(self, int(person), int(t)))
        return played, best


def checked_paths(trace: Trace) -> NDArray[np.int16]:
    """Return the arms played, [people, decisions], after checking each number: kernels use it as an index."""
    arm, arms = np.asarray(trace.arm), len(checked_truth(trace.truth).arms)
    if arm.ndim != 2 or not np.issubdtype(arm.dtype, np.integer) or arm.shape != np.shape(trace.reward):
        raise ValueError(
            f"trace, arm ({arm.dtype}, shape {arm.shape}) must hold whole numbers, [people, decisions] as reward "
            f"(shape {np.shape(trace.reward)})"
        )
    allowed = (arm >= 0) & (arm < arms)
    if trace.available is not None:
        allowed = allowed_under(trace.available, arm, allowed)
    for person, t in np.argwhere(~allowed):
        among = "" if trace.available is None else ", one that was available, or -1 where none was"
        raise ValueError(
            f"trace, person {person}, decision {t}: arm {arm[person, t]} must be from 0 to {arms - 1}{among}"
        )
    return np.require(arm, np.int16, ["C", "W"])  # what the kernel is compiled for


def allowed_under(available: Any, arm: Any, is_arm: Bools) -> Bools:
    """Return which arms were available, or rests where none was."""
    if np.shape(available)[:2] != arm.shape or np.asarray(available).dtype != np.bool_:
        raise ValueError(
            f"trace, available (shape {np.shape(available)}) must hold booleans, [people, decisions, arms]"
        )
    chosen = np.take_along_axis(available, np.where(is_arm, arm, 0)[:, :, None].astype(np.int64), axis=2)[:, :, 0]
    allowed: Bools = (is_arm & chosen) | ((arm == REST) & ~available.any(axis=2))
    return allowed


def broken_mean(trace: Trace, person: int, t: int) -> str:
    """Return which arm's mean is not finite at decision t of a person, and at what values."""
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
