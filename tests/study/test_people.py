"""People join, pause, withdraw and are erased, on both storages."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta, timezone
from typing import Any

from rogue_bandits.study.operations import DecisionRequest, Enrolment, Observed
from rogue_bandits.study.problems import Kind
from rogue_bandits.study.service import Service, opened
from tests.study.cases import Clock, asked, at, design
from tests.study.living import enrolled, intact, lived, refusal


def test_keys_of_people_who_are_erased_cannot_be_guessed(service: Service) -> None:
    """HMAC by its definition (RFC 2104): with the salt a guess can be checked, and erasing deletes the salt."""
    pid = enrolled(service)["pid"]
    service.decide("ann", asked(0), "ann-2026-03-01").result()
    with service.storage.reading() as reader:
        [(salt,)] = reader.rows("SELECT salt FROM people")
        [(key,)] = reader.rows("SELECT key FROM events WHERE kind = 'decided'")
    inner, outer = (bytes(b ^ pad for b in bytes(salt).ljust(64, b"\0")) for pad in (0x36, 0x5C))
    guess = b"decide\nann-2026-03-01"
    assert hashlib.sha256(outer + hashlib.sha256(inner + guess).digest()).digest() == bytes(key)
    service.change_status("ann", "erase").result()
    enrolled(service)
    with service.storage.reading() as reader:
        salts = dict(reader.rows("SELECT pid, salt FROM people"))
        assert salts.pop(pid) is None
        assert bytes(salt) not in map(bytes, salts.values())
    assert pid not in service.writer.residents.salts
    intact(service)


def test_people_pause_withdraw_and_are_erased(service: Service) -> None:
    pid = enrolled(service)["pid"]
    made = lived(service, "ann", 0, 3)
    service.change_status("ann", "pause").result()
    assert service.decide("ann", asked(3), "k3").result()["explanation"] == "Decision 3 is a rest: paused."
    service.change_status("ann", "resume").result()
    assert service.decide("ann", asked(4), "k4").result()["arm"] is not None
    service.change_status("ann", "withdraw").result()
    problem = refusal(lambda: service.decide("ann", asked(5), "k5"))
    assert (problem.kind, problem.title) == (Kind.CONFLICT, "withdrawn")
    assert refusal(lambda: service.change_status("ann", "resume")).title == "withdrawn"
    assert service.reward(made[0]["id"], Observed(1.0)).result()["value"] == 1.0  # a late reward is still a fact
    service.change_status("ann", "erase").result()
    assert refusal(lambda: service.decide("ann", asked(6), "k6")).title == "unknown-person"
    with service.storage.reading() as reader:
        everything = [
            row for table in ("events", "people", "decisions") for row in reader.rows(f"SELECT * FROM {table}")
        ]
        assert "ann" not in str(everything)
        assert pid in str(everything)
    again = enrolled(service)  # somebody with the same name is somebody else
    assert again["pid"] != pid
    assert service.decide("ann", asked(0), "k0").result()["number"] == 0
    intact(service)


def test_a_change_that_there_is_not_is_named_with_those_there_are(service: Service) -> None:
    made = lived(service, enrolled(service)["person"], 0, 1)
    for problem, title, detail in (
        (refusal(lambda: service.change_status("ann", "paused")), "unknown-change",
         "change 'paused' must be one of pause, resume, withdraw, erase"),
        (refusal(lambda: service.deliver(made[0]["id"], "eaten")), "unknown-delivery",
         "delivery 'eaten' must be one of failed, sent, seen"),
    ):  # fmt: skip
        assert (problem.kind, problem.title, problem.detail) == (Kind.INVALID, title, detail)
    intact(service)


def test_nothing_is_decided_before_the_start(service: Service, another: Any, clock: Clock) -> None:
    """The day of the request is that of its own clock; a schedule that begins too early is refused as a whole."""
    service.enrol(Enrolment("ann", start="2026-03-03")).result()
    problem = refusal(lambda: service.decide("ann", asked(0), "k0"))
    assert (problem.kind, problem.title, problem.more) == (Kind.CONFLICT, "not-started", {"start": "2026-03-03"})
    assert problem.detail.startswith("person 'ann' starts on 2026-03-03: time 2026-03-01T08:00:00+00:00 is before that")
    days = [DecisionRequest(at(24 * 60 * day), scheduled=True) for day in (1, 2)]
    assert refusal(lambda: service.schedule("ann", days, "s")).title == "not-started"
    east = timezone(timedelta(hours=14))
    early = DecisionRequest(datetime(2026, 3, 3, 0, 30, tzinfo=east))  # in UTC it is still the second of March
    assert service.decide("ann", early, "k1").result()["number"] == 0
    for _ in range(20):  # so that a snapshot is loaded
        service.change_status("ann", "pause").result()
        service.change_status("ann", "resume").result()
    with opened(design(), another(), clock) as other:
        assert refusal(lambda: other.decide("ann", asked(0), "k2")).title == "not-started"
        other.enrol(Enrolment("bob", start="2026-03-02")).result()
        assert refusal(lambda: other.decide("bob", asked(0), "k")).title == "not-started"
    with opened(design(limits={"least": 0.3}), another(), clock) as later:  # rebuilt under another version
        assert refusal(lambda: later.decide("bob", asked(0), "k")).title == "not-started"
        assert later.decide("bob", DecisionRequest(at(24 * 60)), "k").result()["number"] == 0
        intact(later)
