"""Whose token is valid, and a limit on failures from one source."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from rogue_bandits.study.problems import Kind, RequestProblem
from rogue_bandits.study.roles import raise_unless_allowed
from rogue_bandits.study.service import Service
from rogue_bandits.study.storage.contract import StorageDown
from rogue_bandits.study.tokens import Token, all_tokens, is_valid, matching

FRESH = 5.0  # seconds for which tokens are remembered: a revoked one is refused after that
MOST_FAILURES, WINDOW = 20, 60.0  # failures of one source in so many seconds
MOST_SOURCES = 10_000


class Failures:
    """Counts failures by source; the sources that failed longest ago are forgotten first."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._times: OrderedDict[str, list[float]] = OrderedDict()

    def too_many(self, source: str) -> bool:
        """Return whether a source must wait."""
        with self._lock:
            return len(self._recent(source)) >= MOST_FAILURES

    def add(self, source: str) -> None:
        """Count a failure."""
        with self._lock:
            self._times[source] = [*self._recent(source), self._clock()]
            self._times.move_to_end(source)
            while len(self._times) > MOST_SOURCES:
                self._times.popitem(last=False)

    def _recent(self, source: str) -> list[float]:
        since = self._clock() - WINDOW
        return [one for one in self._times.get(source, []) if one > since]


class Access:
    """Checks tokens against the database, with a short memory."""

    def __init__(self, service: Service) -> None:
        self._service, self._lock = service, threading.Lock()
        self._tokens: dict[str, Token] = {}
        self._read_at = -FRESH
        self.failures = Failures()

    async def granted(self, text: str | None, source: str, action: str) -> Token:
        """Return the valid token of a request whose role may do something, or raise what is wrong with it."""
        if self._is_old():  # in a thread: an event loop must not wait for a database
            await asyncio.to_thread(self._all)
        token = self.token_of(text, source)
        raise_unless_allowed(token.role, action)
        return token

    def token_of(self, text: str | None, source: str) -> Token:
        """Return the valid token of a request, or raise what is wrong with it."""
        token = None if text is None else self._matching(text)
        if token is not None:  # whatever others at this address have sent
            return token
        if self.failures.too_many(source):
            raise RequestProblem(
                Kind.TOO_MANY, "too-many-failures", "too many requests without a valid token: wait a minute"
            )
        self.failures.add(source)
        raise RequestProblem(Kind.NO_TOKEN, "no-valid-token", "this needs a token that is valid")

    def valid_token(self, id: str) -> Token | None:
        """Return a token by its id if it is valid now: for sessions that it began."""
        token = self._all().get(id)
        return token if token is not None and is_valid(token, self._service.clock()) else None

    def _matching(self, text: str) -> Token | None:
        return matching(self._all(), text, self._service.clock())

    def _all(self) -> dict[str, Token]:
        with self._lock:
            if self._is_old():
                self._read()
            return self._tokens

    def _is_old(self) -> bool:
        return time.monotonic() - self._read_at > FRESH

    def _read(self) -> None:
        """Read all tokens; while the database is away, those that are known stay valid."""
        try:
            with self._service.storage.reading() as reader:
                self._tokens = {token.id: token for token in all_tokens(reader)}
        except StorageDown:
            if not self._tokens:
                raise
        self._read_at = time.monotonic()  # afterwards: a database that is slow to answer is not asked without end
