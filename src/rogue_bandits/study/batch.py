"""One transaction that serves many requests: what they read, what they append, and the chain of hashes."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from rogue_bandits.study import events as kinds
from rogue_bandits.study.design import StudyDesign
from rogue_bandits.study.events import LogEvent, StoredEvent, chained, event_of
from rogue_bandits.study.loading import folded, history, load_people
from rogue_bandits.study.person import PersonState, person_to_bytes
from rogue_bandits.study.problems import not_found, study_changed
from rogue_bandits.study.residents import Residents
from rogue_bandits.study.storage.contract import Head, Rows
from rogue_bandits.study.storage.sql import MOST_PARAMETERS, Transaction, marks
from rogue_bandits.study.transitions import apply, update

SNAPSHOT_EVERY = 16  # events of a person
FAR_BEHIND = 5_000  # events, after which states are loaded again rather than brought up to date
NAME_BYTES = 8  # of a random name
SALT_BYTES = 32


class Mark(NamedTuple):
    """How far a batch is."""

    events: int
    rows: Mapping[str, int]


class Batch:
    """A transaction that holds the lock of the log."""

    def __init__(self, tx: Transaction, design: StudyDesign, residents: Residents, now: str) -> None:
        self.tx, self.design, self.residents, self.now = tx, design, residents, now
        self.time = datetime.fromisoformat(now)
        self.head = tx.head()
        self.events: list[LogEvent] = []
        self.rows: Rows = {}
        self.touched: set[str] = set()
        self.found: dict[bytes, LogEvent] = {}  # by key
        self._of: dict[tuple[str, int], list[LogEvent]] = {}  # by person and decision

    # ---- reading -----------------------------------------------------------------------------------------------------
    def catch_up(self) -> None:
        """Bring people in memory up to date with what other servers wrote."""
        self.residents.trim_names()
        behind = self.head.seq - self.residents.seq
        if behind == 0:
            return
        try:
            self._follow_all(behind)
        except BaseException:
            self.residents.clear()  # somebody may include an event that others do not
            raise
        self.residents.seq = self.head.seq

    def _follow_all(self, behind: int) -> None:
        if behind < 0 or behind > FAR_BEHIND:
            self.residents.clear()
            self._refuse_other_versions(self.tx.events(0, ()))
            return
        for row in self.tx.events(self.residents.seq):
            self._follow(row)
            self.residents.seq = row.seq

    def _refuse_other_versions(self, rows: Iterable[StoredEvent]) -> None:
        for row in rows:
            if row.kind == kinds.VERSION and row.seq > self.design.seq:
                self.residents.seq = 0  # look again next time
                raise study_changed()

    def _follow(self, row: StoredEvent) -> None:
        self._refuse_other_versions([row])
        if row.kind == kinds.UPDATED:
            self.update_all(row.seq)
        if row.kind == kinds.ERASED:
            self.residents.erase([row.pid])
        person = self.residents.people.get(row.pid)
        if person is not None:
            after, _ = apply(self.design, person, event_of(row), lambda: history(self.tx, row.pid, row.seq))
            self.residents.people[row.pid] = after

    def resolve(self, names: Iterable[str]) -> None:
        """Look up the random names of people, in one statement."""
        missing = sorted({name for name in names if name not in self.residents.pids})
        for first in range(0, len(missing), MOST_PARAMETERS):
            some = missing[first : first + MOST_PARAMETERS]
            sql = f"SELECT name, pid, salt FROM people WHERE name IN ({marks(len(some))})"
            for name, pid, salt in self.tx.rows(sql, some):
                self.residents.know(name, pid, bytes(salt))

    def prefetch(self, pids: Iterable[str], keys: Sequence[bytes]) -> None:
        """Load people who are not in memory, and events by key, in few statements."""
        missing = sorted({pid for pid in pids if pid not in self.residents.people})
        for person in load_people(self.tx, self.design, missing).values() if missing else ():
            self.hold(person)
        if keys:
            self.found.update({key: event_of(row) for key, row in self.tx.keys(keys).items()})

    def pid(self, name: str) -> str:
        """Return the random name of a person."""
        if name not in self.residents.pids:
            raise not_found("person", name)
        return self.residents.pids[name]

    def person(self, pid: str) -> PersonState:
        """Return the state of a person, as of the last event, those of this batch included."""
        person = self.residents.get(pid)
        if person is None:
            known = self.past(pid)
            if not any(event.kind == kinds.ENROLLED for event in known):
                raise not_found("person", pid)
            person = folded(self.design, pid, known)
            self.hold(person)
        self.touched.add(pid)
        return person

    def past(self, pid: str) -> list[LogEvent]:
        """Return all events of a person and of the study, those of this batch included."""
        return [*history(self.tx, pid, self.head.seq + 1), *(e for e in self.events if e.pid in (pid, ""))]

    def seen(self, key: bytes | None) -> LogEvent | None:
        """Return the event that has this key."""
        return None if key is None else self.found.get(key)

    def of_decision(self, pid: str, number: int) -> list[LogEvent]:
        """Return the events of this batch that concern a decision."""
        return self._of.get((pid, number), [])

    # ---- appending ---------------------------------------------------------------------------------------------------
    def append(self, pid: str, kind: str, body: Mapping[str, Any], key: bytes | None = None) -> LogEvent:
        """Append an event."""
        event = LogEvent(self.head.seq + len(self.events) + 1, pid, kind, self.now, key, body)
        self.events.append(event)
        if key is not None:
            self.found[key] = event
        if "number" in body:
            self._of.setdefault((pid, body["number"]), []).append(event)
        return event

    def row(self, table: str, *values: Any) -> None:
        """Write a row of a derived table, or change one."""
        self.rows.setdefault(table, []).append(values)

    def advanced(self, person: PersonState, event: LogEvent) -> None:
        """Say that a state includes an event; now and then it is saved."""
        person.revision, person.unsaved = event.seq, person.unsaved + 1
        if person.unsaved >= SNAPSHOT_EVERY:
            self.save(person)

    def save(self, person: PersonState) -> None:
        """Write a snapshot, if the last one is not of this state."""
        if person.unsaved:
            person.unsaved = 0
            self.row("snapshots", person.pid, person.revision, self.design.version, person_to_bytes(person))

    def hold(self, person: PersonState) -> None:
        """Hold a person in memory; those who have to go are saved."""
        for gone in self.residents.put(person):
            self.save(gone)

    def update_all(self, seq: int) -> None:
        """Learn, by event `seq`, from all rewards that wait; those who are not in memory learn when they are loaded."""
        for person in self.residents.people.values():
            update(self.design, person)
            person.revision, person.unsaved = seq, person.unsaved + 1
            self.touched.add(person.pid)

    def new_pid(self) -> str:
        """Return a random name, which says nothing of a person."""
        return secrets.token_hex(NAME_BYTES)

    def new_salt(self) -> bytes:
        """Return what makes the hashes of a person's keys impossible to guess once it is erased."""
        return secrets.token_bytes(SALT_BYTES)

    def flush(self) -> Head:
        """Write all of it; return the new head."""
        before, rows = self.head.hash, []
        for event in self.events:
            rows.append(chained(event, before))
            before = rows[-1].hash
        head = Head(self.head.seq + len(rows), before)
        if rows or self.rows:
            self.tx.write({**self.rows, "events": [tuple(row) for row in rows]}, head)
        return head

    # ---- taking back -------------------------------------------------------------------------------------------------
    def mark(self) -> Mark:
        """Return how far it is."""
        return Mark(len(self.events), {table: len(rows) for table, rows in self.rows.items()})

    def take_back(self, mark: Mark, touched: set[str]) -> None:
        """Undo what was appended since a mark; people who were touched are loaded again."""
        for event in self.events[mark.events :]:
            if event.key is not None:
                self.found.pop(event.key, None)
            if "number" in event.body:
                self._of[event.pid, event.body["number"]].remove(event)
        del self.events[mark.events :]
        for table, rows in self.rows.items():
            del rows[mark.rows.get(table, 0) :]
        for pid in touched:
            self.residents.drop(pid)
