"""The best plan of each person, kept on disk: it may take seconds each."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from pydantic import ValidationError

from rogue_bandits.checkpoint import write_whole
from rogue_bandits.compile.cache import sources_hash
from rogue_bandits.experiments.experiment import Experiment, Settings
from rogue_bandits.experiments.keep import path_of
from rogue_bandits.experiments.results import Kept
from rogue_bandits.planning import Plan
from rogue_bandits.planning.optimal import best_found
from rogue_bandits.planning.plan import plan_of
from rogue_bandits.types import Truth

NAME = "best-plans"


class KeptPlans(Kept):
    """Plans: the arms to play, and the proven bound, person by person."""

    stamp: str
    arm: tuple[tuple[int, ...], ...]
    upper: tuple[float, ...]


def best_plans(
    experiment: Experiment, settings: Settings, truths: Sequence[Truth], folder: Path, workers: int
) -> list[Plan]:
    """The best plans, from the folder if an earlier run left them there; one person's alone is not worth a file."""
    horizon, path = settings.horizon, path_of(folder, NAME)
    decisive = sources_hash(), list(truths), horizon, experiment.plan_gap
    stamp = hashlib.sha256(repr(decisive).encode()).hexdigest()[:16]
    found = kept(path)
    if found is not None and found.stamp == stamp:
        each = zip(truths, found.arm, found.upper, strict=True)
        return [plan_of(truth, np.array(arm, dtype=np.int16))._replace(upper=upper) for truth, arm, upper in each]
    made: list[Plan] = Parallel(n_jobs=workers if len(truths) > 1 else 1, require="sharedmem")(
        delayed(best_found)(truth, horizon, experiment.plan_gap) for truth in truths
    )
    if len(truths) > 1:
        arms, upper = tuple(tuple(plan.arm.tolist()) for plan in made), tuple(plan.upper for plan in made)
        write_whole(path, KeptPlans(stamp=stamp, arm=arms, upper=upper).model_dump_json().encode())
    return made


def kept(path: Path) -> KeptPlans | None:
    """What is in the file; a damaged one counts for nothing."""
    try:
        return KeptPlans.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
