"""A copy of a study while it runs: every table, of one moment, in a SQLite file that can be served."""

from __future__ import annotations

from pathlib import Path

from rogue_bandits.study.storage.sql import Storage
from rogue_bandits.study.storage.sqlite import SqliteStorage

TABLES = {
    "meta": "name, value",
    "head": "id, seq, hash",
    "events": "seq, pid, kind, at, key, body, hash",
    "people": "pid, name, status, grp, start, enrolled, salt",
    "decisions": "pid, number, seq, time, day, arm, probability, probabilities, available, reason, fallback, version, "
    "scheduled, delivery, delivered, reward, missing, rewarded, corrected",
    "snapshots": "pid, revision, version, state",
    "tokens": "id, hash, role, label, created, expires, revoked",
    "ended_sessions": "nonce, until",  # else a copy that is served would take them for valid again
}
ORDER = {"events": "seq", "decisions": "pid, number"}
PAGE = 5_000


def backup(storage: Storage, to: Path) -> int:
    """Copy a study to a new SQLite file; return the number of events."""
    if to.exists():
        raise FileExistsError(f"'{to}' exists: name another file")
    part = to.with_name(to.name + ".part")
    part.unlink(missing_ok=True)
    copy = SqliteStorage(part)
    copy.create()
    with storage.reading() as reader, copy.writing() as tx:
        tx.execute("DELETE FROM head")
        tx.execute("DELETE FROM meta")
        for table, columns in TABLES.items():
            marks = ", ".join("?" * len(columns.split(",")))
            insert, first = f"INSERT INTO {table} ({columns}) VALUES ({marks})", 0
            order = ORDER.get(table, columns.partition(",")[0])
            while rows := reader.rows(f"SELECT {columns} FROM {table} ORDER BY {order} LIMIT {PAGE} OFFSET {first}"):
                for row in rows:
                    tx.execute(insert, row)
                first += len(rows)
        seq = tx.head().seq
    copy.close()
    collapse(part)
    part.rename(to)
    return seq


def collapse(path: Path) -> None:
    """Leave one file: without the write-ahead log beside it."""
    import sqlite3

    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
