"""Sessions of the page: a signed cookie that names a token, and CSRF tokens that belong to it.

The cookie has no secret of the study in it: the id of the token, a random nonce and two times, with a MAC. The key of
the MAC is random and lives as long as the process; several servers behind one address are given a common one by the
environment variable ROGUE_SESSION_KEY. Nothing in the database or its backups can be used to sign in.
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
from typing import NamedTuple

KEY_VARIABLE = "ROGUE_SESSION_KEY"
SHORTEST_KEY = 32  # characters
IDLE, LONGEST = 3600.0, 12 * 3600.0  # seconds without a request, and in all


class Session(NamedTuple):
    """Who is signed in; `token` is "" before that."""

    token: str  # id of the token
    nonce: str
    began: float
    seen: float


class Sessions:
    """Signs and reads cookies."""

    def __init__(self, key: bytes | None = None, clock: Callable[[], float] = time.time) -> None:
        """`key` is that of the environment, or random, where it is not given."""
        self._key, self._clock = key or session_key(), clock
        self._ended: dict[str, float] = {}  # nonces of sessions that were left, until they would have expired

    def begin(self, token: str) -> Session:
        """Return a new session."""
        now = self._clock()
        return Session(token, secrets.token_urlsafe(16), now, now)

    def seen(self, session: Session) -> Session:
        """Return the session after another request."""
        return session._replace(seen=self._clock())

    def end(self, session: Session) -> None:
        """Refuse a session from now on."""
        now = self._clock()
        self._ended = {nonce: until for nonce, until in self._ended.items() if until > now}
        self._ended[session.nonce] = session.began + LONGEST

    def cookie(self, session: Session) -> str:
        """Return a session as the text of a cookie."""
        text = base64.urlsafe_b64encode(json.dumps(session).encode()).decode()
        return f"{text}.{self._mac('session', text)}"

    def read(self, cookie: str | None) -> Session | None:
        """Return the session of a cookie; None where it is not ours, has expired or was left."""
        text, _, mac = (cookie or "").partition(".")
        if not hmac.compare_digest(mac.encode(), self._mac("session", text).encode()):
            return None
        session = Session(*json.loads(base64.urlsafe_b64decode(text)))
        now = self._clock()
        fresh = now - session.seen <= IDLE and now - session.began <= LONGEST
        return session if fresh and session.nonce not in self._ended else None

    def csrf(self, session: Session) -> str:
        """Return what the forms of a session carry."""
        return self._mac("csrf", session.nonce)

    def is_own_form(self, session: Session, csrf: str) -> bool:
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
