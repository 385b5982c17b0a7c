"""A storage by its URL."""

from __future__ import annotations

from pathlib import Path

from rogue_bandits.study.storage.contract import StorageRefused
from rogue_bandits.study.storage.sql import Storage


def storage_at(url: str, folder: Path) -> Storage:
    """Return the storage of a URL; files are relative to the folder of the study file."""
    scheme, _, rest = url.partition(":")
    if scheme == "sqlite" and rest:
        from rogue_bandits.study.storage.sqlite import SqliteStorage

        return SqliteStorage(folder / rest.removeprefix("//"))
    if scheme in ("postgresql", "postgres"):
        from rogue_bandits.study.storage.postgres import PostgresStorage

        return PostgresStorage(url)
    raise StorageRefused(f"database.url '{shown(url)}' must be sqlite:FILE or postgresql://USER@HOST/DATABASE")


def shown(url: str) -> str:
    """Return a URL without what may be a password.

    >>> shown("mysql://ann:secret@host/study?password=secret"), shown("study.db")
    ('mysql://…@host/study?…', 'study.db')
    """
    place, asked, _ = url.partition("?")
    scheme, slashes, rest = place.rpartition("://")
    _, at, host = rest.rpartition("@")
    return f"{scheme}{slashes}{'…@' if at else ''}{host}{'?…' if asked else ''}"
