"""Decisions and events of one person."""

from __future__ import annotations

import json
from typing import Any

from rogue_bandits.study import events as kinds
from rogue_bandits.study.answers import decision_answer, decision_id
from rogue_bandits.study.design import StudyDesign
from rogue_bandits.study.events import LogEvent, event_of
from rogue_bandits.study.problems import not_found
from rogue_bandits.study.queries.person_rows import pid_of
from rogue_bandits.study.queries.rows import DecisionRow
from rogue_bandits.study.storage.sql import Reader

DECISION = """number, time, day, arm, probability, probabilities, available, reason, fallback, version, scheduled,
 delivery, reward, missing, rewarded, corrected"""


def decisions(
    reader: Reader, design: StudyDesign, name: str, limit: int = 100, before: int | None = None
) -> list[DecisionRow]:
    """Return a person's decisions, the newest first; `before` is a number, to page on."""
    return decisions_of(reader, design, pid_of(reader, name), limit, before)


def decisions_of(
    reader: Reader, design: StudyDesign, pid: str, limit: int = 100, before: int | None = None
) -> list[DecisionRow]:
    """Return the decisions of the person with a random name, the newest first."""
    older = "" if before is None else "AND number < ? "
    sql = f"SELECT {DECISION} FROM decisions WHERE pid = ? {older}ORDER BY number DESC LIMIT ?"
    rows = reader.rows(sql, (pid, *(() if before is None else (before,)), limit))
    return [decision_row(design, pid, row) for row in rows]


def decision_row(design: StudyDesign, pid: str, row: tuple[Any, ...]) -> DecisionRow:
    """Return a row of the derived table with names for numbers."""
    number, time, day, arm, probability, every, available, reason, fallback, version, scheduled, *rest = row
    names = design.names
    return DecisionRow(
        decision_id(pid, int(number)), int(number), time, day, names[arm] if arm >= 0 else None, probability,
        dict(zip(names, json.loads(every), strict=True)),
        tuple(name for name, can in zip(names, json.loads(available), strict=True) if can),
        reason, fallback, int(version), bool(scheduled), *rest,
    )  # fmt: skip


def last_plays(reader: Reader, design: StudyDesign, pid: str) -> dict[str, str]:
    """Return when each arm was last chosen for the person with a random name; arms that never were are left out."""
    rows = reader.rows(
        "SELECT d.arm, d.time FROM decisions d JOIN (SELECT arm, max(number) AS number FROM decisions WHERE pid = ? "
        "AND arm >= 0 GROUP BY arm) l ON l.number = d.number WHERE d.pid = ?", (pid, pid),
    )  # fmt: skip
    return {design.names[arm]: time for arm, time in rows}


def decision(reader: Reader, design: StudyDesign, id: str) -> dict[str, Any]:
    """Return a decision as it is answered; raises the problem unknown-decision."""
    pid, _, number = id.rpartition("-")
    found = reader.rows(
        "SELECT e.seq, e.pid, e.kind, e.at, e.body, p.name FROM decisions d JOIN events e ON e.seq = d.seq "
        "JOIN people p ON p.pid = d.pid WHERE d.pid = ? AND d.number = ?",
        (pid, int(number) if number.isascii() and number.isdigit() and len(number) < 10 else -1),
    )
    if not found:
        raise not_found("decision", id)
    seq, pid, kind, at, body, name = found[0]
    return decision_answer(design, LogEvent(int(seq), pid, kind, at, None, json.loads(body)), name)


def decision_with_outcome(reader: Reader, design: StudyDesign, id: str) -> dict[str, Any]:
    """Return a decision as it is answered, with its delivery and every reward that came."""
    answer = decision(reader, design, id)
    pid, number = id.rpartition("-")[0], answer["number"]
    columns = ("delivery", "delivered", "reward", "missing")
    [now] = reader.rows(f"SELECT {', '.join(columns)} FROM decisions WHERE pid = ? AND number = ?", (pid, number))
    rewards = [
        {"at": e.at, "value": e.body["value"], "missing": e.body["missing"], "correction": e.body.get("reason")}
        for e in map(event_of, reader.events(0, [pid]))
        if e.kind in (kinds.REWARDED, kinds.CORRECTED) and e.body["number"] == number
    ]
    return {**answer, **dict(zip(columns, now, strict=True)), "rewards": rewards}


def enrolment_of(reader: Reader, pid: str) -> dict[str, Any]:
    """Return with what the person with a random name was enrolled: start, group and, if they have any, dynamics."""
    [(body,)] = reader.rows("SELECT body FROM events WHERE pid = ? AND kind = ?", (pid, kinds.ENROLLED))
    found: dict[str, Any] = json.loads(body)
    return found


def events_of(reader: Reader, pid: str) -> list[LogEvent]:
    """Return everything that happened to the person with a random name, and to the study meanwhile, in order."""
    found = [event_of(row) for row in reader.events(0, [pid]) if row.kind != kinds.CREATED]
    first = next(event.seq for event in found if event.kind == kinds.ENROLLED)
    return [event for event in found if event.seq >= first]
