"""`python -m benchmarks.drivers`: what an event costs through sqlite3 itself, and through SQLAlchemy Core.

Processor time; the database is in memory, so that no disk is waited for. SQLAlchemy must be installed.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from benchmarks.measure import computing, in_rounds

BATCH, BATCHES = 30, 100  # events in a transaction, transactions
COLUMNS = "seq", "pid", "kind", "at", "key", "body", "hash"


def rows_of(batch: int) -> list[tuple[Any, ...]]:
    """Return the events of a transaction."""
    first = batch * BATCH
    body = "x" * 300
    return [(first + k, f"p{k}", "decided", "2026-03-01T08:00:00", None, body, bytes(32)) for k in range(BATCH)]


def by_driver() -> float:
    """Return the seconds of an event through sqlite3."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute(f"CREATE TABLE events ({', '.join(COLUMNS)})")
    insert = f"INSERT INTO events VALUES ({', '.join('?' * len(COLUMNS))})"

    def write() -> None:
        for batch in range(BATCHES):
            rows = rows_of(batch)
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM events WHERE seq = ?", (batch,)).fetchall()
            connection.executemany(insert, rows)
            connection.execute("COMMIT")

    seconds = computing(write)
    connection.close()
    return seconds / (BATCH * BATCHES)


def by_sqlalchemy() -> float:
    """Return the seconds of an event through SQLAlchemy Core."""
    import sqlalchemy as sa

    engine = sa.create_engine("sqlite://")
    table = sa.Table("events", sa.MetaData(), *(sa.Column(name, sa.LargeBinary if name in ("key", "hash") else sa.Text)
                                                for name in COLUMNS))  # fmt: skip
    table.create(engine)

    def write() -> None:
        for batch in range(BATCHES):
            rows = [dict(zip(COLUMNS, row, strict=True)) for row in rows_of(batch)]
            with engine.begin() as connection:
                connection.execute(sa.select(sa.func.count()).where(table.c.seq == batch)).fetchall()
                connection.execute(sa.insert(table), rows)

    seconds = computing(write)
    engine.dispose()
    return seconds / (BATCH * BATCHES)


if __name__ == "__main__":
    costs = in_rounds({"sqlite3": by_driver, "SQLAlchemy Core": by_sqlalchemy}, rounds=7)
    for name, cost in costs.items():
        print(f"{name}: {cost.best * 1e6:.1f} µs an event, in transactions of {BATCH}")
