"""What a storage must do. `tests/study/test_storage.py` runs over every one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

from rogue_bandits.study.events import StoredEvent

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


class Reader(Protocol):
    """A consistent view of the database."""

    def head(self) -> Head:
        """Return the last event; seq 0 where there is none."""

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a SELECT with ? for parameters."""

    def number_in(self, column: str, k: int) -> str:
        """Return, as SQL, number k of a column that has a list of numbers as JSON."""

    def events(
        self, after: int = 0, pids: Iterable[str] | None = None, upto: int | None = None
    ) -> Iterator[StoredEvent]:
        """Yield events in order: all, or those of some people and of the whole study."""

    def keys(self, keys: Sequence[bytes]) -> dict[bytes, StoredEvent]:
        """Return the events with these keys."""

    def snapshots(self, pids: Sequence[str]) -> dict[str, Snapshot]:
        """Return the snapshots of people who have one."""


class Transaction(Reader, Protocol):
    """A reader that holds the lock of the head, and may write."""

    def write(self, rows: Rows, head: Head) -> None:
        """Append rows; `head` is that after them."""

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        """Run one statement with ? for parameters."""


class Storage(Protocol):
    """A database of one study."""

    def create(self) -> None:
        """Make the tables that are missing; migrate an older format, and raise StorageRefused on a newer one."""

    def writing(self) -> AbstractContextManager[Transaction]:
        """One transaction at a time over all servers; durable when it ends without an exception."""

    def reading(self) -> AbstractContextManager[Reader]:
        """Return a consistent view, from any thread."""

    def close(self) -> None:
        """Close all connections."""
