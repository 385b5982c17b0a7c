"""Nightly updates."""

from __future__ import annotations

from pathlib import Path

from rogue_bandits.study.api.nightly import Nightly
from rogue_bandits.study.service import opened
from rogue_bandits.study.storage.sqlite import SqliteStorage
from tests.study.cases import Clock, at, design


def test_a_night_without_a_server_is_made_up_for(tmp_path: Path, clock: Clock) -> None:
    with opened(design(learning={"when": "nightly"}), SqliteStorage(tmp_path / "s.db"), clock) as service:
        for hours, updates in ((19.1, 1), (20, 1), (43.1, 2)):  # 3:06, 4:00, 3:06: a server that starts anew each time
            clock.now = at(60 * hours)
            night = Nightly(service)
            night.check()
            night.close()
            with service.storage.reading() as reader:
                assert reader.rows("SELECT count(*) FROM events WHERE kind = 'updated'") == [(updates,)]


def test_the_nightly_update_happens_once(tmp_path: Path, clock: Clock) -> None:
    with opened(design(learning={"when": "nightly"}), SqliteStorage(tmp_path / "s.db"), clock) as service:
        nights = [Nightly(service), Nightly(service)]  # as two servers have
        for hours in (18, 20, 43):
            clock.now = at(60 * hours)
            for one in nights:
                one.check()
        for one in nights:
            one.close()
        with service.storage.reading() as reader:
            assert reader.rows("SELECT count(*) FROM events WHERE kind = 'updated'") == [(3,)]
