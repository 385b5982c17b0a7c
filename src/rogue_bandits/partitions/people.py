"""The people of one partition: read, written and replaced."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from rogue_bandits.belief.compact import derive, without_derived
from rogue_bandits.online.population import Population
from rogue_bandits.partitions.atomic import write_durable
from rogue_bandits.partitions.columns import from_parquet, to_parquet
from rogue_bandits.partitions.layout import Folder, Manifest, engine_in, part

ARROW_ERRORS = (pa.ArrowException, OSError, ValueError, KeyError, TypeError, EOFError)


class DamagedPartitionError(ValueError):
    """A partition that cannot be read; the message names it and says why."""


class People(NamedTuple):
    """The people of a partition: their ids, and a population of them in the same order."""

    ids: Any  # an Arrow array
    population: Population


def population_of(m: Manifest, personal: Any, session: Any) -> Population:
    """Return a population of arrays."""
    return Population.of_arrays(engine_in(m), (personal, session), m.entropy)


def marks_of(m: Manifest) -> list[str]:
    """Return what tells the people of these arms and this policy from others: now, and in earlier releases."""
    return [mark.hex() for mark in engine_in(m).marks]


def people_bytes(m: Manifest, people: People) -> memoryview:
    """Return the people of a partition as a Parquet file."""
    personal, session = people.population.arrays
    parts = {"state": without_derived(personal), "session": session}
    return to_parquet(people.ids, parts, {"state": personal, "session": session}, marks_of(m)[0])


def commit_people(path: Path, content: memoryview, about: dict[str, Any]) -> None:
    """Write the people of a partition, then the file beside it, which has its checksum: the partition is done."""
    write_durable(path, content)
    head = {"bytes": len(content), "crc32": zlib.crc32(content)}
    write_durable(path.with_suffix(".json"), json.dumps({**about, **head}, sort_keys=True).encode())


def replace_people(path: Path, content: memoryview) -> None:
    """Replace the people of a partition that has been committed.

    They are written under a new name, to which the file beside it then refers: one rename replaces them, and a crash
    before it leaves the old ones.
    """
    about = committed(path) or {}
    revision = about.get("revision", 0) + 1
    new = {**about, "revision": revision, "bytes": len(content), "crc32": zlib.crc32(content)}
    write_durable(file_of(path, new), content)
    write_durable(path.with_suffix(".json"), json.dumps(new, sort_keys=True).encode())
    remove_replaced(path)


def file_of(path: Path, about: dict[str, Any]) -> Path:
    """Return the file that has the people of a partition.

    >>> file_of(Path("part-00001.parquet"), {"revision": 2}).name
    'part-00001.revision-2.parquet'
    """
    revision = about.get("revision", 0)
    return path.with_name(f"{path.stem}.revision-{revision}.parquet") if revision else path


def remove_replaced(path: Path) -> None:
    """Remove files of a partition that were replaced, or whose writing was not completed."""
    about = committed(path)
    if about is not None:
        for file in (path, *path.parent.glob(f"{path.stem}.revision-*.parquet")):
            if file != file_of(path, about):
                file.unlink(missing_ok=True)


def committed(path: Path) -> dict[str, Any] | None:
    """Return what `commit_people` wrote beside a partition; None if it has not been committed."""
    try:
        about = json.loads(path.with_suffix(".json").read_bytes())
        return about if isinstance(about, dict) and {"bytes", "crc32"} <= about.keys() else None
    except (FileNotFoundError, json.JSONDecodeError, UnicodeDecodeError):
        return None


def checked_content(path: Path) -> bytes:
    """Return the file of a partition; raise a ValueError if it is not as it was written."""
    while True:
        about = committed(path)
        if about is None:
            raise ValueError(f"'{path.with_suffix('.json').name}' beside it is missing or damaged")
        try:
            content = file_of(path, about).read_bytes()
        except FileNotFoundError:
            if committed(path) != about:  # replaced meanwhile
                continue
            raise
        if (len(content), zlib.crc32(content)) != (about["bytes"], about["crc32"]):
            raise ValueError("its checksum does not match its content")
        return content


def read_people(folder: Folder, m: Manifest, version: int, partition: int) -> People:
    """Return the people of a partition; raise a DamagedPartitionError if they are not as they were written."""
    path = folder.people(version, partition)
    engine = engine_in(m)
    try:
        content = checked_content(path)
        ids, found = from_parquet(content, {"state": engine.state.personal, "session": engine.session}, marks_of(m))
    except ARROW_ERRORS as error:
        why = f"{error.strerror}" if isinstance(error, OSError) and error.strerror else str(error)
        raise DamagedPartitionError(f"partition {part(partition)} ('{path}') cannot be used: {why}") from None
    derive(found["state"], engine.state.shared)
    return People(ids, population_of(m, found["state"], found["session"]))
