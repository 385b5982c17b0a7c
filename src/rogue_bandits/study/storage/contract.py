"""What a storage raises and returns."""

from __future__ import annotations

from typing import Any, NamedTuple

Rows = dict[str, list[tuple[Any, ...]]]  # by the name of a statement in `schema.INSERTS`


class StorageDown(Exception):  # noqa: N818  # it reads as it happened
    """The database cannot be reached or written to now. Nothing of the transaction was acknowledged."""


class StorageFault(Exception):  # noqa: N818  # it reads as it happened
    """The database is there and does not take a value or a row. Nothing of the transaction was acknowledged."""


class StorageRefused(ValueError):  # noqa: N818  # it reads as it happened
    """The database is not one that this release can serve."""


class Head(NamedTuple):
    """The last event of the log."""

    seq: int
    hash: bytes


class Snapshot(NamedTuple):
    """A person's state after event `revision`."""

    pid: str
    revision: int
    version: int
    state: bytes
