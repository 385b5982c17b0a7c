"""Cells of a table as numbers. What is none is refused by its row and its column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rogue_bandits.types import Bools, Floats, Ints

NOT_SEEN = "", "na", "nan", "null"  # as spreadsheets, R, Python and databases write it
YES_NO = {"1": True, "1.0": True, "true": True, "yes": True, "0": False, "0.0": False, "false": False, "no": False}
LARGEST_DECISION = 1e15  # whole numbers up to here are exact


class Column(NamedTuple):
    """A piece of a column: its cells, and where it is."""

    file: str
    name: str
    row: int  # of the first cell; the header is row 1
    cells: Any  # a pandas Series of text

    def refuse(self, bad: Bools, fault: Callable[[str], str]) -> None:
        """A ValueError at the first bad cell, if there is one."""
        if bad.any():
            at = int(np.argmax(bad))
            raise ValueError(f"{self.file}, row {self.row + at}, column '{self.name}': {fault(self.cells.iloc[at])}")


def numbers(column: Column) -> tuple[Floats, Bools]:
    """The cells as numbers, nan where they are none; and which say that there is nothing."""
    # On the cells as they are: numpy's nan would take the word 'nan' for a number.
    nothing = column.cells.str.lower().isin(NOT_SEEN).to_numpy(dtype=np.bool_)
    values = pd.to_numeric(column.cells.mask(nothing, "nan"), errors="coerce")
    return values.to_numpy(dtype=np.float64), nothing


def rewards_in(column: Column) -> Floats:
    """Rewards; nan where none was observed."""
    values, nothing = numbers(column)
    column.refuse(np.isnan(values) & ~nothing, lambda cell: f"reward '{cell}' is no number{comma(cell)}")
    column.refuse(np.isinf(values), lambda cell: f"reward '{cell}' must be finite")
    return values


def comma(cell: str) -> str:
    """What to do about a decimal comma."""
    return f", write it with a point: {cell.replace(',', '.')}" if cell.count(",") == 1 else ""


def decisions_in(column: Column) -> Ints:
    """The numbers of decisions."""
    values, nothing = numbers(column)
    column.refuse(nothing, lambda cell: "the number of the decision is missing")
    whole = (np.floor(values) == values) & (np.abs(values) < LARGEST_DECISION)
    column.refuse(~whole, lambda cell: f"decision '{cell}' must be a whole number, such as 0, 1, 2")
    return values.astype(np.int64)


def available_in(column: Column) -> Bools:
    """Could anything be sent? Where the cell is empty, it could."""
    said = column.cells.str.lower()
    unknown = ~said.isin([*YES_NO, *NOT_SEEN]).to_numpy(dtype=np.bool_)
    column.refuse(unknown, lambda cell: f"available '{cell}' must be 1 or 0 (or true, false, yes, no)")
    return said.map(YES_NO).fillna(True).to_numpy(dtype=np.bool_)


class Names:
    """Names as numbers, in the order of their first appearance."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}

    def numbers(self, cells: Any) -> Ints:
        """The number of each cell's name."""
        codes, names = pd.factorize(cells)
        known = np.array([self.number.setdefault(str(name), len(self.number)) for name in names], dtype=np.int64)
        return known[codes] if known.size else np.empty(0, dtype=np.int64)
