"""What a replay and a check of the chain notice."""

from __future__ import annotations

import zlib
from typing import Any

import pytest

from rogue_bandits.online.snapshot import HEAD
from rogue_bandits.study.person import LENGTH
from rogue_bandits.study.replay import replay, verify
from rogue_bandits.study.service import Service, opened
from rogue_bandits.study.transitions import Ask, Choice
from tests.study.cases import Clock, design
from tests.study.living import enrolled, intact, lived


def test_a_state_that_was_saved_after_an_update_replays(another: Any, clock: Clock) -> None:
    with opened(design(learning={"when": "nightly"}), another(), clock) as service:
        enrolled(service)
        lived(service, "ann", 0, 5)
        service.update("night 1").result()
    with another().reading() as reader:
        assert reader.rows("SELECT revision FROM snapshots") == [(reader.head().seq,)]
        found = replay(reader)
        assert (found.snapshots, found.differences) == (1, [])


def test_a_snapshot_that_is_packed_otherwise_is_the_same_state(another: Any, clock: Clock) -> None:
    with opened(design(), another(), clock) as service:
        enrolled(service)
        lived(service, "ann", 0, 5)
    with another().writing() as tx:
        [(state,)] = tx.rows("SELECT state FROM snapshots")
        tx.execute("UPDATE snapshots SET state = ?", (packed_otherwise(bytes(state)),))
    with another().reading() as reader:
        assert replay(reader)[2:] == (1, [])
    with another().writing() as tx:
        tx.execute("UPDATE snapshots SET state = ?", (bytes(state)[:-9],))
    with another().reading() as reader:
        assert len(replay(reader).differences) == 1


def packed_otherwise(state: bytes) -> bytes:
    """Return a person's snapshot with the bandit's numbers deflated at another level."""
    start = LENGTH.size + LENGTH.unpack_from(state)[0]
    magic, version, mark, _ = HEAD.unpack_from(state, start)
    body = zlib.compress(zlib.decompress(state[start + HEAD.size :]), 1)
    other = state[:start] + HEAD.pack(magic, version, mark, zlib.crc32(body)) + body
    assert other != state
    return other


def test_a_replay_notices_what_was_changed(service: Service, another: Any) -> None:
    enrolled(service)
    lived(service, "ann", 0, 10)
    with another().writing() as tx:
        [(seq, body)] = tx.rows("SELECT seq, body FROM events WHERE kind = 'decided' ORDER BY seq LIMIT 1")
        other = body.replace('"walk"', '"run"').replace('"sleep"', '"walk"').replace('"run"', '"sleep"')
        tx.execute("UPDATE events SET body = ? WHERE seq = ?", (other, seq))
    with another().reading() as reader:
        first, second = verify(reader).faults
        assert first == f"event {seq} was changed, or one before it: its hash does not fit"
        assert second.endswith("-0: its table differs from the log in arm, probability") or second.endswith(" in arm")
        assert replay(reader).differences


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("UPDATE decisions SET reward = 0.0 WHERE number = 1",
         "decision {pid}-1: its table differs from the log in reward"),
        ("UPDATE decisions SET delivery = 'seen' WHERE number = 0",
         "decision {pid}-0: its table differs from the log in delivery"),
        ("DELETE FROM decisions WHERE number = 3", "decision {pid}-3 is in the log and not in its table"),
        ("UPDATE decisions SET number = 77 WHERE number = 9", "decision {pid}-77 is in its table and not in the log"),
        ("UPDATE people SET status = 'paused'", "person {pid}: its table differs from the log in status"),
        ("UPDATE people SET name = NULL", "person {pid}: its table differs from the log in named"),
    ],
)  # fmt: skip
def test_derived_rows_that_were_changed_are_noticed(service: Service, another: Any, change: str, fault: str) -> None:
    pid = enrolled(service)["pid"]
    made = lived(service, "ann", 0, 10)
    service.deliver(made[0]["id"], "sent").result()
    intact(service)
    with another().writing() as tx:
        tx.execute(change)
    with another().reading() as reader:
        assert fault.format(pid=pid) in verify(reader).faults


def test_choices_say_their_probability() -> None:
    assert Choice(1, (0.25, 0.75)).probability == 0.75
    assert Choice(-1, (0.0, 0.0)).probability == 1.0
    assert Ask("t", (True,)).reason is None
