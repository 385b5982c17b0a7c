"""The folder of a population: where its files are, and the manifest that describes it.

    population.json                        arms, policy, number of people and partitions, version, the runs so far
    people/v000007/part-00012.parquet      the people of a partition after run 7, and .json with its checksum;
                                           part-00012.revision-1.parquet after one of them was put back
    decisions/v000007/part-00012.parquet   the decisions of run 7
    runs/v000007/                          what run 7 was given, by partition, and what it refused

A version is complete when the manifest says so; until then the one before stays as it was.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from rogue_bandits.checked_json import checksum, plain_number, readable
from rogue_bandits.model.problem import problem_of
from rogue_bandits.model.validation import checked_arms
from rogue_bandits.online.engine import Engine, engine_of
from rogue_bandits.partitions.atomic import write_durable
from rogue_bandits.policies.plain import arm_from_plain, arm_to_plain, policy_from_plain, policy_to_plain
from rogue_bandits.types import Arm

FORMAT, VERSION = "rogue-bandits/population", 1
MANIFEST = "population.json"


class Ran(NamedTuple):
    """A run that is complete."""

    version: int
    name: str
    inputs: str  # a hash of what it was given


class Manifest(NamedTuple):
    """What a population on disk is."""

    arms: tuple[Arm, ...]
    policy: Any
    entropy: int
    people: int
    partitions: int
    ids: str  # "int64" or "string"
    late: int  # decisions after which a reward is no longer awaited
    version: int = 0  # of the people: how many runs are complete
    runs: tuple[Ran, ...] = ()

    @property
    def arm_names(self) -> tuple[str, ...]:
        """The names of the arms in tables: their own if they differ, else their numbers."""
        names = tuple(arm.name for arm in self.arms)
        return names if all(names) and len(set(names)) == len(names) else tuple(map(str, range(len(names))))


class Folder(NamedTuple):
    """The paths inside the folder of a population."""

    path: Path

    @property
    def manifest(self) -> Path:
        """The manifest."""
        return self.path / MANIFEST

    @property
    def creating(self) -> Path:
        """Says of what a population is being made; it is removed when that is done."""
        return self.path / "creating.json"

    @property
    def lock(self) -> Path:
        """The lock that a run holds."""
        return self.path / ".lock"

    def people(self, version: int, partition: int) -> Path:
        """Return the path of the people of a partition."""
        return self.path / "people" / label(version) / f"{part(partition)}.parquet"

    def decisions(self, version: int, partition: int) -> Path:
        """Return the path of the decisions of a partition."""
        return self.path / "decisions" / label(version) / f"{part(partition)}.parquet"

    def run(self, version: int) -> Path:
        """Return the folder of a run."""
        return self.path / "runs" / label(version)

    def begun(self, version: int) -> Path:
        """Return the path of the file that says which run has begun."""
        return self.run(version) / "run.json"

    def refused(self, version: int, partition: int) -> Path:
        """Return the path of the rewards of a partition that a run refused."""
        return self.run(version) / "refused" / f"{part(partition)}.parquet"


def label(version: int) -> str:
    """Return the name of the folder of a version."""
    return f"v{version:06d}"


def part(partition: int) -> str:
    """Return the name of the files of a partition."""
    return f"part-{partition:05d}"


def write_manifest(folder: Folder, m: Manifest) -> None:
    """Replace the manifest: what was done up to here counts from now on."""
    write_durable(folder.manifest, manifest_bytes(m))


def manifest_bytes(m: Manifest) -> bytes:
    """Return a manifest as JSON."""
    content = {
        **m._asdict(),
        "arms": [arm_to_plain(arm) for arm in m.arms],
        "policy": policy_to_plain(m.policy),
        "runs": [ran._asdict() for ran in m.runs],
        "version_of_people": m.version,
    }
    head = {"format": FORMAT, "version": VERSION}
    content.pop("version")
    text = {**head, "checksum": checksum(content), **content}
    return json.dumps(text, indent=1, allow_nan=False, default=plain_number).encode()


def read_manifest(folder: Folder) -> Manifest:
    """Return the manifest of a folder."""
    try:
        text = folder.manifest.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise ValueError(
            f"'{folder.path}' is not the folder of a population: it has no {MANIFEST}. "
            "`rogue population create` makes one"
        ) from None
    content = readable(text, f"population ('{folder.manifest}')", FORMAT, VERSION)
    try:
        content["version"] = content.pop("version_of_people")
        content["arms"] = tuple(checked_arms([arm_from_plain(plain) for plain in content["arms"]]))
        content["policy"] = policy_from_plain(content["policy"])
        content["runs"] = tuple(Ran(**ran) for ran in content["runs"])
        return Manifest(**content)
    except (AttributeError, KeyError, TypeError, IndexError) as error:
        raise ValueError(f"'{folder.manifest}' is damaged: {type(error).__name__} {error}") from None


def engine_in(m: Manifest) -> Engine:
    """Return the engine of a population's arms and policy."""
    return engine_of(problem_of(list(m.arms)), m.policy)


@lru_cache(maxsize=4)
def manifest_at(path: str, changed: int) -> Manifest:
    """Return the manifest of a folder; workers read it once. `changed` is its time of change."""
    return read_manifest(Folder(Path(path)))


def cached_manifest(folder: Folder) -> Manifest:
    """Return the manifest, read again only after it has changed."""
    return manifest_at(str(folder.path), folder.manifest.stat().st_mtime_ns)
