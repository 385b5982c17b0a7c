"""Finished results and best plans in files of their own, so that an interrupted run can continue."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pydantic import ValidationError

from rogue_bandits.checkpoint import fingerprint, write_atomic
from rogue_bandits.experiments.experiment import Experiment, Settings
from rogue_bandits.experiments.results import PolicyResult, Stored
from rogue_bandits.planning import Plan
from rogue_bandits.planning.optimal import best_found
from rogue_bandits.planning.plan import plan_of
from rogue_bandits.schedule import in_threads
from rogue_bandits.types import Truth

PLANS = "best-plans"


class Found(NamedTuple):
    """The result of an earlier run, or None and why it cannot be used ('' if there is none)."""

    result: PolicyResult | None
    why: str = ""


class StoredPlans(Stored):
    """The arms to play, and the proven upper bound, for each person."""

    stamp: str
    arm: tuple[tuple[int, ...], ...]
    upper: tuple[float, ...]


def stamp(experiment: Experiment, settings: Settings, policy: str) -> str:
    """Return a hash of all that determines a policy's result; the number of workers does not."""
    truths = list(experiment.truths(settings))
    return fingerprint(settings.policy(policy), truths, settings.horizon, settings.replicates, settings.seed)


def path_of(folder: Path, name: str) -> Path:
    """Return the file of a policy's result."""
    return folder / "policies" / f"{name}.json"


def look_up(folder: Path, policy: str, stamp: str) -> Found:
    """Return the stored result, if the file is intact and has this stamp."""
    try:
        result = PolicyResult.model_validate_json(path_of(folder, policy).read_bytes())
    except FileNotFoundError:
        return Found(None)
    except ValidationError:
        return Found(None, "the file of an earlier run is damaged")
    if result.stamp != stamp:
        return Found(None, "an earlier run had other settings or another version")
    return Found(result)


def store(folder: Path, policy: str, result: PolicyResult) -> None:
    """Write a policy's result."""
    write_atomic(path_of(folder, policy), result.model_dump_json(indent=1).encode())


def best_plans(
    experiment: Experiment, settings: Settings, truths: Sequence[Truth], folder: Path, workers: int
) -> list[Plan]:
    """Return the best plan of each person, from an earlier run if the folder has them. A single plan is not stored."""
    horizon, path = settings.horizon, path_of(folder, PLANS)
    stamp = fingerprint(list(truths), horizon, experiment.plan_gap)
    with suppress(FileNotFoundError, ValidationError):
        found = StoredPlans.model_validate_json(path.read_bytes())
        if found.stamp == stamp:
            each = zip(truths, found.arm, found.upper, strict=True)
            return [plan_of(truth, np.array(arm, dtype=np.int16))._replace(upper=upper) for truth, arm, upper in each]
    plans = in_threads(best_found, ((truth, horizon, experiment.plan_gap) for truth in truths), workers)
    if len(truths) > 1:
        arms, upper = tuple(tuple(plan.arm.tolist()) for plan in plans), tuple(plan.upper for plan in plans)
        write_atomic(path, StoredPlans(stamp=stamp, arm=arms, upper=upper).model_dump_json().encode())
    return plans
