"""People who are held in memory between requests, and how far in the log they are."""

from __future__ import annotations

from collections import OrderedDict

from rogue_bandits.study.person import Person

MOST = 20_000  # people; the longest unused are dropped first
MOST_NAMES = 1_000_000


class Residents:
    """States of people as of event `seq`, and the random names of people."""

    def __init__(self, most: int = MOST) -> None:
        self.seq = 0
        self.people: OrderedDict[str, Person] = OrderedDict()  # by pid
        self.pids: dict[str, str] = {}  # by name
        self._most = most

    def get(self, pid: str) -> Person | None:
        """Return a person, who is then the last to be dropped."""
        person = self.people.get(pid)
        if person is not None:
            self.people.move_to_end(pid)
        return person

    def put(self, person: Person) -> None:
        """Hold a person; others may be dropped, as their states can be made again."""
        self.people[person.pid] = person
        self.people.move_to_end(person.pid)
        while len(self.people) > self._most:
            self.people.popitem(last=False)

    def drop(self, pid: str) -> None:
        """Forget the state of a person."""
        self.people.pop(pid, None)

    def know(self, name: str, pid: str) -> None:
        """Remember who is who."""
        if len(self.pids) >= MOST_NAMES:
            self.pids.clear()
        self.pids[name] = pid

    def erase(self, pid: str) -> None:
        """Forget the name of a person."""
        self.pids = {name: other for name, other in self.pids.items() if other != pid}

    def clear(self) -> None:
        """Forget everybody."""
        self.people.clear()
        self.pids.clear()
