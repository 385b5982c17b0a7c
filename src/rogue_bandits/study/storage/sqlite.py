"""The log in one SQLite file: embedded, durable at every commit."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rogue_bandits.study.storage.sql import Storage

WAIT = 10.0  # seconds for the lock of another process
PAUSE = 0.005  # seconds between two attempts where SQLite does not wait by itself


class SqliteStorage(Storage):
    """A study in a file; several processes may open it."""

    types = {"int": "INTEGER", "bytes": "BLOB", "real": "REAL"}  # noqa: RUF012  # never written to
    failures = (sqlite3.Error,)
    faults = (sqlite3.IntegrityError, sqlite3.DataError)
    begin_creating = begin_writing = ("BEGIN IMMEDIATE",)
    begin_reading = "BEGIN"
    json_number = "json_extract({column}, '$[{k}]')"

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path

    def connect(self) -> Any:
        """Return a connection whose commits survive a loss of power; a file that has gone is not made anew."""
        return self._connected("rw")

    def new_connection(self) -> Any:
        """Return a connection that may make the file."""
        return self._connected("rwc")

    def _connected(self, mode: str) -> Any:
        place = f"file:{quote(str(self.path.absolute()))}?mode={mode}"
        connection = sqlite3.connect(place, timeout=WAIT, isolation_level=None, check_same_thread=False, uri=True)
        write_ahead(connection)
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    def is_open(self, connection: Any) -> bool:
        """Return whether a transaction is open: SQLite ends one by itself where a disk is full or broken."""
        return bool(connection.in_transaction)


def write_ahead(connection: Any) -> None:
    """Set the file's journal to WAL, waiting for other processes.

    Two connections that set it at once would deadlock, so SQLite refuses one of them at once, whatever its timeout.
    """
    until = time.monotonic() + WAIT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(PAUSE)
