"""What must not lose or double anything: kills, crowds, a database that goes and comes back, a full disk."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from rogue_bandits.study.backup import backup
from rogue_bandits.study.client import StudyClient
from rogue_bandits.study.operations import Enrolment, Observed
from rogue_bandits.study.problems import Problem
from rogue_bandits.study.replay import replay, verify
from rogue_bandits.study.service import Service, opened, utc_now
from rogue_bandits.study.storage.contract import Storage, StorageDown
from rogue_bandits.study.storage.open import storage_at
from rogue_bandits.study.storage.sqlite import SqliteStorage
from rogue_bandits.study.tokens import issue
from tests.matrix import FULL
from tests.study.cases import Clock, asked, at, design
from tests.study.postgres import Cluster
from tests.study.served import served

MOMENTS = 300 if FULL else 12
CLIENTS = 64


def intact(storage: Storage) -> int:
    """Return how many decisions a replay has made again, all the same."""
    with storage.reading() as reader:
        assert verify(reader).faults == []
        found = replay(reader)
        assert found.differences == []
        return found.decisions


def test_kill_at_random_moments_loses_nothing(url: str) -> None:
    """In a process of its own, which forks servers."""
    command = [sys.executable, "-m", "tests.study.killing", url, str(MOMENTS), "1"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert found["faults"] == []
    assert found["moments"] == MOMENTS
    assert found["acknowledged"] >= MOMENTS


def test_a_crowd_at_one_person_decides_once_a_key(url: str, another: Any) -> None:
    """64 clients over HTTP, on two servers: for each of 3 keys all get one answer; then each its own, in some order."""
    with opened(design(), another()) as one, opened(design(), another()) as other:
        with one.storage.writing() as tx:
            token = issue(tx, "app", "", utc_now(), 1)
        with served(one) as first, served(other) as second:
            clients = [StudyClient((first, second)[k % 2].address, token) for k in range(CLIENTS)]
            clients[0].enrol("ann")
            with ThreadPoolExecutor(CLIENTS) as pool:
                for minute in range(3):
                    same = list(pool.map(lambda c, m=minute: c.decide("ann", at(m), f"k{m}"), clients))
                    assert [made.number for made in same] == [minute] * CLIENTS
                    assert all(made == same[0] for made in same)
                each = list(pool.map(lambda k: clients[k].decide("ann", at(9), f"c{k}"), range(CLIENTS)))
                assert sorted(made.number for made in each) == list(range(3, 3 + CLIENTS))
                list(pool.map(lambda k: clients[k].reward(each[k].id, float(k % 2)), range(CLIENTS)))
            for client in clients:
                client.close()
        assert intact(one.storage) == 3 + CLIENTS


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
                except Problem as problem:
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
        assert intact(service.storage) == len(acknowledged)


def waited(happened: Any, patience: float = 60.0) -> None:
    deadline = time.monotonic() + patience
    while not happened():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)


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

        with pytest.raises(Problem, match="the database cannot be written to now") as caught:
            fill_up()
        assert caught.value.status == 503
        assert intact(storage) == len(made)
        storage.pages = 1_000_000
        made.append(service.decide("ann", asked(len(made)), f"k{len(made)}").result())
        service.reward(made[0]["id"], Observed(1.0)).result()
        assert [one["number"] for one in made] == list(range(len(made)))
        assert intact(storage) == len(made)


def test_an_operation_that_fails_leaves_others_of_its_batch_alone(tmp_path: Path, clock: Clock) -> None:
    with opened(design(), SqliteStorage(tmp_path / "study.db"), clock) as service:
        service.enrol(Enrolment("ann")).result()
        hold = threading.Event()

        def wait(batch: Any) -> None:
            hold.wait(60)

        def half_way(batch: Any) -> None:
            batch.person(batch.pid("ann"))
            batch.append(batch.pid("ann"), "paused", {})
            raise RuntimeError("a bug")

        first = service.submit(wait)  # so that what follows is one batch
        before = service.decide("ann", asked(0), "a")
        failing = service.submit(half_way, names=("ann",))
        after = service.decide("ann", asked(1), "b")
        hold.set()
        first.result()
        with pytest.raises(Problem, match="nothing was recorded"):
            failing.result()
        assert [before.result()["number"], after.result()["number"]] == [0, 1]
        assert intact(service.storage) == 2


def in_one_batch(service: Service, *calls: Callable[[], Any]) -> list[Any]:
    """Return the futures of requests that the writer serves in one transaction."""
    begun, hold = threading.Event(), threading.Event()

    def wait(batch: Any) -> None:
        begun.set()
        hold.wait(60)

    first = service.submit(wait)
    begun.wait(60)
    futures = [call() for call in calls]
    hold.set()
    first.result()
    return futures


def test_a_catch_up_that_fails_half_way_is_not_applied_twice(
    another: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The correction of another server needs a statement, which fails after the events before it were followed."""
    with opened(design(), another(), clock) as one, opened(design(), another(), clock) as other:
        for name in ("ann", "bob"):
            one.enrol(Enrolment(name)).result()
            made = [one.decide(name, asked(k), f"k{k}").result() for k in range(3)]
        other.reward(made[0]["id"], Observed(1.0)).result()
        other.decide("ann", asked(3, "asleep"), "k3").result()  # a rest is made again alike, whatever the state
        other.reward(made[0]["id"], Observed(0.0, None, "typo")).result()

        def fails(*_: Any) -> Any:
            raise StorageDown("gone")

        with monkeypatch.context() as patch:
            patch.setattr("rogue_bandits.study.batch.history", fails)
            with pytest.raises(Problem, match="cannot be written to now"):
                one.decide("ann", asked(4), "k4").result()
        assert one.decide("ann", asked(4), "k4").result()["number"] == 4
        assert intact(one.storage) == 8


def test_a_statement_that_fails_in_a_request_ends_the_batch(another: Any, clock: Clock) -> None:
    """All of it is taken back and nobody is told that it was done; those who were served before it are loaded again."""
    with opened(design(), another(), clock) as service:
        service.enrol(Enrolment("ann")).result()

        def fails(batch: Any) -> None:
            batch.tx.rows("SELECT nothing FROM nowhere")

        futures = in_one_batch(
            service, lambda: service.decide("ann", asked(0), "a"), lambda: service.submit(fails),
            lambda: service.decide("ann", asked(1), "b"),
        )  # fmt: skip
        for future in futures:
            with pytest.raises(Problem, match="cannot be written to now"):
                future.result()
        assert service.decide("ann", asked(0), "c").result()["number"] == 0
        assert intact(service.storage) == 1


def test_a_row_that_the_database_does_not_take_fails_its_request_alone(another: Any, clock: Clock) -> None:
    with opened(design(), another(), clock) as service:
        service.enrol(Enrolment("ann")).result()

        def doubled(batch: Any) -> None:
            batch.row("people", batch.pid("ann"), "active", None, None, batch.now)

        before, failing, after = in_one_batch(
            service, lambda: service.decide("ann", asked(0), "a"), lambda: service.submit(doubled, names=("ann",)),
            lambda: service.decide("ann", asked(1), "b"),
        )  # fmt: skip
        assert [before.result()["number"], after.result()["number"]] == [0, 1]
        with pytest.raises(Problem, match="nothing was recorded"):
            failing.result()
        assert intact(service.storage) == 2


def test_a_name_is_erased_and_given_again_in_one_batch(another: Any, clock: Clock) -> None:
    with opened(design(), another(), clock) as service:
        first = service.enrol(Enrolment("ann")).result()["pid"]
        _, again, _, last = in_one_batch(
            service, lambda: service.change_status("ann", "erased"), lambda: service.enrol(Enrolment("ann")),
            lambda: service.change_status("ann", "erased"), lambda: service.enrol(Enrolment("ann")),
        )  # fmt: skip
        pids = [first, again.result()["pid"], last.result()["pid"]]
        with service.storage.reading() as reader:
            assert dict(reader.rows("SELECT pid, name FROM people")) == dict(
                zip(pids, (None, None, "ann"), strict=True)
            )
        assert service.decide("ann", asked(0), "a").result()["id"] == f"{pids[-1]}-0"
        assert intact(service.storage) == 1


def test_names_are_forgotten_between_batches_only(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rogue_bandits.study.residents.MOST_NAMES", 2)
    with opened(design(), SqliteStorage(tmp_path / "study.db"), clock) as service:
        for future in in_one_batch(service, *(partial(service.enrol, Enrolment(f"p{k}")) for k in range(5))):
            future.result()
        futures = in_one_batch(service, *(partial(service.decide, f"p{k}", asked(0), "a") for k in range(5)))
        assert [future.result()["number"] for future in futures] == [0] * 5


def test_a_backup_of_a_study_that_runs_can_be_served(another: Any, url: str, tmp_path: Path, clock: Clock) -> None:
    with opened(design(), another(), clock) as service:
        service.enrol(Enrolment("ann")).result()
        made = [service.decide("ann", asked(k), f"k{k}").result() for k in range(40)]
        assert backup(another(), tmp_path / "copy.db") == 43
        service.decide("ann", asked(40), "k40").result()
    copy = SqliteStorage(tmp_path / "copy.db")
    with opened(design(), copy, clock) as restored:
        assert restored.decide("ann", asked(7), "k7").result() == made[7]
        assert restored.decide("ann", asked(40), "k40").result()["number"] == 40
        assert intact(copy) == 41
    with pytest.raises(FileExistsError, match="exists: name another file"):
        backup(copy, tmp_path / "copy.db")
