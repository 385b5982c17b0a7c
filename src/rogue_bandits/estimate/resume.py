"""Fit a cohort with a checkpoint on disk, person by person, so that an interrupted fit can resume."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from rogue_bandits.checkpoint import append_line, begin_lines, fingerprint, read_lines
from rogue_bandits.estimate.crossvalidation import better_pool
from rogue_bandits.estimate.fit import Task, checked_records, cohort_model, fit_cohort
from rogue_bandits.estimate.fitted import ArmFit, Fitted, fit_from_plain, fit_to_plain
from rogue_bandits.estimate.history import Record

FILE = "fitted.jsonl"
COMPARING, FITTING = "which way of pooling predicts better", "fitting"
Records = dict[str, dict[str, Record]]


class Checkpoint(NamedTuple):
    """Results of an earlier run: the pooling, if that was decided, and the people who are fitted."""

    pool: str | None
    predicts: dict[str, float]
    people: dict[str, dict[str, ArmFit]]


def fit_with_checkpoint(records: Records, task: Task, folder: Path, progress: Callable[[str, int], None]) -> Fitted:
    """`fit_cohort` in two steps, each of which can be resumed: the choice of the pooling, then person by person.

    `progress` is called with the name of the step and the number of fits just made, or found.
    """
    stamp = stamp_of(records, task)
    known = read_checkpoint(folder, stamp)
    if known.pool is None:
        known = decided(records, task, lambda n: progress(COMPARING, n))
        begin_lines(folder / FILE, stamp, {"pool": known.pool, "predicts": known.predicts})
    pool = str(known.pool)
    # Dynamics that people share are fitted to all of them at once: a part of them is of no use.
    found = known.people if pool == "person" or set(known.people) == set(records) else {}
    progress(FITTING, sum(len(arms) for person, arms in records.items() if person in found))
    rest = {person: arms for person, arms in records.items() if person not in found}
    if rest:
        more = fit_cohort(
            rest,
            task._replace(pool=pool),
            lambda n: progress(FITTING, n),
            lambda person, fits: append_line(folder / FILE, {"person": person, "arms": _to_plain(fits)}),
            cohort_model(checked_records(records, task), task),
        )
        known = known._replace(people={**found, **more.people})
    return Fitted(pool, known.predicts, {person: known.people[person] for person in records})


def decided(records: Records, task: Task, progress: Callable[[int], None]) -> Checkpoint:
    """Return the pooling that was asked for, or else the one that cross-validation supports."""
    if task.pool is not None:
        return Checkpoint(task.pool, {}, {})
    checked = checked_records(records, task)
    pool, predicts = better_pool(cohort_model(checked, task), checked, task.workers, progress)
    return Checkpoint(pool, predicts, {})


def stamp_of(records: Records, task: Task) -> str:
    """Return a hash of everything that decides the result."""
    every = [(person, arm, record) for person, arms in records.items() for arm, record in arms.items()]
    keys = [(person, arm, record.played.size) for person, arm, record in every]
    data = (record.played.tobytes() + record.rewards.tobytes() for _, _, record in every)
    return fingerprint(task._replace(workers=0), keys, data=data)


def read_checkpoint(folder: Path, stamp: str) -> Checkpoint:
    """Return what the folder has, if its stamp is this one."""
    lines = read_lines(folder / FILE, stamp)
    if not lines:
        return Checkpoint(None, {}, {})
    people = {line["person"]: _from_plain(line["arms"]) for line in lines[1:]}
    return Checkpoint(lines[0]["pool"], lines[0]["predicts"], people)


def _to_plain(fits: dict[str, ArmFit]) -> dict[str, Any]:
    return {arm: fit_to_plain(fit) for arm, fit in fits.items()}


def _from_plain(plain: dict[str, Any]) -> dict[str, ArmFit]:
    return {arm: fit_from_plain(fit) for arm, fit in plain.items()}
