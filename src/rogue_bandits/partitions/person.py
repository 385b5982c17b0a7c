"""One person of a population on disk as a Bandit, and back."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from rogue_bandits.online.bandit import Bandit
from rogue_bandits.online.personal import leaves, person_of
from rogue_bandits.partitions.columns import trimmed
from rogue_bandits.partitions.ids import checked_id, partition_of
from rogue_bandits.partitions.layout import Folder, Manifest, read_manifest
from rogue_bandits.partitions.lock import locked
from rogue_bandits.partitions.people import DamagedPartitionError, People, people_bytes, read_people, replace_people


def bandit_of(folder: str | Path, person: Any) -> Bandit:
    """Return one person of a population on disk as a Bandit, which continues as they would there.

    Give what is learned meanwhile back with `put_back`.
    """
    at = Folder(Path(folder))
    m = read_manifest(at)
    try:
        people, row = _found(at, m, person)
    except DamagedPartitionError:
        if read_manifest(at).version != m.version:  # a run has ended meanwhile, and removed what was before
            return bandit_of(folder, person)
        raise
    bandit = Bandit.from_bytes(people.population.to_bytes(row), list(m.arms), m.policy)
    bandit.origin = origin_of(people, row)
    return bandit


def put_back(folder: str | Path, person: Any, bandit: Bandit, *, version: int | None = None) -> None:
    """Replace one person of a population on disk by the Bandit that `bandit_of` returned.

    This is refused while a run is not complete, as some partitions would have been run before the change; and if the
    person has changed since they were taken out, as what was decided and learned in between would be lost. A Bandit
    that was saved does not know what it was taken from: say the `version` of the population then.
    """
    at = Folder(Path(folder))
    read_manifest(at)  # says if there is no population, in which a lock would make a folder
    with locked(at):
        m = read_manifest(at)
        if at.begun(m.version + 1).exists():
            raise ValueError(
                f"run {m.version + 1} of '{folder}' is not complete: people can be put back after it, or after "
                "`rogue population abandon`"
            )
        people, row = _found(at, m, person)
        _raise_if_changed(people, row, m, bandit, version)
        people.population.restore(row, bandit.to_bytes())
        path = at.people(m.version, int(partition_of(pa.array([person], type=m.ids), m.partitions)[0]))
        replace_people(path, people_bytes(m, people))
        bandit.origin = origin_of(people, row)


def origin_of(people: People, row: int) -> str:
    """Return a hash of the numbers of one person, whatever the unused room of the arrays."""
    total = hashlib.sha256()
    for array in leaves(person_of(people.population.arrays, row)):
        short = trimmed(array)
        total.update(repr(short.shape).encode() + short.tobytes())
    return total.hexdigest()


def _raise_if_changed(people: People, row: int, m: Manifest, bandit: Bandit, version: int | None) -> None:
    """Raise a ValueError unless a Bandit goes on from what is stored."""
    again, number = "Take them out again", int(people.population.number[row])
    if version is not None and version != m.version:
        raise ValueError(f"version {version} must be {m.version}: the person has been run since. {again}")
    if version is None and not bandit.origin:
        raise ValueError("this Bandit does not know what it was taken from: say the version of the population then, "
                         "version=…")  # fmt: skip
    if bandit.number < number or (version is None and bandit.origin != origin_of(people, row)):
        raise ValueError(
            f"the person is not as they were when they were taken out: their next decision is {number}, in version "
            f"{m.version}, and that of this Bandit is {bandit.number}. {again}"
        )


def _found(at: Folder, m: Manifest, person: Any) -> tuple[People, int]:
    """Return the partition that a person is in, and their row."""
    person = checked_id(person, m.ids)
    one = pa.array([person], type=m.ids)
    people = read_people(at, m, m.version, int(partition_of(one, m.partitions)[0]))
    row = pc.index_in(one, value_set=people.ids)[0].as_py()
    if row is None:
        raise ValueError(f"person {person!r} is not in '{at.path}'")
    return people, row
