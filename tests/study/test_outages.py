"""A database that goes and comes back, and a full disk: nothing is lost or doubled."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rogue_bandits.study.client import DecisionMade, RequestRefused, StudyClient
from rogue_bandits.study.clock import utc_now
from rogue_bandits.study.operations import Enrolment, Observed
from rogue_bandits.study.problems import Kind, RequestProblem
from rogue_bandits.study.service import opened
from rogue_bandits.study.storage.open import storage_at
from rogue_bandits.study.storage.sqlite import SqliteStorage
from rogue_bandits.study.tokens import issue
from tests.matrix import FULL
from tests.study.cases import Clock, asked, at, design
from tests.study.living import intact_decisions, waited
from tests.study.postgres import Cluster
from tests.study.served import served

SECONDS = 60.0 if FULL else 0.3  # for which a database is away


class Outage(NamedTuple):
    """A database that can be made to go and come back."""

    url: str
    begin: Callable[[], None]
    end: Callable[[], None]


@pytest.fixture(params=["stopped", "locked"])
def outage(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Outage:
    """PostgreSQL that is stopped as by a crash; SQLite whose file another process has locked."""
    if request.param == "stopped":
        cluster: Cluster = request.getfixturevalue("cluster")
        return Outage(cluster.new_database(), cluster.stop, cluster.start)
    if not FULL:
        monkeypatch.setattr("rogue_bandits.study.storage.sqlite.WAIT", 0.2)
    path = tmp_path / "study.db"
    other: list[sqlite3.Connection] = []

    def lock() -> None:
        other.append(sqlite3.connect(path, isolation_level=None, timeout=30.0, check_same_thread=False))
        other[-1].execute("BEGIN EXCLUSIVE")

    return Outage(f"sqlite:{path}", lock, lambda: other.pop().close())


class Asking:
    """An app that asks on and on, and repeats what was refused with the same key."""

    def __init__(self, study: StudyClient, person: str) -> None:
        self.acknowledged: dict[str, DecisionMade] = {}
        self.refused: list[str] = []
        self._study, self._person = study, person
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._ask)
        self._thread.start()

    def _ask(self) -> None:
        while not self._stop.is_set():
            n = len(self.acknowledged)
            try:
                self.acknowledged[f"k{n}"] = made = self._study.decide(self._person, at(n), f"k{n}")
                self._study.reward(made.id, float(n % 2))
            except RequestRefused as refusal:
                self.refused.append(refusal.title)
                time.sleep(0.02)

    def close(self) -> None:
        self._stop.set()
        self._thread.join()


def test_a_database_that_is_away_for_a_while(outage: Outage) -> None:
    """What was acknowledged is there when it is back; a client that waits is answered once."""
    with opened(design(), storage_at(outage.url, Path("/"))) as service:
        with service.storage.writing() as tx:
            token = issue(tx, "app", "", utc_now(), 1)
        with (
            served(service) as running,
            StudyClient(running.address, token, pauses=()) as hasty,
            StudyClient(running.address, token) as patient,
            ThreadPoolExecutor(1) as pool,
        ):
            for name in ("ann", "bob"):
                patient.enrol(name)
            asking = Asking(hasty, "ann")
            waited(lambda: len(asking.acknowledged) >= 5)
            outage.begin()
            waiting = pool.submit(patient.decide, "bob", at(0), "only")
            waited(lambda: len(asking.refused) >= 2)
            before = len(asking.acknowledged)
            time.sleep(SECONDS)
            assert len(asking.acknowledged) <= before + 1  # one may have been on its way
            assert not waiting.done()
            outage.end()
            waited(lambda: len(asking.acknowledged) >= before + 5)
            made = waiting.result(120.0)
            asking.close()
            assert set(asking.refused) == {"storage-unavailable"}
            assert hasty.decide("bob", at(0), "only") == made
            for key, answer in asking.acknowledged.items():
                assert hasty.decide("ann", at(int(key[1:])), key) == answer
        assert intact_decisions(service.storage) == len(asking.acknowledged) + 1


def test_a_file_that_has_gone_is_not_made_anew(tmp_path: Path, clock: Clock) -> None:
    """A new connection would find an empty database, and a server would begin the study again."""
    path, away = tmp_path / "a" / "study.db", tmp_path / "b"
    path.parent.mkdir()
    with opened(design(), SqliteStorage(path), clock) as service:
        service.enrol(Enrolment("ann")).result()
        made = service.decide("ann", asked(0), "k0").result()
        service.storage.close()
        path.parent.rename(away)
        path.parent.mkdir()
        with pytest.raises(RequestProblem, match="the database cannot be written to now"):
            service.decide("ann", asked(1), "k1").result()
        assert list(path.parent.iterdir()) == []
        path.parent.rmdir()
        away.rename(path.parent)
        assert service.decide("ann", asked(0), "k0").result() == made
        assert service.decide("ann", asked(1), "k1").result()["number"] == 1
        assert intact_decisions(service.storage) == 2


class SmallDisk(SqliteStorage):
    """A database that may not grow beyond so many pages."""

    pages = 1_000_000

    def connect(self) -> Any:
        connection = super().connect()
        connection.execute(f"PRAGMA max_page_count = {self.pages}")
        return connection


def test_a_full_disk_refuses_and_goes_on_when_there_is_room(tmp_path: Path, clock: Clock) -> None:
    storage = SmallDisk(tmp_path / "study.db")
    with opened(design(), storage, clock) as service:
        service.enrol(Enrolment("ann")).result()
        made = [service.decide("ann", asked(k), f"k{k}").result() for k in range(5)]
        storage.pages = 1  # as many as there are: SQLite does not go below
        storage._abandon()  # the next transaction has a new connection

        def fill_up() -> None:
            for k in range(5, 10_000):
                made.append(service.decide("ann", asked(k), f"k{k}").result())

        with pytest.raises(RequestProblem, match="the database cannot be written to now") as caught:
            fill_up()
        assert caught.value.kind is Kind.UNAVAILABLE
        assert intact_decisions(storage) == len(made)
        storage.pages = 1_000_000
        made.append(service.decide("ann", asked(len(made)), f"k{len(made)}").result())
        service.reward(made[0]["id"], Observed(1.0)).result()
        assert [one["number"] for one in made] == list(range(len(made)))
        assert intact_decisions(storage) == len(made)
