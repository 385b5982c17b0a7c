"""Totals over the whole study: counts, days, arms, enrolment, versions."""

from __future__ import annotations

import json

import numpy as np

from rogue_bandits.study import events as kinds
from rogue_bandits.study.design import StudyDesign
from rogue_bandits.study.events import event_of
from rogue_bandits.study.queries.paging import paged
from rogue_bandits.study.queries.rows import ArmTotal, DayArm, Summary, VersionRow
from rogue_bandits.study.storage.contract import Reader


def summary(reader: Reader, design: StudyDesign) -> Summary:
    """Return the study in one row."""
    status = dict(reader.rows("SELECT status, count(*) FROM people GROUP BY status"))
    counts = reader.rows(
        "SELECT count(*), coalesce(sum(CASE WHEN arm < 0 THEN 1 ELSE 0 END), 0), count(reward), count(missing), "
        "coalesce(sum(CASE WHEN arm >= 0 AND rewarded IS NULL THEN 1 ELSE 0 END), 0), count(fallback) FROM decisions"
    )[0]
    of_people = (int(status.get(one, 0)) for one in ("active", "paused", "withdrawn"))
    total = sum(int(n) for n in status.values())
    return Summary(design.file.study.name, design.version, total, *of_people, *map(int, counts))


def by_day(reader: Reader, design: StudyDesign, since: str = "") -> list[DayArm]:
    """Return decisions, rewards and probabilities by day and arm, from a day (2026-03-01) on."""
    rows = reader.rows(
        "SELECT day, arm, count(*), count(reward), avg(reward), avg(probability), count(fallback) FROM decisions "
        "WHERE day >= ? GROUP BY day, arm ORDER BY day, arm", (since,),
    )  # fmt: skip
    return [
        DayArm(day, design.names[arm] if arm >= 0 else None, int(n), int(r), mean, float(p), int(f))
        for day, arm, n, r, mean, p, f in rows
    ]


def by_arm(reader: Reader, design: StudyDesign) -> list[ArmTotal]:
    """Return the balance of randomisation: how often each arm was chosen, and how often that was to be expected."""
    names = design.names
    rows = reader.rows(
        "SELECT arm, count(*), count(reward), avg(reward), sum(CASE WHEN delivery = 'sent' THEN 1 ELSE 0 END), "
        "sum(CASE WHEN delivery = 'failed' THEN 1 ELSE 0 END), sum(CASE WHEN delivery = 'seen' THEN 1 ELSE 0 END) "
        "FROM decisions WHERE arm >= 0 GROUP BY arm"
    )
    chosen = {int(row[0]): row[1:] for row in rows}
    could, expected, variance = np.zeros((3, len(names)))
    for page in paged(reader, "probabilities, available", "AND arm >= 0"):
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


def versions(reader: Reader) -> list[VersionRow]:
    """Return the versions of the study, the first one first."""
    counts = dict(reader.rows("SELECT version, count(*) FROM decisions GROUP BY version"))
    found = (event_of(row) for row in reader.events(0, ()) if row.kind == kinds.VERSION)
    return [
        VersionRow(b["version"], e.at, b["package"], b["hash"], int(counts.get(b["version"], 0)), b["settings"])
        for e in found
        for b in [e.body]
    ]
