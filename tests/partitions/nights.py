"""Populations on disk for tests: small, and compared with the same people in memory."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rogue_bandits as rb
from rogue_bandits.online.personal import leaves
from rogue_bandits.partitions import night
from rogue_bandits.partitions.layout import Folder, Manifest, read_manifest
from rogue_bandits.partitions.night import NightTask, Outcome, run_partition
from rogue_bandits.partitions.people import read_people
from tests.matrix import FULL
from tests.policies.histories import TWO_ARMS

ARMS = [arm._replace(name=name) for arm, name in zip(TWO_ARMS, ("walk", "sleep"), strict=True)]
POLICY = rb.DUCB(gamma=0.9)  # compiles in no time
# Policies with a fit and with a posterior of each arm. Other tests compile the first two anyway.
ROGUE: list[Any] = [rb.EpsilonRogue(), rb.PlanTS(), *([rb.TunedRogueUCB(), rb.IndexTS()] if FULL else [])]
PEOPLE = 23
PARTITION = Path("people", "v000001", "part-00002.parquet")


def rewards_table(path: Path, person: Any, decision: Any, reward: Any) -> Path:
    """Write a table of rewards."""
    table = pa.table({"person": person, "decision": pa.array(decision, pa.int64()), "reward": reward})
    pq.write_table(table, path)
    return path


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder but the lock, byte by byte."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def decided(folder: Path, version: int) -> Any:
    """The decisions of a run, by person."""
    found = pq.read_table(folder / "decisions" / f"v{version:06d}")
    return found.sort_by("person").to_pydict()


def everybody(folder: Path) -> tuple[list[Any], list[np.ndarray[Any, Any]]]:
    """The ids and the arrays of all people, in the order of their ids."""
    at = Folder(folder)
    m: Manifest = read_manifest(at)
    ids: list[Any] = []
    parts = []
    for partition in range(m.partitions):
        people = read_people(at, m, m.version, partition)
        ids += people.ids.to_pylist()
        parts.append(list(leaves(people.population.arrays)))
    order = np.argsort(np.array(ids))
    arrays = [np.concatenate(same)[order] for same in zip(*parts, strict=True)]
    return [ids[i] for i in order], arrays


def bits(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The bits of an array: −0.0 is not 0.0, and nan is nan."""
    return np.ascontiguousarray(array).view(np.uint64) if array.itemsize == 8 else array


def die_once(mark: str) -> str:
    """End the worker that is the first to take this task, as if the system had killed it."""
    path = Path(mark)
    if not path.exists():
        path.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return path.name


def run_partition_and_die_once(task: NightTask) -> Outcome:
    """Run a partition; the first worker to do so is killed when its decisions are written and its people are not."""
    mark = Path(f"{task.folder}.killed")
    with pytest.MonkeyPatch.context() as patch:
        if not mark.exists():
            mark.touch()
            patch.setattr(night, "commit_people", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
        return run_partition(task)


def always_dies(_: int) -> None:
    """End every worker."""
    os.kill(os.getpid(), signal.SIGKILL)


def flip(path: Path) -> None:
    """Change one bit of a file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
