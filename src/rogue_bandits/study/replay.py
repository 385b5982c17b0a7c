"""Make every decision of a log again and compare; check the chain of hashes and the derived tables."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from rogue_bandits.study import events as kinds
from rogue_bandits.study.answers import decision_id
from rogue_bandits.study.derived import differing_rows
from rogue_bandits.study.design import StudyDesign, design_from_event
from rogue_bandits.study.events import FIRST_HASH, LogEvent, event_of, link
from rogue_bandits.study.loading import CHUNK, first_of
from rogue_bandits.study.person import PersonState, person_from_bytes, person_to_bytes
from rogue_bandits.study.storage.contract import Snapshot
from rogue_bandits.study.storage.sql import Reader
from rogue_bandits.study.transitions import Choice, apply, recorded_arm

SHOWN = 20  # differences that are listed


class Replayed(NamedTuple):
    """What a replay found."""

    people: int
    decisions: int
    snapshots: int
    differences: list[str]


def replay(reader: Reader) -> Replayed:
    """Rebuild every person from the log, make every decision again, and compare to the last bit."""
    of_all = [event_of(row) for row in reader.events(0, ())]
    designs = designs_of(of_all)
    pids = [row[0] for row in reader.rows("SELECT pid FROM people ORDER BY pid")]
    differences: list[str] = []
    decisions = snapshots = 0
    for first in range(0, len(pids), CHUNK):
        some = pids[first : first + CHUNK]
        mine: dict[str, list[LogEvent]] = {pid: [] for pid in some}
        for row in reader.events(0, some):
            if row.pid:
                mine[row.pid].append(event_of(row))
        saved = reader.snapshots(some)
        for pid in some:
            at, version = (saved[pid].revision, saved[pid].version) if pid in saved else (-1, -1)
            events = sorted([*mine[pid], *of_all])
            for event, choice, person in replayed(designs, events):
                if choice is not None:
                    decisions += 1
                    differences += differing(designs, event, choice)
                if event.seq == at and version in designs:
                    snapshots += 1
                    if not same_state(designs[version], person, saved[pid]):
                        differences.append(f"person {pid}: the snapshot after event {at} differs")
    return Replayed(len(pids), decisions, snapshots, differences)


def same_state(design: StudyDesign, person: PersonState, saved: Snapshot) -> bool:
    """Return whether a snapshot holds a state. It is unpacked first: another zlib packs it otherwise."""
    try:
        again = person_from_bytes(design, saved.state, saved.revision)
    except (ValueError, struct.error, zlib.error):  # it is no snapshot
        return False
    return person_to_bytes(again) == person_to_bytes(person)


def designs_of(of_all: list[LogEvent]) -> dict[int, StudyDesign]:
    """Return the versions of a study from its own events; a database that was never served has none."""
    seeds = [event.body["seed"] for event in of_all if event.kind == kinds.CREATED]
    return {e.body["version"]: design_from_event(e.body, seeds[0], e.seq) for e in of_all if e.kind == kinds.VERSION}


def replayed(
    designs: dict[int, StudyDesign], events: list[LogEvent]
) -> Iterator[tuple[LogEvent, Choice | None, PersonState]]:
    """Yield each event after the enrolment with the choice that is made again and the state after it."""
    design: StudyDesign | None = None
    person: PersonState | None = None
    for k, event in enumerate(events):
        if event.kind == kinds.VERSION:
            design = designs[event.body["version"]]
        if person is None and event.kind != kinds.ENROLLED:
            continue
        assert design is not None, "a study begins with a version"
        person, choice = apply(design, person, event, partial(first_of, events, k))
        yield event, choice, person


def differing(designs: dict[int, StudyDesign], event: LogEvent, choice: Choice) -> list[str]:
    """Return in words where a decision differs from the log: floats are compared to the last bit."""
    body, design = event.body, designs[event.body["version"]]
    where = f"decision {decision_id(event.pid, body['number'])}"
    if choice.arm != recorded_arm(design, event):
        again = design.names[choice.arm] if choice.arm >= 0 else "a rest"
        return [f"{where}: the log has {body['arm'] or 'a rest'}, the replay {again}"]
    if list(choice.probabilities) != body["probabilities"]:
        return [f"{where}: the log has probabilities {body['probabilities']}, the replay {list(choice.probabilities)}"]
    return []


class Verified(NamedTuple):
    """What a check of the chain found."""

    events: int
    faults: list[str]


def verify(reader: Reader) -> Verified:
    """Check that no event is missing, changed or added, and that derived tables follow from the events."""
    before, seq, faults = FIRST_HASH, 0, []
    for row in reader.events():
        if row.seq != seq + 1:
            faults.append(f"event {seq + 1} is missing: the next one is {row.seq}")
        if row.hash != link(*row[:6], before):
            faults.append(f"event {row.seq} was changed, or one before it: its hash does not fit")
        before, seq = row.hash, row.seq
    head = reader.head()
    if (head.seq, head.hash) != (seq, before):
        faults.append(f"the head of the log is at event {head.seq}, and the last event is {seq}")
    return Verified(seq, [*faults, *differing_rows(reader)])
