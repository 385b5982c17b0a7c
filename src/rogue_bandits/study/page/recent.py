"""Results that are used again for a while: those over the whole study take seconds where it is large."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

FRESH, SHARE = 5.0, 20.0  # seconds, and multiples of what it took: at most a twentieth of the time is spent on it


class Result(NamedTuple):
    """A value, when it was computed and how long that took."""

    value: Any
    at: float
    seconds: float


class Recent:
    """Keeps the last result of each name. While one request computes it, others get the one before."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._results: dict[str, Result] = {}
        self._locks: dict[str, threading.Lock] = {}

    def of(self, name: str, compute: Callable[[], Any]) -> Any:
        """Return the result of a name, computed again if it is old."""
        lock = self._locks.setdefault(name, threading.Lock())
        found = self._results.get(name)
        if found is not None and (self._is_fresh(found) or lock.locked()):
            return found.value
        with lock:
            found = self._results.get(name)
            if found is None or not self._is_fresh(found):
                begin = self._clock()
                value = compute()
                end = self._clock()
                found = self._results[name] = Result(value, end, end - begin)
        return found.value

    def _is_fresh(self, result: Result) -> bool:
        return self._clock() - result.at < max(FRESH, SHARE * result.seconds)
