"""Make a population on disk: fresh people, or people with a simulated past."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rogue_bandits.model.numbers import checked_whole
from rogue_bandits.model.problem import problem_of
from rogue_bandits.model.validation import checked_arms
from rogue_bandits.numerics.seeding import streams_of
from rogue_bandits.online.engine import engine_of, fresh_sessions
from rogue_bandits.online.personal import with_own_arrays
from rogue_bandits.partitions.atomic import TEMPORARY, write_durable
from rogue_bandits.partitions.columns import parquet_bytes
from rogue_bandits.partitions.ids import partition_of
from rogue_bandits.partitions.layout import Folder, Manifest, engine_in, manifest_bytes, read_manifest, write_manifest
from rogue_bandits.partitions.people import People, commit_people, committed, people_bytes, population_of
from rogue_bandits.partitions.simulated import live
from rogue_bandits.partitions.tables import content_hash, pieces
from rogue_bandits.policies.plain import policy_to_plain
from rogue_bandits.schedule import results
from rogue_bandits.types import Arm, Ints, start

PEOPLE_OF_A_PARTITION = 50_000  # some 250 MB of arrays while it is run
LATE = 14  # decisions
MOST_SHOWN = 5  # people who are listed more than once


class CreationTask(NamedTuple):
    """A partition to make; `decisions` in the past are simulated."""

    folder: str
    manifest: Manifest
    partition: int
    ids: Any  # an Arrow array, or None where people are numbers from 0
    numbers: Ints | None  # of these people
    decisions: int


def create(
    folder: str | Path,
    arms: Sequence[Arm],
    policy: Any,
    people: int | None = None,
    ids: str | Path | None = None,
    *,
    seed: int = 0,
    decisions: int = 0,
    late: int = LATE,
    partition_size: int = PEOPLE_OF_A_PARTITION,
    workers: int = 1,
    scheduler: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Manifest:
    """Make a population on disk: `people` with the ids 0, 1, …, or those of the column person of the table `ids`.

    With `decisions` above 0 a past of so many decisions is simulated for each, against a theta and an x0 drawn
    uniformly, and `simulated/rewards` has the rewards of one decision more, which has been made. Rewards are awaited
    for `late` decisions. If it is stopped, the same call continues.
    """
    at = Folder(Path(folder))
    raise_if_not_empty(at)
    known = None if ids is None else checked_ids(Path(ids))
    count = len(known) if known is not None else checked_whole(people, "people", 1)
    if known is not None and people is not None and people != count:
        raise ValueError(f"people {people} must be {count}: '{ids}' has so many")
    size, late = checked_whole(partition_size, "partition_size", 1), checked_whole(late, "late", 1)
    decisions = checked_whole(decisions, "decisions", 0)
    m = Manifest(
        tuple(checked_arms(list(arms))), policy, checked_whole(seed, "seed", 0), count, prime_from(-(-count // size)),
        "int64" if known is None or pa.types.is_integer(known.type) else "string", late,
    )  # fmt: skip
    policy_to_plain(policy)  # says if it cannot be saved
    engine_of(problem_of(list(m.arms)), policy)  # says if it cannot serve these arms
    where = None if known is None else partition_of(known, m.partitions)
    begin(at, m, decisions, None if ids is None else content_hash(Path(ids)))
    tasks = []
    for partition in range(m.partitions):
        numbers = None if where is None else np.flatnonzero(where == partition)
        chosen = None if known is None else known.take(pa.array(numbers))
        tasks.append(CreationTask(str(at.path), m, partition, chosen, numbers, decisions))
    for made in results(create_partition, tasks, workers, scheduler):
        if progress is not None:
            progress(made)
    write_manifest(at, m)
    at.creating.unlink(missing_ok=True)
    return read_manifest(at)


def raise_if_not_empty(at: Folder) -> None:
    """Raise a ValueError if a folder has files that do not come from a `create` that was stopped."""
    found = [path.name for path in at.path.iterdir()] if at.path.exists() else []
    if at.manifest.name in found or not (
        at.creating.name in found or all(name.startswith(TEMPORARY) for name in found)
    ):
        raise ValueError(f"'{at.path}' is not empty: name another folder")


def begin(at: Folder, m: Manifest, decisions: int, ids: str | None) -> None:
    """Say of what a population is being made, or find that it is what was begun."""
    what = {"manifest": hashlib.sha256(manifest_bytes(m)).hexdigest(), "decisions": decisions, "ids": ids}
    text = json.dumps(what).encode()
    if not at.creating.exists():
        write_durable(at.creating, text)
    elif at.creating.read_bytes() != text:
        raise ValueError(
            f"'{at.path}' has a part of another population, whose creation was stopped: give the arguments of that one "
            "to continue it, or remove the folder"
        )


def prime_from(least: int) -> int:
    """Return the first prime from `least` on: numbers in regular steps are spread evenly over a prime number of parts.

    >>> prime_from(200)
    211
    """
    while least > 2 and any(least % d == 0 for d in range(2, int(least**0.5) + 1)):
        least += 1
    return least


def checked_ids(path: Path) -> Any:
    """Return the ids of a table, whole numbers if all are; nobody is listed twice."""
    try:
        found = _people_in(path, pa.int64())
    except ValueError:
        found = _people_in(path, pa.string())
    without = found.null_count + (pc.sum(pc.equal(found, "")).as_py() or 0 if pa.types.is_string(found.type) else 0)
    if without or not len(found):
        lacks = f"{without} rows without one" if len(found) else "no rows"
        raise ValueError(f"'{path}' must have a person in every row, and has {lacks}")
    if len(found.unique()) != len(found):
        counts = found.value_counts()
        twice = counts.filter(pc.greater(pc.struct_field(counts, "counts"), 1))
        shown = ", ".join(f"'{one['values']}'" for one in twice[:MOST_SHOWN].to_pylist())
        more = f" and {len(twice) - MOST_SHOWN:,} more" if len(twice) > MOST_SHOWN else ""
        raise ValueError(f"'{path}' must list everybody once, and has more than once: {shown}{more}")
    return found


def _people_in(path: Path, type_: Any) -> Any:
    """Return the column person of a table."""
    return pa.chunked_array(
        [chunk for t in pieces(path, {"person": type_}) for chunk in t.column(0).chunks], type_
    ).combine_chunks()


def create_partition(task: CreationTask) -> int:
    """Make a partition; return how many people it has."""
    m, at = task.manifest, Folder(Path(task.folder))
    numbers = np.arange(task.partition, m.people, m.partitions) if task.numbers is None else task.numbers
    path = at.people(0, task.partition)
    if committed(path) is None:
        ids = pa.array(numbers) if task.ids is None else task.ids
        fresh = start(m.policy, engine_in(m).problem, len(numbers))
        sessions = fresh_sessions(streams_of(m.entropy, numbers))
        people = People(ids, population_of(m, with_own_arrays(fresh.personal, engine_in(m).state.personal), sessions))
        if task.decisions:
            rewards = live(m, people.population, task.decisions, np.random.SeedSequence((m.entropy, task.partition)))
            columns = {"person": ids, "decision": pa.array(people.population.number - 1), "reward": pa.array(rewards)}
            name = f"{path.stem}.parquet"
            write_durable(at.path / "simulated" / "rewards" / name, parquet_bytes(pa.table(columns)))
        commit_people(path, people_bytes(m, people), {"people": len(ids), "refused": {}})
    return len(numbers)
