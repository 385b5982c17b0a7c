"""The people of one partition: read, written, and one of them as a Bandit."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from filelock import Timeout

from rogue_bandits.belief.compact import derive, without_derived
from rogue_bandits.online.bandit import Bandit
from rogue_bandits.online.population import Population
from rogue_bandits.partitions.atomic import write_durable
from rogue_bandits.partitions.columns import from_parquet, to_parquet
from rogue_bandits.partitions.ids import checked_id, partition_of
from rogue_bandits.partitions.layout import Folder, Manifest, engine_in, part, read_manifest
from rogue_bandits.partitions.lock import locked

ARROW_ERRORS = (pa.ArrowException, OSError, ValueError, KeyError, TypeError, EOFError)


class DamagedPartitionError(ValueError):
    """A partition that cannot be read; the message names it and says why."""


class People(NamedTuple):
    """The people of a partition: their ids, and a population of them in the same order."""

    ids: Any  # an Arrow array
    population: Population


def population_of(m: Manifest, personal: Any, session: Any) -> Population:
    """Return a population of arrays."""
    people = Population.__new__(Population)
    people._seed = np.random.SeedSequence(m.entropy)
    people._continue(engine_in(m), personal, session)
    return people


def mark_of(m: Manifest) -> str:
    """Return what tells the people of these arms and this policy from others."""
    return engine_in(m).mark.hex()


def people_bytes(m: Manifest, people: People) -> memoryview:
    """Return the people of a partition as a Parquet file."""
    personal, session = people.population._state.personal, people.population._session
    parts = {"state": without_derived(personal), "session": session}
    return to_parquet(people.ids, parts, {"state": personal, "session": session}, mark_of(m))


def commit_people(path: Path, content: memoryview, about: dict[str, Any]) -> None:
    """Write the people of a partition, then the file beside it, which has its checksum: the partition is done."""
    write_durable(path, content)
    head = {"bytes": len(content), "crc32": zlib.crc32(content)}
    write_durable(path.with_suffix(".json"), json.dumps({**head, **about}, sort_keys=True).encode())


def committed(path: Path) -> dict[str, Any] | None:
    """Return what `commit_people` wrote beside a partition; None if it has not been committed."""
    try:
        about = json.loads(path.with_suffix(".json").read_bytes())
        return about if isinstance(about, dict) and {"bytes", "crc32"} <= about.keys() else None
    except (FileNotFoundError, json.JSONDecodeError, UnicodeDecodeError):
        return None


def read_people(folder: Folder, m: Manifest, version: int, partition: int) -> People:
    """Return the people of a partition; raise a DamagedPartitionError if they are not as they were written."""
    path = folder.people(version, partition)
    engine = engine_in(m)
    try:
        content, about = path.read_bytes(), committed(path)
        if about is None:
            raise ValueError(f"'{path.with_suffix('.json').name}' beside it is missing or damaged")
        if (len(content), zlib.crc32(content)) != (about["bytes"], about["crc32"]):
            raise ValueError("its checksum does not match its content")
        ids, found = from_parquet(content, {"state": engine.state.personal, "session": engine.session}, mark_of(m))
    except ARROW_ERRORS as error:
        why = f"{error.strerror}" if isinstance(error, OSError) and error.strerror else str(error)
        raise DamagedPartitionError(f"partition {part(partition)} ('{path}') cannot be used: {why}") from None
    derive(found["state"], engine.state.shared)
    return People(ids, population_of(m, found["state"], found["session"]))


def bandit_of(folder: str | Path, person: Any) -> Bandit:
    """Return one person of a population on disk as a Bandit, which continues as they would there.

    Give what is learned meanwhile back with `put_back`.
    """
    at = Folder(Path(folder))
    m = read_manifest(at)
    people, row = _found(at, m, person)
    arms = [list(m.arms), m.policy]
    return Bandit.from_bytes(people.population.to_bytes(row), *arms)


def put_back(folder: str | Path, person: Any, bandit: Bandit) -> None:
    """Replace one person of a population on disk by a Bandit with the same arms and policy.

    While a run is not complete this is refused, as some partitions would have been run before the change.
    """
    at = Folder(Path(folder))
    try:
        with locked(at):
            m = read_manifest(at)
            if at.run(m.version + 1).exists():
                raise ValueError(f"run {m.version + 1} of '{folder}' is not complete: people can be put back after it")
            people, row = _found(at, m, person)
            people.population.restore(row, bandit.to_bytes())
            path = at.people(m.version, int(partition_of(pa.array([person], type=m.ids), m.partitions)[0]))
            about = committed(path) or {}
            commit_people(path, people_bytes(m, people), {k: about[k] for k in about.keys() - {"bytes", "crc32"}})
    except Timeout:
        raise ValueError(f"'{folder}' is being run: people can be put back after it") from None


def _found(at: Folder, m: Manifest, person: Any) -> tuple[People, int]:
    """Return the partition that a person is in, and their row."""
    person = checked_id(person, m.ids)
    one = pa.array([person], type=m.ids)
    people = read_people(at, m, m.version, int(partition_of(one, m.partitions)[0]))
    row = pc.index_in(one, value_set=people.ids)[0].as_py()
    if row is None:
        raise ValueError(f"person {person!r} is not in '{at.path}'")
    return people, row
