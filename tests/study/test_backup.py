"""A copy of a study that runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rogue_bandits.study.backup import backup
from rogue_bandits.study.operations import Enrolment
from rogue_bandits.study.page.sessions import PageSessions, StoredEndedSessions
from rogue_bandits.study.service import opened
from rogue_bandits.study.storage.sqlite import SqliteStorage
from tests.study.cases import Clock, asked, design
from tests.study.living import intact_decisions


def test_a_backup_of_a_study_that_runs_can_be_served(another: Any, url: str, tmp_path: Path, clock: Clock) -> None:
    with opened(design(), another(), clock) as service:
        service.enrol(Enrolment("ann")).result()
        made = [service.decide("ann", asked(k), f"k{k}").result() for k in range(40)]
        sessions = PageSessions(StoredEndedSessions(service), b"k" * 32)
        left = sessions.begin("abc")
        sessions.end(left)
        assert backup(another(), tmp_path / "copy.db") == 43
        service.decide("ann", asked(40), "k40").result()
    copy = SqliteStorage(tmp_path / "copy.db")
    with opened(design(), copy, clock) as restored:
        again = PageSessions(StoredEndedSessions(restored), b"k" * 32)
        assert again.read(sessions.cookie(left)) is None  # who has signed out stays so
        assert restored.decide("ann", asked(7), "k7").result() == made[7]
        assert restored.decide("ann", asked(40), "k40").result()["number"] == 40
        assert intact_decisions(copy) == 41
    with pytest.raises(FileExistsError, match="exists: name another file"):
        backup(copy, tmp_path / "copy.db")
