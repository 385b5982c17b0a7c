"""What the two databases share: statements, and readers over a connection.

`tests/study/test_storage.py` runs over every storage.
"""

from __future__ import annotations

import queue
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from rogue_bandits.study.events import FIRST_HASH, StoredEvent
from rogue_bandits.study.storage.contract import Head, Rows, Snapshot, StorageDown, StorageFault, StorageRefused
from rogue_bandits.study.storage.schema import FORMAT, INSERTS, MIGRATIONS, OLDEST, TABLES

COLUMNS = "seq, pid, kind, at, key, body, hash"
MOST_PARAMETERS = 500
PAGE = 2_000  # events read at a time
POOL = 8  # connections that wait for readers


class Reader:
    """A consistent view of the database: a connection within a transaction."""

    def __init__(self, connection: Any, storage: Storage) -> None:
        self._connection, self._storage, self._translate = connection, storage, storage.translate

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a SELECT with ? for parameters."""
        with self._storage.as_down():
            found: list[tuple[Any, ...]] = self._connection.execute(self._translate(sql), parameters).fetchall()
        return found

    def number_in(self, column: str, k: int) -> str:
        """Return, as SQL, number k of a column that has a list of numbers as JSON."""
        return self._storage.json_number.format(column=column, k=k)

    def head(self) -> Head:
        """Return the last event; seq 0 where there is none."""
        found = self.rows("SELECT seq, hash FROM head WHERE id = 1")
        return Head(int(found[0][0]), bytes(found[0][1])) if found else Head(0, FIRST_HASH)

    def events(
        self, after: int = 0, pids: Iterable[str] | None = None, upto: int | None = None
    ) -> Iterator[StoredEvent]:
        """Yield events in order, a page at a time."""
        who = None if pids is None else ["", *pids]
        if who is not None and len(who) > MOST_PARAMETERS:
            raise ValueError(f"events of {len(who)} people are asked for; at most {MOST_PARAMETERS - 1} at a time")
        chosen = "" if who is None else f" AND pid IN ({marks(len(who))})"
        last = "" if upto is None else f" AND seq <= {int(upto)}"
        sql = f"SELECT {COLUMNS} FROM events WHERE seq > ?{chosen}{last} ORDER BY seq LIMIT {PAGE}"
        while True:
            page = self.rows(sql, (after, *(who or ())))
            yield from map(stored, page)
            if len(page) < PAGE:
                return
            after = int(page[-1][0])

    def keys(self, keys: Sequence[bytes]) -> dict[bytes, StoredEvent]:
        """Return the events with these keys."""
        found: dict[bytes, StoredEvent] = {}
        for part in parts(keys):
            rows = self.rows(f"SELECT {COLUMNS} FROM events WHERE key IN ({marks(len(part))})", part)
            found.update({bytes(row[4]): stored(row) for row in rows})
        return found

    def snapshots(self, pids: Sequence[str]) -> dict[str, Snapshot]:
        """Return the snapshots of people who have one."""
        found: dict[str, Snapshot] = {}
        for part in parts(pids):
            sql = f"SELECT pid, revision, version, state FROM snapshots WHERE pid IN ({marks(len(part))})"
            found.update({pid: Snapshot(pid, int(r), int(v), bytes(s)) for pid, r, v, s in self.rows(sql, part)})
        return found


class Transaction(Reader):
    """A reader that holds the lock of the head, and may write."""

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        """Run one statement with ? for parameters."""
        with self._storage.as_down():
            self._connection.execute(self._translate(sql), parameters)

    def write(self, rows: Rows, head: Head) -> None:
        """Append rows, in the order of `schema.INSERTS`; `head` is that after them."""
        self._storage.raise_unless_open(self._connection)
        with self._storage.as_down():
            cursor = self._connection.cursor()
            for name, sql in INSERTS.items():
                if rows.get(name):
                    cursor.executemany(self._translate(sql), rows[name])
            cursor.execute(self._translate("UPDATE head SET seq = ?, hash = ? WHERE id = 1"), (head.seq, head.hash))


class Storage(ABC):
    """The database of one study; subclasses define what differs between databases."""

    types: dict[str, str]
    failures: tuple[type[Exception], ...]  # of the driver, where the database is not there, full or locked
    faults: tuple[type[Exception], ...]  # those of them where it is there and does not take what it is given
    begin_creating: tuple[str, ...]  # excludes others who make the tables
    begin_writing: tuple[str, ...]  # takes the lock of the head
    begin_reading: str
    json_number: str  # number {k} of the JSON list in {column}

    def __init__(self) -> None:
        self._idle: queue.LifoQueue[Any] = queue.LifoQueue(POOL)
        self._writer: Any = None

    @abstractmethod
    def connect(self) -> Any:
        """Return a new connection, in autocommit mode."""

    @abstractmethod
    def is_open(self, connection: Any) -> bool:
        """Return whether a connection is in a transaction that can be committed."""

    def raise_unless_open(self, connection: Any) -> None:
        """Refuse to write where the transaction has ended: each statement would be committed by itself."""
        if not self.is_open(connection):
            raise StorageDown("the transaction has ended before its commit")

    def translate(self, sql: str) -> str:
        """Return a statement in the words of the driver."""
        return sql

    def create(self) -> None:
        """Make the tables that are missing; migrate an older format, and raise StorageRefused on a newer one."""
        with self.as_down():
            connection = self.new_connection()
            try:
                found = self._create(connection)
            finally:
                connection.close()
        if found < FORMAT:
            self._migrate()

    def _create(self, connection: Any) -> int:
        """Make the tables of a new database, all or none; return the format of one that exists."""
        tx = Transaction(connection, self)
        with suppress(StorageDown):  # there are no tables yet; a database that is away fails again below
            found = format_of(tx)
            if found is not None:
                return found
        for statement in self.begin_creating:
            connection.execute(statement)
        connection.execute(TABLES[0].format(**self.types))
        found = format_of(tx)  # another server may have been first
        if found is None:
            for table in TABLES[1:]:
                connection.execute(table.format(**self.types))
            tx.execute("INSERT INTO head (id, seq, hash) VALUES (1, 0, ?)", (FIRST_HASH,))
            tx.execute("INSERT INTO meta (name, value) VALUES ('format', ?)", (str(FORMAT),))
        connection.execute("COMMIT")
        return FORMAT if found is None else found

    def _migrate(self) -> None:
        """Bring the tables to this format, in one transaction; another server may have done so meanwhile."""
        with self.writing() as tx:
            for older in range(format_of(tx) or FORMAT, FORMAT):
                for statement in MIGRATIONS[older]:
                    tx.execute(statement.format(**self.types))
            tx.execute("UPDATE meta SET value = ? WHERE name = 'format'", (str(FORMAT),))

    def new_connection(self) -> Any:
        """Return a connection that may make the database."""
        return self.connect()

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """Yield a transaction, one at a time over all servers; it is durable when it ends without an exception."""
        with self.as_down():
            if self._writer is None:
                self._writer = self.connect()
            try:
                for statement in self.begin_writing:
                    self._writer.execute(statement)
                yield Transaction(self._writer, self)
                self.raise_unless_open(self._writer)
                self._writer.execute("COMMIT")
            except BaseException:
                self._abandon()
                raise

    def _abandon(self) -> None:
        """Close the connection of the writer: its transaction is rolled back, whatever state it is in."""
        writer, self._writer = self._writer, None
        with suppress(*self.failures):
            writer.rollback()  # a cursor that a traceback holds would keep SQLite's lock beyond the closing
        with suppress(*self.failures):
            writer.close()

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        """Return a consistent view, from any thread."""
        with self.as_down():
            connection = self._begun_reader()
            try:
                yield Reader(connection, self)
                connection.execute("COMMIT")
                self._idle.put_nowait(connection)
            except BaseException as error:
                connection.close()
                if not isinstance(error, queue.Full):
                    raise

    def _begun_reader(self) -> Any:
        """Return a connection with an open transaction; idle ones that have lost the database are passed over."""
        while True:
            try:
                connection = self._idle.get_nowait()
            except queue.Empty:
                break
            try:
                connection.execute(self.begin_reading)
                return connection
            except self.failures:  # such as after a restart of the database
                connection.close()
        connection = self.connect()
        try:
            connection.execute(self.begin_reading)
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def as_down(self) -> Iterator[None]:
        """Raise what a driver raises as StorageDown, or StorageFault."""
        try:
            yield
        except self.faults as error:
            raise StorageFault(str(error).strip().partition("\n")[0]) from error
        except self.failures as error:
            raise StorageDown(str(error).strip().partition("\n")[0]) from error

    def close(self) -> None:
        """Close all connections."""
        if self._writer is not None:
            self._abandon()
        while True:
            try:
                self._idle.get_nowait().close()
            except queue.Empty:
                return


def format_of(reader: Reader) -> int | None:
    """Return the format of a database, None where it has none yet; raise StorageRefused where it cannot be used."""
    found = reader.rows("SELECT value FROM meta WHERE name = 'format'")
    if not found:
        return None
    given = int(found[0][0])
    if not OLDEST <= given <= FORMAT:
        advice = "upgrade rogue-bandits" if given > FORMAT else "it was made before the first release"
        raise StorageRefused(
            f"this database has format {given}, and this release reads formats {OLDEST} to {FORMAT}: {advice}"
        )
    return given


def marks(n: int) -> str:
    """Return so many placeholders.

    >>> marks(3)
    '?, ?, ?'
    """
    return ", ".join("?" * n)


def parts(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield slices that fit in one statement."""
    for first in range(0, len(values), MOST_PARAMETERS):
        yield values[first : first + MOST_PARAMETERS]


def stored(row: Sequence[Any]) -> StoredEvent:
    """Return the event of a row of `COLUMNS`."""
    seq, pid, kind, at, key, body, digest = row
    return StoredEvent(int(seq), pid, kind, at, None if key is None else bytes(key), body, bytes(digest))
