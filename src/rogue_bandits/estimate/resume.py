"""Fit a cohort with a checkpoint on disk, person by person, so that an interrupted fit can resume."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from rogue_bandits.checkpoint import append_line, begin_lines, fingerprint, read_lines
from rogue_bandits.estimate.crossvalidation import better_pool
from rogue_bandits.estimate.fit import Task, checked_records, cohort_model, fit_cohort
from rogue_bandits.estimate.fitted import ArmFit, Fitted, fits_from_plain, fits_to_plain
from rogue_bandits.estimate.history import Records

FILE = "fitted.jsonl"
COMPARING, FITTING = "which way of pooling predicts better", "fitting"


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
    pool, predicts, found = read_checkpoint(folder, stamp)
    if pool is None:
        pool = task.pool
        if pool is None:
            checked = checked_records(records, task)
            model = cohort_model(checked, task)
            pool, predicts = better_pool(model, checked, task.workers, lambda n: progress(COMPARING, n))
        begin_lines(folder / FILE, stamp, {"pool": pool, "predicts": predicts})
    if pool == "arm" and set(found) != set(records):
        found = {}  # shared dynamics are fitted to all people at once: some of them are of no use
    progress(FITTING, sum(len(arms) for person, arms in records.items() if person in found))
    if rest := {person: arms for person, arms in records.items() if person not in found}:
        more = fit_cohort(
            rest,
            task._replace(pool=pool),
            lambda n: progress(FITTING, n),
            lambda person, fits: append_line(folder / FILE, {"person": person, "arms": fits_to_plain(fits)}),
            cohort_model(checked_records(records, task), task),
        )
        found = {**found, **more.people}
    return Fitted(pool, predicts, {person: found[person] for person in records})


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
    people = {line["person"]: fits_from_plain(line["arms"]) for line in lines[1:]}
    return Checkpoint(lines[0]["pool"], lines[0]["predicts"], people)
