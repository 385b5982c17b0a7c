"""Who needs attention, and why."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

from rogue_bandits.study.design import StudyDesign
from rogue_bandits.study.queries.person_rows import people
from rogue_bandits.study.queries.rows import Alert, PersonRow
from rogue_bandits.study.storage.sql import Reader

RECENT = 20  # decisions of a person that are looked at
SILENT_DAYS = 3  # without a request or without a reward
AT_LIMIT = 10  # of these in a row, with the same arm at its largest probability
MANY_MISSING = 0.5  # share of the rewards of recent decisions


def alerts(reader: Reader, design: StudyDesign, now: str) -> list[Alert]:
    """Return who needs attention: no data for days, fallback used, probability at its limit, rewards missing."""
    since = (datetime.fromisoformat(now) - timedelta(days=SILENT_DAYS)).isoformat()
    found: list[Alert] = []
    for one in people(reader, "active", limit=1_000_000):
        found += _silent(one, since, now)
    for of_one in _recent(reader, design):
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


def _recent(reader: Reader, design: StudyDesign) -> list[list[tuple[Any, ...]]]:
    """Return the last decisions of people about whom there may be something unusual, of each in order."""
    low, high = _limits(design, len(design.arms))  # where fewer arms are available, the largest is larger
    rows = reader.rows(
        "SELECT d.pid FROM decisions d JOIN people p ON p.pid = d.pid JOIN (SELECT pid, max(number) AS last "
        "FROM decisions GROUP BY pid) l ON l.pid = d.pid AND d.number > l.last - ? WHERE p.status = 'active' "
        "GROUP BY d.pid HAVING count(d.fallback) > 0 OR (count(d.missing) > 0 AND count(d.missing) >= "
        f"{MANY_MISSING} * sum(CASE WHEN d.arm >= 0 THEN 1 ELSE 0 END)) "
        "OR sum(CASE WHEN d.arm >= 0 AND d.probability > ? AND d.probability < ? THEN 1 ELSE 0 END) = 0 "
        "ORDER BY d.pid", (RECENT, low, high),
    )  # fmt: skip
    return [
        sorted(
            reader.rows(
                "SELECT d.pid, p.name, d.number, d.arm, d.probability, d.fallback, d.available, d.missing, d.time "
                "FROM decisions d JOIN people p ON p.pid = d.pid WHERE d.pid = ? ORDER BY d.number DESC LIMIT ?",
                (pid, RECENT),
            ),
            key=lambda row: row[2],
        )
        for (pid,) in rows
    ]


def _limits(design: StudyDesign, available: int) -> tuple[float, float]:
    """Return the least and the largest probability of so many available arms, a rounding error inside."""
    return design.least + 1e-9, 1.0 - design.least * (available - 1) - 1e-9


def _is_at_limit(design: StudyDesign, row: tuple[Any, ...]) -> bool:
    """Return whether a probability is at a limit, where the policy could have chosen another one."""
    available = sum(json.loads(row[6]))
    low, high = _limits(design, available)
    return available > 1 and low < high and (row[4] <= low or row[4] >= high)


def _silent(one: PersonRow, since: str, now: str) -> list[Alert]:
    found = []
    if one.start is not None and one.start > since[:10]:  # nothing is asked for before the start
        return []
    if _utc(one.last_decision or one.enrolled) < _utc(since):
        what = (
            "the app has never asked for a message"
            if one.last_decision is None
            else (f"the app last asked for a message {_ago(one.last_decision, now)}")
        )
        found.append(Alert("no-decision", one.person, one.pid, what, one.last_decision))
    if one.decisions - one.rests > 0 and _utc(one.last_reward or one.enrolled) < _utc(since):
        what = (
            "no reward has ever come"
            if one.last_reward is None
            else f"the last reward came {_ago(one.last_reward, now)}"
        )
        found.append(Alert("no-reward", one.person, one.pid, what, one.last_reward))
    return found


def _unusual(design: StudyDesign, rows: list[tuple[Any, ...]]) -> list[Alert]:
    found, (pid, name) = [], rows[0][:2]
    by_fallback = [row for row in rows if row[5] is not None]
    if by_fallback:
        detail = (
            f"the usual rule failed at {len(by_fallback)} of the last {len(rows)} decisions, and the fallback chose"
        )
        found.append(Alert("fallback", name, pid, detail, by_fallback[-1][8]))
    played = [row for row in rows if row[3] >= 0]
    extreme = [row for row in played if _is_at_limit(design, row)]
    if len(played) >= AT_LIMIT and len(extreme) == len(played):
        detail = f"probabilities were at their limits in all of the last {len(played)} decisions"
        found.append(Alert("at-limit", name, pid, detail, extreme[0][8]))
    missing = [row for row in played if row[7] is not None]
    if len(played) >= AT_LIMIT and len(missing) >= MANY_MISSING * len(played):
        detail = f"{len(missing)} of the last {len(played)} rewards are missing"
        found.append(Alert("missing-rewards", name, pid, detail, missing[0][8]))
    return found


def _ago(time: str, now: str) -> str:
    """Return how long ago a time is, in words.

    >>> _ago("2026-03-02T08:00:00+00:00", "2026-03-05T09:00:00+00:00")
    '3 days ago'
    """
    days = (_utc(now) - _utc(time)).days
    return f"{days} day{'' if days == 1 else 's'} ago"


def _utc(time: str) -> datetime:
    return datetime.fromisoformat(time)
