"""What pages and exports read: people, decisions, totals, versions, alerts. Nothing here writes.

Every function takes a reader (`with service.storage.reading() as reader:`), which is a consistent view of the
database, from any thread. Rows are NamedTuples. Names are those by which the app knows people; where somebody was
erased the name is None and `pid`, a random name, stays. For what is known of a person's arms now, with its uncertainty
and the sentence on the next choice, see `Service.explain(name)`, which returns an `Explanation`.

    summary(reader, design)                       the study in one row
    people(reader, status, search, limit, offset) one row a person, with the last decision and reward
    count_people(reader, status, search)          how many these are, for paging
    people_by_pid(reader, pids)                   some of them, by their random names
    person(reader, name)                          one of them
    decisions(reader, design, name, limit, before)  a person's decisions, newest first; decisions_of: by pid
    decision(reader, design, id)                  one, as the API answers it
    history_of(reader, name)                      everything that happened to a person; events_of: by pid
    by_day(reader, design, since)                 decisions, rewards and probabilities by day and arm
    by_arm(reader, design)                        balance of randomisation over the whole study
    enrolment(reader)                             people enrolled by day
    after_rest(reader, design, longest)           mean reward by decisions since the arm was last played: recovery
    after_plays(reader, design, longest)          mean reward by how often the arm was just played: wear-out
    versions(reader)                              versions of the study
    alerts(reader, design, now, days)             who needs attention, and why
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.study import events as kinds
from rogue_bandits.study.answers import decision_answer, decision_id
from rogue_bandits.study.design import Design
from rogue_bandits.study.events import Event, event_of
from rogue_bandits.study.problems import not_found
from rogue_bandits.study.storage.contract import Reader


class Summary(NamedTuple):
    """The study in one row."""

    name: str
    version: int
    people: int
    active: int
    paused: int
    withdrawn: int
    decisions: int
    rests: int
    rewards: int  # with a value
    missing: int  # with a reason for none
    awaited: int  # decisions without either
    fallbacks: int


class PersonRow(NamedTuple):
    """A person, with counts."""

    person: str | None
    pid: str
    status: str
    group: str | None
    start: str | None
    enrolled: str  # by the server's clock
    decisions: int
    rests: int
    rewards: int
    missing: int
    fallbacks: int
    last_decision: str | None  # its time
    last_reward: str | None  # when it came, by the server's clock


class DecisionRow(NamedTuple):
    """A decision and what became of it."""

    id: str
    number: int
    time: str
    day: str
    arm: str | None  # None: a rest
    probability: float
    probabilities: dict[str, float]
    available: tuple[str, ...]
    reason: str | None  # why nothing was available
    fallback: str | None
    version: int
    scheduled: bool
    delivery: str | None
    reward: float | None
    missing: str | None
    rewarded: str | None  # when the reward came
    corrected: int  # how often


class DayArm(NamedTuple):
    """One day and arm over all people."""

    day: str
    arm: str | None
    decisions: int
    rewards: int
    mean_reward: float | None
    mean_probability: float
    fallbacks: int


class ArmTotal(NamedTuple):
    """One arm over the whole study."""

    arm: str
    available: int  # decisions at which it could be chosen
    chosen: int
    expected: float  # sum of its probabilities: where the randomisation is balanced, near `chosen`
    variance: float  # of `chosen`, given the probabilities: the sum of p (1 - p)
    rewards: int
    mean_reward: float | None
    sent: int
    failed: int
    seen: int


class Curve(NamedTuple):
    """Mean reward of an arm by how long it rested, or how often it was played in a row."""

    arm: str
    x: int
    rewards: int
    mean: float
    standard_error: float | None


class VersionRow(NamedTuple):
    """A version of the study."""

    version: int
    at: str
    package: str
    hash: str
    decisions: int
    settings: dict[str, Any]


class Alert(NamedTuple):
    """Something that needs attention."""

    kind: str  # "no-decision", "no-reward", "fallback", "at-limit", "missing-rewards"
    person: str | None
    pid: str
    detail: str  # a sentence for staff
    since: str | None


# `page` is the people who are asked for: decisions of others are not read.
PEOPLE = """WITH page AS (SELECT name, pid, status, grp, start, enrolled FROM people {which})
 SELECT p.name, p.pid, p.status, p.grp, p.start, p.enrolled,
 coalesce(d.n, 0), coalesce(d.rests, 0), coalesce(d.rewards, 0), coalesce(d.missing, 0), coalesce(d.fallbacks, 0),
 d.last_decision, d.last_reward FROM page p LEFT JOIN (SELECT pid, count(*) AS n,
 sum(CASE WHEN arm < 0 THEN 1 ELSE 0 END) AS rests, count(reward) AS rewards, count(missing) AS missing,
 count(fallback) AS fallbacks, max(time) AS last_decision, max(rewarded) AS last_reward
 FROM decisions WHERE pid IN (SELECT pid FROM page) GROUP BY pid) d ON d.pid = p.pid ORDER BY {order}"""
BY_NAME = "CASE WHEN {p}name IS NULL THEN 1 ELSE 0 END, {p}name, {p}pid"

DECISION = """number, time, day, arm, probability, probabilities, available, reason, fallback, version, scheduled,
 delivery, reward, missing, rewarded, corrected"""


AT_A_TIME = 5_000  # rows


def summary(reader: Reader, design: Design) -> Summary:
    """Return the study in one row."""
    status = dict(reader.rows("SELECT status, count(*) FROM people GROUP BY status"))
    counts = reader.rows(
        "SELECT count(*), coalesce(sum(CASE WHEN arm < 0 THEN 1 ELSE 0 END), 0), count(reward), count(missing), "
        "coalesce(sum(CASE WHEN arm >= 0 AND rewarded IS NULL THEN 1 ELSE 0 END), 0), count(fallback) FROM decisions"
    )[0]
    of_people = (int(status.get(one, 0)) for one in ("active", "paused", "withdrawn"))
    total = sum(int(n) for n in status.values())
    return Summary(design.file.study.name, design.version, total, *of_people, *map(int, counts))


def people(
    reader: Reader, status: str | None = None, search: str = "", limit: int = 100, offset: int = 0
) -> list[PersonRow]:
    """Return people in the order of their names, those who were erased last; `search` is a part of a name."""
    condition, values = _who(status, search)
    which = f"WHERE {condition} ORDER BY {BY_NAME.format(p='')} LIMIT ? OFFSET ?"
    return _people(reader, which, [*values, limit, offset])


def count_people(reader: Reader, status: str | None = None, search: str = "") -> int:
    """Return how many people `people` would return without a limit."""
    condition, values = _who(status, search)
    return int(reader.rows(f"SELECT count(*) FROM people WHERE {condition}", values)[0][0])


def _who(status: str | None, search: str) -> tuple[str, list[Any]]:
    conditions, values = ["1 = 1"], list[Any]()
    if status is not None:
        conditions.append("status = ?")
        values.append(status)
    if search:
        conditions.append("lower(name) LIKE ? ESCAPE '!'")
        literal = search.lower().replace("!", "!!").replace("%", "!%").replace("_", "!_")
        values.append(f"%{literal}%")
    return " AND ".join(conditions), values


def _people(reader: Reader, which: str, values: Sequence[Any]) -> list[PersonRow]:
    sql = PEOPLE.format(which=which, order=BY_NAME.format(p="p."))
    return [PersonRow(*row) for row in reader.rows(sql, values)]


def people_by_pid(reader: Reader, pids: Sequence[str]) -> list[PersonRow]:
    """Return people by their random names, in the order of `people`; those who do not exist are left out."""
    if not pids:
        return []
    return _people(reader, f"WHERE pid IN ({', '.join('?' * len(pids))})", list(pids))


def person(reader: Reader, name: str) -> PersonRow:
    """Return one person; raises the problem unknown-person."""
    return people_by_pid(reader, [pid_of(reader, name)])[0]


def pid_of(reader: Reader, name: str) -> str:
    """Return the random name of a person; raises the problem unknown-person."""
    found = reader.rows("SELECT pid FROM people WHERE name = ?", (name,))
    if not found:
        raise not_found("person", name)
    return str(found[0][0])


def decisions(
    reader: Reader, design: Design, name: str, limit: int = 100, before: int | None = None
) -> list[DecisionRow]:
    """Return a person's decisions, the newest first; `before` is a number, to page on."""
    return decisions_of(reader, design, pid_of(reader, name), limit, before)


def decisions_of(
    reader: Reader, design: Design, pid: str, limit: int = 100, before: int | None = None
) -> list[DecisionRow]:
    """Return the decisions of the person with a random name, the newest first."""
    older = "" if before is None else "AND number < ? "
    sql = f"SELECT {DECISION} FROM decisions WHERE pid = ? {older}ORDER BY number DESC LIMIT ?"
    rows = reader.rows(sql, (pid, *(() if before is None else (before,)), limit))
    return [decision_row(design, pid, row) for row in rows]


def decision_row(design: Design, pid: str, row: tuple[Any, ...]) -> DecisionRow:
    """Return a row of the derived table with names for numbers."""
    number, time, day, arm, probability, every, available, reason, fallback, version, scheduled, *rest = row
    names = design.names
    return DecisionRow(
        decision_id(pid, int(number)), int(number), time, day, names[arm] if arm >= 0 else None, probability,
        dict(zip(names, json.loads(every), strict=True)),
        tuple(name for name, can in zip(names, json.loads(available), strict=True) if can),
        reason, fallback, int(version), bool(scheduled), *rest,
    )  # fmt: skip


def decision(reader: Reader, design: Design, id: str) -> dict[str, Any]:
    """Return a decision as the API answers it; raises the problem unknown-decision."""
    pid, _, number = id.rpartition("-")
    found = reader.rows(
        "SELECT e.seq, e.pid, e.kind, e.at, e.body, p.name FROM decisions d JOIN events e ON e.seq = d.seq "
        "JOIN people p ON p.pid = d.pid WHERE d.pid = ? AND d.number = ?",
        (pid, int(number) if number.isascii() and number.isdigit() and len(number) < 10 else -1),
    )
    if not found:
        raise not_found("decision", id)
    seq, pid, kind, at, body, name = found[0]
    return decision_answer(design, Event(int(seq), pid, kind, at, None, json.loads(body)), name)


def history_of(reader: Reader, name: str) -> list[Event]:
    """Return everything that happened to a person, and to the study meanwhile, in order."""
    return events_of(reader, pid_of(reader, name))


def events_of(reader: Reader, pid: str) -> list[Event]:
    """Return everything that happened to the person with a random name, and to the study meanwhile, in order."""
    found = [event_of(row) for row in reader.events(0, [pid]) if row.kind != kinds.CREATED]
    first = next(event.seq for event in found if event.kind == kinds.ENROLLED)
    return [event for event in found if event.seq >= first]


# ---- the study -------------------------------------------------------------------------------------------------------
def by_day(reader: Reader, design: Design, since: str = "") -> list[DayArm]:
    """Return decisions, rewards and probabilities by day and arm, from a day (2026-03-01) on."""
    rows = reader.rows(
        "SELECT day, arm, count(*), count(reward), avg(reward), avg(probability), count(fallback) FROM decisions "
        "WHERE day >= ? GROUP BY day, arm ORDER BY day, arm", (since,),
    )  # fmt: skip
    return [
        DayArm(day, design.names[arm] if arm >= 0 else None, int(n), int(r), mean, float(p), int(f))
        for day, arm, n, r, mean, p, f in rows
    ]


def by_arm(reader: Reader, design: Design) -> list[ArmTotal]:
    """Return the balance of randomisation: how often each arm was chosen, and how often that was to be expected."""
    names = design.names
    rows = reader.rows(
        "SELECT arm, count(*), count(reward), avg(reward), sum(CASE WHEN delivery = 'sent' THEN 1 ELSE 0 END), "
        "sum(CASE WHEN delivery = 'failed' THEN 1 ELSE 0 END), sum(CASE WHEN delivery = 'seen' THEN 1 ELSE 0 END) "
        "FROM decisions WHERE arm >= 0 GROUP BY arm"
    )
    chosen = {int(row[0]): row[1:] for row in rows}
    could, expected, variance = np.zeros((3, len(names)))
    for page in _paged(reader, "probabilities, available", "AND arm >= 0"):
        p, can = (np.array(json.loads(f"[{','.join(row[k] for row in page)}]")) for k in (2, 3))
        could += can.sum(axis=0)
        expected += p.sum(axis=0)
        variance += (p * (1.0 - p)).sum(axis=0)
    none = (0, 0, None, 0, 0, 0)
    return [
        ArmTotal(
            name, int(could[k]), int(c[0]), float(expected[k]), float(variance[k]), int(c[1]), c[2], *map(int, c[3:])
        )
        for k, name in enumerate(names)
        for c in [chosen.get(k, none)]
    ]


def enrolment(reader: Reader) -> list[tuple[str, int]]:
    """Return how many people were enrolled on each day of the server's clock."""
    rows = reader.rows("SELECT substr(enrolled, 1, 10), count(*) FROM people GROUP BY 1 ORDER BY 1")
    return [(day, int(n)) for day, n in rows]


def after_rest(reader: Reader, design: Design, longest: int = 14) -> list[Curve]:
    """Return the mean reward of each arm by the number of decisions since it was last played: recovery."""
    return _curves(design, ((arm, min(gap, longest), r) for arm, gap, _, r in _plays(reader) if gap > 0))


def after_plays(reader: Reader, design: Design, longest: int = 10) -> list[Curve]:
    """Return the mean reward of each arm by how often it was played in a row before: wear-out."""
    return _curves(design, ((arm, min(run, longest), r) for arm, _, run, r in _plays(reader)))


def _plays(reader: Reader) -> Iterator[tuple[int, int, int, float]]:
    """Yield arm, decisions since it was last played (0: never), plays in a row before, reward."""
    who, last, run_arm, run = "", dict[int, int](), -1, 0
    for pid, number, arm, value in chain.from_iterable(_paged(reader, "arm, reward")):
        if pid != who:
            who, last, run_arm, run = pid, {}, -1, 0
        if arm < 0:
            run_arm, run = -1, 0
            continue
        run = run + 1 if arm == run_arm else 0
        if value is not None:
            yield int(arm), int(number) - last[arm] if arm in last else 0, run, float(value)
        last[arm], run_arm = int(number), arm


def _paged(reader: Reader, columns: str, condition: str = "") -> Iterator[list[tuple[Any, ...]]]:
    """Yield pid, number and columns of all decisions in this order, some at a time: there may be millions."""
    last: tuple[str, int] = ("", -1)
    sql = (
        f"SELECT pid, number, {columns} FROM decisions WHERE (pid, number) > (?, ?) {condition} "
        "ORDER BY pid, number LIMIT ?"
    )
    while page := reader.rows(sql, (*last, AT_A_TIME)):
        yield page
        last = page[-1][0], int(page[-1][1])


def _curves(design: Design, found: Iterator[tuple[int, int, float]]) -> list[Curve]:
    sums: dict[tuple[int, int], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for arm, x, value in found:
        one = sums[arm, x]
        one[0], one[1], one[2] = one[0] + 1, one[1] + value, one[2] + value * value
    curves = []
    for (arm, x), (n, total, squares) in sorted(sums.items()):
        variance = max(squares - total * total / n, 0.0) / (n - 1) if n > 1 else None
        error = None if variance is None else (variance / n) ** 0.5
        curves.append(Curve(design.names[arm], x, int(n), total / n, error))
    return curves


def versions(reader: Reader) -> list[VersionRow]:
    """Return the versions of the study, the first one first."""
    counts = dict(reader.rows("SELECT version, count(*) FROM decisions GROUP BY version"))
    found = (event_of(row) for row in reader.events(0, ()) if row.kind == kinds.VERSION)
    return [
        VersionRow(b["version"], e.at, b["package"], b["hash"], int(counts.get(b["version"], 0)), b["settings"])
        for e in found
        for b in [e.body]
    ]


# ---- attention -------------------------------------------------------------------------------------------------------
RECENT = 20  # decisions of a person that are looked at
AT_LIMIT = 10  # of these in a row, with the same arm at its largest probability
MANY_MISSING = 0.5  # share of the rewards of recent decisions


def alerts(reader: Reader, design: Design, now: str, days: float = 3.0) -> list[Alert]:
    """Return who needs attention: no data for days, fallback used, probability at its limit, rewards missing."""
    since = (datetime.fromisoformat(now) - timedelta(days=days)).isoformat()
    found: list[Alert] = []
    for one in people(reader, "active", limit=1_000_000):
        found += _silent(one, since, days)
    recent: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    rows = reader.rows(
        "SELECT d.pid, p.name, d.number, d.arm, d.probability, d.fallback, d.rewarded, d.missing, d.time "
        "FROM decisions d JOIN people p ON p.pid = d.pid JOIN (SELECT pid, max(number) AS last FROM decisions "
        "GROUP BY pid) l ON l.pid = d.pid AND d.number > l.last - ? WHERE p.status = 'active' "
        "ORDER BY d.pid, d.number", (RECENT,),
    )  # fmt: skip
    for row in rows:
        recent[row[0]].append(row)
    for of_one in recent.values():
        found += _unusual(design, of_one)
    return found + _contradicted(reader)


def _contradicted(reader: Reader) -> list[Alert]:
    """Return whose rewards contradicted the model at the last decision, by the log of events."""
    rows = reader.rows(
        "SELECT p.pid, p.name, e.body FROM people p JOIN (SELECT pid, max(seq) AS last FROM decisions GROUP BY pid) l "
        "ON l.pid = p.pid JOIN events e ON e.seq = l.last WHERE p.status = 'active' AND e.body LIKE ? ORDER BY p.pid",
        ('%"contradicted":%',),
    )
    return [
        Alert("contradicted", name, pid, f"rewards contradict the model: {', '.join(body['contradicted'])}; recent "
              "rewards count instead", body["time"])
        for pid, name, text in rows
        if "contradicted" in (body := json.loads(text))
    ]  # fmt: skip


def _silent(one: PersonRow, since: str, days: float) -> list[Alert]:
    found = []
    if (one.last_decision or one.enrolled) and _utc(one.last_decision or one.enrolled) < _utc(since):
        what = f"no decision was asked for in {days:g} days" if one.last_decision else "no decision was ever asked for"
        found.append(Alert("no-decision", one.person, one.pid, what, one.last_decision))
    if one.decisions - one.rests > 0 and _utc(one.last_reward or one.enrolled) < _utc(since):
        what = f"no reward has come for {days:g} days" if one.last_reward else "no reward has ever come"
        found.append(Alert("no-reward", one.person, one.pid, what, one.last_reward))
    return found


def _unusual(design: Design, rows: list[tuple[Any, ...]]) -> list[Alert]:
    found, (pid, name) = [], rows[0][:2]
    by_fallback = [row for row in rows if row[5] is not None]
    if by_fallback:
        detail = f"the fallback made {len(by_fallback)} of the last {len(rows)} decisions: {by_fallback[-1][5]}"
        found.append(Alert("fallback", name, pid, detail, by_fallback[-1][8]))
    largest = 1.0 - design.least * (len(design.arms) - 1)
    played = [row for row in rows if row[3] >= 0]
    extreme = [row for row in played if row[4] >= largest - 1e-9 or row[4] <= design.least + 1e-9]
    if len(played) >= AT_LIMIT and len(extreme) == len(played) and len(design.arms) > 1:
        detail = f"probabilities were at their limits in all of the last {len(played)} decisions"
        found.append(Alert("at-limit", name, pid, detail, extreme[0][8]))
    missing = [row for row in played if row[7] is not None]
    if len(played) >= AT_LIMIT and len(missing) >= MANY_MISSING * len(played):
        detail = f"{len(missing)} of the last {len(played)} rewards are missing"
        found.append(Alert("missing-rewards", name, pid, detail, missing[0][8]))
    return found


def _utc(time: str) -> datetime:
    return datetime.fromisoformat(time)
