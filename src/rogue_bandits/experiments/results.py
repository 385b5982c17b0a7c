"""What comes out of an experiment: curves with their standard errors, as plain data that can be kept in files."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, FiniteFloat

from rogue_bandits.experiments.experiment import Experiment, Settings, Unit
from rogue_bandits.planning.plan import Plan
from rogue_bandits.simulation.simulate import PEOPLE_AT_ONCE
from rogue_bandits.simulation.trace import Trace
from rogue_bandits.types import Floats, Ints

POINTS_OF_A_CURVE = 500


class Kept(BaseModel):
    """Data that is kept in files."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Curve(Kept):
    """Means and standard errors at the decisions of a result; a single replicate has no standard error."""

    mean: tuple[FiniteFloat, ...]
    stderr: tuple[FiniteFloat, ...] | None

    def last(self) -> Estimate:
        """The mean and the standard error at the horizon."""
        return Estimate(self.mean[-1], None if self.stderr is None else self.stderr[-1])


class PolicyResult(Kept):
    """How a policy did. `decisions` counts from 1: a curve's value at n is that after n decisions."""

    stamp: str  # of all that decides this result
    decisions: tuple[int, ...]
    tracking_regret: Curve
    optimal_gap: Curve
    average_reward: Curve
    people: tuple[FiniteFloat, ...]  # each person's average reward at the horizon, over replicates
    seconds: float  # that the run took, compiling included
    microseconds_per_decision: float  # of one core, compiling left out


class Estimate(NamedTuple):
    """A mean and its standard error, if it has one."""

    mean: float
    stderr: float | None


class Oracles(NamedTuple):
    """The average reward of those who know the truth, and what was proven: no plan has more than `optimal_upper`."""

    myopic: float
    optimal: float
    optimal_upper: float

    def levels(self) -> dict[str, float]:
        """The averages, in words."""
        return {"oracle: best arm now": self.myopic, "oracle: best plan": self.optimal}

    def as_dict(self) -> dict[str, float]:
        """As they are written to files: what was proven is named where it is not the optimal average itself."""
        both = {"myopic": self.myopic, "optimal": self.optimal}
        return both if self.is_exact else {**both, "optimal_upper": self.optimal_upper}

    @property
    def is_exact(self) -> bool:
        """Is the plan proven to be the best there is?"""
        return self.optimal_upper <= self.optimal


class Gain(NamedTuple):
    """How much more a policy earns than another: the mean over people, its standard error and 95 % interval."""

    mean: float
    stderr: float
    lo: float
    hi: float


class Gained(NamedTuple):
    """What the ROGUE policy with the largest average reward gains over each that is not one; the best of them first."""

    row: str
    over: dict[str, Gain]


class Cell(NamedTuple):
    """For people with other half-lives and noise: a ROGUE policy's gain over the best that is not one."""

    row: str
    slower: float
    noisier: float
    other: str
    gain: Gain


class Sensitivity(NamedTuple):
    """What ROGUE policies gain for other people, on the first few of the cohort."""

    people: int
    replicates: int
    cells: list[Cell]


class Results(NamedTuple):
    """An experiment that was run."""

    experiment: Experiment
    settings: Settings
    oracles: Oracles
    seconds: float
    policies: dict[str, PolicyResult]
    sweep: Sweep
    gained: Gained | None = None
    sensitivity: Sensitivity | None = None

    @property
    def unit(self) -> Unit:
        """In what the rewards are told."""
        return self.experiment.unit(self.settings)


class Sweep(NamedTuple):
    """Tracking regret at the horizon, for each row and each number of changes Υ that it was told."""

    upsilon: tuple[float, ...]
    tracking_regret: dict[str, list[Estimate]]


def curve(values: Floats) -> Curve:
    """Mean and standard error over the first axis.

    >>> curve(np.array([[1.0], [3.0]]))
    Curve(mean=(2.0,), stderr=(1.0,))
    """
    n = values.shape[0]
    stderr = None if n == 1 else tuple((values.std(axis=0, ddof=1) / math.sqrt(n)).tolist())
    return Curve(mean=tuple(values.mean(axis=0).tolist()), stderr=stderr)


def curve_decisions(horizon: int) -> Ints:
    """The numbers of decisions at which curves are kept: the early ones closely, the late ones evenly, and the last.

    >>> curve_decisions(3).tolist(), curve_decisions(20_000).size <= POINTS_OF_A_CURVE
    ([1, 2, 3], True)
    """
    half = POINTS_OF_A_CURVE // 2
    early, even = np.geomspace(1, horizon, half), np.linspace(1, horizon, half)
    return np.unique(np.rint(np.concatenate([early, even])).astype(np.int64))


class Measures(NamedTuple):
    """How each person did, at the decisions of the curves: [people, decisions]."""

    tracking_regret: Floats
    optimal_gap: Floats
    average_reward: Floats


def measures_of(trace: Trace, plan: Plan, decisions: Ints) -> Measures:
    """The measures of a trace, against the best plan there is for its truth."""
    shown = decisions - 1
    parts = [
        (part.tracking_regret()[:, shown], part.optimal_gap(plan)[:, shown], part.average_reward()[:, shown])
        for part in few(trace)
    ]
    return joined(Measures(*part) for part in parts)


def cohort_mean(parts: Sequence[Measures], unit: float) -> Measures:
    """The average over people in each replicate: [replicates, decisions]."""
    return Measures(*(unit * np.mean(measure, axis=0) for measure in zip(*parts, strict=True)))


def joined(parts: Iterable[Measures]) -> Measures:
    """The measures of several lots of people, one below the other."""
    return Measures(*(np.concatenate(measure) for measure in zip(*parts, strict=True)))


def few(trace: Trace) -> Iterator[Trace]:
    """A trace, a few people at a time: the regret of a whole trace is as large as the trace."""
    for first in range(0, trace.arm.shape[0], PEOPLE_AT_ONCE):
        rows = slice(first, first + PEOPLE_AT_ONCE)
        yield trace._replace(arm=trace.arm[rows], reward=trace.reward[rows], probability=trace.probability[rows])
