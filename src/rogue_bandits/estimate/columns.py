"""Columns of a table: which means what, and their cells as numbers; errors name the row and the column."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rogue_bandits.types import Bools, Floats, Ints

NOT_SEEN = "", "na", "nan", "null"  # as spreadsheets, R, Python and databases write it
YES_NO = {"1": True, "1.0": True, "true": True, "yes": True, "0": False, "0.0": False, "false": False, "no": False}
LARGEST_DECISION = 1e15  # whole numbers up to here are exact


class Columns(NamedTuple):
    """The names of the columns; `available` is used where there is one, unless it is asked for by name.

    >>> Columns(arm="action").arm
    'action'
    """

    person: str = "person"
    decision: str = "decision"
    arm: str = "arm"
    reward: str = "reward"
    available: str | None = None


def places(columns: Columns, header: list[str], file: str) -> dict[str, int]:
    """Where each column is in the header, by its meaning; a ValueError names what is missing and what is nearest.

    >>> places(Columns(), ["person", "decision", "arm", "reward"], "data.csv")
    {'person': 0, 'decision': 1, 'arm': 2, 'reward': 3}
    >>> places(Columns(), ["person", "decision", "arm", "rewards"], "data.csv")
    Traceback (most recent call last):
    ValueError: data.csv has no column 'reward'. Did you mean 'rewards'? Then add --reward rewards. It has: person, ...
    """
    wanted = {meaning: name for meaning, name in columns._asdict().items() if name is not None}
    if columns.available is None and "available" in header:
        wanted["available"] = "available"
    found: dict[str, int] = {}
    for meaning, name in wanted.items():
        if name not in header:
            raise ValueError(missing(meaning, name, header, file))
        if header.count(name) > 1:
            raise ValueError(f"{file} has {header.count(name)} columns '{name}': rename all but one")
        twin = next((other for other, place in found.items() if header[place] == name), None)
        if twin is not None:
            raise ValueError(f"column '{name}' cannot be both --{twin} and --{meaning}: each is a column of its own")
        found[meaning] = header.index(name)
    return found


def missing(meaning: str, name: str, header: list[str], file: str) -> str:
    """The words for a column that is not there."""
    lower = {other.lower(): other for other in header}
    near = difflib.get_close_matches(name.lower(), lower, n=1, cutoff=0.6)
    option = f"--{meaning} {shell(lower[near[0]])}" if near else f"--{meaning} NAME"
    hint = f"Did you mean '{lower[near[0]]}'? Then add {option}" if near else f"Name the right one with {option}"
    return f"{file} has no column '{name}'. {hint}. It has: {', '.join(header)}"


def shell(name: str) -> str:
    """A name as one word of a command."""
    return name if name.isidentifier() else f'"{name}"'


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
