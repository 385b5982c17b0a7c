"""People who are held in memory between requests, and how far in the log they are."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection

from rogue_bandits.study.person import PersonState

MOST = 20_000  # people; the longest unused are dropped first
MOST_NAMES = 1_000_000


class Residents:
    """States of people as of event `seq`, and the random names of people."""

    def __init__(self, most: int = MOST) -> None:
        self.seq = 0
        self.people: OrderedDict[str, PersonState] = OrderedDict()  # by pid
        self.pids: dict[str, str] = {}  # by name
        self.salts: dict[str, bytes] = {}  # by pid, of all who are in `pids`
        self._most = most

    def get(self, pid: str) -> PersonState | None:
        """Return a person, who is then the last to be dropped."""
        person = self.people.get(pid)
        if person is not None:
            self.people.move_to_end(pid)
        return person

    def put(self, person: PersonState) -> list[PersonState]:
        """Hold a person; return those who had to go, whose states can be made again."""
        self.people[person.pid] = person
        self.people.move_to_end(person.pid)
        return [self.people.popitem(last=False)[1] for _ in range(len(self.people) - self._most)]

    def drop(self, pid: str) -> None:
        """Forget the state of a person."""
        self.people.pop(pid, None)

    def know(self, name: str, pid: str, salt: bytes) -> None:
        """Remember who is who, and the salt of their keys."""
        self.pids[name], self.salts[pid] = pid, salt

    def trim_names(self) -> None:
        """Forget all names where there are too many. Only between batches: one that runs has looked up its own."""
        if len(self.pids) >= MOST_NAMES:
            self.pids.clear()
            self.salts.clear()

    def erase(self, pids: Collection[str]) -> None:
        """Forget the names of people."""
        self.pids = {name: pid for name, pid in self.pids.items() if pid not in pids}
        self.salts = {pid: salt for pid, salt in self.salts.items() if pid not in pids}

    def clear(self) -> None:
        """Forget everybody."""
        self.people.clear()
        self.pids.clear()
        self.salts.clear()
