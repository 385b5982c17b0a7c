"""Rows that repeat another row: in every column, which are left out, or in their decision alone, which are refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.reading.columns import Sheet, in_one_line, some_rows
from rogue_bandits.estimate.reading.faults import Gathered
from rogue_bandits.estimate.reading.times import COUNTS, MIDNIGHT, NUMBER
from rogue_bandits.types import Ints

MOST_NAMED = 3  # rows that have a decision once more


def is_date(cell: str) -> bool:
    """Return whether a cell has no time of day, or midnight, as spreadsheets write dates.

    Numbers are dates such as 20150722 and whole days of a spreadsheet, not seconds since 1970.

    >>> is_date("2015-07-22 00:00:00"), is_date("2015-07-22 09:00"), is_date("20150722"), is_date("1437582600")
    (True, False, True, False)
    """
    if NUMBER.fullmatch(cell):
        return float(cell) < COUNTS["seconds since 1970"].least and float(cell).is_integer()
    return ":" not in cell or MIDNIGHT.search(cell) is not None


def without_repeats(sheet: Sheet) -> Sheet:
    """Return the sheet without rows that are equal to an earlier one in all columns that are read, with a warning.

    Dates without a time of day are left alone: two decisions of a day may have the same arm and the same reward.
    """
    when = sheet.columns.get("decision") or sheet.columns.get("clock") or sheet.columns.get("time")
    if when is None or (when is sheet.columns.get("time") and all(map(is_date, when.cells))):
        return sheet
    keys = np.unique(sheet.columns["person"].code * len(when.cells) + when.code)
    if keys.size == sheet.row.size:  # each decision of a person has one row: no need to look at the other columns
        return sheet
    codes: Ints = np.stack([column.code for column in sheet.columns.values()], axis=1)
    _, first = np.unique(codes, axis=0, return_index=True)
    again = np.ones(sheet.row.size, dtype=np.bool_)
    again[first] = False
    if not again.any():
        return sheet
    at = int(np.argmax(again))
    original = int(np.argmax((codes == codes[at]).all(axis=1)))
    n = int(again.sum())
    words = "row repeats another exactly and was" if n == 1 else "rows repeat others exactly and were"
    which = f"the first: row {sheet.row[at]} repeats row {sheet.row[original]}"
    note = f"Warning: {n:,} {words} left out ({which})."
    columns = {meaning: some_rows(column, ~again) for meaning, column in sheet.columns.items()}
    return Sheet(sheet.file, sheet.row[~again], columns, [*sheet.notes, note])


class Again(NamedTuple):
    """A row that has the decision of an earlier row of the person: the two rows, the person, the decision in words."""

    row: int
    earlier: int
    person: str
    decision: str


def raise_on_decisions_again(file: str, column: str, every: Sequence[Again], hint: str) -> None:
    """Raise a ValueError if rows have a decision that their person has already: with the first few, and their number.

    >>> again = [Again(row, row - 7, "a", f"decision {row - 9}") for row in range(9, 30)]
    >>> raise_on_decisions_again("d.csv", "day", again[:1], ". Count on")
    Traceback (most recent call last):
    ValueError: d.csv, row 9, column 'day': person 'a' has decision 0 already, in row 2. Count on
    >>> raise_on_decisions_again("d.csv", "day", again, "")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: d.csv, column 'day': 21 rows have a decision that their person has already: row 9 (person 'a' has ...
    """
    if len(every) > MOST_NAMED:
        first = sorted(every)[:MOST_NAMED]
        named = (f"row {one.row} (person '{one.person}' has {one.decision} in row {one.earlier})" for one in first)
        words = in_one_line(f"{', '.join(named)} and {len(every) - MOST_NAMED:,} more")
        raise ValueError(
            f"{file}, column '{column}': {len(every):,} rows have a decision that their person has already: "
            f"{words}{hint}"
        )
    faults = Gathered(file)
    for one in every:
        words = in_one_line(f"person '{one.person}' has {one.decision} already, in row {one.earlier}{hint}")
        faults.add(ValueError(f"{file}, row {one.row}, column '{column}': {words}"))
        hint = ""
    faults.tell()
