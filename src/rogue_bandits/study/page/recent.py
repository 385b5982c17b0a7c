"""Results that are used again for a while: those over the whole study take seconds where it is large."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

FRESH, SHARE = 5.0, 60.0  # seconds, and multiples of what it took: at most a sixtieth of the time is spent on it
SLOW = 0.5  # seconds, from which on a result is brought up to date in the background
CHECK = 1.0  # seconds between looks at what is due


class CachedValue(NamedTuple):
    """A value, when it was computed and how long that took."""

    value: Any
    at: float
    seconds: float


class Recent:
    """Keeps the last result of each name. While one request computes it, others get the one before."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._results: dict[str, CachedValue] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._kept: frozenset[str] = frozenset()

    def of(self, name: str, compute: Callable[[], Any]) -> Any:
        """Return the result of a name, computed again if it is old and nobody else does that."""
        found = self._results.get(name)
        if found is not None and (self._is_fresh(found) or self._lock(name).locked() or self._is_kept(name, found)):
            return found.value
        return self._computed(name, compute).value

    def keep(self, computations: Mapping[str, Callable[[], Any]], stop: threading.Event) -> None:
        """Compute all of them, and bring those that are slow up to date until it is stopped: no request waits then."""
        for name, compute in computations.items():
            if stop.is_set():
                return
            self._computed(name, compute)
        self._kept = frozenset(computations)
        try:
            while not stop.wait(CHECK):
                for name, compute in computations.items():
                    if self._results[name].seconds >= SLOW and not stop.is_set():
                        self._computed(name, compute)
        finally:  # requests compute for themselves again
            self._kept = frozenset()

    def _computed(self, name: str, compute: Callable[[], Any]) -> CachedValue:
        with self._lock(name):
            found = self._results.get(name)
            if found is None or not self._is_fresh(found):
                begin = self._clock()
                value = compute()
                end = self._clock()
                found = self._results[name] = CachedValue(value, end, end - begin)
        return found

    def _lock(self, name: str) -> threading.Lock:
        return self._locks.setdefault(name, threading.Lock())

    def _is_kept(self, name: str, result: CachedValue) -> bool:
        return name in self._kept and result.seconds >= SLOW

    def _is_fresh(self, result: CachedValue) -> bool:
        return self._clock() - result.at < max(FRESH, SHARE * result.seconds)
