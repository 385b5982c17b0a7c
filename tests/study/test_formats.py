"""Databases of an older format: migrated when they are opened, and nothing is lost."""

from __future__ import annotations

import json
from typing import Any

from rogue_bandits.study.operations import DecisionRequest, Enrolment, Observed
from rogue_bandits.study.person import LENGTH
from rogue_bandits.study.service import opened
from rogue_bandits.study.storage.sql import Storage
from tests.study.cases import Clock, asked, at, design
from tests.study.living import enrolled, intact, lived, refusal


def to_format_2(storage: Storage) -> None:
    """Turn a database into what format 2 was: no table of sessions, and snapshots without the start of a person."""
    with storage.writing() as tx:
        tx.execute("DROP TABLE ended_sessions")
        tx.execute("UPDATE meta SET value = '2' WHERE name = 'format'")
        for pid, state in tx.rows("SELECT pid, state FROM snapshots"):
            tx.execute("UPDATE snapshots SET state = ? WHERE pid = ?", (without_start(bytes(state)), pid))


def without_start(state: bytes) -> bytes:
    end = LENGTH.size + LENGTH.unpack_from(state)[0]
    head = json.loads(state[LENGTH.size : end])
    del head["start"]
    text = json.dumps(head).encode()
    return LENGTH.pack(len(text)) + text + state[end:]


def test_a_database_of_format_2_is_migrated(another: Any, clock: Clock) -> None:
    with opened(design(), another(), clock) as service:
        enrolled(service)
        made = lived(service, "ann", 0, 20)
        service.enrol(Enrolment("bob", start="2026-03-02")).result()
    older = another()
    to_format_2(older)
    with older.reading() as reader:
        assert reader.rows("SELECT count(*) FROM snapshots")[0][0] > 0
        head = reader.head()
    with opened(design(), another(), clock) as later, opened(design(), another(), clock):
        with later.storage.reading() as reader:
            assert reader.head() == head
            assert reader.rows("SELECT value FROM meta WHERE name = 'format'") == [("3",)]
            assert reader.rows("SELECT count(*) FROM ended_sessions") == [(0,)]
        assert later.decide("ann", asked(7), "k7").result() == made[7]
        assert later.decide("ann", asked(20), "k20").result()["number"] == 20
        assert later.reward(made[5]["id"], Observed(1.0)).result()["value"] == 1.0
        assert refusal(lambda: later.decide("bob", asked(0), "k")).title == "not-started"
        assert later.decide("bob", DecisionRequest(at(24 * 60)), "k").result()["number"] == 0
        intact(later)
