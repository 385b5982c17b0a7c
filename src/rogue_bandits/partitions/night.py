"""One partition in one run: learn the rewards that have come, decide, write decisions and people."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rogue_bandits.model.probe import are_rewards
from rogue_bandits.online.decisions import Decisions
from rogue_bandits.online.kernels import Chosen
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
from rogue_bandits.partitions.routing import rows_of
from rogue_bandits.types import Bools, Ints

UNKNOWN, TWICE, NOT_AWAITED, INVALID = "unknown person", "two rewards", "awaits no reward", "not a reward"


class Task(NamedTuple):
    """A partition to run."""

    folder: str
    inputs: str  # the folder of routed tables
    version: int  # of the people afterwards
    partition: int
    probabilities: bool
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


def run_partition(task: Task) -> Outcome:
    """Run a partition. Equal tasks write equal files, so that it does not matter whether one is run again."""
    began = time.perf_counter()
    folder = Folder(Path(task.folder))
    m = cached_manifest(folder)
    try:
        people = read_people(folder, m, task.version - 1, task.partition)
    except DamagedPartitionError as error:
        return Outcome(task.partition, error=str(error))
    forgotten = forget_late(people.population, m.late)
    taken, refused = learn_rewards(m, people, rows_of(task.partition, Path(task.inputs) / "rewards"))
    made = decide(m, people, rows_of(task.partition, Path(task.inputs) / "available"), task.probabilities)
    counts = {reason: refused["reason"].count(reason) for reason in sorted(set(refused["reason"]))}
    outcome = Outcome(
        task.partition, len(people.ids), int((made.arm >= 0).sum()), *taken, forgotten, tuple(counts.items()),
        time.perf_counter() - began,
    )  # fmt: skip
    if not task.dry:
        write_durable(
            folder.decisions(task.version, task.partition), parquet_bytes(decision_table(m, people, made, task))
        )
        if refused["reason"]:
            write_durable(folder.refused(task.version, task.partition), parquet_bytes(pa.table(refused)))
        about = {**outcome._asdict(), "refused": counts}
        del about["seconds"], about["error"]  # what is written does not depend on when
        commit_people(folder.people(task.version, task.partition), people_bytes(m, people), about)
    return outcome


def forget_late(population: Population, late: int) -> int:
    """Free the slots of decisions whose reward is no longer awaited; return how many."""
    session = population._session
    old = (session.pending.number > 0) & (session.pending.number <= session.number[:, None] - late)
    if old.any():
        mapped(lambda array: _zeroed(array, old), session.pending)
    return int(old.sum())


def _zeroed(array: Any, where: Bools) -> Any:
    array[where] = 0
    return array


def learn_rewards(m: Manifest, people: People, table: Any | None) -> tuple[tuple[int, int], dict[str, Any]]:
    """Learn the rewards of a table; return how many were learned and repeated, and the rows that were refused.

    Rewards are learned person by person in the order of their decisions, so that that of the table does not matter.
    """
    refused: dict[str, Any] = {"person": [], "decision": [], "reward": [], "reason": []}
    if table is None:
        return (0, 0), refused
    row = pc.fill_null(pc.index_in(table.column("person"), value_set=people.ids), -1).to_numpy()
    row, ids = row.astype(np.int64), table.column("person")
    number = pc.fill_null(table.column("decision"), -1).to_numpy().astype(np.int64)
    reward = pc.fill_null(table.column("reward"), np.nan).to_numpy().astype(np.float64)
    order = np.lexsort((reward, number, row))
    row, number, reward = row[order], number[order], reward[order]
    pending = people.population._session.pending
    slots = pending.number[np.maximum(row, 0)] == number[:, None] + 1
    awaited, arm = slots.any(axis=1), pending.arm[np.maximum(row, 0), slots.argmax(axis=1)]
    same = (row[1:] == row[:-1]) & (number[1:] == number[:-1]) & (row[1:] >= 0)
    equal = same & ((reward[1:] == reward[:-1]) | (np.isnan(reward[1:]) & np.isnan(reward[:-1])))
    differs = same & ~equal
    twice = np.isin(_keys(row, number), _keys(row, number)[np.append(differs, False) | np.append(False, differs)])
    repeated = np.append(False, equal) & ~twice
    sound = np.isnan(reward) | are_rewards(m.arms, np.where(awaited, arm, 0), reward)
    reasons = {UNKNOWN: row < 0, TWICE: twice, NOT_AWAITED: ~awaited, INVALID: ~sound}
    good = ~repeated
    for reason, wrong in reasons.items():
        bad = np.flatnonzero(wrong & good)
        good &= ~wrong
        refused["person"] += [str(who) for who in ids.take(pa.array(order[bad])).to_pylist()]
        refused["decision"] += number[bad].tolist()
        refused["reward"] += reward[bad].tolist()
        refused["reason"] += [reason] * bad.size
    who, n = row[good], int(good.sum())
    chosen = Chosen(number[good], arm[good].astype(np.int64), np.ones(n), np.empty((0, 0)))
    people.population._run(people.population._engine.learn, who, chosen, reward[good])
    return (n, int(repeated.sum())), refused


def _keys(row: Ints, number: Ints) -> Ints:
    """Return a number for each pair of a row and a decision."""
    keys: Ints = row * (number.max(initial=0) + 2) + number
    return keys


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
        np.full((some.size, made.probabilities.shape[1]), np.nan),
    )  # fmt: skip
    for column, part in zip(everybody[2:], made[2:], strict=True):
        column[who] = part
    return everybody


def availability(m: Manifest, people: People, table: Any | None) -> Bools:
    """Return which arms each person can get; a person who is listed twice has what all rows allow."""
    mask = np.ones((len(people.ids), len(m.arms)), dtype=np.bool_)
    if table is not None:
        row = pc.fill_null(pc.index_in(table.column("person"), value_set=people.ids), -1).to_numpy().astype(np.int64)
        for k, name in enumerate(m.arm_names):
            allowed = pc.fill_null(table.column(name), False).to_numpy(zero_copy_only=False).astype(np.bool_)
            mask[row[(row >= 0) & ~allowed], k] = False
    return mask


def decision_table(m: Manifest, people: People, made: Decisions, task: Task) -> Any:
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
