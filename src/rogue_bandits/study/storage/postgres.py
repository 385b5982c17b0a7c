"""The log in PostgreSQL, for more than one server."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from rogue_bandits.study.storage.sql import Storage

OPTIONS = "-c synchronous_commit=on -c lock_timeout=10000 -c statement_timeout=60000"
WAIT = 5  # seconds for a connection
CREATING = 0x726F677565  # names the lock of those who make tables: "rogue"


class PostgresStorage(Storage):
    """A study in a database of its own."""

    types = {"int": "BIGINT", "bytes": "BYTEA", "real": "DOUBLE PRECISION"}  # noqa: RUF012  # never written to
    failures = (psycopg.Error,)
    faults = (psycopg.IntegrityError, psycopg.DataError)
    # Without a lock of its own, CREATE TABLE IF NOT EXISTS fails where two servers start together.
    begin_creating = ("BEGIN", f"SELECT pg_advisory_xact_lock({CREATING})")
    # The lock of the one row of `head` is held until the commit; statements after it see all that was committed.
    begin_writing = ("BEGIN", "SELECT seq FROM head WHERE id = 1 FOR UPDATE")
    begin_reading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    json_number = "({column}::json->>{k})::double precision"

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url

    def connect(self) -> Any:
        """Return a connection that does not answer before a commit is on disk."""
        given: dict[str, Any] = conninfo_to_dict(self.url)
        options = f"{OPTIONS} {given.pop('options', '')}"  # such as -c search_path=…, for several studies in a database
        return psycopg.connect(**given, autocommit=True, connect_timeout=WAIT, options=options, client_encoding="utf8")

    def is_open(self, connection: Any) -> bool:
        """Return whether a transaction is open in which nothing has failed."""
        return bool(connection.info.transaction_status == TransactionStatus.INTRANS)

    def translate(self, sql: str) -> str:
        """Return a statement with %s for ?."""
        return sql.replace("?", "%s")
