"""Fit a cohort with a checkpoint on disk: arms whose models are compared are not compared again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import numpy as np

from rogue_bandits.checkpoint import append_line, begin_lines, fingerprint, read_header, read_lines
from rogue_bandits.estimate.fit import (
    Data,
    FitTask,
    Fitted,
    arms_of,
    checked_data,
    choose_family,
    fit_cohort,
    with_possible_families,
)
from rogue_bandits.estimate.ladder.arm import Held
from rogue_bandits.estimate.ladder.compare import Candidate

FILE = "fitted.jsonl"


class Checkpoint(NamedTuple):
    """Results of an earlier run: the scores of the families, and of candidates by arm ('' is silence)."""

    scores: dict[str, float]
    arms: dict[str, Held]


def fit_with_checkpoint(
    data: Data, task: FitTask, folder: Path, progress: Callable[[int], None], source: Mapping[str, str] | None = None
) -> Fitted:
    """Run `fit_cohort` in steps that can be resumed: the choice of the family, then arm by arm.

    `source` says in the checkpoint of which data it is.
    """
    stamp = stamp_of(data, task)
    scores, found = read_checkpoint(folder, stamp)
    if not scores:
        checked = checked_data(data)
        scores = choose_family(checked, with_possible_families(task, arms_of(checked.records)))
        begin_lines(folder / FILE, stamp, {"scores": scores, "source": dict(source or {})})
    lock = Lock()

    def done(arm: str, held: Held) -> None:
        with lock:
            append_line(
                folder / FILE, {"arm": arm, "held_out": [[*one, values.tolist()] for one, values in held.items()]}
            )

    progress(sum(len(held) for held in found.values()))
    return fit_cohort(data, task, progress, done, found, scores)


def stamp_of(data: Data, task: FitTask) -> str:
    """Return a hash of everything that decides the result."""
    every = [(person, arm, record) for person, arms in data.records.items() for arm, record in arms.items()]
    every += [(person, "", record) for person, record in (data.rests or {}).items()]
    keys = [(person, arm, record.played.size) for person, arm, record in every]
    covariates = [values.tobytes() for values in (data.covariates or {}).values()]
    content = [record.played.tobytes() + record.rewards.tobytes() for _, _, record in every]
    return fingerprint(task._replace(workers=0, scheduler=None), keys, data=[*content, *covariates])


def source_of_checkpoint(folder: Path) -> dict[str, str]:
    """Return of which data the checkpoint in a folder is, whatever its stamp; nothing where none says that."""
    header = read_header(folder / FILE).get("source", {})
    return header if isinstance(header, dict) else {}


def read_checkpoint(folder: Path, stamp: str) -> Checkpoint:
    """Return what the folder has, if its stamp is this one."""
    lines = read_lines(folder / FILE, stamp)
    if not lines:
        return Checkpoint({}, {})
    arms = {
        line["arm"]: {Candidate(rung, pool): np.array(values) for rung, pool, values in line["held_out"]}
        for line in lines[1:]
    }
    return Checkpoint(lines[0]["scores"], arms)
