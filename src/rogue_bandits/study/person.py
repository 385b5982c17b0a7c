"""The state of one person: a bandit, and what else the study needs to serve the next request."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rogue_bandits.online.bandit import Bandit
from rogue_bandits.study.design import StudyDesign, personal_arms

ACTIVE, PAUSED, WITHDRAWN = "active", "paused", "withdrawn"
LENGTH = struct.Struct("<I")


@dataclass
class PersonState:
    """A fold over the events of a person. It is a cache: the log can make it again."""

    pid: str
    status: str = ACTIVE
    bandit: Bandit | None = None  # None where a law has failed: the fallback decides until the next rebuild
    fault: str = ""  # why
    number: int = 0  # of the next decision
    time: str = ""  # of the last decision
    day: str = ""  # of the last decision, by its own clock
    used: int = 0  # decisions of that day
    open: dict[int, tuple[int, int]] = field(default_factory=dict)  # decisions without reward: step of the bandit, arm
    waiting: list[tuple[int, float | None]] = field(default_factory=list)  # rewards that the next update learns
    dynamics: list[dict[str, float]] | None = None  # the person's own
    start: str | None = None  # day of the first decision, if one was agreed on
    revision: int = 0  # the last event in this state
    unsaved: int = 0  # events since the last snapshot
    contradicted: tuple[str, ...] = ()  # arms whose rewards contradicted the model at the last decision


def fresh_person(design: StudyDesign, pid: str, seq: int, enrolment: Mapping[str, Any]) -> PersonState:
    """Return a person before the first decision, with the random stream that belongs to event `seq`."""
    dynamics, start = enrolment.get("dynamics"), enrolment.get("start")
    bandit = Bandit(personal_arms(design, dynamics), design.policy, seed=seed_of(design, pid, seq))
    return PersonState(pid, bandit=bandit, dynamics=dynamics, start=start, revision=seq)


def seed_of(design: StudyDesign, *what: Any) -> int:
    """Return a seed that depends on the study's and on what it is for."""
    text = "/".join(map(str, (design.seed, *what)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def person_to_bytes(person: PersonState) -> bytes:
    """Return a snapshot of a person."""
    head = {
        "pid": person.pid, "status": person.status, "fault": person.fault, "number": person.number,
        "time": person.time, "day": person.day, "used": person.used, "open": list(person.open.items()),
        "waiting": person.waiting, "dynamics": person.dynamics, "start": person.start,
    }  # fmt: skip
    text = json.dumps(head, sort_keys=True).encode()  # a body that was read from the log has this order
    return LENGTH.pack(len(text)) + text + (b"" if person.bandit is None else person.bandit.to_bytes())


def person_from_bytes(design: StudyDesign, raw: bytes, revision: int) -> PersonState:
    """Return the person of a snapshot that was taken under the same version."""
    (size,) = LENGTH.unpack_from(raw)
    head: dict[str, Any] = json.loads(raw[LENGTH.size : LENGTH.size + size])
    saved = raw[LENGTH.size + size :]
    arms = personal_arms(design, head["dynamics"])
    head["open"] = {number: (step, arm) for number, (step, arm) in head["open"]}
    head["waiting"] = [(number, value) for number, value in head["waiting"]]
    bandit = Bandit.from_bytes(saved, arms, design.policy) if saved else None
    return PersonState(**head, bandit=bandit, revision=revision)
