"""People from the log: the last snapshot, and the events since."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from rogue_bandits.study import events as kinds
from rogue_bandits.study.design import StudyDesign
from rogue_bandits.study.events import LogEvent, event_of
from rogue_bandits.study.person import PersonState, person_from_bytes
from rogue_bandits.study.storage.contract import Snapshot
from rogue_bandits.study.storage.sql import Reader
from rogue_bandits.study.transitions import apply, rebuilt

CHUNK = 200  # people in one statement


def load_people(reader: Reader, design: StudyDesign, pids: Sequence[str]) -> dict[str, PersonState]:
    """Return people by pid, as of the head of the log."""
    found: dict[str, PersonState] = {}
    for first in range(0, len(pids), CHUNK):
        some = pids[first : first + CHUNK]
        saved = {p: s for p, s in reader.snapshots(some).items() if s.version == design.version}
        for group in ([p for p in some if p in saved], [p for p in some if p not in saved]):
            if group:
                found.update(_load(reader, design, group, saved))
    return found


def _load(
    reader: Reader, design: StudyDesign, pids: Sequence[str], saved: dict[str, Snapshot]
) -> dict[str, PersonState]:
    after = min((saved[pid].revision if pid in saved else 0) for pid in pids)
    rows = [event_of(row) for row in reader.events(after, pids)]
    of_all = [event for event in rows if event.pid == ""]
    mine: dict[str, list[LogEvent]] = {pid: [] for pid in pids}
    for event in rows:
        if event.pid:
            mine[event.pid].append(event)
    people = {}
    for pid in pids:
        events = sorted([*mine[pid], *of_all]) if of_all else mine[pid]
        people[pid] = resumed(reader, design, pid, events, saved.get(pid))
    return people


def resumed(
    reader: Reader, design: StudyDesign, pid: str, events: Sequence[LogEvent], saved: Snapshot | None
) -> PersonState:
    """Return a person from a snapshot and later events, or from all events."""
    if saved is None:
        return folded(design, pid, events)
    person = person_from_bytes(design, saved.state, saved.revision)
    for event in events:
        if event.seq > saved.revision:
            person, _ = apply(design, person, event, partial(history, reader, pid, event.seq))
    return person


def folded(design: StudyDesign, pid: str, events: Sequence[LogEvent]) -> PersonState:
    """Return a person from all of their events and those of the study.

    Only the last rebuilding counts: what came before it is played, what comes after is decided again.
    """
    first = next(k for k, event in enumerate(events) if event.kind == kinds.ENROLLED)
    turns = [k for k in range(first, len(events)) if events[k].kind in (kinds.CORRECTED, kinds.VERSION)]
    person: PersonState | None = None
    start = first
    if turns:
        start = turns[-1] + 1
        person = rebuilt(design, pid, events[:start], events[turns[-1]].seq)
    for k in range(start, len(events)):
        person, _ = apply(design, person, events[k], partial(first_of, events, k))
    assert person is not None
    return person


def first_of(events: Sequence[LogEvent], k: int) -> Sequence[LogEvent]:
    """Return the first k events."""
    return events[:k]


def history(reader: Reader, pid: str, before: int) -> list[LogEvent]:
    """Return the events of a person and of the study before an event."""
    return [event_of(row) for row in reader.events(0, [pid], before - 1)]
