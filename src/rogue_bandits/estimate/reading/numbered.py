"""Decisions that a column numbers: 0, 1, 2, …, or from any other whole number on."""

from __future__ import annotations

import numpy as np

from rogue_bandits.estimate.reading.cells import NOT_OBSERVED
from rogue_bandits.estimate.reading.columns import Column, Sheet
from rogue_bandits.estimate.reading.faults import Gathered
from rogue_bandits.estimate.reading.numbers import CODES
from rogue_bandits.estimate.reading.times import NUMBER, Times, kind_of_number
from rogue_bandits.types import Ints

LARGEST_DECISION = 1e15  # whole numbers up to here are exact


def numbered_decisions(sheet: Sheet, column: Column) -> Ints:
    """Return the numbers in the column of decisions."""
    faults = Gathered(sheet.file)
    values = np.array([faults.of(0, decision_in, sheet, column, k) for k in range(len(column.cells))], dtype=np.int64)
    faults.tell()
    if kind := kind_of_number(values):
        words = f"decision '{column.cells[0]}' looks like {kind}: add --time {column.word()} (and leave --decision out)"
        raise sheet.error(column, 0, words)
    return values[column.code]


def decision_in(sheet: Sheet, column: Column, k: int) -> int:
    """Return the number of a decision; anything else raises a ValueError."""
    cell = column.cells[k]
    if cell.lower() in NOT_OBSERVED:
        more = column.rows_of(k) - 1
        like = f" ({more:,} more like this)" if more else ""
        raise sheet.error(column, k, f"the number of the decision is missing{like}")
    try:
        value = float(cell.replace("_", "?").replace(",", "?"))
    except ValueError:
        value = np.inf
    if not (abs(value) < LARGEST_DECISION and value == np.floor(value)):
        words = f"decision '{cell}' must be a whole number, such as 0, 1, 2{_instead(column, k)}"
        raise sheet.error(column, k, words)
    return int(value)


def _instead(column: Column, k: int) -> str:
    """Return the advice to use --time where a cell looks like a date."""
    cell = column.cells[k]
    digits = sum(map(str.isdigit, cell))
    is_date = digits >= 3 and any(mark in cell for mark in "-/:") and not cell.startswith("-")
    serial = "." in cell and NUMBER.fullmatch(cell) is not None and float(cell) > 18_264.0  # days since 1900
    advice = f". It looks like a date: add --time {column.word()} (and leave --decision out)"
    return advice if is_date or serial else ""


def notes_on_order(sheet: Sheet, decision: Ints, times: Times) -> list[str]:
    """Return a warning if times go back from a decision of a person to the next."""
    person = sheet.columns["person"].code
    order = np.lexsort((decision, person))
    back = (np.diff(person[order]) == 0) & (np.diff(times.instant[order]) < 0)
    if not back.any():
        return []
    row, n = sheet.row[order[int(np.argmax(back)) + 1]], int(back.sum())
    are = "decision is" if n == 1 else "decisions are"
    return [f"Warning: {n:,} {are} numbered after one that has a later time (the first in row {row})."]


def notes_below_0(sheet: Sheet, column: Column, decision: Ints) -> list[str]:
    """Return a note on decisions below 0, which are counted from the first of each person; a code brings a warning.

    A number such as -99 may stand for a missing one if the next above it is farther away than others are apart.
    """
    below = int(np.count_nonzero(decision < 0))
    if not below:
        return []
    at, different = int(np.argmin(decision)), np.unique(decision)
    lowest, apart = int(decision[at]), np.diff(different)
    where = f"row {sheet.row[at]}, column '{column.name}'"
    if -lowest in CODES and apart.size > 1 and apart[0] > apart[1:].max():
        return [
            f"Warning: decision {lowest} ({where}) counts as a decision, {apart[0]:,} before {different[1]}. If it "
            "stands for a number that is missing, write that number or leave the row out."
        ]
    numbers = "1 decision has a number" if below == 1 else f"{below:,} decisions have numbers"
    return [
        f"{numbers} below 0, as days before a start have; the lowest is {lowest} ({where}). Only differences between "
        "the decisions of a person count: the first of each person is their beginning."
    ]
