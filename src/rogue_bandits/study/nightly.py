"""Nightly learning: an update once a day, whichever server is first."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from rogue_bandits.study.service import Service

CHECK = 20.0  # seconds
log = logging.getLogger("rogue.study")


def due(now: datetime, at: str) -> str:
    """Return the key of the last update that is due: its day names it, so that it happens once.

    >>> due(datetime(2026, 3, 2, 1, 0), "03:00"), due(datetime(2026, 3, 2, 3, 0), "03:00")
    ('nightly-2026-03-01', 'nightly-2026-03-02')
    """
    hour, minute = map(int, at.split(":"))
    return f"nightly-{(now - timedelta(hours=hour, minutes=minute)).date()}"


@contextmanager
def nightly_updates(service: Service) -> Iterator[None]:
    """Learn every night while the block runs, if the study file says so."""
    nightly = Nightly(service) if service.design.nightly else None
    try:
        yield
    finally:
        if nightly is not None:
            nightly.close()


class Nightly:
    """A thread that requests the update that is due."""

    def __init__(self, service: Service) -> None:
        self._service, self._stop = service, threading.Event()
        self._done = ""  # what was due while no server ran is made up for: its key makes it happen once
        self._thread = threading.Thread(target=self._run, name="rogue-nightly", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.wait(CHECK):
            self.check()

    def check(self) -> None:
        """Update if a night has passed; a failure is tried again."""
        key = due(datetime.fromisoformat(self._service.clock()), self._service.design.file.learning.at)
        if key == self._done:
            return
        try:
            self._service.update(key).result()
            self._done = key
        except Exception as error:
            log.warning("the nightly update is tried again: %s", type(error).__name__)

    def close(self) -> None:
        """End the thread."""
        self._stop.set()
        self._thread.join()
