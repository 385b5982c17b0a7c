"""Enrol, pause, resume, withdraw and erase people."""

from __future__ import annotations

from typing import Any

from rogue_bandits.study import events as kinds
from rogue_bandits.study import transitions
from rogue_bandits.study.batch import Batch
from rogue_bandits.study.operations.requested import Enrolment
from rogue_bandits.study.person import ACTIVE, WITHDRAWN, fresh_person
from rogue_bandits.study.problems import conflict, invalid

CHANGES = {"pause": kinds.PAUSED, "resume": kinds.RESUMED, "withdraw": kinds.WITHDRAWN, "erase": kinds.ERASED}


def enrol(batch: Batch, person: Enrolment) -> dict[str, Any]:
    """Add a person; the same person again gets the same answer."""
    pid = batch.residents.pids.get(person.name)
    if pid is not None:
        return _enrolled_before(batch, pid, person)
    design, dynamics = batch.design, None
    if design.file.dynamics.source == "people":
        dynamics = design.people.get(person.name)
        if dynamics is None:
            raise invalid("no-dynamics", f"person '{person.name}' is not in {design.file.dynamics.people}")
    pid = batch.new_pid()
    body = {"start": person.start, "group": person.group, "dynamics": dynamics, "version": design.version}
    event = batch.append(pid, kinds.ENROLLED, body)
    batch.row("people", pid, ACTIVE, person.group, person.start, batch.now)
    salt = batch.new_salt()
    batch.row("name", person.name, salt, pid)
    batch.touched.add(pid)
    batch.hold(fresh_person(design, pid, event.seq, body))
    batch.residents.know(person.name, pid, salt)  # last: what fails before it is taken back, and nobody has the name
    return {"person": person.name, "pid": pid, "status": ACTIVE, "start": person.start, "group": person.group}


def _enrolled_before(batch: Batch, pid: str, person: Enrolment) -> dict[str, Any]:
    first = next(event for event in batch.past(pid) if event.kind == kinds.ENROLLED)
    if (first.body["start"], first.body["group"]) != (person.start, person.group):
        raise conflict("enrolled-otherwise", f"person '{person.name}' is enrolled with another start or group")
    status = batch.person(pid).status
    return {"person": person.name, "pid": pid, "status": status, "start": person.start, "group": person.group}


def change_status(batch: Batch, name: str, change: str) -> dict[str, Any]:
    """Pause, resume, withdraw or erase a person; nothing happens if that is so already."""
    kind = CHANGES.get(change)
    if kind is None:
        raise invalid("unknown-change", f"change '{change}' must be one of {', '.join(CHANGES)}")
    after = transitions.STATUS[kind]
    if kind == kinds.ERASED and name not in batch.residents.pids:  # nobody knows who had it: that is what was asked for
        return {"person": None, "pid": None, "status": after}
    pid = batch.pid(name)
    person = batch.person(pid)
    if person.status == WITHDRAWN and after != WITHDRAWN:
        raise conflict("withdrawn", f"person '{name}' has withdrawn, which is for good")
    if person.status != after or kind == kinds.ERASED:
        event = batch.append(pid, kind, {})
        batch.row("status", after, pid)
        person.status = after
        batch.advanced(person, event)
    if kind == kinds.ERASED:
        batch.row("name", None, None, pid)
        batch.residents.erase([pid])
    return {"person": name if kind != kinds.ERASED else None, "pid": pid, "status": after}
