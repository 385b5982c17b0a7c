"""Read CSV: encodings, separators, rows of unequal length."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterable, Iterator
from typing import BinaryIO, TextIO, TypeVar

from rogue_bandits.estimate.reading.columns import Choose, Sheet, coded, places_in
from rogue_bandits.estimate.reading.sources import Progress, Source

SEPARATORS = ",;\t|"
BLOCK, ROWS_AT_ONCE = 1 << 20, 100_000  # characters and rows between two checks or reports
BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
OTHERS = {"cp1252": "Windows-1252", "latin-1": "Latin-1"}  # the former has dashes where the latter has no characters
NAMED_SEPARATOR = "sep="  # a line that some spreadsheets write above the header
BINARY = {".xlsx": "a workbook", ".parquet": "a Parquet file"}  # by the end of the name
JSON = "{", "[{", "[["  # as it begins
LONG = f"has a cell of more than {csv.field_size_limit():,} characters"
FAULTS = {  # by what the reader says of them
    "unexpected end": "opens a quotation mark that is never closed",
    "field limit": f"{LONG}; look for a quotation mark that is never closed",
    "expected after": "goes on after a closing quotation mark: write those inside a cell twice",
}
T = TypeVar("T")


def read_text(source: Source, choose: Choose, progress: Progress | None) -> Sheet:
    """Return the wanted columns of a CSV file."""
    encoding, name = encoding_of(source), source.name
    with source.open() as file:
        text = io.TextIOWrapper(file, encoding, newline="")
        separator, skipped = separator_of(text, name)
        numbered = numbered_rows(text, separator, skipped + 1, name)
        header = [cell.strip() for cell in next(numbered, (0, []))[1]]
        place = places_in(header, numbered, choose, name)
        rows = of_width(numbered, len(header), name)
        if progress is not None:
            rows = with_progress(rows, file, progress)
        row, columns = coded(rows, header, place)
    other = f"{name} is not UTF-8; it was read as {OTHERS.get(encoding)}. Check names that have accents."
    return Sheet(name, row, columns, [other] if encoding in OTHERS else [])


def _no_text(name: str) -> str:
    """Return what a file with zero bytes is not, by its name."""
    if kind := next((words for end, words in BINARY.items() if name.lower().endswith(end)), None):
        return f"{name} is not {kind}, or is damaged: open it in the program that wrote it and save it anew, or as CSV"
    return f"{name} is not a text that can be read (it has zero bytes): save it as UTF-8"


def encoding_of(source: Source) -> str:
    """Return the encoding: by a byte-order mark, else UTF-8 if the whole file is, else that of Windows, or Latin-1."""
    for mark, encoding in BOMS.items():
        if source.start.startswith(mark):
            return encoding
    for encoding in ("utf-8", *OTHERS):
        try:
            with io.TextIOWrapper(source.open(), encoding) as text:
                while block := text.read(BLOCK):
                    if "\0" in block:
                        raise ValueError(_no_text(source.name))
            break
        except UnicodeDecodeError:  # never for Latin-1
            continue
    return encoding


def separator_of(text: TextIO, file: str) -> tuple[str, int]:
    """Return the separator that makes most columns of the first row, and how many lines stand above the header."""
    try:
        first = text.readline()
    except UnicodeError:
        encoding = text.encoding.removesuffix("-sig")
        raise ValueError(f"{file} begins as {encoding} does and is not: save it as UTF-8") from None
    if first.lower().startswith(NAMED_SEPARATOR):
        return first.rstrip("\r\n")[len(NAMED_SEPARATOR) :] or ",", 1
    if not first.strip():
        raise ValueError(f"{file}, row 1 is empty: it must have the names of the columns")
    if first.lstrip().startswith(JSON) or first.strip() == "[":
        raise ValueError(
            f"{file} is JSON, not a table: `rogue fit` reads CSV, xlsx and Parquet, and `rogue advise` the people.json "
            "of a fit"
        )
    text.seek(0)
    widths = {mark: columns_in(first, mark) for mark in SEPARATORS}
    if not any(widths.values()):
        raise ValueError(
            f"{file}, row 1 {LONG}: it must have the names of the columns, separated by commas, semicolons, tabs or |"
        )
    return max(SEPARATORS, key=widths.__getitem__), 0


def columns_in(line: str, separator: str) -> int:
    """Return how many cells a separator makes of a line, 0 where one is longer than can be read.

    >>> columns_in("person;arm", ";")
    2
    """
    try:
        return len(next(csv.reader([line], delimiter=separator)))
    except csv.Error:
        return 0


def numbered_rows(text: TextIO, separator: str, first: int, file: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each row, from the header on."""
    row = first - 1
    try:
        for row, cells in enumerate(csv.reader(text, delimiter=separator, strict=True), start=first):
            yield row, cells
    except UnicodeError:
        raise ValueError(f"{file}, near row {row + 1}, is not {text.encoding}: save it as UTF-8") from None
    except csv.Error as error:
        fault = next((words for part, words in FAULTS.items() if part in str(error)), f"cannot be read: {error}")
        raise ValueError(f"{file}, row {row + 1} {fault}") from None


def of_width(rows: Iterable[tuple[int, list[str]]], width: int, file: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows, filled up or cut to the width of the header; cells beyond it must be empty."""
    for row, cells in rows:
        if len(cells) != width:
            if any(map(str.strip, cells[width:])):
                raise ValueError(
                    f"{file}, row {row} has {len(cells)} cells where the header has {width}: "
                    "put a cell that contains a comma in quotation marks"
                )
            cells = cells[:width] + [""] * (width - len(cells))
        yield row, cells


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
