"""The rewards of a partition that have come: which can be learned, and why the others are refused."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rogue_bandits.model.probe import are_rewards
from rogue_bandits.partitions.layout import Manifest
from rogue_bandits.partitions.people import People
from rogue_bandits.types import Bools, Floats, Ints

UNKNOWN, TWICE, NOT_AWAITED, INVALID = "unknown person", "two rewards", "awaits no reward", "not a reward"
NO_NUMBER = "no decision number"
REFUSED = pa.schema(
    [("person", pa.string()), ("decision", pa.int64()), ("reward", pa.float64()), ("reason", pa.string())]
)


class Came(NamedTuple):
    """Rows of a table of rewards, by person, decision and reward, so that the table's order does not matter."""

    order: Ints  # of the rows in the table
    row: Ints  # of the person in the partition, −1 if unknown
    number: Ints  # of the decision, negative if there is none
    reward: Floats  # nan: it will never be seen


def rows_of_people(people: People, table: Any) -> Ints:
    """Return where the people of a table are in a partition; −1: they are not."""
    found = pc.fill_null(pc.index_in(table.column("person"), value_set=people.ids), -1)
    rows: Ints = found.to_numpy().astype(np.int64)
    return rows


def learn_rewards(m: Manifest, people: People, table: Any | None) -> tuple[tuple[int, int], Any]:
    """Learn the rewards of a table; return how many were learned and repeated, and the rows that were refused."""
    if table is None:
        return (0, 0), REFUSED.empty_table()
    came = in_order(people, table)
    awaited, arm = awaited_arms(people, came)
    repeated, twice = repetitions(came)
    sound = np.isnan(came.reward) | are_rewards(m.arms, np.where(awaited, arm, 0), came.reward)
    reasons = {UNKNOWN: came.row < 0, NO_NUMBER: came.number < 0, TWICE: twice, NOT_AWAITED: ~awaited, INVALID: ~sound}
    good, refused = ~repeated, []
    for reason, wrong in reasons.items():
        refused.append(refused_rows(table.take(pa.array(came.order[wrong & good])), reason))
        good &= ~wrong
    people.population.learn(came.row[good], came.number[good], arm[good], came.reward[good])
    return (int(good.sum()), int(repeated.sum())), pa.concat_tables(refused)


def in_order(people: People, table: Any) -> Came:
    """Return the rows of a table in the order in which they are learned."""
    row = rows_of_people(people, table)
    number = pc.fill_null(table.column("decision"), -1).to_numpy().astype(np.int64)
    reward = pc.fill_null(table.column("reward"), np.nan).to_numpy().astype(np.float64)
    order = np.lexsort((reward, number, row))
    return Came(order, row[order], number[order], reward[order])


def awaited_arms(people: People, came: Came) -> tuple[Bools, Ints]:
    """Return which rewards are awaited, and the arms of their decisions."""
    (_, session), row = people.population.arrays, np.maximum(came.row, 0)
    pending = session.pending
    # A free slot has the number that decision −1 would have.
    slots = (pending.number[row] == came.number[:, None] + 1) & (came.number[:, None] >= 0)
    return slots.any(axis=1), pending.arm[row, slots.argmax(axis=1)].astype(np.int64)


def repetitions(came: Came) -> tuple[Bools, Bools]:
    """Return which rows repeat the one before, and which are of a decision with two rewards that differ."""
    row, number, reward = came.row, came.number, came.reward
    same = (row[1:] == row[:-1]) & (number[1:] == number[:-1]) & (row[1:] >= 0) & (number[1:] >= 0)
    equal = same & ((reward[1:] == reward[:-1]) | (np.isnan(reward[1:]) & np.isnan(reward[:-1])))
    differs, decision = same & ~equal, np.append(0, np.cumsum(~same))[: row.size]
    twice: Bools = np.isin(decision, decision[1:][differs])
    return np.append(False, equal)[: row.size] & ~twice, twice


def refused_rows(table: Any, reason: str) -> Any:
    """Return rows of a table with the reason for which they are refused; columns that it has not are empty."""
    columns = []
    for field in REFUSED:
        known = field.name in table.column_names
        columns.append(table.column(field.name).cast(field.type) if known else pa.nulls(table.num_rows, field.type))
    columns[-1] = pa.array([reason] * table.num_rows, pa.string())
    return pa.table(columns, schema=REFUSED)
