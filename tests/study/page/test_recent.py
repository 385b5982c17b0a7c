"""Results that are used again for a while, and when they are made anew."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path

import pytest

from rogue_bandits.study import queries
from rogue_bandits.study.operations import Enrolment
from rogue_bandits.study.page import recent
from rogue_bandits.study.page.explanations import Explanations
from rogue_bandits.study.service import opened
from rogue_bandits.study.storage.sqlite import SqliteStorage
from tests.study.cases import Clock, asked, design
from tests.study.living import waited


def test_results_are_used_again_for_longer_if_they_took_longer() -> None:
    now, calls = [0.0], []

    def slow() -> int:
        calls.append(now[0])
        now[0] += 2.0
        return len(calls)

    results = recent.Recent(lambda: now[0])
    assert results.of("a", slow) == 1
    now[0] += recent.SHARE * 2.0 - 0.1
    assert results.of("a", slow) == 1
    now[0] += 0.2
    assert results.of("a", slow) == 2
    assert results.of("b", lambda: "other") == "other"


def test_while_one_computes_others_get_the_result_before() -> None:
    now, started, go = [0.0], threading.Event(), threading.Event()
    results = recent.Recent(lambda: now[0])
    assert results.of("a", lambda: "old") == "old"
    now[0] += recent.FRESH + 1.0

    def slow() -> str:
        started.set()
        assert go.wait(30.0)
        return "new"

    thread = threading.Thread(target=results.of, args=("a", slow))
    thread.start()
    assert started.wait(30.0)
    assert results.of("a", lambda: "never") == "old"
    go.set()
    thread.join()
    assert results.of("a", lambda: "never") == "new"


def test_slow_results_are_brought_up_to_date_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent, "CHECK", 0.01)
    now, calls, stop = [0.0], list[float](), threading.Event()

    def slow() -> int:
        calls.append(now[0])
        now[0] += 2.0
        return len(calls)

    results = recent.Recent(lambda: now[0])
    thread = threading.Thread(target=results.keep, args=({"a": slow, "b": lambda: "quick"}, stop))
    thread.start()
    waited(lambda: results._kept == {"a", "b"})
    assert results.of("a", lambda: "never") == 1
    now[0] += recent.SHARE * 2.0 + 1.0
    waited(lambda: len(calls) == 2)
    waited(lambda: results.of("a", lambda: "never") == 2)
    assert results.of("b", lambda: "by the request") == "by the request"  # what is quick is as of now
    stop.set()
    thread.join()
    now[0] += recent.SHARE * 2.0 + 1.0
    assert results.of("a", lambda: "by the request") == "by the request"


def test_explanations_are_made_again_on_another_day(tmp_path: Path) -> None:
    """Messages recover on days without a decision."""
    clock = Clock()
    with opened(design(), SqliteStorage(tmp_path / "study.db"), clock) as service:
        service.enrol(Enrolment("ann")).result()
        service.decide("ann", asked(0), "a").result()
        kept = Explanations(service)
        with service.storage.reading() as reader:
            row = queries.person(reader, "ann")
        first = kept.of([row])[row.pid]
        clock.now += timedelta(hours=1)
        assert kept.of([row])[row.pid] is first
        clock.now += timedelta(days=3)
        again = kept.of([row])[row.pid]
        assert again == service.explain("ann")
        assert again != first
