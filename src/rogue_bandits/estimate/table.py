"""Read a CSV file with a row for each decision of a person; errors name the row and the column."""

from __future__ import annotations

import codecs
import csv
import difflib
import io
import math
from array import array
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO, TypeVar

import numpy as np

from rogue_bandits.types import Bools, Floats, Ints

NOT_OBSERVED = "", "na", "nan", "null"  # as spreadsheets, R, Python and databases write it
RESTS = ("none",)
YES_NO = {"1": True, "1.0": True, "true": True, "yes": True, "0": False, "0.0": False, "false": False, "no": False}
LARGEST_DECISION = 1e15  # whole numbers up to here are exact
SEPARATORS = ",;\t|"
BLOCK, ROWS_AT_ONCE = 1 << 20, 100_000  # characters and rows between two checks or reports
BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
NOT_TEXT = {
    b"PK\x03\x04": "a spreadsheet or an archive",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet",
    b"\x1f\x8b": "compressed",
    b"PAR1": "a Parquet file",
}

Progress = Callable[[int], None]
T = TypeVar("T")


class Columns(NamedTuple):
    """The names of the columns; a column `available` is used where there is one, unless another is named.

    >>> Columns(arm="action").arm
    'action'
    """

    person: str = "person"
    decision: str = "decision"
    arm: str = "arm"
    reward: str = "reward"
    available: str | None = None


class Rows(NamedTuple):
    """Rows of a table as numbers."""

    row: Ints  # in the file; the header is row 1
    person: Ints
    decision: Ints
    arm: Ints  # −1: a rest
    reward: Floats  # nan: not observed
    unavailable: Bools  # an arm is named although nothing could be sent: a rest


class Table(NamedTuple):
    """The rows of a file, the names behind their numbers, and notes for the reader."""

    file: str
    columns: dict[str, str]  # the name of a column, by its meaning
    people: list[str]
    arms: list[str]
    rows: Rows
    notes: list[str]


def read_table(path: Path, columns: Columns, rests: tuple[str, ...] = RESTS, progress: Progress | None = None) -> Table:
    """Read a table; `progress` is called with the number of bytes just read. A ValueError says what is wrong with it.

    An arm that is empty or one of `rests` is a rest; so is a decision at which nothing was available.
    """
    encoding = encoding_of(path)
    with path.open("rb") as file:
        text = io.TextIOWrapper(file, encoding, newline="")
        try:
            first = text.readline()
        except UnicodeError:
            raise ValueError(f"{path.name} begins as {encoding} does and is not: save it as UTF-8") from None
        if not first.strip():
            raise ValueError(f"{path.name}, row 1 is empty: it must have the names of the columns")
        separator = max(SEPARATORS, key=first.count)
        header = [name.strip() for name in next(csv.reader([first], delimiter=separator))]
        place = column_places(columns, header, path.name)
        numbered = numbered_rows(text, separator, len(header), path.name)
        if progress is not None:
            numbered = with_progress(numbered, file, progress)
        people, arms, rows = parsed(numbered, header, place, rests, path.name)
    if not rows.row.size:
        raise ValueError(f"{path.name} has the names of columns, but no data below them")
    notes = [f"{path.name} is not UTF-8; it was read as Latin-1. Check names that have accents."]
    named = {meaning: header[k] for meaning, k in place.items()}
    return Table(path.name, named, people, arms, rows, notes if encoding == "latin-1" else [])


def encoding_of(path: Path) -> str:
    """Return the encoding: by a byte-order mark, else UTF-8 if the whole file is, else Latin-1."""
    with path.open("rb") as file:
        start = file.read(4)
    if not start:
        raise ValueError(f"{path.name} is empty: it must have a row with the names of the columns, and data")
    for mark, kind in NOT_TEXT.items():
        if start.startswith(mark):
            raise ValueError(f"{path.name} is {kind}, not a CSV file: open it and save it as CSV (UTF-8)")
    for mark, encoding in BOMS.items():
        if start.startswith(mark):
            return encoding
    for encoding in ("utf-8", "latin-1"):
        try:
            with path.open(encoding=encoding) as text:
                while block := text.read(BLOCK):
                    if "\0" in block:
                        raise ValueError(
                            f"{path.name} is not a text that can be read (it has zero bytes): save it as UTF-8"
                        )
            break
        except UnicodeDecodeError:  # never for Latin-1
            continue
    return encoding


def column_places(columns: Columns, header: list[str], file: str) -> dict[str, int]:
    """Return the place of each column in the header, by its meaning.

    >>> column_places(Columns(), ["person", "decision", "arm", "reward"], "data.csv")
    {'person': 0, 'decision': 1, 'arm': 2, 'reward': 3}
    >>> column_places(Columns(), ["person", "decision", "arm", "rewards"], "data.csv")
    Traceback (most recent call last):
    ValueError: data.csv has no column 'reward'. Did you mean 'rewards'? Then add --reward rewards. It has: person, ...
    """
    wanted = {meaning: name for meaning, name in columns._asdict().items() if name is not None}
    if columns.available is None and "available" in header:
        wanted["available"] = "available"
    meaning_of: dict[str, str] = {}
    for meaning, name in wanted.items():
        if name not in header:
            lower = {other.lower(): other for other in header}
            near = [lower[other] for other in difflib.get_close_matches(name.lower(), lower, n=1, cutoff=0.6)]
            hint = f"Name the right one with --{meaning} NAME"
            for other in near:
                word = other if other.isidentifier() else f'"{other}"'  # one word of a command
                hint = f"Did you mean '{other}'? Then add --{meaning} {word}"
            raise ValueError(f"{file} has no column '{name}'. {hint}. It has: {', '.join(header)}")
        if header.count(name) > 1:
            raise ValueError(f"{file} has {header.count(name)} columns '{name}': rename all but one")
        if name in meaning_of:
            both = f"both --{meaning_of[name]} and --{meaning}"
            raise ValueError(f"column '{name}' cannot be {both}: each is a column of its own")
        meaning_of[name] = meaning
    return {meaning: header.index(name) for meaning, name in wanted.items()}


def numbered_rows(text: TextIO, separator: str, width: int, file: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each row below the header and its cells, filled up to the width of the header."""
    row = 1
    try:
        for row, cells in enumerate(csv.reader(text, delimiter=separator, strict=True), start=2):
            if any(cells[width:]):
                raise ValueError(
                    f"{file}, row {row} has {len(cells)} cells where the header has {width}: "
                    "put a cell that contains a comma in quotation marks"
                )
            yield row, [cell.strip() for cell in cells] + [""] * (width - len(cells))
    except UnicodeError:
        raise ValueError(f"{file}, near row {row + 1}, is not {text.encoding}: save it as UTF-8") from None
    except csv.Error as error:
        never_ends = "unexpected end" in str(error) or "field limit" in str(error)
        fault = "opens a quotation mark that is never closed" if never_ends else f"cannot be read as a table: {error}"
        raise ValueError(f"{file}, row {row + 1} {fault}") from None


def with_progress(rows: Iterable[T], file: BinaryIO, progress: Progress) -> Iterator[T]:
    """Yield the rows; call `progress` with the bytes just read, at every `ROWS_AT_ONCE` rows and at the end."""
    before = 0
    for n, row in enumerate(rows, start=1):
        yield row
        if n % ROWS_AT_ONCE == 0:
            progress(file.tell() - before)
            before = file.tell()
    if file.tell() > before:
        progress(file.tell() - before)


def parsed(
    numbered: Iterable[tuple[int, list[str]]],
    header: list[str],
    place: dict[str, int],
    rests: tuple[str, ...],
    file: str,
) -> tuple[list[str], list[str], Rows]:
    """Return the names of people and arms in the order of their appearance, and the rows; empty rows are left out."""
    people, arms = dict[str, int](), dict[str, int]()
    rest_words = {*NOT_OBSERVED, *(word.strip().lower() for word in rests)}
    columns = [array(kind) for kind in "qqqqdb"]  # of Rows
    for row, cells in numbered:
        if not any(cells[k] for k in place.values()):
            continue
        value: dict[str, Any] = {"available": True}
        for meaning, k in place.items():
            try:
                value[meaning] = PARSERS[meaning](cells[k])
            except ValueError as error:
                raise ValueError(f"{file}, row {row}, column '{header[k]}': {error}") from None
        is_named = value["arm"].lower() not in rest_words
        person = people.setdefault(value["person"], len(people))
        arm = arms.setdefault(value["arm"], len(arms)) if is_named and value["available"] else -1
        unavailable = is_named and not value["available"]
        numbers = row, person, value["decision"], arm, value["reward"], unavailable
        for column, number in zip(columns, numbers, strict=True):
            column.append(number)
    rows = Rows(*(np.array(column) for column in columns))
    return list(people), list(arms), rows._replace(unavailable=rows.unavailable.astype(np.bool_))


# ---- cells -----------------------------------------------------------------------------------------------------------
def person_in(cell: str) -> str:
    """Return the name of a person."""
    if not cell:
        raise ValueError("the name of the person is missing")
    return cell


def number_in(cell: str, what: str) -> float:
    """Return the number in a cell; nan if it is not observed.

    >>> number_in("0,5", "reward")
    Traceback (most recent call last):
    ValueError: reward '0,5' is no number, write it with a point: 0.5
    """
    if cell.lower() in NOT_OBSERVED:
        return math.nan
    try:
        value = float(cell.replace("_", "?"))  # Python would read 1_000
    except ValueError:
        point = f", write it with a point: {cell.replace(',', '.')}" if cell.count(",") == 1 else ""
        raise ValueError(f"{what} '{cell}' is no number{point}") from None
    if not math.isfinite(value):
        raise ValueError(f"{what} '{cell}' must be finite")
    return value


def decision_in(cell: str) -> int:
    """Return the number of a decision."""
    if cell.lower() in NOT_OBSERVED:
        raise ValueError("the number of the decision is missing")
    try:
        value = number_in(cell, "decision")
    except ValueError:
        value = math.inf
    if not (abs(value) < LARGEST_DECISION and value == math.floor(value)):
        raise ValueError(f"decision '{cell}' must be a whole number, such as 0, 1, 2")
    return int(value)


def available_in(cell: str) -> bool:
    """Return whether anything could be sent; an empty cell says that it could."""
    if cell.lower() in NOT_OBSERVED:
        return True
    if cell.lower() not in YES_NO:
        raise ValueError(f"available '{cell}' must be 1 or 0 (or true, false, yes, no)")
    return YES_NO[cell.lower()]


PARSERS: dict[str, Callable[[str], Any]] = {
    "person": person_in,
    "decision": decision_in,
    "arm": str,
    "reward": lambda cell: number_in(cell, "reward"),
    "available": available_in,
}
