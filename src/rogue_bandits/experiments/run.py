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
from joblib import Parallel, delayed

from rogue_bandits.experiments.experiment import Experiment, Settings
from rogue_bandits.experiments.gained import gained
from rogue_bandits.experiments.keep import keep, look_up, stamp
from rogue_bandits.experiments.plans import best_plans
from rogue_bandits.experiments.results import (
    Measures,
    Oracles,
    PolicyResult,
    Results,
    cohort_mean,
    curve,
    curve_decisions,
    measures_of,
)
from rogue_bandits.experiments.sweep import sweep
from rogue_bandits.planning import Plan, myopic_plan
from rogue_bandits.simulation.simulate import Progress, simulate
from rogue_bandits.types import Ints, Problem, Truth, start


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
    unit: float  # by which rewards are multiplied before they are shown
    workers: int
    watch: Watch


class StopSimulationError(Exception):
    """Raised inside a simulation to end it at the next possible moment."""


def run(experiment: Experiment, settings: Settings, folder: Path, workers: int, watch: Watch) -> Results:
    """Run each policy, or take its result from the folder when an earlier run with the same settings left it there."""
    began = time.perf_counter()
    raise_on_bad_policies(experiment, settings)
    truths = experiment.truths(settings)
    unit = experiment.unit(settings).size
    job = Job(settings, truths, best_plans(experiment, settings, truths, folder, workers), unit, workers, watch)
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
    swept = sweep(settings, truths, [settings.seed_of(person) for person in range(len(truths))], workers, unit)
    depends = experiment.sensitivity and experiment.sensitivity(settings, truths, unit, workers)
    seconds = earlier + time.perf_counter() - began
    return Results(experiment, settings, oracles(job), seconds, results, swept, gained(results), depends)


def finished(experiment: Experiment, settings: Settings, folder: Path) -> list[str]:
    """The policies whose results are in the folder."""
    rows = settings.policies
    return [row for row in rows if look_up(folder, row, stamp(experiment, settings, row)).result is not None]


def raise_on_bad_policies(experiment: Experiment, settings: Settings) -> None:
    """Settings that a policy cannot work with are refused before the first one runs, not after an hour."""
    problem = Problem(tuple(experiment.truths(settings)[0].arms), settings.horizon)
    for row in settings.policies:
        start(settings.policy(row), problem, 1)


def oracles(job: Job) -> Oracles:
    """The average reward of those who know the truth, over all people."""
    horizon, unit = job.settings.horizon, job.unit
    return Oracles(
        myopic=unit * float(np.mean([myopic_plan(truth, horizon).average for truth in job.truths])),
        optimal=unit * float(np.mean([plan.average for plan in job.plans])),
        optimal_upper=unit * float(np.mean([plan.upper / horizon for plan in job.plans])),
    )


def run_policy(job: Job, row: str, mark: str, why: str) -> PolicyResult:
    """Compile, simulate, and keep of the traces what the curves need."""
    began = time.perf_counter()
    policy, decisions = job.settings.policy(row), curve_decisions(job.settings.horizon)
    job.watch(News(row, Stage.COMPILING, why=why))
    compile_ahead(job.truths[0], policy, job.settings.horizon)
    job.watch(News(row, Stage.RUNNING))
    busy = time.process_time()  # of all threads
    lives = all_live(job, row, policy, decisions)
    busy = time.process_time() - busy
    made = len(lives) * job.settings.replicates * job.settings.horizon
    measures = cohort_mean(lives, job.unit)
    return PolicyResult(
        stamp=mark,
        decisions=tuple(decisions.tolist()),
        **{name: curve(values) for name, values in measures._asdict().items()},
        people=tuple(job.unit * float(life.average_reward[:, -1].mean()) for life in lives),
        seconds=time.perf_counter() - began,
        microseconds_per_decision=1e6 * busy / made,
    )


def compile_ahead(truth: Truth, policy: Any, horizon: int) -> None:
    """Compile all that a simulation needs by starting one, and leaving it as soon as it runs."""

    def leave(_: int) -> None:
        raise StopSimulationError

    with suppress(StopSimulationError):
        simulate(truth, policy, horizon, progress=leave)


def all_live(job: Job, row: str, policy: Any, decisions: Ints) -> list[Measures]:
    """The replicates of each person. Threads share the people; of one person alone, the replicates."""
    alone = len(job.truths) == 1
    with stopping(lambda made: job.watch(News(row, Stage.RUNNING, made))) as progress:
        lives: list[Measures] = Parallel(n_jobs=1 if alone else job.workers, require="sharedmem")(
            delayed(live)(job, policy, person, decisions, job.workers if alone else 1, progress)
            for person in range(len(job.truths))
        )
    return lives


def live(job: Job, policy: Any, person: int, decisions: Ints, workers: int, progress: Progress) -> Measures:
    """Let a person live through every replicate: [replicates, decisions]."""
    s = job.settings
    trace = simulate(job.truths[person], policy, s.horizon, s.replicates, s.seed_of(person), workers, progress)
    return measures_of(trace, job.plans[person], decisions)


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
