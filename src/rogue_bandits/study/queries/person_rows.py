"""People, with counts of their decisions and rewards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rogue_bandits.study.problems import not_found
from rogue_bandits.study.queries.rows import PersonRow
from rogue_bandits.study.storage.sql import Reader

# `page` is the people who are asked for: decisions of others are not read.
PEOPLE = """WITH page AS (SELECT name, pid, status, grp, start, enrolled FROM people {which})
 SELECT p.name, p.pid, p.status, p.grp, p.start, p.enrolled,
 coalesce(d.n, 0), coalesce(d.rests, 0), coalesce(d.rewards, 0), coalesce(d.missing, 0), coalesce(d.fallbacks, 0),
 d.last_decision, d.last_reward FROM page p LEFT JOIN (SELECT pid, count(*) AS n,
 sum(CASE WHEN arm < 0 THEN 1 ELSE 0 END) AS rests, count(reward) AS rewards, count(missing) AS missing,
 count(fallback) AS fallbacks, max(time) AS last_decision, max(rewarded) AS last_reward
 FROM decisions WHERE pid IN (SELECT pid FROM page) GROUP BY pid) d ON d.pid = p.pid ORDER BY {order}"""
BY_NAME = "CASE WHEN {p}name IS NULL THEN 1 ELSE 0 END, {p}name, {p}pid"


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


def names_taking_part(reader: Reader, day: str) -> list[str]:
    """Return the names of everybody who takes part and has started by a day."""
    sql = (
        "SELECT name FROM people WHERE status = 'active' AND name IS NOT NULL AND coalesce(start, '') <= ? "
        "ORDER BY name"
    )
    return [row[0] for row in reader.rows(sql, (day,))]


def pid_of(reader: Reader, name: str) -> str:
    """Return the random name of a person; raises the problem unknown-person."""
    found = reader.rows("SELECT pid FROM people WHERE name = ?", (name,))
    if not found:
        raise not_found("person", name)
    return str(found[0][0])
