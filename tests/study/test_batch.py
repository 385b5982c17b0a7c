"""Requests that fail in a batch spoil no others."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from rogue_bandits.study.operations import Enrolment, Observed
from rogue_bandits.study.problems import RequestProblem
from rogue_bandits.study.service import Service, opened
from rogue_bandits.study.storage.contract import StorageDown
from rogue_bandits.study.storage.sqlite import SqliteStorage
from tests.study.cases import Clock, asked, design
from tests.study.living import intact_decisions


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
        with pytest.raises(RequestProblem, match="nothing was recorded"):
            failing.result()
        assert [before.result()["number"], after.result()["number"]] == [0, 1]
        assert intact_decisions(service.storage) == 2


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
        other.reward(made[0]["id"], Observed(0.0, None, "typo"), "staff").result()

        def fails(*_: Any) -> Any:
            raise StorageDown("gone")

        with monkeypatch.context() as patch:
            patch.setattr("rogue_bandits.study.batch.history", fails)
            with pytest.raises(RequestProblem, match="cannot be written to now"):
                one.decide("ann", asked(4), "k4").result()
        assert one.decide("ann", asked(4), "k4").result()["number"] == 4
        assert intact_decisions(one.storage) == 8


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
            with pytest.raises(RequestProblem, match="cannot be written to now"):
                future.result()
        assert service.decide("ann", asked(0), "c").result()["number"] == 0
        assert intact_decisions(service.storage) == 1


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
        with pytest.raises(RequestProblem, match="nothing was recorded"):
            failing.result()
        assert intact_decisions(service.storage) == 2


def test_errors_are_logged_without_what_they_say(another: Any, clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    """The databases, and Python, put the values that they do not like in their messages."""
    name = "zo" + "e"  # not as a whole in a line that a traceback shows
    with opened(design(), another(), clock) as service:
        for one in (name, "ann"):
            service.enrol(Enrolment(one)).result()

        def taken(batch: Any) -> None:
            batch.row("name", name, bytes(32), batch.pid("ann"))

        def unknown(batch: Any) -> None:
            raise KeyError(name)

        for wrong, words in (
            (taken, "a batch failed: StorageFault after "),
            (unknown, "an operation failed: KeyError"),
        ):
            with pytest.raises(RequestProblem, match="nothing was recorded"):
                service.submit(wrong, names=("ann",)).result()
            assert words in caplog.text
        assert "test_batch.py" in caplog.text  # where it was
        assert name not in caplog.text


def test_an_enrolment_that_fails_leaves_the_name_free(
    another: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: Any) -> None:
        raise MemoryError

    with opened(design(), another(), clock) as service:
        with monkeypatch.context() as patch:
            patch.setattr("rogue_bandits.study.operations.people.fresh_person", failing)
            with pytest.raises(RequestProblem, match="nothing was recorded"):
                service.enrol(Enrolment("ann")).result()
        assert service.enrol(Enrolment("ann")).result()["person"] == "ann"
        assert service.decide("ann", asked(0), "a").result()["number"] == 0
        assert intact_decisions(service.storage) == 1


def test_a_name_is_erased_and_given_again_in_one_batch(another: Any, clock: Clock) -> None:
    with opened(design(), another(), clock) as service:
        first = service.enrol(Enrolment("ann")).result()["pid"]
        _, again, _, last = in_one_batch(
            service, lambda: service.change_status("ann", "erase"), lambda: service.enrol(Enrolment("ann")),
            lambda: service.change_status("ann", "erase"), lambda: service.enrol(Enrolment("ann")),
        )  # fmt: skip
        pids = [first, again.result()["pid"], last.result()["pid"]]
        with service.storage.reading() as reader:
            assert dict(reader.rows("SELECT pid, name FROM people")) == dict(
                zip(pids, (None, None, "ann"), strict=True)
            )
        assert service.decide("ann", asked(0), "a").result()["id"] == f"{pids[-1]}-0"
        assert intact_decisions(service.storage) == 1


def test_names_are_forgotten_between_batches_only(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rogue_bandits.study.residents.MOST_NAMES", 2)
    with opened(design(), SqliteStorage(tmp_path / "study.db"), clock) as service:
        for future in in_one_batch(service, *(partial(service.enrol, Enrolment(f"p{k}")) for k in range(5))):
            future.result()
        futures = in_one_batch(service, *(partial(service.decide, f"p{k}", asked(0), "a") for k in range(5)))
        assert [future.result()["number"] for future in futures] == [0] * 5
