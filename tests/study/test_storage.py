"""What every storage must do."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from rogue_bandits.study.events import FIRST_HASH, LogEvent, StoredEvent, chained
from rogue_bandits.study.storage.contract import Head, StorageDown, StorageFault, StorageRefused
from rogue_bandits.study.storage.open import storage_at
from rogue_bandits.study.storage.sql import Storage
from tests.study.cases import START


def some_events(n: int, first: int = 1, before: bytes = FIRST_HASH) -> list[StoredEvent]:
    rows = []
    for seq in range(first, first + n):
        key = bytes([seq]) * 32 if seq % 2 else None
        event = LogEvent(seq, "" if seq % 5 == 0 else f"p{seq % 3}", "decided", START.isoformat(), key, {"seq": seq})
        rows.append(chained(event, before))
        before = rows[-1].hash
    return rows


def written(storage: Storage, rows: list[StoredEvent]) -> None:
    with storage.writing() as tx:
        tx.write({"events": [tuple(row) for row in rows]}, Head(rows[-1].seq, rows[-1].hash))


def test_an_empty_database_has_no_events_and_create_may_be_repeated(storage: Storage) -> None:
    storage.create()
    storage.create()
    with storage.reading() as reader:
        assert reader.head() == Head(0, FIRST_HASH)
        assert list(reader.events()) == []


def test_servers_that_start_together_make_one_database(another: Callable[[], Storage]) -> None:
    together, faults = threading.Barrier(6), list[Exception]()

    def create(storage: Storage) -> None:
        together.wait(60)
        try:
            storage.create()
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=create, args=(another(),)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    with another().reading() as reader:
        assert reader.rows("SELECT count(*) FROM head") == [(1,)]
        assert reader.rows("SELECT count(*) FROM meta") == [(1,)]


def test_a_new_sqlite_file_waits_for_another_process_that_sets_its_journal(tmp_path: Path) -> None:
    locked, released = threading.Event(), threading.Event()

    def hold_the_lock() -> None:
        other = sqlite3.connect(tmp_path / "study.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")  # one that sets the journal meanwhile is refused at once
        locked.set()
        released.wait(60)
        other.execute("COMMIT")
        other.close()

    holder = threading.Thread(target=hold_the_lock)
    holder.start()
    locked.wait(60)
    waiter = storage_at(f"sqlite:{tmp_path / 'study.db'}", Path("/"))
    waiting = threading.Thread(target=waiter.create)
    waiting.start()
    waiting.join(0.05)
    assert waiting.is_alive()
    released.set()
    holder.join()
    waiting.join(60)
    waiter.close()
    made = storage_at(f"sqlite:{tmp_path / 'study.db'}", Path("/"))
    with closing(made), made.reading() as reader:
        assert reader.head() == Head(0, FIRST_HASH)


def test_events_come_back_as_they_were_written(storage: Storage) -> None:
    storage.create()
    rows = some_events(12)
    written(storage, rows)
    with storage.reading() as reader:
        assert list(reader.events()) == rows
        assert list(reader.events(after=10)) == rows[10:]
        assert list(reader.events(pids=["p1"], upto=8)) == [r for r in rows[:8] if r.pid in ("", "p1")]
        assert reader.keys([rows[2].key or b"", b"unknown"]) == {rows[2].key: rows[2]}
        assert reader.head() == Head(12, rows[-1].hash)


def test_a_transaction_that_fails_leaves_nothing(storage: Storage) -> None:
    storage.create()
    rows = some_events(3)

    def fail_half_way() -> None:
        with storage.writing() as tx:
            tx.write({"events": [tuple(row) for row in rows]}, Head(3, rows[-1].hash))
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail_half_way()
    with storage.reading() as reader:
        assert reader.head().seq == 0
        assert list(reader.events()) == []
    written(storage, rows)  # the storage goes on


def test_one_key_is_never_written_twice(storage: Storage) -> None:
    storage.create()
    rows = some_events(1)
    written(storage, rows)
    again = chained(LogEvent(2, "p", "decided", START.isoformat(), rows[0].key, {}), rows[0].hash)
    with pytest.raises(StorageFault):
        written(storage, [again])
    with storage.reading() as reader:
        assert reader.head().seq == 1


def test_nothing_is_written_after_a_transaction_has_ended(storage: Storage) -> None:
    storage.create()
    rows = some_events(1)

    def end_early() -> None:
        with storage.writing() as tx:
            tx.execute("ROLLBACK")
            tx.write({"events": [tuple(row) for row in rows]}, Head(1, rows[-1].hash))

    with pytest.raises(StorageDown, match="the transaction has ended before its commit"):
        end_early()
    with storage.reading() as reader:
        assert reader.head().seq == 0
        assert list(reader.events()) == []


def test_an_older_snapshot_never_replaces_a_newer_one(storage: Storage) -> None:
    storage.create()
    for seq, revision in enumerate((5, 3, 4), start=1):
        with storage.writing() as tx:
            row = ("p", revision, 1, f"state {revision}".encode())
            tx.write({"snapshots": [row]}, Head(seq, FIRST_HASH))
    with storage.reading() as reader:
        assert reader.snapshots(["p", "nobody"])["p"].state == b"state 5"


def test_writers_exclude_each_other(another: Callable[[], Storage]) -> None:
    """Each of two servers adds 20 events to the head that it reads: none is lost."""
    another().create()

    def add(storage: Storage) -> None:
        for _ in range(20):
            with storage.writing() as tx:
                head = tx.head()
                row = chained(LogEvent(head.seq + 1, "p", "decided", START.isoformat(), None, {}), head.hash)
                tx.write({"events": [tuple(row)]}, Head(row.seq, row.hash))

    threads = [threading.Thread(target=add, args=(another(),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with another().reading() as reader:
        assert [row.seq for row in reader.events()] == list(range(1, 41))


@pytest.mark.parametrize(("other", "advice"), [(99, "upgrade rogue-bandits"), (1, "before the first release")])
def test_a_database_of_a_format_that_cannot_be_read_is_refused(storage: Storage, other: int, advice: str) -> None:
    storage.create()
    with storage.writing() as tx:
        tx.execute("UPDATE meta SET value = ? WHERE name = 'format'", (str(other),))
    with pytest.raises(StorageRefused, match=f"format {other}, and this release reads formats 2 to 3: .*{advice}"):
        storage.create()
    with storage.reading() as reader:  # it is as it was
        assert reader.rows("SELECT value FROM meta WHERE name = 'format'") == [(str(other),)]


def test_a_url_of_another_kind_is_refused(tmp_path: object) -> None:
    with pytest.raises(StorageRefused, match="'mysql://x' must be sqlite:FILE or postgresql://"):
        storage_at("mysql://x", None)  # type: ignore[arg-type]  # refused before it is used
