"""What a population on disk is, and how far a run has come."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from rogue_bandits.partitions.layout import Folder, Manifest, part, read_manifest
from rogue_bandits.partitions.people import committed, file_of


class Status(NamedTuple):
    """A population on disk: its manifest, its size, and what is wrong with it."""

    manifest: Manifest
    bytes: int  # of the people
    running: str  # the name of a run that is not complete; empty if there is none
    done: int  # partitions of that run
    people_done: int  # in these
    missing: tuple[str, ...]  # partitions that are not there as they were written

    @property
    def bytes_a_person(self) -> float:
        """Bytes on disk for each person."""
        return self.bytes / self.manifest.people


def status(folder: str | Path) -> Status:
    """Return what a population on disk is; files are looked at, not read."""
    import json

    at = Folder(Path(folder))
    m = read_manifest(at)
    size, missing = 0, []
    for partition in range(m.partitions):
        path = at.people(m.version, partition)
        about = committed(path)
        if about is None or not _has_size(file_of(path, about), about["bytes"]):
            missing.append(part(partition))
        else:
            size += about["bytes"]
    if missing and read_manifest(at).version != m.version:  # a run has ended meanwhile, and removed what was before
        return status(folder)
    begun, running, done = at.begun(m.version + 1), "", []
    if begun.is_file():
        running = json.loads(begun.read_bytes())["name"]
        done = [about for p in range(m.partitions) if (about := committed(at.people(m.version + 1, p))) is not None]
    return Status(m, size, running, len(done), sum(about["people"] for about in done), tuple(missing))


def _has_size(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except OSError:
        return False
