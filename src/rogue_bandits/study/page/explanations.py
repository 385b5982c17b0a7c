"""Explanations of people, kept for a day or until something happens to them: one takes tens of milliseconds."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from rogue_bandits.online.explanation import Explanation
from rogue_bandits.study.queries import PersonRow, last_of_study
from rogue_bandits.study.service import Service
from rogue_bandits.study.storage.contract import StorageDown

MOST = 2_000  # people
LOG = logging.getLogger("rogue.study")


class Explanations:
    """The last explanation of each person; those that were asked for longest ago are forgotten first."""

    def __init__(self, service: Service) -> None:
        self._service, self._lock = service, threading.Lock()
        self._found: OrderedDict[str, tuple[Any, Explanation]] = OrderedDict()

    def of(self, people: Sequence[PersonRow]) -> dict[str, Explanation]:
        """Return the explanations of people."""
        with self._service.storage.reading() as reader:
            of_all = last_of_study(reader)
        today = self._service.clock()[:10]  # a day without a decision is a day of rest
        marks = {one.pid: (today, of_all, *one[6:]) for one in people}  # counts and last times
        with self._lock:
            known = {pid: self._found[pid] for pid in marks if pid in self._found}
        fresh = {pid: found for pid, (mark, found) in known.items() if mark == marks[pid]}
        made = {pid: self._made(pid) for pid in marks if pid not in fresh}
        with self._lock:
            for pid, found in made.items():
                self._found[pid] = (marks[pid], found)
                self._found.move_to_end(pid)
            while len(self._found) > MOST:
                self._found.popitem(last=False)
        return {**fresh, **made}

    def _made(self, pid: str) -> Explanation:
        """Return the explanation of a person; an empty one where the policy raises, as the fallback decides."""
        try:
            return self._service.explain_people([pid])[pid]
        except StorageDown:
            raise
        except Exception as error:  # whatever a policy raises: the page must show that it does
            LOG.warning("the policy cannot be explained: %s", type(error).__name__)
            return Explanation(0, self._service.design.names, -1, (), "")
