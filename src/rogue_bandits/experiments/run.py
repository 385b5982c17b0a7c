"""Run an experiment: policy after policy, each finished one kept on disk at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import Enum, auto
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.experiments.experiment import Experiment, Settings
from rogue_bandits.experiments.keep import keep, look_up, stamp
from rogue_bandits.experiments.results import (
    Measures,
    Oracles,
    PolicyResult,
    Results,
    curve,
    curve_decisions,
    joined,
    measures_of,
)
from rogue_bandits.experiments.sweep import sweep
from rogue_bandits.oracle import Plan, myopic_plan, optimal_plan
from rogue_bandits.simulation import Progress, simulate
from rogue_bandits.types import Ints, Truth, start


class Stage(Enum):
    """How far a policy has come."""

    FOUND = auto()  # on disk, from an earlier run
    COMPILING = auto()
    RUNNING = auto()
    DONE = auto()


class News(NamedTuple):
    """What is told while an experiment runs."""

    row: str
    stage: Stage
    decisions: int = 0  # made since the last news
    why: str = ""  # a policy is computed again though there is a file


Watch = Callable[[News], None]


class Job(NamedTuple):
    """All that running one policy after another needs."""

    settings: Settings
    truths: Sequence[Truth]
    plans: Sequence[Plan]  # the best one for each truth
    workers: int
    watch: Watch


class StopSimulationError(Exception):
    """Raised inside a simulation to end it at the next possible moment."""


def run(experiment: Experiment, settings: Settings, folder: Path, workers: int, watch: Watch) -> Results:
    """Run each policy, or take its result from the folder when an earlier run with the same settings left it there."""
    began = time.perf_counter()
    refuse_bad_policies(experiment, settings)
    truths = experiment.truths(settings)
    job = Job(settings, truths, [optimal_plan(truth, settings.horizon) for truth in truths], workers, watch)
    results, earlier = {}, 0.0
    for row in settings.policies:
        mark = stamp(experiment, settings, row)
        found = look_up(folder, row, mark)
        results[row] = found.result or run_policy(job, row, mark, found.why)
        if found.result is None:
            keep(folder, row, results[row])
            watch(News(row, Stage.DONE))
        else:
            earlier += found.result.seconds
            watch(News(row, Stage.FOUND))
    swept = sweep(settings, truths, [seed_of(settings, person) for person in range(len(truths))], workers)
    return Results(experiment, settings, oracles(job), earlier + time.perf_counter() - began, results, swept)


def finished(experiment: Experiment, settings: Settings, folder: Path) -> list[str]:
    """The policies whose results are in the folder."""
    rows = settings.policies
    return [row for row in rows if look_up(folder, row, stamp(experiment, settings, row)).result is not None]


def refuse_bad_policies(experiment: Experiment, settings: Settings) -> None:
    """Settings that a policy cannot work with are refused before the first one runs, not after an hour."""
    arms = list(experiment.truths(settings)[0].arms)
    for row in settings.policies:
        start(settings.policy(row), arms, 1, settings.horizon)


def oracles(job: Job) -> Oracles:
    """The average reward of those who know the truth, over all people."""
    horizon = job.settings.horizon
    return Oracles(
        myopic=float(np.mean([myopic_plan(truth, horizon).average for truth in job.truths])),
        optimal=float(np.mean([plan.average for plan in job.plans])),
        optimal_upper=float(np.mean([plan.upper / horizon for plan in job.plans])),
    )


def run_policy(job: Job, row: str, mark: str, why: str) -> PolicyResult:
    """Compile, simulate, and keep of the traces what the curves need."""
    began = time.perf_counter()
    policy, decisions = job.settings.policy(row), curve_decisions(job.settings.horizon)
    job.watch(News(row, Stage.COMPILING, why=why))
    compile_ahead(job.truths[0], policy, job.settings.horizon)
    job.watch(News(row, Stage.RUNNING))
    lives = [live(job, row, policy, person, decisions) for person in range(len(job.truths))]
    made = len(lives) * job.settings.replicates * job.settings.horizon
    measures = joined(life.measures for life in lives)
    return PolicyResult(
        stamp=mark,
        decisions=tuple(decisions.tolist()),
        **{name: curve(values) for name, values in measures._asdict().items()},
        seconds=time.perf_counter() - began,
        microseconds_per_decision=1e6 * sum(life.busy for life in lives) / made,
    )


def compile_ahead(truth: Truth, policy: Any, horizon: int) -> None:
    """Compile all that a simulation needs by starting one, and leaving it as soon as it runs."""

    def leave(_: int) -> None:
        raise StopSimulationError

    with suppress(StopSimulationError):
        simulate(truth, policy, horizon, progress=leave)


def seed_of(settings: Settings, person: int) -> int:
    """Another person, other random streams: a seed is one number, so that this one holds two."""
    return settings.seed + (person << 64)


class Lives(NamedTuple):
    """The replicates of one person at the decisions of the curves, and the seconds that one core would have needed."""

    measures: Measures  # [replicates, decisions]
    busy: float


def live(job: Job, row: str, policy: Any, person: int, decisions: Ints) -> Lives:
    """Let a person live through every replicate."""
    s = job.settings
    busy = time.process_time()  # of all threads
    with stopping(lambda made: job.watch(News(row, Stage.RUNNING, made))) as progress:
        trace = simulate(job.truths[person], policy, s.horizon, s.replicates, seed_of(s, person), job.workers, progress)
    busy = time.process_time() - busy
    return Lives(measures_of(trace, job.plans[person], decisions), busy)


@contextmanager
def stopping(progress: Progress) -> Iterator[Progress]:
    """A `progress` that ends the threads of a simulation when the one that waits for them is interrupted."""
    stop = threading.Event()

    def told(made: int) -> None:
        if stop.is_set():
            raise StopSimulationError
        progress(made)

    try:
        yield told
    except BaseException:
        stop.set()
        raise
