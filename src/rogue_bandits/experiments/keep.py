"""Finished results on disk, each policy's in a file of its own, so that a run that was stopped can continue."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from rogue_bandits.checkpoint import stamp_of, write_whole
from rogue_bandits.experiments.experiment import Experiment, Settings
from rogue_bandits.experiments.results import PolicyResult


class Found(NamedTuple):
    """A result from an earlier run, or else why there is none ('' if nobody ever ran it)."""

    result: PolicyResult | None
    why: str = ""


def stamp(experiment: Experiment, settings: Settings, row: str) -> str:
    """A hash of everything that decides a policy's result; the number of workers does not."""
    return stamp_of(
        settings.policy(row),
        list(experiment.truths(settings)),
        settings.horizon,
        settings.replicates,
        settings.seed,
    )


def path_of(folder: Path, row: str) -> Path:
    """Where a policy's result is kept."""
    return folder / "policies" / f"{row}.json"


def look_up(folder: Path, row: str, stamp: str) -> Found:
    """The result in the folder, if it is whole and its stamp is this one."""
    try:
        result = PolicyResult.model_validate_json(path_of(folder, row).read_bytes())
    except FileNotFoundError:
        return Found(None)
    except ValidationError:
        return Found(None, "the file of an earlier run is damaged")
    if result.stamp != stamp:
        return Found(None, "an earlier run had other settings or another version")
    return Found(result)


def keep(folder: Path, row: str, result: PolicyResult) -> None:
    """Write a result, whole or not at all."""
    write_whole(path_of(folder, row), result.model_dump_json(indent=1).encode())
