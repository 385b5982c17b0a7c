"""Fit a cohort: the reward family, then the ladder of models of each arm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.fitted import ArmFit
from rogue_bandits.estimate.history import FEWEST_REWARDS, Record, Records
from rogue_bandits.estimate.ladder.arm import Held, compare_arm, draw_arm, family_scores
from rogue_bandits.estimate.ladder.arms_together import arms_together
from rogue_bandits.estimate.ladder.averaging import averaged
from rogue_bandits.estimate.ladder.compare import CANDIDATES, CONSTANT, FADE, POOLS, SHARED, Candidate
from rogue_bandits.estimate.ladder.families import ZERO_INFLATED, family_of
from rogue_bandits.estimate.ladder.points import arm_fit_of
from rogue_bandits.estimate.ladder.reported import report_arm
from rogue_bandits.estimate.ladder.result import ArmLadder
from rogue_bandits.estimate.ladder.task import ArmTask
from rogue_bandits.model.numbers import checked_workers
from rogue_bandits.schedule import in_threads, results
from rogue_bandits.types import Floats

FEWEST_ABOVE = 10  # rewards above 0 that a zero-inflated family needs of each arm
MOST_PEOPLE = 200  # of an arm, whose rewards choose the family
SILENCE = [Candidate(CONSTANT), Candidate(FADE, SHARED)]  # nothing was sent: nothing wears out
Progress = Callable[[int], None]
Done = Callable[[str, Held], None]
Named = tuple[str, ArmTask]  # the task of an arm


class FitTask(NamedTuple):
    """The settings of a fit; all of them but the workers and the scheduler determine the result."""

    families: tuple[str, ...]  # to choose from; one that was asked for is alone
    trials: float = 0.0
    pool: str | None = None  # what people share; None for what predicts better
    scale: float = 1.0
    workers: int = -1
    scheduler: str | None = None  # the address of a Dask scheduler, whose workers do the work


class Data(NamedTuple):
    """What is fitted: the records of arms, rewards that followed a rest, and covariates [decisions, n] of people."""

    records: Records
    rests: Mapping[str, Record] | None = None
    covariates: Mapping[str, Floats] | None = None


class Fitted(NamedTuple):
    """A cohort that was fitted."""

    people: dict[str, dict[str, ArmFit]]  # by person, by arm
    arms: dict[str, ArmLadder]
    silence: ArmLadder | None
    family: str
    scores: dict[str, float]  # held-out log-likelihood a reward of each family


def fit_cohort(
    data: Data,
    task: FitTask,
    progress: Progress = lambda n: None,
    done: Done = lambda arm, held: None,
    found: Mapping[str, Held] | None = None,
    scores: Mapping[str, float] | None = None,
) -> Fitted:
    """Fit a cohort; the result does not depend on the number of `workers`, threads (−1: one a core).

    `progress` is called with the number of candidates just compared, of `steps_of` in all, and `done` with each arm
    whose candidates are compared ('' is silence). `found` and `scores` are results of an earlier run, which are not
    computed again.

    >>> rng = np.random.default_rng(1)
    >>> level = {"ann": 0.4, "bob": 0.6, "cat": 0.5, "dan": 0.7}
    >>> records = {p: {"walk": Record(np.ones(12), x + 0.1 * rng.standard_normal(12))} for p, x in level.items()}
    >>> fit_cohort(Data(records), FitTask(("gaussian",), workers=1)).arms["walk"].rung
    'constant'
    """
    checked_task(task)
    checked = checked_data(data)
    workers = checked_workers(task.workers, "fit_cohort, workers")
    by_arm = arms_of(checked.records)
    task = with_possible_families(task, by_arm)
    scores = dict(scores) if scores else choose_family(checked, task)
    family = max(scores, key=lambda name: scores[name])
    checked = with_possible_rests(checked, family, task.trials)
    found, quiet = found or {}, bool(checked.rests)
    names = [*by_arm, *[""] * quiet]
    tasks = [arm_task(checked, task, family, arm, k) for k, arm in enumerate(names)]
    todo = [(arm, one) for arm, one in zip(names, tasks, strict=True) if arm not in found]
    new = dict(
        by_scheduler(todo, task.scheduler, progress, done)
        if task.scheduler
        else by_threads(todo, workers, progress, done)
    )
    held = [found[arm] if arm in found else new[arm] for arm in names]
    drawn = in_threads(draw_arm, list(zip(tasks, held, strict=True)), workers)
    every = arms_together(drawn, quiet)
    draws = averaged(drawn, every, quiet)
    beside = [*[draws[-1] if quiet else None] * len(by_arm), *[None] * quiet]  # silence is beside nothing
    ladders = in_threads(report_arm, zip(every, draws, beside, strict=True), workers)
    arms, silence = dict(zip(by_arm, ladders)), ladders[-1] if quiet else None
    return Fitted(points(checked.records, arms, family, task), arms, silence, family, scores)


def by_threads(todo: list[Named], workers: int, progress: Progress, done: Done) -> list[tuple[str, Held]]:
    """Return what the candidates of arms predict."""

    def compare_one(arm: str, one: ArmTask) -> tuple[str, Held]:
        held = compare_arm(one, progress)
        done(arm, held)
        return arm, held

    return in_threads(compare_one, todo, workers)


def by_scheduler(todo: list[Named], scheduler: str, progress: Progress, done: Done) -> list[tuple[str, Held]]:
    """Return the same, by the workers of a Dask scheduler; `progress` is called once for each arm."""
    candidates, made = {arm: one.candidates for arm, one in todo}, []
    for arm, values in results(compare_named, todo, scheduler=scheduler):
        held = dict(zip(candidates[arm], values, strict=True))
        progress(len(held))
        done(arm, held)
        made.append((arm, held))
    return made


def compare_named(named: Named) -> tuple[str, list[Floats]]:
    """Return what the candidates of an arm predict, in their order, with its name: Dask makes tuples of keys."""
    return named[0], list(compare_arm(named[1]).values())


def with_possible_families(task: FitTask, by_arm: Mapping[str, Mapping[str, Record]]) -> FitTask:
    """Return the task without zero-inflated rewards, if an arm has too few above 0 to say how large these are."""
    if ZERO_INFLATED.name not in task.families:
        return task
    above = {arm: sum(int((one.seen() > 0.0).sum()) for one in records.values()) for arm, records in by_arm.items()}
    poor = [arm for arm, n in above.items() if n < FEWEST_ABOVE]
    if not poor:
        return task
    if len(task.families) == 1:
        raise ValueError(
            f"arm '{poor[0]}' has {above[poor[0]]} rewards above 0: family {ZERO_INFLATED.name} needs {FEWEST_ABOVE} "
            "or more of each arm"
        )
    return task._replace(families=tuple(name for name in task.families if name != ZERO_INFLATED.name))


def with_possible_rests(data: Data, family: str, trials: float) -> Data:
    """Return the data without rests whose rewards are impossible in the family of the arms, or too few for it."""
    every = [record.seen() for record in (data.rests or {}).values()]
    rewards = np.concatenate(every) if every else np.zeros(0)
    if not family_of(family).accepts(rewards, trials).all():
        return data._replace(rests=None)
    few = family == ZERO_INFLATED.name and (rewards > 0.0).sum() < FEWEST_ABOVE
    return data._replace(rests=None) if few else data


def points(
    records: Records, arms: Mapping[str, ArmLadder], family: str, task: FitTask
) -> dict[str, dict[str, ArmFit]]:  # fmt: skip
    """Return the arms of each person with numbers in place of distributions."""
    return {
        person: {
            arm: arm_fit_of(arms[arm], arms[arm].persons[person], family, task.trials, task.scale, record)
            for arm, record in mine.items()
        }
        for person, mine in records.items()
    }


def steps_of(data: Data, task: FitTask) -> int:
    """Return the number of candidates that `progress` counts."""
    return len(arms_of(data.records)) * len(candidates_of(task)) + (len(SILENCE) if data.rests else 0)


def candidates_of(task: FitTask) -> list[Candidate]:
    """Return all candidates, or those with the pooling that was asked for."""
    return [c for c in CANDIDATES if c.rung == CONSTANT or task.pool in (None, c.pool)]


def arm_task(data: Data, task: FitTask, family: str, arm: str, seed: int) -> ArmTask:
    """Return the task of an arm; '' is silence, what follows a rest."""
    if not arm:
        return ArmTask(data.rests or {}, family, task.trials, data.covariates, SILENCE, task.scale, seed)
    records = arms_of(data.records)[arm]
    return ArmTask(records, family, task.trials, data.covariates, candidates_of(task), task.scale, seed)


def choose_family(data: Data, task: FitTask) -> dict[str, float]:
    """Return the held-out log-likelihood a reward of each family, over all arms; one alone is not compared."""
    if len(task.families) == 1:
        return {task.families[0]: 0.0}
    by_arm = arms_of(data.records)
    tasks = [
        ArmTask(dict(list(by_arm[arm].items())[:MOST_PEOPLE]), task.families[0], task.trials, data.covariates)
        for arm in by_arm
    ]
    asked = [(k, one, name) for k, (one, name) in enumerate(product(tasks, task.families))]
    if task.scheduler:
        found = [
            scores for _, scores in sorted(results(numbered_scores, asked, scheduler=task.scheduler), key=itemgetter(0))
        ]
    else:
        found = [scores for _, scores in in_threads(numbered_scores, ((one,) for one in asked), task.workers)]
    n = sum(record.seen().size for one in tasks for record in one.records.values())
    return {name: sum(scores.get(name, 0.0) for scores in found) / n for name in task.families}


def numbered_scores(asked: tuple[int, ArmTask, str]) -> tuple[int, dict[str, float]]:
    """Return the scores of a family for an arm with their number: sums must not depend on who is done first."""
    return asked[0], family_scores(asked[1], [asked[2]])


def arms_of(records: Records) -> dict[str, dict[str, Record]]:
    """Return the records of each arm, by person."""
    by_arm: dict[str, dict[str, Record]] = {}
    for person, arms in records.items():
        for arm, record in arms.items():
            by_arm.setdefault(arm, {})[person] = record
    return by_arm


# ---- validation ------------------------------------------------------------------------------------------------------
def checked_task(task: FitTask) -> None:
    """Raise a ValueError that says what is wrong with a task."""
    if task.pool is not None and task.pool not in POOLS:
        raise ValueError(f"pool {task.pool!r} must be one of {', '.join(POOLS)}, or None for what predicts better")
    for name in task.families:
        family_of(name)


def checked_data(data: Data) -> Data:
    """Return the data as arrays; a ValueError names the person and the arm of what is wrong.

    >>> checked_data(Data({"ann": {"walk": Record([1, 1], [0.5, 0.4])}}))
    Traceback (most recent call last):
    ValueError: person 'ann', arm 'walk' has 2 rewards: a fit needs 3 or more
    """
    if not data.records:
        raise ValueError("a cohort needs at least one person, and there is none")
    checked: dict[str, dict[str, Record]] = {}
    for person, arms in data.records.items():
        if not arms:
            raise ValueError(f"person {person!r} needs at least one arm, and has none")
        checked[person] = {arm: checked_record(person, arm, record) for arm, record in arms.items()}
    return data._replace(records=checked)


def checked_record(person: str, arm: str, record: Record) -> Record:
    """Return one record."""
    played, rewards = (np.asarray(values, dtype=np.float64) for values in record)
    where = f"person {person!r}, arm {arm!r}"
    if played.size != rewards.size:
        raise ValueError(f"{where} has {played.size} decisions and {rewards.size} rewards")
    if np.isinf(rewards).any():
        raise ValueError(f"{where}, decision {int(np.argmax(np.isinf(rewards)))}, reward must be finite")
    if (n := int(np.count_nonzero(~np.isnan(rewards)))) < FEWEST_REWARDS:
        raise ValueError(f"{where} has {n} rewards: a fit needs {FEWEST_REWARDS} or more")
    return Record(played, rewards)
