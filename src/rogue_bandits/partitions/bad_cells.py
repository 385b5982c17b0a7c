"""What is wrong with a table, in words: the columns that it lacks, or the first cell that cannot be read."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

ROWS_OF_A_BLOCK = 50_000
ALLOWED = {
    pa.int64(): "a whole number",
    pa.float64(): "a number",
    pa.bool_(): "true or false, or 1 or 0",
    pa.string(): "a text",
}
SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}
NOT_TEXT = "is not UTF-8 text: save it as CSV in UTF-8"
EMPTY = frozenset(arrow_csv.ConvertOptions().null_values)  # cells that Arrow reads as empty


def header_of(file: Path) -> list[str]:
    """Return the names of the columns of a CSV file."""
    try:
        for _, names in _rows(file):
            return names
    except UnicodeDecodeError:
        raise ValueError(f"table '{file}' {NOT_TEXT}") from None
    raise ValueError(f"table '{file}' is empty: it has no header")


def raise_on_columns(file: Path, names: list[str], schema: Any) -> None:
    """Raise a ValueError unless a table has each column that is needed once."""
    missing = [name for name in schema.names if name not in names]
    if missing:
        hint = _separator_hint(names) if file.suffix == ".csv" else ""
        wanted = ", ".join(f"{field.name} ({ALLOWED[field.type]})" for field in schema)
        raise ValueError(
            f"table '{file}' has no column '{missing[0]}', among {', '.join(map(repr, names))}{hint}. It needs {wanted}"
        )
    for name in schema.names:
        if names.count(name) > 1:
            raise ValueError(f"table '{file}' has {names.count(name)} columns '{name}': it must have one")


def _separator_hint(names: list[str]) -> str:
    for separator, words in SEPARATORS.items():
        if len(names) == 1 and separator in names[0]:
            return f". Its columns are separated by {words}: write them with commas"
    return ""


def fault_in_csv(file: Path, schema: Any) -> str:
    """Return what is wrong with the first row of a CSV file that cannot be read; empty if none is found.

    The header is row 1, as in a spreadsheet.
    """
    rows = _rows(file)
    try:
        _, names = next(rows)
        while block := list(islice(rows, ROWS_OF_A_BLOCK)):
            for number, row in block:
                if len(row) != len(names):
                    block = block[: block.index((number, row))]
                    if words := _fault_in_block(file, block, names, schema):
                        return words
                    return f"table '{file}', row {number}: it has {len(row)} cells, and the header {len(names)}"
            if words := _fault_in_block(file, block, names, schema):
                return words
    except UnicodeDecodeError:
        return f"table '{file}' {NOT_TEXT}"
    return ""


def _fault_in_block(file: Path, block: list[tuple[int, list[str]]], names: list[str], schema: Any) -> str:
    faults = []
    for field in schema:
        place = names.index(field.name)
        cells = pa.array([None if row[place] in EMPTY else row[place] for _, row in block], pa.string())
        if (found := bad_cell(cells, field.type)) is not None:
            faults.append((found[0], f"column '{field.name}': {found[1]}"))
    if not faults:
        return ""
    at, words = min(faults)
    return f"table '{file}', row {block[at][0]}, {words}"


def bad_cell(values: Any, type_: Any) -> tuple[int, str] | None:
    """Return the place of the first value that cannot be read in a type, and why; None if all can.

    >>> bad_cell(pa.array(["1", None, "much"]), pa.float64())
    (2, "'much' must be a number")
    >>> bad_cell(pa.array([0.0, 2.0]), pa.bool_())
    (1, '2.0 must be true or false, or 1 or 0')
    >>> bad_cell(pa.array([1.0, None, float("nan")]), pa.bool_())
    (2, 'nan must be true or false, or 1 or 0')
    """
    if values.type == type_ or _can_cast(values, type_):
        return None
    first, end = 0, len(values)  # the first bad value is among these
    while end - first > 1:
        middle = (first + end) // 2
        if _can_cast(values.slice(first, middle - first), type_):
            first = middle
        else:
            end = middle
    value = values[first].as_py() if len(values) else str(values.type)
    return first, f"{value!r} must be {ALLOWED[type_]}"


def _can_cast(values: Any, type_: Any) -> bool:
    if pa.types.is_temporal(values.type):  # Arrow takes a time for a number
        return False
    try:
        cast = values.cast(type_)
    except pa.ArrowException:
        return False
    is_number = pa.types.is_integer(values.type) or pa.types.is_floating(values.type)
    if pa.types.is_boolean(type_) and is_number:  # Arrow takes every number but 0 for true
        return not pc.any(pc.not_equal(values, cast.cast(values.type))).as_py()
    return True


def _rows(file: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV file that are not empty, with their numbers."""
    with file.open(encoding="utf-8-sig", newline="") as opened:
        reader = csv.reader(opened)
        for row in reader:
            if row:
                yield reader.line_num, row
