"""A run of a population on disk: rewards in, decisions out, people one version further."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv
import pyarrow.parquet as pq

from rogue_bandits.partitions.atomic import write_durable, write_pieces
from rogue_bandits.partitions.layout import Folder, Manifest, Ran, read_manifest, write_manifest
from rogue_bandits.partitions.lock import locked
from rogue_bandits.partitions.night import NightTask, Outcome, run_partition
from rogue_bandits.partitions.people import committed
from rogue_bandits.partitions.rewards import REFUSED
from rogue_bandits.partitions.routing import route
from rogue_bandits.partitions.tables import content_hash, pieces
from rogue_bandits.partitions.versions import begin_version, flush_version, remove_begun, remove_old, temporary_folder
from rogue_bandits.schedule import results

Progress = Callable[[int], None]
COUNTS = ("people", "decided", "learned", "repeated", "forgotten")


class Inputs(NamedTuple):
    """What a run is given."""

    rewards: Path | None = None
    available: Path | None = None
    probabilities: bool = True
    name: str = ""
    allow_empty: bool = False
    kind: str = "csv"  # of the table of what is refused


class Report(NamedTuple):
    """What a run did, over all partitions that are done."""

    version: int
    name: str
    people: int = 0
    decided: int = 0
    learned: int = 0
    repeated: int = 0
    forgotten: int = 0
    refused: dict[str, int] = {}  # noqa: RUF012  # never written to
    damaged: tuple[str, ...] = ()
    already: bool = False  # the same input has been run: nothing was done


def run(
    folder: str | Path,
    rewards: str | Path | None = None,
    available: str | Path | None = None,
    *,
    name: str = "",
    probabilities: bool = True,
    allow_empty: bool = False,
    kind: str = "csv",
    workers: int = 1,
    scheduler: str | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Learn a table of rewards and decide for everybody; return what was done.

    `rewards` has the columns person, decision and reward, in any order; `available` has person and a column of
    booleans for each arm. A run that was interrupted continues when it is called again with the same input, and an
    input that has been run does nothing, so that no reward is learned twice. A `name`, such as a date, tells runs with
    equal input apart. A table without rows is refused unless `allow_empty`. Rows that are refused are in
    `refused.csv` of the run, or with the `kind` parquet in `refused.parquet`. `progress` is called with the number of
    people just done.
    """
    at = Folder(Path(folder))
    tables = [None if path is None else Path(path) for path in (rewards, available)]
    given = Inputs(tables[0], tables[1], probabilities, name, allow_empty, kind)
    m = read_manifest(at)
    with locked(at):
        m = read_manifest(at)
        return (_dry_run if dry_run else _run)(at, m, given, Workers(workers, scheduler, progress))


class Workers(NamedTuple):
    """The processes or the cluster that do the work, and the callback for progress."""

    processes: int
    scheduler: str | None
    progress: Progress | None


def _run(at: Folder, m: Manifest, given: Inputs, workers: Workers) -> Report:
    inputs = content_hash(given.rewards, given.available) + ("" if given.probabilities else "-")
    name = given.name or inputs[:12]
    for ran in m.runs:
        if ran.name == name:
            if ran.inputs != inputs:
                raise ValueError(
                    f"run '{name}' was made, as version {ran.version}, with other input: name this otherwise"
                )
            remove_old(at, m)  # if it was stopped before it did
            return Report(ran.version, name, already=True)
    remove_old(at, m)
    version = m.version + 1
    begin_version(at, Ran(version, name, inputs), lambda: route_inputs(at.run(version), m, given))
    tasks = [
        NightTask(str(at.path), str(at.run(version)), version, p, given.probabilities, inputs)
        for p in range(m.partitions)
    ]
    damaged = run_all(at, tasks, workers)
    report = total(at, m, Ran(version, name, inputs), tuple(damaged))
    if not damaged:
        write_refused(at, m, version, given.kind)
        flush_version(at, version)
        write_manifest(at, m._replace(version=version, runs=(*m.runs, Ran(version, name, inputs))))
        remove_old(at, read_manifest(at))
    return report


def abandon(folder: str | Path) -> str:
    """Give up a run that is not complete; return its name, empty if there is none. People stay as they were before it.

    Decisions that it has written are removed: this is for runs whose decisions nobody has been given.
    """
    at = Folder(Path(folder))
    version = read_manifest(at).version + 1
    with locked(at):
        version = read_manifest(at).version + 1
        begun = at.begun(version)
        name = str(json.loads(begun.read_bytes())["name"]) if begun.exists() else ""
        remove_begun(at, version)
        return name


def route_inputs(into: Path, m: Manifest, given: Inputs) -> None:
    """Write the rows of both tables by partition."""
    types = pa.int64() if m.ids == "int64" else pa.string()
    for name, path, columns in (
        ("rewards", given.rewards, {"decision": pa.int64(), "reward": pa.float64()}),
        ("available", given.available, dict.fromkeys(m.arm_names, pa.bool_())),
    ):
        if path is not None:
            rows = route(with_people(pieces(path, {"person": types, **columns}), path), m.partitions, into / name)
            if not rows and not given.allow_empty:
                raise ValueError(
                    f"table '{path}' has no rows: if it is right that nothing came, say --allow-empty, or leave "
                    f"--{name} out"
                )


def with_people(tables: Iterator[Any], path: Path) -> Iterator[Any]:
    """Yield tables; raise a ValueError if a row has no person."""
    for table in tables:
        person = table.column("person")
        without = person.null_count
        if pa.types.is_string(person.type):  # an empty cell of a CSV file
            without += pc.sum(pc.equal(person, "")).as_py() or 0
        if without:
            raise ValueError(f"table '{path}' has {without} rows without a person")
        yield table


def run_all(at: Folder, tasks: list[NightTask], workers: Workers) -> list[str]:
    """Run the partitions that are not done with this input; return what is wrong with those that are damaged."""
    damaged, left = [], []
    for task in tasks:
        about = committed(at.people(task.version, task.partition))
        if about is None or about.get("inputs") != task.given:
            left.append(task)
    for outcome in results(run_partition, left, workers.processes, workers.scheduler):
        if outcome.error:
            damaged.append(outcome.error)
        elif workers.progress is not None:
            workers.progress(outcome.people)
    return sorted(damaged)


def total(at: Folder, m: Manifest, this: Ran, damaged: tuple[str, ...]) -> Report:
    """Return what was done in all partitions, as they have it on disk."""
    found = [committed(at.people(this.version, partition)) for partition in range(m.partitions)]
    mine = [about for about in found if about is not None and about.get("inputs") == this.inputs]
    return summed(this.version, this.name, mine, damaged)


def summed(version: int, name: str, found: list[dict[str, Any]], damaged: tuple[str, ...]) -> Report:
    """Return the sums over partitions."""
    refused: dict[str, int] = {}
    for about in found:
        for reason, n in about["refused"].items():
            refused[reason] = refused.get(reason, 0) + n
    counts = {what: sum(about[what] for about in found) for what in COUNTS}
    return Report(version, name, **counts, refused=refused, damaged=damaged)


def write_refused(at: Folder, m: Manifest, version: int, kind: str) -> None:
    """Write the rows that were refused to one file, if there are any; one partition is in memory at a time."""
    parts = [at.refused(version, partition) for partition in range(m.partitions)]
    found = [part for part in parts if part.exists()]
    if found and kind == "parquet":
        write_durable(at.run(version) / "refused.parquet", joined_bytes(found))
    elif found:
        write_pieces(at.run(version) / "refused.csv", (csv_bytes(part, part == found[0]) for part in found))


def joined_bytes(parts: list[Path]) -> memoryview:
    """Return Parquet files as one."""
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, REFUSED) as writer:
        for part in parts:
            writer.write_table(pq.read_table(part))
    return memoryview(sink.getvalue())


def csv_bytes(part: Path, header: bool) -> memoryview:
    """Return a Parquet file as CSV."""
    sink = pa.BufferOutputStream()
    csv.write_csv(pq.read_table(part), sink, csv.WriteOptions(include_header=header))
    return memoryview(sink.getvalue())


def _dry_run(at: Folder, m: Manifest, given: Inputs, workers: Workers) -> Report:
    """Do everything but write."""
    with temporary_folder(at) as into:
        route_inputs(into, m, given)
        tasks = [
            NightTask(str(at.path), str(into), m.version + 1, p, given.probabilities, "", True)
            for p in range(m.partitions)
        ]
        made: list[Outcome] = []
        for outcome in results(run_partition, tasks, workers.processes, workers.scheduler):
            made.append(outcome)
            if workers.progress is not None:
                workers.progress(outcome.people)
    found = [{**one._asdict(), "refused": dict(one.refused)} for one in made if not one.error]
    return summed(m.version + 1, given.name, found, tuple(sorted(one.error for one in made if one.error)))
