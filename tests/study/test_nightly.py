"""Nightly updates."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from rogue_bandits.study import nightly, serving
from rogue_bandits.study.nightly import Nightly, nightly_updates
from rogue_bandits.study.service import Service, opened
from rogue_bandits.study.storage.sqlite import SqliteStorage
from tests.study.cases import Clock, at, design
from tests.study.living import waited


def opened_nightly(tmp_path: Path, clock: Clock, when: str = "nightly") -> Service:
    return opened(design(learning={"when": when}), SqliteStorage(tmp_path / "s.db"), clock)


def updates(service: Service) -> Any:
    with service.storage.reading() as reader:
        return reader.rows("SELECT count(*) FROM events WHERE kind = 'updated'")[0][0]


def test_a_night_without_a_server_is_made_up_for(tmp_path: Path, clock: Clock) -> None:
    with opened_nightly(tmp_path, clock) as service:
        for hours, made in ((19.1, 1), (20, 1), (43.1, 2)):  # 3:06, 4:00, 3:06: a server that starts anew each time
            clock.now = at(60 * hours)
            night = Nightly(service)
            night.check()
            night.close()
            assert updates(service) == made


def test_the_nightly_update_happens_once(tmp_path: Path, clock: Clock) -> None:
    with opened_nightly(tmp_path, clock) as service:
        nights = [Nightly(service), Nightly(service)]  # as two servers have
        for hours in (18, 20, 43):
            clock.now = at(60 * hours)
            for one in nights:
                one.check()
        for one in nights:
            one.close()
        assert updates(service) == 3


def test_a_server_learns_at_night_while_it_runs(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nightly, "CHECK", 0.01)

    class Server:
        def run(self, sockets: list[socket.socket]) -> None:
            waited(lambda: updates(service) == 1)

    monkeypatch.setattr(serving, "server_of", lambda *_: Server())
    with opened_nightly(tmp_path, clock) as service, socket.socket() as listening:
        serving.run_until_signal(service, listening)


def test_where_learning_is_at_once_nobody_asks_for_updates(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nightly, "Nightly", None)
    with opened_nightly(tmp_path, clock, "at once") as service, nightly_updates(service):
        assert updates(service) == 0
