"""From the rows of a table to people with their histories. What can be mended is noted; what cannot is refused."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.history import Cohort, History
from rogue_bandits.estimate.notes import count, notes_on_few, notes_on_rows
from rogue_bandits.estimate.table import Rows, Table
from rogue_bandits.types import Bools, Floats

MOST_CELLS = 40_000_000  # decisions × arms: two numbers each stay far below 2 GB


class Scaling(NamedTuple):
    """What rewards are divided by, and whether those outside [0, 1] then are clipped to it, or refused."""

    scale: float = 1.0
    clip: bool = False


def assemble(table: Table, scaling: Scaling) -> Cohort:
    """The cohort of a table, with notes; a ValueError names the row and the column of what is wrong."""
    was_sorted = in_order(table.rows)
    table = table._replace(rows=by_person(table.rows))
    raise_on_duplicates(table)
    raise_on_too_many_decisions(table)
    if not table.arms:
        column = table.columns["arm"]
        raise ValueError(f"{table.file}, column '{column}': no arm was ever played, every decision is a rest")
    reward, outside = scaled(table, scaling)
    notes = [*table.notes, *notes_on_rows(table, was_sorted, scaling.scale, outside)]
    people = histories(table, reward)
    cohort = Cohort(table.file, table.columns["reward"], scaling.scale, table.arms, people, notes)
    return cohort._replace(notes=[*notes, *notes_on_few(cohort)])


def histories(table: Table, reward: Floats) -> dict[str, History]:
    """The history of each person, from rows that are sorted."""
    rows, people, begin = table.rows, {}, 0
    for end in np.append(np.flatnonzero(np.diff(rows.person)) + 1, rows.person.size):
        part = slice(begin, int(end))
        sent, decision = rows.arm[part] >= 0, rows.decision[part] - rows.decision[begin]
        people[table.people[rows.person[begin]]] = History(
            int(rows.decision[begin]),
            int(decision[-1]) + 1,
            decision[sent],
            rows.arm[part][sent],
            reward[part][sent],
        )
        begin = int(end)
    return people


def in_order(rows: Rows) -> bool:
    """Do each person's decisions rise down the file?"""
    order = np.argsort(rows.person, kind="stable")
    same = np.diff(rows.person[order]) == 0
    return bool(np.all(np.diff(rows.decision[order])[same] >= 0))


def by_person(rows: Rows) -> Rows:
    """The rows by person, then by decision."""
    order = np.lexsort((rows.decision, rows.person))
    return Rows._make(column[order] for column in rows)


def raise_on_duplicates(table: Table) -> None:
    """A person makes a decision once."""
    rows = table.rows
    again = (np.diff(rows.person) == 0) & (np.diff(rows.decision) == 0)
    if again.any():
        at = int(np.argmax(again))
        one, two = sorted(rows.row[at : at + 2])
        others = int(again.sum()) - 1
        more = f" ({others:,} more like this)" if others else ""
        raise ValueError(
            f"{table.file}, row {two}, column '{table.columns['decision']}': person "
            f"'{table.people[rows.person[at]]}' has decision {rows.decision[at]} already, in row {one}{more}"
        )


def raise_on_too_many_decisions(table: Table) -> None:
    """Times in seconds are no numbers of decisions: their gaps would fill the memory."""
    rows = table.rows
    gaps = np.where(np.diff(rows.person) == 0, np.diff(rows.decision), 1)
    if max(len(table.arms), 1) * (int(gaps.sum()) + 1) > MOST_CELLS:
        at = int(np.argmax(gaps))
        raise ValueError(
            f"{table.file}, row {rows.row[at + 1]}, column '{table.columns['decision']}': "
            f"{rows.decision[at + 1]} comes {gaps[at]:,} after {rows.decision[at]}, and each decision between counts "
            "as a rest: that is more than fits in memory. Number the decisions of a person 0, 1, 2, …"
        )


def scaled(table: Table, scaling: Scaling) -> tuple[Floats, Bools]:
    """Rewards from 0 to 1, and which of those that count were outside; refused unless they may be clipped."""
    reward = table.rows.reward / scaling.scale
    outside = (table.rows.arm >= 0) & ((reward < 0.0) | (reward > 1.0))
    if outside.any() and not scaling.clip:
        raise ValueError(out_of_range(table, scaling.scale, outside))
    return np.clip(reward, 0.0, 1.0), outside


def out_of_range(table: Table, scale: float, outside: Bools) -> str:
    """The words for rewards outside [0, 1]: the first of them, how many more, and what can be done."""
    rows, others = table.rows, int(outside.sum()) - 1
    at = int(np.flatnonzero(outside)[np.argmin(rows.row[outside])])
    divided = f", divided by {scale:g}, is {rows.reward[at] / scale:.4g} and" if scale != 1.0 else ""
    more = f" {count(others, 'more is', 'more are')} outside." if others else ""
    largest = float(np.nanmax(rows.reward[rows.arm >= 0]))
    fits = f"--reward-scale {largest:g} divides by the largest, " if rows.reward[outside].min() >= 0.0 else ""
    return (
        f"{table.file}, row {rows.row[at]}, column '{table.columns['reward']}': reward {rows.reward[at]:g}{divided} "
        f"must be from 0 to 1.{more} {fits}--clip counts those outside as 0 or 1"
    )
