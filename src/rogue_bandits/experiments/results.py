"""The results of an experiment: curves with standard errors, as plain data that can be stored in files."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, FiniteFloat

from rogue_bandits.experiments.experiment import Experiment, Settings, Unit
from rogue_bandits.planning.plan import Plan
from rogue_bandits.simulation.simulate import PEOPLE_AT_ONCE
from rogue_bandits.simulation.trace import Trace
from rogue_bandits.types import Floats, Ints

POINTS_OF_A_CURVE = 500


class Stored(BaseModel):
    """Data that is stored in files."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Curve(Stored):
    """Means and standard errors at the decisions of a result; a single replicate has no standard error."""

    mean: tuple[FiniteFloat, ...]
    stderr: tuple[FiniteFloat, ...] | None

    def at(self, place: int) -> Estimate:
        """Return the mean and the standard error at a point of the curve."""
        return Estimate(self.mean[place], None if self.stderr is None else self.stderr[place])

    def last(self) -> Estimate:
        """Return the mean and the standard error at the horizon."""
        return self.at(-1)


class PolicyResult(Stored):
    """The result of a policy. `decisions` counts from 0: a curve's value at n includes decision n."""

    stamp: str  # of all that determines this result
    decisions: tuple[int, ...]
    tracking_regret: Curve
    optimal_gap: Curve
    average_reward: Curve  # of the rewards that were drawn
    expected_reward: Curve  # of the means of the arms played, as the averages of the oracles are
    expected: tuple[FiniteFloat, ...]  # each person's expected reward at the horizon, over replicates
    seconds: float  # including compilation
    microseconds_per_decision: float  # on one core, without compilation


class Estimate(NamedTuple):
    """A mean and its standard error, if it has one."""

    mean: float
    stderr: float | None


class Oracles(NamedTuple):
    """Average expected rewards with the truth known; `optimal_upper` is a proven upper bound of any plan's."""

    myopic: float
    optimal: float
    optimal_upper: float

    def levels(self) -> dict[str, float]:
        """Return the averages by label."""
        return {"oracle: best arm now": self.myopic, "oracle: best plan": self.optimal}

    def as_dict(self) -> dict[str, float]:
        """Return the averages as written to files, with the proven bound if the plan is not proven to be optimal."""
        both = {"myopic": self.myopic, "optimal": self.optimal}
        return both if self.is_exact else {**both, "optimal_upper": self.optimal_upper}

    @property
    def is_exact(self) -> bool:
        """True if the plan is proven to be optimal."""
        return self.optimal_upper <= self.optimal


class Gain(NamedTuple):
    """The difference of two policies' expected rewards: mean over people, standard error and 95 % interval."""

    mean: float
    stderr: float
    lo: float
    hi: float


class Gained(NamedTuple):
    """The gain of the ROGUE policy with the largest expected reward over each other policy, the best of them first."""

    row: str
    over: dict[str, Gain]


class Cell(NamedTuple):
    """A ROGUE policy's gain over the best other policy, with half-lives and noise multiplied by factors."""

    row: str
    slower: float
    noisier: float
    other: str
    gain: Gain


class Sensitivity(NamedTuple):
    """The gains of ROGUE policies with other half-lives and noise, for the first people of the cohort."""

    people: int
    replicates: int
    cells: list[Cell]


class DeployedPolicy(NamedTuple):
    """A policy's expected reward a decision, with its standard error over people, and its gain over the reference."""

    reward: Estimate
    over_d_ucb: Gain | None


class Deployed(NamedTuple):
    """Trial, fit, deploy: policies by column, which says where their dynamics come from."""

    people: int
    replicates: int
    trial_days: int
    columns: dict[str, dict[str, DeployedPolicy]]
    ceiling: dict[str, Gain]  # what the myopic oracle earns more than these policies
    reference: str = "d-ucb"  # the policy that gains are over


class Results(NamedTuple):
    """The results of an experiment."""

    experiment: Experiment
    settings: Settings
    oracles: Oracles
    seconds: float
    policies: dict[str, PolicyResult]
    sweep: Sweep
    gained: Gained | None = None
    sensitivity: Sensitivity | None = None
    deployed: Deployed | None = None

    @property
    def unit(self) -> Unit:
        """Return the unit in which rewards are reported."""
        return self.experiment.unit(self.settings)

    def share(self, name: str) -> Estimate | None:
        """Return what a policy gains over random choices as a share of what the best plan gains; None without both.

        The standard error is that of the policy alone.
        """
        random = self.policies.get("random")
        if random is None or random.optimal_gap.last().mean <= 0.0:
            return None
        scale, gap = random.optimal_gap.last().mean, self.policies[name].optimal_gap.last()
        return Estimate(1.0 - gap.mean / scale, None if gap.stderr is None else gap.stderr / scale)

    def best_first(self) -> list[str]:
        """Return the ids of the policies, in order of rising optimal gap."""
        return sorted(self.policies, key=lambda name: self.policies[name].optimal_gap.last().mean)


class Sweep(NamedTuple):
    """Tracking regret at the horizon, for each policy and each number of changes Υ that it is tuned for."""

    upsilon: tuple[float, ...]
    tracking_regret: dict[str, list[Estimate]]


def curve(values: Floats) -> Curve:
    """Return the mean and the standard error over the first axis.

    >>> curve(np.array([[1.0], [3.0]]))
    Curve(mean=(2.0,), stderr=(1.0,))
    """
    n = values.shape[0]
    stderr = None if n == 1 else tuple((values.std(axis=0, ddof=1) / math.sqrt(n)).tolist())
    return Curve(mean=tuple(values.mean(axis=0).tolist()), stderr=stderr)


def curve_decisions(horizon: int) -> Ints:
    """Return the decisions at which curves are stored, from 0 to the last: dense at first, then evenly spaced.

    >>> curve_decisions(3).tolist(), curve_decisions(20_000).size <= POINTS_OF_A_CURVE
    ([0, 1, 2], True)
    """
    half = POINTS_OF_A_CURVE // 2
    early, even = np.geomspace(1, horizon, half), np.linspace(1, horizon, half)
    return np.unique(np.rint(np.concatenate([early, even])).astype(np.int64)) - 1


class Measures(NamedTuple):
    """The measures of each person at the decisions of the curves: [people, decisions]."""

    tracking_regret: Floats
    optimal_gap: Floats
    average_reward: Floats
    expected_reward: Floats


def measures_of(trace: Trace, plan: Plan, decisions: Ints) -> Measures:
    """Return the measures of a trace, with the best plan for its truth."""

    def of(measure: Callable[[Trace], Floats]) -> Floats:
        return np.concatenate([measure(group)[:, decisions] for group in in_groups(trace)])

    gap = of(lambda group: group.optimal_gap(plan))
    expected = (np.cumsum(plan.mean)[decisions] - gap) / (decisions + 1.0)
    return Measures(of(Trace.tracking_regret), gap, of(Trace.average_reward), expected)


def in_groups(trace: Trace) -> Iterator[Trace]:
    """Yield the trace in groups of people, because the regret of a trace needs as much memory as the trace."""
    for first in range(0, trace.arm.shape[0], PEOPLE_AT_ONCE):
        rows = slice(first, first + PEOPLE_AT_ONCE)
        yield trace._replace(arm=trace.arm[rows], reward=trace.reward[rows], probability=trace.probability[rows])
