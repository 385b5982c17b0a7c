"""One partition in one run: learn the rewards that have come, decide, write decisions and people."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rogue_bandits.online.decisions import Decisions
from rogue_bandits.online.personal import mapped
from rogue_bandits.online.population import Population
from rogue_bandits.partitions.atomic import write_durable
from rogue_bandits.partitions.columns import parquet_bytes
from rogue_bandits.partitions.layout import Folder, Manifest, cached_manifest
from rogue_bandits.partitions.people import (
    DamagedPartitionError,
    People,
    commit_people,
    people_bytes,
    read_people,
)
from rogue_bandits.partitions.rewards import learn_rewards, refused_rows, rows_of_people
from rogue_bandits.partitions.routing import rows_of
from rogue_bandits.types import Bools

UNKNOWN_AVAILABLE = "availability of an unknown person"


class NightTask(NamedTuple):
    """A partition to run."""

    folder: str
    inputs: str  # the folder of routed tables
    version: int  # of the people afterwards
    partition: int
    probabilities: bool
    given: str  # a hash of the input
    dry: bool = False  # nothing is written


class Outcome(NamedTuple):
    """What was done with a partition; `error` says why nothing was."""

    partition: int
    people: int = 0
    decided: int = 0
    learned: int = 0
    repeated: int = 0
    forgotten: int = 0
    refused: tuple[tuple[str, int], ...] = ()  # reasons with their numbers
    seconds: float = 0.0
    error: str = ""


def run_partition(task: NightTask) -> Outcome:
    """Run a partition. Equal tasks write equal files, so that it does not matter whether one is run again."""
    began = time.perf_counter()
    folder = Folder(Path(task.folder))
    if not Path(task.inputs).is_dir():
        raise ValueError(f"a worker does not see '{task.inputs}': all must see the storage of the population")
    m = cached_manifest(folder)
    try:
        people = read_people(folder, m, task.version - 1, task.partition)
    except DamagedPartitionError as error:
        return Outcome(task.partition, error=str(error))
    forgotten = forget_late(people.population, m.late)
    taken, refused = learn_rewards(m, people, rows_of(task.partition, Path(task.inputs) / "rewards"))
    available = rows_of(task.partition, Path(task.inputs) / "available")
    made = decide(m, people, available, task.probabilities)
    refused = pa.concat_tables([refused, unknown_available(people, available)])
    counts = counts_of(refused)
    outcome = Outcome(
        task.partition, len(people.ids), int((made.arm >= 0).sum()), *taken, forgotten, tuple(counts.items()),
        time.perf_counter() - began,
    )  # fmt: skip
    if not task.dry:
        write_durable(
            folder.decisions(task.version, task.partition), parquet_bytes(decision_table(m, people, made, task))
        )
        if counts:
            write_durable(folder.refused(task.version, task.partition), parquet_bytes(refused))
        about = {**outcome._asdict(), "refused": counts, "inputs": task.given}
        del about["seconds"], about["error"]  # what is written does not depend on when
        commit_people(folder.people(task.version, task.partition), people_bytes(m, people), about)
    return outcome


def forget_late(population: Population, late: int) -> int:
    """Free the slots of decisions whose reward is no longer awaited; return how many."""
    _, session = population.arrays
    old = (session.pending.number > 0) & (session.pending.number <= session.number[:, None] - late)
    if old.any():
        mapped(lambda array: _zeroed(array, old), session.pending)
    return int(old.sum())


def _zeroed(array: Any, where: Bools) -> Any:
    array[where] = 0
    return array


def decide(m: Manifest, people: People, table: Any | None, probabilities: bool) -> Decisions:
    """Decide for everybody; people without an available arm rest. Those who are not in the table have all arms."""
    mask = availability(m, people, table)
    some: Bools = np.any(mask, axis=1)
    who = np.flatnonzero(some)
    made = people.population.choose(who, mask[who], probabilities)
    people.population.rest(np.flatnonzero(~some))
    if some.all():
        return made
    everybody = Decisions(
        np.arange(some.size), people.population.number - 1, np.full(some.size, -1), np.full(some.size, np.nan),
        np.full((some.size, made.probabilities.shape[1]), np.nan), np.zeros(some.size, dtype=np.int64),
    )  # fmt: skip
    for column, part in zip(everybody[2:], made[2:], strict=True):
        column[who] = part
    return everybody


def availability(m: Manifest, people: People, table: Any | None) -> Bools:
    """Return which arms each person can get; a person who is listed twice has what all rows allow."""
    mask = np.ones((len(people.ids), len(m.arms)), dtype=np.bool_)
    if table is not None:
        row = rows_of_people(people, table)
        for k, name in enumerate(m.arm_names):
            allowed = pc.fill_null(table.column(name), False).to_numpy(zero_copy_only=False).astype(np.bool_)
            mask[row[(row >= 0) & ~allowed], k] = False
    return mask


def unknown_available(people: People, table: Any | None) -> Any:
    """Return the rows of a table of availability whose people are unknown, as rows that are refused."""
    table = pa.table({"person": people.ids[:0]}) if table is None else table
    return refused_rows(table.filter(pa.array(rows_of_people(people, table) < 0)), UNKNOWN_AVAILABLE)


def counts_of(refused: Any) -> dict[str, int]:
    """Return how many rows were refused for each reason."""
    reasons = refused.column("reason").to_pylist()
    return {reason: reasons.count(reason) for reason in sorted(set(reasons))}


def decision_table(m: Manifest, people: People, made: Decisions, task: NightTask) -> Any:
    """Return decisions as a table: person, decision, arm, its probability, that of each arm, version."""
    rests = made.arm < 0
    codes = pa.array(np.where(rests, 0, made.arm).astype(np.int32), mask=rests)
    columns = {
        "person": people.ids,
        "decision": pa.array(made.number),
        "arm": pa.DictionaryArray.from_arrays(codes, pa.array(m.arm_names)),
        "probability": _numbers(made.probability),
    }
    for k, name in enumerate(m.arm_names):
        of_arm = made.probabilities[:, k] if made.probabilities.shape[1] else np.full(len(rests), np.nan)
        columns[f"probability of {name}"] = _numbers(np.ascontiguousarray(of_arm))
    columns["version"] = pa.array(np.full(len(rests), task.version, dtype=np.int64))
    return pa.table(columns)


def _numbers(values: Any) -> Any:
    """Return numbers as a column, with nulls in place of nan."""
    return pa.array(values, from_pandas=True)
