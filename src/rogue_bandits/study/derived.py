"""The derived tables, folded from the events again, to be compared with those of the database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rogue_bandits.study import events as kinds
from rogue_bandits.study.answers import decision_id
from rogue_bandits.study.events import LogEvent, event_of, to_text
from rogue_bandits.study.loading import CHUNK
from rogue_bandits.study.storage.sql import Reader, marks

DECISION = (
    "pid", "number", "seq", "time", "day", "arm", "probability", "probabilities", "available", "reason", "fallback",
    "version", "scheduled", "delivery", "delivered", "reward", "missing", "rewarded", "corrected",
)  # fmt: skip
PERSON = ("pid", "status", "grp", "start", "enrolled", "named")
PEOPLE = "pid, status, grp, start, enrolled, CASE WHEN name IS NULL THEN 0 ELSE 1 END"
STATUS = {kinds.PAUSED: "paused", kinds.RESUMED: "active", kinds.WITHDRAWN: "withdrawn", kinds.ERASED: "withdrawn"}
NO_ARM, REST = -2, -1
Row = dict[str, Any]


class Tables(NamedTuple):
    """Rows of some people: of `people` by random name, of `decisions` by id."""

    people: dict[str, Row]
    decisions: dict[str, Row]


def differing_rows(reader: Reader) -> Iterator[str]:
    """Yield in words which rows of the derived tables do not follow from the events."""
    names = names_of_arms(event_of(row) for row in reader.events(0, ()))
    tables = ("events", "people", "decisions")
    pids = sorted({row[0] for table in tables for row in reader.rows(f"SELECT DISTINCT pid FROM {table}")} - {""})
    for first in range(0, len(pids), CHUNK):
        some = pids[first : first + CHUNK]
        expected = folded_rows((event_of(row) for row in reader.events(0, some) if row.pid), names)
        found = stored_rows(reader, some)
        yield from differing("person", found.people, expected.people)
        yield from differing("decision", found.decisions, expected.decisions)


def names_of_arms(of_all: Iterable[LogEvent]) -> list[str]:
    """Return the names of the arms, which are those of every version."""
    versions = [event for event in of_all if event.kind == kinds.VERSION]
    return [arm["name"] for arm in versions[0].body["settings"]["arms"]] if versions else []


def folded_rows(events: Iterable[LogEvent], names: Sequence[str]) -> Tables:
    """Return the rows that follow from events of people."""
    made = Tables({}, {})
    for event in events:
        if event.kind == kinds.ENROLLED:
            row = (event.pid, "active", event.body["group"], event.body["start"], event.at, 1)
            made.people[event.pid] = dict(zip(PERSON, row, strict=True))
        elif event.kind in STATUS:
            change = {"status": STATUS[event.kind], **({"named": 0} if event.kind == kinds.ERASED else {})}
            made.people.setdefault(event.pid, {}).update(change)
        elif event.kind == kinds.DECIDED:
            made.decisions[decision_id(event.pid, event.body["number"])] = decision_row(event, names)
        else:
            follow(made.decisions.setdefault(decision_id(event.pid, event.body["number"]), {}), event)
    return made


def decision_row(event: LogEvent, names: Sequence[str]) -> Row:
    """Return the row of a decision to which nothing has happened yet."""
    body = event.body
    arm = REST if body["arm"] is None else names.index(body["arm"]) if body["arm"] in names else NO_ARM
    row = (
        event.pid, body["number"], event.seq, body["time"], body["time"][:10], arm,
        1.0 if arm < 0 else body["probabilities"][arm], to_text(body["probabilities"]), to_text(body["available"]),
        body["reason"], body["fallback"], body["version"], int(body["scheduled"]), None, None, None, None, None, 0,
    )  # fmt: skip
    return dict(zip(DECISION, row, strict=True))


def follow(row: Row, event: LogEvent) -> None:
    """Change the row of a decision by what happened to it."""
    if event.kind == kinds.DELIVERED:
        row.update(delivery=event.body["status"], delivered=event.at)
    elif event.kind in (kinds.REWARDED, kinds.CORRECTED):
        corrected = row.get("corrected", 0) + (event.kind == kinds.CORRECTED)
        row.update(reward=event.body["value"], missing=event.body["missing"], rewarded=event.at, corrected=corrected)


def stored_rows(reader: Reader, pids: Sequence[str]) -> Tables:
    """Return the rows that the database has."""
    of = f"WHERE pid IN ({marks(len(pids))})"
    people = [dict(zip(PERSON, row, strict=True)) for row in reader.rows(f"SELECT {PEOPLE} FROM people {of}", pids)]
    sql = f"SELECT {', '.join(DECISION)} FROM decisions {of}"
    decisions = [dict(zip(DECISION, row, strict=True)) for row in reader.rows(sql, pids)]
    return Tables(
        {row["pid"]: row for row in people}, {decision_id(row["pid"], int(row["number"])): row for row in decisions}
    )


def differing(what: str, found: Mapping[str, Row], expected: Mapping[str, Row]) -> Iterator[str]:
    """Yield in words which rows differ."""
    for name in sorted({*found, *expected}):
        if name not in found:
            yield f"{what} {name} is in the log and not in its table"
        elif name not in expected:
            yield f"{what} {name} is in its table and not in the log"
        elif found[name] != expected[name]:
            columns = [c for c, value in found[name].items() if value != expected[name].get(c)]
            yield f"{what} {name}: its table differs from the log in {', '.join(columns)}"
