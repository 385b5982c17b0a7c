"""The folders of a version: flushed before it counts, and removed when nobody needs them."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rogue_bandits.partitions.atomic import TEMPORARY, flush_folder, make_folder, write_durable
from rogue_bandits.partitions.layout import Folder, Manifest, Ran, label
from rogue_bandits.partitions.people import remove_replaced


def begin_version(at: Folder, this: Ran, prepare: Callable[[], None]) -> None:
    """Prepare the input of a run and say which run this is, or find that it is the one that was begun.

    Until it is said, tables that cannot be read leave nothing behind that another run would have to care for.
    """
    path, mine = at.begun(this.version), this._asdict()
    if path.exists():
        found = json.loads(path.read_bytes())
        if found != mine:
            raise ValueError(
                f"run '{found['name']}' of '{at.path}' is not complete: finish it first, by the command that began it, "
                "with the same tables, or give it up with `rogue population abandon`"
            )
    else:
        remove_begun(at, this.version)
        prepare()
        write_durable(path, json.dumps(mine).encode())


def flush_version(at: Folder, version: int) -> None:
    """Flush the names of all files of a version to the disk, whoever wrote them: the manifest will refer to them."""
    for folder in (at.people(version, 0).parent, at.decisions(version, 0).parent, at.run(version)):
        flush_folder(folder)
        flush_folder(folder.parent)
    flush_folder(at.path)


def remove_begun(at: Folder, version: int) -> None:
    """Remove what there is of a run that is not complete; first what says that it was begun."""
    at.begun(version).unlink(missing_ok=True)
    for folder in (at.run(version), at.people(version, 0).parent, at.decisions(version, 0).parent):
        if folder.exists():
            shutil.rmtree(folder)


def remove_old(at: Folder, m: Manifest) -> None:
    """Remove what no run needs any more: older people, routed tables of runs that are complete, unfinished files."""
    for folder in (at.path / "people").glob("v*"):
        if folder.name < label(m.version):
            shutil.rmtree(folder)
    for file in (at.path / "people" / label(m.version)).glob("*.revision-*.parquet"):
        remove_replaced(file.with_name(f"{file.name.split('.')[0]}.parquet"))
    for folder in (at.path / "runs").glob("v*"):
        if folder.name <= label(m.version):
            for inside in ("rewards", "available", "refused"):
                shutil.rmtree(folder / inside, ignore_errors=True)
    for folder in (at.path / "runs").glob(f"{TEMPORARY}*"):  # of dry runs
        shutil.rmtree(folder)
    for unfinished in at.path.rglob(f"{TEMPORARY}*"):
        unfinished.unlink(missing_ok=True)


@contextmanager
def temporary_folder(at: Folder) -> Iterator[Path]:
    """Yield a folder for the time being, where workers on other machines see it."""
    make_folder(at.path / "runs")
    with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=at.path / "runs") as path:
        yield Path(path)
