"""Run an experiment policy by policy; each finished result is stored at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import Enum, auto
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.experiments.checkpoints import best_plans, look_up, stamp, store
from rogue_bandits.experiments.experiment import Experiment, Settings
from rogue_bandits.experiments.gained import gained
from rogue_bandits.experiments.results import (
    Measures,
    Oracles,
    PolicyResult,
    Results,
    curve,
    curve_decisions,
    measures_of,
)
from rogue_bandits.experiments.sweep import sweep
from rogue_bandits.planning import Plan, myopic_plan
from rogue_bandits.schedule import in_threads
from rogue_bandits.schedule import results as results_of
from rogue_bandits.simulation.simulate import Progress, simulate, simulate_people
from rogue_bandits.types import Ints, Problem, Truth, start

REPLICATES_AT_ONCE = 4  # of a person, on a cluster


class Stage(Enum):
    """The stage of a policy."""

    FOUND = auto()  # stored by an earlier run
    COMPILING = auto()
    RUNNING = auto()
    DONE = auto()
    AFTER = auto()  # all policies are done, and something else is computed


class Event(NamedTuple):
    """Progress of a policy."""

    policy: str
    stage: Stage
    decisions: int = 0  # made since the last event
    why: str = ""  # a policy is computed again although there is a file; or what is computed after all policies


OnEvent = Callable[[Event], None]


class Job(NamedTuple):
    """What all policies of a run share."""

    settings: Settings
    truths: Sequence[Truth]
    plans: Sequence[Plan]  # the best one for each truth
    unit: float  # factor by which rewards are multiplied
    workers: int
    on_event: OnEvent
    scheduler: str | None = None  # of Dask


class StopSimulationError(Exception):
    """Raised inside a simulation to end it."""


def run(
    experiment: Experiment,
    settings: Settings,
    folder: Path,
    workers: int,
    on_event: OnEvent,
    scheduler: str | None = None,
) -> Results:
    """Run each policy, or load its result if an earlier run with the same settings stored it in the folder.

    The policies are simulated by the workers of a Dask `scheduler` if its address is given; the results are the same.
    """
    began = time.perf_counter()
    raise_on_bad_policies(experiment, settings)
    truths = experiment.truths(settings)
    unit = experiment.unit(settings).size
    plans = best_plans(experiment, settings, truths, folder, workers)
    job = Job(settings, truths, plans, unit, workers, on_event, scheduler)
    results, earlier = {}, 0.0
    for name in settings.policies:
        mark = stamp(experiment, settings, name)
        found = look_up(folder, name, mark)
        results[name] = found.result or run_policy(job, name, mark, found.why)
        if found.result is None:
            store(folder, name, results[name])
            on_event(Event(name, Stage.DONE))
        else:
            earlier += found.result.seconds
            on_event(Event(name, Stage.FOUND))
    if {"d-ucb", "sw-ucb"} & set(settings.policies):
        on_event(Event("", Stage.AFTER, why="d-ucb and sw-ucb at other values of Υ"))
    swept = sweep(settings, truths, [settings.seed_of(person) for person in range(len(truths))], workers, unit)
    if experiment.sensitivity or experiment.deployment:
        on_event(Event("", Stage.AFTER, why="people with other half-lives and noise, and policies that learn dynamics"))
    depends = experiment.sensitivity and experiment.sensitivity(settings, truths, unit, workers)
    expected = {name: np.array(result.expected) for name, result in results.items()}
    lived = experiment.deployment and experiment.deployment(settings, truths, expected, unit, workers)
    seconds = earlier + time.perf_counter() - began
    return Results(experiment, settings, oracles(job), seconds, results, swept, gained(results), depends, lived)


def finished(experiment: Experiment, settings: Settings, folder: Path) -> list[str]:
    """Return the policies whose results are stored in the folder."""
    rows = settings.policies
    return [name for name in rows if look_up(folder, name, stamp(experiment, settings, name)).result is not None]


def raise_on_bad_policies(experiment: Experiment, settings: Settings) -> None:
    """Raise a ValueError for settings that a policy cannot use, before the first policy runs."""
    problem = Problem(tuple(experiment.truths(settings)[0].arms), settings.horizon)
    for name in settings.policies:
        start(settings.policy(name), problem, 1)


def oracles(job: Job) -> Oracles:
    """Return the average rewards of the oracles, over all people."""
    horizon, unit = job.settings.horizon, job.unit
    return Oracles(
        myopic=unit * float(np.mean([myopic_plan(truth, horizon).average for truth in job.truths])),
        optimal=unit * float(np.mean([plan.average for plan in job.plans])),
        optimal_upper=unit * float(np.mean([plan.upper / horizon for plan in job.plans])),
    )


def run_policy(job: Job, name: str, mark: str, why: str) -> PolicyResult:
    """Compile, simulate, and reduce the traces to curves."""
    began = time.perf_counter()
    policy, decisions = job.settings.policy(name), curve_decisions(job.settings.horizon)
    job.on_event(Event(name, Stage.COMPILING, why=why))
    compile_ahead(job.truths[0], policy, job.settings.horizon)
    job.on_event(Event(name, Stage.RUNNING))
    busy = time.process_time()  # of all threads
    with stopping(lambda made: job.on_event(Event(name, Stage.RUNNING, made))) as progress:
        everybody = simulate_all if job.scheduler is None else simulate_on_cluster
        people = everybody(job, policy, decisions, progress)
    busy = time.process_time() - busy
    made = len(people) * job.settings.replicates * job.settings.horizon
    curves = [curve(job.unit * np.mean(measure, axis=0)) for measure in zip(*people, strict=True)]  # over people
    return PolicyResult(
        stamp=mark,
        decisions=tuple(decisions.tolist()),
        **dict(zip(Measures._fields, curves, strict=True)),
        expected=tuple(job.unit * float(person.expected_reward[:, -1].mean()) for person in people),
        seconds=time.perf_counter() - began,
        microseconds_per_decision=1e6 * busy / made,
    )


def compile_ahead(truth: Truth, policy: Any, horizon: int) -> None:
    """Compile all that a simulation needs by starting one and ending it at its first progress."""

    def stop(_: int) -> None:
        raise StopSimulationError

    with suppress(StopSimulationError):
        simulate(truth, policy, horizon, progress=stop)


def simulate_all(job: Job, policy: Any, decisions: Ints, progress: Progress) -> list[Measures]:
    """Return the measures of each person, [replicates, decisions].

    Threads run in parallel over people, or over the replicates of a single person.
    """
    s, alone = job.settings, len(job.truths) == 1
    outer, inner = (1, job.workers) if alone else (job.workers, 1)

    def one(person: int) -> Measures:
        trace = simulate(job.truths[person], policy, s.horizon, s.replicates, s.seed_of(person), inner, progress)
        return measures_of(trace, job.plans[person], decisions)

    return in_threads(one, ((person,) for person in range(len(job.truths))), outer)


class ReplicateTask(NamedTuple):
    """Replicates of a person to simulate on a cluster."""

    person: int
    replicates: range
    truth: Truth
    plan: Plan
    policy: Any
    settings: Settings
    decisions: Ints


def simulate_replicates(share: ReplicateTask) -> tuple[int, int, Measures]:
    """Return the person, the first of the replicates, and their measures."""
    s = share.settings
    trace = simulate_people(share.truth, share.policy, s.horizon, share.replicates, s.seed_of(share.person))
    return share.person, share.replicates.start, measures_of(trace, share.plan, share.decisions)


def simulate_on_cluster(job: Job, policy: Any, decisions: Ints, progress: Progress) -> list[Measures]:
    """Return what `simulate_all` returns, by the workers of a Dask scheduler."""
    s, found = job.settings, dict[tuple[int, int], Measures]()
    shares = [
        ReplicateTask(
            person, range(first, min(first + REPLICATES_AT_ONCE, s.replicates)), truth, plan, policy, s, decisions
        )
        for person, (truth, plan) in enumerate(zip(job.truths, job.plans, strict=True))
        for first in range(0, s.replicates, REPLICATES_AT_ONCE)
    ]
    for person, first, measures in results_of(simulate_replicates, shares, scheduler=job.scheduler):
        found[person, first] = measures
        progress(len(measures[0]) * s.horizon)
    by_person = [[found[key] for key in sorted(found) if key[0] == person] for person in range(len(job.truths))]
    return [Measures(*(np.concatenate(parts) for parts in zip(*one, strict=True))) for one in by_person]


@contextmanager
def stopping(progress: Progress) -> Iterator[Progress]:
    """Yield a `progress` callback that ends the threads of a simulation after the main thread was interrupted."""
    stop = threading.Event()

    def checked(made: int) -> None:
        if stop.is_set():
            raise StopSimulationError
        progress(made)

    try:
        yield checked
    except BaseException:
        stop.set()
        raise
