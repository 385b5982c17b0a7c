"""A study file compared with what its database was served with; nothing is written."""

from __future__ import annotations

from pathlib import Path

from rogue_bandits.study.checking import Checked
from rogue_bandits.study.storage.contract import StorageDown
from rogue_bandits.study.storage.open import storage_at
from rogue_bandits.study.storage.sql import Storage
from rogue_bandits.study.storage.sqlite import SqliteStorage
from rogue_bandits.study.versions import Served, changes, faults_under_way, served_version


def compared(found: Checked, url: str | None, folder: Path) -> tuple[list[str], list[str]]:
    """Return in words what a change of the study file would do, and what it must not change."""
    assert found.file is not None
    storage = storage_at(url or found.file.database.url, folder)
    if isinstance(storage, SqliteStorage) and not storage.path.exists():
        return ["No database yet: the first start makes it."], []
    try:
        served = read_version(storage)
    except StorageDown as error:
        return [f"The database cannot be read, so that nothing was compared: {error}"], []
    finally:
        storage.close()
    if served is None or served.version is None:
        return ["Nothing was served from the database yet."], []
    faults = faults_under_way(served.version["settings"], found.file)
    if served.study != found.file.study.name:
        faults.insert(0, f"study.name: the database holds the study '{served.study}', not '{found.file.study.name}'")
    return what_changes(found, served), faults


def read_version(storage: Storage) -> Served | None:
    """Return what a database holds."""
    with storage.reading() as reader:
        return served_version(reader)


def what_changes(found: Checked, served: Served) -> list[str]:
    """Return in words what the next start would change."""
    if found.design is None or found.file is None or served.version is None:
        return []
    number = served.version["version"]
    before = (served.version["hash"], served.version["package"])
    if before == (found.design.hash, found.design.package):
        return [f"It is what version {number} was served with: nothing changes."]
    lines = list(changes(served.version["settings"], found.file.settings()))
    if served.version["package"] != found.design.package:
        lines.append(f"rogue-bandits: {found.design.package}, before {served.version['package']}")
    told = lines or ["dynamics of people"]
    return [
        f"The next start begins version {number + 1}. What differs from version {number}:",
        *(f"  {x}" for x in told),
    ]
