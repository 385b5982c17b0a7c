"""Totals over the whole study: counts, days, arms, enrolment, versions."""

from __future__ import annotations

from rogue_bandits.study import events as kinds
from rogue_bandits.study.design import StudyDesign
from rogue_bandits.study.events import event_of
from rogue_bandits.study.queries.rows import ArmTotal, DayArm, Summary, VersionRow
from rogue_bandits.study.storage.sql import Reader

ALL_ROWS = 2**62


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


def by_day(reader: Reader, design: StudyDesign) -> list[DayArm]:
    """Return decisions and rewards by day and arm."""
    rows = reader.rows(
        "SELECT day, arm, count(*), count(reward), avg(reward) FROM decisions GROUP BY day, arm ORDER BY day, arm"
    )
    return [DayArm(day, design.names[arm] if arm >= 0 else None, int(n), int(r), mean) for day, arm, n, r, mean in rows]


def by_arm(reader: Reader, design: StudyDesign) -> list[ArmTotal]:
    """Return the balance of randomisation: how often each arm was chosen, and how often that was to be expected."""
    rows = reader.rows(
        "SELECT arm, count(*), count(reward), avg(reward), sum(CASE WHEN delivery = 'sent' THEN 1 ELSE 0 END), "
        "sum(CASE WHEN delivery = 'failed' THEN 1 ELSE 0 END), sum(CASE WHEN delivery = 'seen' THEN 1 ELSE 0 END) "
        "FROM decisions WHERE arm >= 0 GROUP BY arm"
    )
    chosen = {int(row[0]): row[1:] for row in rows}
    none = (0, 0, None, 0, 0, 0)
    return [
        ArmTotal(name, int(could), int(c[0]), float(expected), float(expected - squares), int(c[1]), c[2],
                 *map(int, c[3:]))
        for k, (name, (could, expected, squares)) in enumerate(zip(design.names, _chances(reader, design), strict=True))
        for c in [chosen.get(k, none)]
    ]  # fmt: skip


def _chances(reader: Reader, design: StudyDesign) -> list[tuple[float, float, float]]:
    """Return for each arm how often it was available, and the sums of its probabilities and of their squares."""
    arms = range(len(design.names))
    every = ", ".join(
        f"{reader.number_in('available', k)} AS a{k}, {reader.number_in('probabilities', k)} AS p{k}" for k in arms
    )
    sums = ", ".join(f"sum(a{k}), sum(p{k}), sum(p{k} * p{k})" for k in arms)
    # The limit keeps SQLite from reading the JSON once for each sum.
    found = reader.rows(f"SELECT {sums} FROM (SELECT {every} FROM decisions WHERE arm >= 0 LIMIT {ALL_ROWS}) AS d")[0]
    numbers = [float(value or 0.0) for value in found]
    return [(numbers[3 * k], numbers[3 * k + 1], numbers[3 * k + 2]) for k in arms]


def enrolment(reader: Reader) -> list[tuple[str, int]]:
    """Return how many people were enrolled on each day of the server's clock."""
    rows = reader.rows("SELECT substr(enrolled, 1, 10), count(*) FROM people GROUP BY 1 ORDER BY 1")
    return [(day, int(n)) for day, n in rows]


def last_of_study(reader: Reader, kind: str | None = None) -> int:
    """Return the number of the last event of the whole study, of one kind or of any; 0 before the first."""
    of_kind, values = ("", ()) if kind is None else (" AND kind = ?", (kind,))
    return int(reader.rows(f"SELECT max(seq) FROM events WHERE pid = ''{of_kind}", values)[0][0] or 0)


def versions(reader: Reader) -> list[VersionRow]:
    """Return the versions of the study, the first one first."""
    counts = dict(reader.rows("SELECT version, count(*) FROM decisions GROUP BY version"))
    found = (event_of(row) for row in reader.events(0, ()) if row.kind == kinds.VERSION)
    return [
        VersionRow(b["version"], e.at, b["package"], b["hash"], int(counts.get(b["version"], 0)), b["settings"])
        for e in found
        for b in [e.body]
    ]
