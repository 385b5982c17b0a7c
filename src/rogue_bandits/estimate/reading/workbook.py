"""Read a sheet of an xlsx workbook."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Iterator
from typing import Any

from rogue_bandits.estimate.reading.columns import Choose, Sheet, as_word, coded, places_in
from rogue_bandits.estimate.reading.sources import Source, missing_extra
from rogue_bandits.unknown_name import unknown

NO_WORKBOOK = "is an archive or a damaged workbook, not a table: open it and save it as CSV (UTF-8) or as xlsx"


def read_workbook(source: Source, choose: Choose, sheet: str | None) -> Sheet:
    """Return the wanted columns of one sheet: the one named, or the only one that has all of them."""
    try:
        import openpyxl
    except ImportError:
        raise missing_extra(source.name, "a workbook", "openpyxl") from None
    with source.open() as file:
        try:
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        except (KeyError, ValueError, zipfile.BadZipFile, openpyxl.utils.exceptions.InvalidFileException):
            raise ValueError(f"{source.name} {NO_WORKBOOK}") from None
        headers = {name: header_of(book[name]) for name in book.sheetnames if hasattr(book[name], "iter_rows")}
        name, note = chosen_sheet(source.name, headers, choose, sheet)
        header = headers[name]
        place = places_in(header, numbered_rows(book[name], 0), choose, source.name)
        row, columns = coded(numbered_rows(book[name], len(header)), header, place)
    raise_on_uncomputed(source, name, {column.name for column in columns.values() if "" in column.cells})
    return Sheet(source.name, row, columns, note)


def chosen_sheet(file: str, headers: dict[str, list[str]], choose: Choose, sheet: str | None) -> tuple[str, list[str]]:
    """Return the name of the sheet to read, and a note if it was chosen by its columns."""
    if sheet is not None:
        if sheet not in headers:
            raise ValueError(f"{file}: {unknown('sheet', sheet, list(headers))}")
        return sheet, []
    filled = [name for name, header in headers.items() if any(header)]
    if not filled:
        raise ValueError(f"{file} is empty: it must have a row with the names of the columns, and data")
    if len(filled) == 1:
        return filled[0], []
    able = [name for name in filled if _has_columns(headers[name], choose)]
    if len(able) == 1:
        return able[0], [f"{file} has {len(filled)} sheets; '{able[0]}' was read, the only one with these columns."]
    which = f"{' and '.join(map(repr, able))} have the columns" if able else "none of them has all columns"
    likely = max(able or filled, key=lambda name: sum(map(bool, headers[name])))  # a page of notes has few columns
    example = f"name one with --sheet {as_word(likely)}"
    raise ValueError(f"{file} has {len(filled)} sheets ({', '.join(filled)}), and {which}: {example}")


def _has_columns(header: list[str], choose: Choose) -> bool:
    try:
        choose(header)
    except ValueError:
        return False
    return True


def header_of(sheet: Any) -> list[str]:
    """Return the first row of a sheet as text, up to its last name."""
    sheet.reset_dimensions()  # programs write wrong ones
    header = [cell_text(value).strip() for value in next(sheet.iter_rows(max_row=1, values_only=True), ())]
    while header and not header[-1]:
        header.pop()
    return header


def numbered_rows(sheet: Any, width: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each row below the header; a width of 0 is that of the row."""
    for row, values in enumerate(sheet.iter_rows(min_row=2, max_col=width or None, values_only=True), start=2):
        cells = list(map(cell_text, values))
        yield row, cells + [""] * (width - len(cells))


def cell_text(value: Any) -> str:
    """Return a cell as text: whole numbers without a point, dates in ISO form.

    >>> cell_text(3.0), cell_text(None), cell_text(datetime.datetime(2015, 7, 22)), cell_text(True)
    ('3', '', '2015-07-22', '1')
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    return str(value)


def raise_on_uncomputed(source: Source, sheet: str, with_gaps: set[str]) -> None:
    """Raise a ValueError if a column has formulas whose results are not stored: they would count as empty."""
    import openpyxl

    with source.open() as file, zipfile.ZipFile(file) as archive:
        sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/") and name.endswith(".xml")]
        if not with_gaps or not any(b"<f" in archive.read(name).replace(b"<font", b"") for name in sheets):
            return
    with source.open() as formulas, source.open() as results:
        left = openpyxl.load_workbook(formulas, read_only=True)[sheet]
        right = openpyxl.load_workbook(results, read_only=True, data_only=True)[sheet]
        header = header_of(left)
        header_of(right)
        both = zip(left.iter_rows(values_only=True), right.iter_rows(values_only=True), strict=False)
        for row, (formula, result) in enumerate(both, start=1):
            for name, one, two in zip(header, formula, result, strict=False):
                if name in with_gaps and two is None and isinstance(one, str) and one.startswith("="):
                    raise ValueError(
                        f"{source.name}, row {row}, column '{name}': the formula {one} has no stored result. "
                        "Open the workbook in a spreadsheet program and save it, or save it as CSV"
                    )
