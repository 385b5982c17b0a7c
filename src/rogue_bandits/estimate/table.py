"""A CSV file as rows of numbers, piece by piece: the memory it takes does not depend on its other columns."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from rogue_bandits.estimate.columns import (
    NOT_SEEN,
    Column,
    Columns,
    Names,
    available_in,
    decisions_in,
    places,
    rewards_in,
)
from rogue_bandits.estimate.encoding import Form, form_of
from rogue_bandits.types import Bools, Floats, Ints

ROWS_AT_ONCE = 100_000
RESTS = ("none",)

Progress = Callable[[int], None]


class Rows(NamedTuple):
    """Rows of a table as numbers."""

    row: Ints  # in the file; the header is row 1
    person: Ints
    decision: Ints
    arm: Ints  # −1: a rest
    reward: Floats  # nan: not observed
    unavailable: Bools  # an arm is named, and yet nothing could be sent: a rest


class Table(NamedTuple):
    """What a file has: its rows, the names behind their numbers, and what a reader should know."""

    file: str
    columns: dict[str, str]  # what a column is called, by what it means
    people: list[str]
    arms: list[str]
    rows: Rows
    notes: list[str]


def read_table(path: Path, columns: Columns, rests: tuple[str, ...] = RESTS, progress: Progress | None = None) -> Table:
    """Read a table; `progress` is called with the number of bytes just read. A ValueError says what is wrong with it.

    An arm that is empty or one of `rests` is a rest; so is a decision at which nothing was available.
    """
    form = form_of(path)
    place = places(columns, form.header, path.name)
    people, arms = Names(), Names()
    rest_words = [*NOT_SEEN, *(word.strip().lower() for word in rests)]
    parts = [rows_of(piece, people, arms, rest_words) for piece in pieces(path, form, place, progress)]
    rows = Rows(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    if not rows.row.size:
        raise ValueError(f"{path.name} has the names of columns, but no data below them")
    notes = [f"{path.name} is not UTF-8; it was read as Latin-1. Check names that have accents."]
    return Table(
        path.name,
        {meaning: form.header[k] for meaning, k in place.items()},
        list(people.number),
        list(arms.number),
        rows,
        notes if form.encoding == "latin-1" else [],
    )


def pieces(path: Path, form: Form, place: dict[str, int], progress: Progress | None) -> Iterator[dict[str, Column]]:
    """The columns that matter, some rows at a time."""
    row = 2
    with path.open("rb") as file, warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # pandas would drop the cells that are too many
        try:
            # All columns are read: with fewer, rows of too many cells would pass unnoticed, their cells displaced.
            chunks = pd.read_csv(
                file, sep=form.separator, encoding=form.encoding, header=0, index_col=False, dtype=str,
                na_filter=False, skip_blank_lines=False, chunksize=ROWS_AT_ONCE,
            )  # fmt: skip
            before = 0
            for chunk in chunks:
                yield {
                    meaning: Column(path.name, form.header[k], row, chunk.iloc[:, k].str.strip())
                    for meaning, k in place.items()
                }
                row += len(chunk)
                if progress is not None:
                    progress(file.tell() - before)
                    before = file.tell()
        except pd.errors.ParserWarning:
            raise ValueError(
                f"{path.name}, near row {row} has more cells than the header's {len(form.header)}: "
                "put a cell that contains a comma in quotation marks"
            ) from None
        except pd.errors.ParserError as error:
            raise ValueError(f"{path.name}, {in_words(str(error), row)}") from None
        except UnicodeError:
            raise ValueError(f"{path.name}, near row {row}, is not {form.encoding}: save it as UTF-8") from None


def in_words(error: str, row: int) -> str:
    """What the parser found wrong.

    >>> in_words("Error tokenizing data. C error: Expected 4 fields in line 3, saw 5", 2)
    'row 3 has 5 cells where the header has 4: put a cell that contains a comma in quotation marks'
    """
    if found := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", error):
        most, line, cells = found.groups()
        return (
            f"row {line} has {cells} cells where the header has {most}: "
            "put a cell that contains a comma in quotation marks"
        )
    if found := re.search(r"EOF inside string starting at row (\d+)", error):
        return f"row {int(found[1]) + 1} opens a quotation mark that is never closed"
    return f"after row {row}, cannot be read as a table: {error}"


def rows_of(piece: dict[str, Column], people: Names, arms: Names, rest_words: list[str]) -> Rows:
    """The rows of one piece; those that are empty are left out."""
    filled = np.any([column.cells.to_numpy() != "" for column in piece.values()], axis=0)
    row = piece["person"].row + np.flatnonzero(filled)
    if not filled.all():
        piece = {meaning: column._replace(cells=column.cells.where(filled, "0")) for meaning, column in piece.items()}
    person = piece["person"]
    person.refuse((person.cells == "").to_numpy(dtype=np.bool_), lambda cell: "the name of the person is missing")
    decision, reward = decisions_in(piece["decision"]), rewards_in(piece["reward"])
    could = available_in(piece["available"]) if "available" in piece else np.ones(filled.size, dtype=np.bool_)
    named = ~piece["arm"].cells.str.lower().isin(rest_words).to_numpy(dtype=np.bool_)
    arm = np.full(filled.size, -1, dtype=np.int64)
    sent = named & could & filled
    arm[sent] = arms.numbers(piece["arm"].cells[sent])
    codes = people.numbers(person.cells[filled])
    return Rows(row, codes, decision[filled], arm[filled], reward[filled], (named & ~could)[filled])
