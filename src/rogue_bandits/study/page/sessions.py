"""Sessions of the page: a signed cookie that names a token, and CSRF tokens that belong to it.

The cookie has no secret of the study in it: the id of the token, a random nonce and two times, with a MAC. The key of
the MAC is random and lives as long as the process; several servers behind one address are given a common one by the
environment variable ROGUE_SESSION_KEY. Nothing in the database or its backups can be used to sign in. Sessions that
were left are in the database, so that every server refuses them.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Protocol

from rogue_bandits.study.operations import end_session
from rogue_bandits.study.service import Service

KEY_VARIABLE = "ROGUE_SESSION_KEY"
SHORTEST_KEY = 32  # characters
IDLE, LONGEST = 3600.0, 12 * 3600.0  # seconds without a request, and in all


class PageSession(NamedTuple):
    """Who is signed in; `token` is "" before that."""

    token: str  # id of the token
    nonce: str
    began: float
    seen: float


class EndedSessions(Protocol):
    """Remembers which sessions were left."""

    def add(self, nonce: str, until: float, now: float) -> None:
        """Remember a session until it would have expired; forget those that have."""

    def has(self, nonce: str) -> bool:
        """Return whether a session was left."""


class StoredEndedSessions:
    """The sessions that were left, in the database of a study."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def add(self, nonce: str, until: float, now: float) -> None:
        """Remember a session until it would have expired; forget those that have."""
        self._service.submit(partial(end_session, nonce=nonce, until=until, now=now)).result()

    def has(self, nonce: str) -> bool:
        """Return whether a session was left."""
        with self._service.storage.reading() as reader:
            return bool(reader.rows("SELECT 1 FROM ended_sessions WHERE nonce = ?", (nonce,)))


class PageSessions:
    """Signs and reads cookies."""

    def __init__(self, ended: EndedSessions, key: bytes | None = None, clock: Callable[[], float] = time.time) -> None:
        """Use `key`; where it is None, that of the environment, or a random one."""
        self._ended, self._key, self._clock = ended, key or session_key(), clock

    def begin(self, token: str) -> PageSession:
        """Return a new session."""
        now = self._clock()
        return PageSession(token, secrets.token_urlsafe(16), now, now)

    def seen(self, session: PageSession) -> PageSession:
        """Return the session after another request."""
        return session._replace(seen=self._clock())

    def end(self, session: PageSession) -> None:
        """Refuse a session from now on, on every server."""
        self._ended.add(session.nonce, session.began + LONGEST, self._clock())

    def cookie(self, session: PageSession) -> str:
        """Return a session as the text of a cookie."""
        text = base64.urlsafe_b64encode(json.dumps(session).encode()).decode()
        return f"{text}.{self._mac('session', text)}"

    def read(self, cookie: str | None) -> PageSession | None:
        """Return the session of a cookie; None where it is not ours, has expired or was left."""
        text, _, mac = (cookie or "").partition(".")
        if not hmac.compare_digest(mac.encode(), self._mac("session", text).encode()):
            return None
        session = PageSession(*json.loads(base64.urlsafe_b64decode(text)))
        now = self._clock()
        fresh = now - session.seen <= IDLE and now - session.began <= LONGEST
        left = session.token and self._ended.has(session.nonce)  # a session of nobody cannot be left
        return session if fresh and not left else None

    def csrf(self, session: PageSession) -> str:
        """Return what the forms of a session carry."""
        return self._mac("csrf", session.nonce)

    def is_own_form(self, session: PageSession, csrf: str) -> bool:
        """Return whether a form was made for this session."""
        return hmac.compare_digest(csrf.encode(), self.csrf(session).encode())

    def _mac(self, purpose: str, text: str) -> str:
        return hmac.new(self._key, f"{purpose}\n{text}".encode(), hashlib.sha256).hexdigest()


def session_key() -> bytes:
    """Return the key of the environment, or a random one."""
    given = os.environ.get(KEY_VARIABLE, "")
    if not given:
        return secrets.token_bytes(32)
    if len(given) < SHORTEST_KEY:
        raise ValueError(f"{KEY_VARIABLE} has {len(given)} characters and must have {SHORTEST_KEY} or more, random")
    return hashlib.sha256(given.encode()).digest()
