"""Cookies and forms of the page, without a browser."""

from __future__ import annotations

from typing import Any

import pytest

from rogue_bandits.study.page.sessions import (
    IDLE,
    LONGEST,
    SHORTEST_KEY,
    PageSessions,
    StoredEndedSessions,
    session_key,
)
from rogue_bandits.study.service import opened
from tests.study.cases import Clock, design


class Ended:
    """Sessions that were left, in memory."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}

    def add(self, nonce: str, until: float, now: float) -> None:
        self._until[nonce] = until

    def has(self, nonce: str) -> bool:
        return nonce in self._until


def test_a_session_lasts_while_it_is_used_and_not_for_ever() -> None:
    now = [1000.0]
    sessions = PageSessions(Ended(), b"k" * 32, lambda: now[0])
    session = sessions.begin("abc")
    cookie = sessions.cookie(session)
    assert sessions.read(cookie) == session
    now[0] += IDLE + 1.0
    assert sessions.read(cookie) is None
    now[0] = 1000.0
    while now[0] < 1000.0 + LONGEST:
        now[0] += IDLE
        session = sessions.seen(session)
        cookie = sessions.cookie(session)
        assert (sessions.read(cookie) is not None) == (now[0] <= 1000.0 + LONGEST)
    now[0] += 1.0
    assert sessions.read(cookie) is None


def test_a_cookie_that_was_changed_or_signed_by_another_key_is_none_of_ours() -> None:
    sessions = PageSessions(Ended(), b"k" * 32)
    cookie = sessions.cookie(sessions.begin("abc"))
    for k in range(len(cookie)):
        other = "A" if cookie[k] != "A" else "B"
        assert sessions.read(cookie[:k] + other + cookie[k + 1 :]) is None
    assert PageSessions(Ended(), b"j" * 32).read(cookie) is None
    assert all(sessions.read(odd) is None for odd in (None, "", ".", "é.é", cookie.partition(".")[0]))


def test_forms_belong_to_one_session_which_can_be_left() -> None:
    sessions = PageSessions(Ended())
    one, two = sessions.begin("abc"), sessions.begin("abc")
    assert sessions.is_own_form(one, sessions.csrf(one))
    assert not sessions.is_own_form(one, sessions.csrf(two))
    assert not sessions.is_own_form(one, "é")
    sessions.end(one)
    assert sessions.read(sessions.cookie(one)) is None
    assert sessions.read(sessions.cookie(two)) == two


def test_servers_with_a_common_key_share_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    assert session_key() != session_key()
    monkeypatch.setenv("ROGUE_SESSION_KEY", "x" * SHORTEST_KEY)
    first = PageSessions(Ended())
    session = first.begin("abc")
    assert PageSessions(Ended()).read(first.cookie(session)) == session
    monkeypatch.setenv("ROGUE_SESSION_KEY", "short")
    with pytest.raises(ValueError, match="ROGUE_SESSION_KEY has 5 characters and must have 32 or more"):
        session_key()


def test_signing_out_holds_on_every_server(another: Any, clock: Clock) -> None:
    now, key = [1000.0], b"k" * 32
    with opened(design(), another(), clock) as one, opened(design(), another(), clock) as other:
        first, second = (PageSessions(StoredEndedSessions(s), key, lambda: now[0]) for s in (one, other))
        left, kept = first.begin("abc"), second.begin("abc")
        assert second.read(first.cookie(left)) == left
        first.end(left)
        first.end(left)  # a button that is pressed twice
        assert first.read(first.cookie(left)) is None
        assert second.read(first.cookie(left)) is None
        assert first.read(second.cookie(kept)) == kept
        now[0] += LONGEST + 1.0
        second.end(second.begin("abc"))
        with one.storage.reading() as reader:  # those that have expired are forgotten
            assert reader.rows("SELECT count(*) FROM ended_sessions") == [(1,)]
