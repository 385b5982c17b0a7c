"""Numbers over the whole study, brought up to date in the background where they take long."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from rogue_bandits.study import queries
from rogue_bandits.study.design import StudyDesign
from rogue_bandits.study.page.recent import Recent
from rogue_bandits.study.service import Service
from rogue_bandits.study.storage.sql import Reader

AGAIN = 300.0  # seconds after which it is tried again where the database is away, or too slow
log = logging.getLogger("rogue.study")


def enrolment(reader: Reader, design: StudyDesign, now: str) -> Any:
    """Return how many people were enrolled on each day."""
    return queries.enrolment(reader)


def versions(reader: Reader, design: StudyDesign, now: str) -> Any:
    """Return the versions of the study."""
    return queries.versions(reader)


def timeless(query: Callable[[Reader, StudyDesign], Any]) -> Callable[[Reader, StudyDesign, str], Any]:
    """Return a query that does not depend on the time as one of the table."""
    return lambda reader, design, now: query(reader, design)


QUERIES: dict[str, Callable[[Reader, StudyDesign, str], Any]] = {
    "alerts": queries.alerts,
    "summary": timeless(queries.summary),
    "versions": versions,
    "enrolment": enrolment,
    "days": timeless(queries.by_day),
    "arms": timeless(queries.by_arm),
    "after plays": timeless(queries.after_plays),
    "after rest": timeless(queries.after_rest),
}


class StudyNumbers:
    """The results of `QUERIES`, and of other computations that are given a name."""

    def __init__(self, service: Service) -> None:
        self._service, self.recent = service, Recent()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="rogue-numbers", daemon=True)

    def of(self, name: str) -> Any:
        """Return the result of a query over the whole study; of a large one, as of some minutes ago."""
        return self.recent.of(name, partial(self._found, name))

    def begin(self) -> None:
        """Keep slow results up to date from now on."""
        self._thread.start()

    def close(self) -> None:
        """End that; a query that runs is waited for."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _keep(self) -> None:
        while not self._stop.is_set():
            try:
                self.recent.keep({name: partial(self._found, name) for name in QUERIES}, self._stop)
            except Exception as error:  # the database is away, or the study ends
                log.warning("numbers over the study are tried again: %s", type(error).__name__)
                self._stop.wait(AGAIN)

    def _found(self, name: str) -> Any:
        with self._service.storage.reading() as reader:
            return QUERIES[name](reader, self._service.design, self._service.clock())
