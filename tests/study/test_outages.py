"""A database that goes and comes back, and a full disk: nothing is lost or doubled."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from rogue_bandits.study.operations import Enrolment, Observed
from rogue_bandits.study.problems import RequestProblem
from rogue_bandits.study.service import opened
from rogue_bandits.study.storage.open import storage_at
from rogue_bandits.study.storage.sqlite import SqliteStorage
from tests.study.cases import Clock, asked, design
from tests.study.living import intact_decisions, waited
from tests.study.postgres import Cluster


def test_the_database_goes_and_comes_back(cluster: Cluster, clock: Clock) -> None:
    """PostgreSQL is stopped as by a crash while clients ask; what was acknowledged is there when it is back."""
    url = cluster.new_database()
    with opened(design(), storage_at(url, Path("/")), clock) as service:
        service.enrol(Enrolment("ann")).result()
        acknowledged, refused, stop = dict[str, Any](), list[str](), threading.Event()

        def ask() -> None:
            minute = 0
            while not stop.is_set():
                try:
                    acknowledged[f"k{minute}"] = service.decide("ann", asked(minute), f"k{minute}").result()
                    minute += 1
                except RequestProblem as problem:
                    refused.append(problem.title)
                    time.sleep(0.01)

        thread = threading.Thread(target=ask)
        thread.start()
        waited(lambda: len(acknowledged) >= 5)
        cluster.stop()
        waited(lambda: len(refused) >= 3)
        before = len(acknowledged)
        cluster.start()
        waited(lambda: len(acknowledged) >= before + 5)
        stop.set()
        thread.join()
        assert set(refused) == {"storage-unavailable"}
        for key, made in acknowledged.items():
            assert service.decide("ann", asked(int(key[1:])), key).result() == made
        assert intact_decisions(service.storage) == len(acknowledged)


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
        assert caught.value.status == 503
        assert intact_decisions(storage) == len(made)
        storage.pages = 1_000_000
        made.append(service.decide("ann", asked(len(made)), f"k{len(made)}").result())
        service.reward(made[0]["id"], Observed(1.0)).result()
        assert [one["number"] for one in made] == list(range(len(made)))
        assert intact_decisions(storage) == len(made)
