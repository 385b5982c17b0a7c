"""Read a sheet of an xlsx workbook."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from rogue_bandits.estimate.reading.columns import ROWS_OF_TITLES, Choose, Sheet, as_word, coded, places_in
from rogue_bandits.estimate.reading.sources import Source
from rogue_bandits.wording import unknown

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
MISSING = "#N/A", None
Numbered = tuple[int, list[str]]  # a row with its number
NO_WORKBOOK = "is an archive or a damaged workbook, not a table: open it and save it as CSV (UTF-8) or as xlsx"


def read_workbook(source: Source, choose: Choose, sheet: str | None) -> Sheet:
    """Return the wanted columns of one sheet: the one named, or the only one that has all of them."""
    from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum

    with source.open() as file:
        try:
            book = CalamineWorkbook.from_filelike(file)
            tables = {one.name: book.get_sheet_by_name(one.name) for one in book.sheets_metadata
                      if one.typ == SheetTypeEnum.WorkSheet}  # fmt: skip
        except (CalamineError, zipfile.BadZipFile):
            raise ValueError(f"{source.name} {NO_WORKBOOK}") from None
    headers = {name: header_of(table) for name, table in tables.items()}
    cells = {name: numbered_rows(table.to_python(skip_empty_area=False, nrows=ROWS_OF_TITLES), 0)
             for name, table in tables.items()}  # fmt: skip
    name, note = chosen_sheet(source.name, headers, choose, sheet, {name: list(rows) for name, rows in cells.items()})
    header = headers[name]
    rows = tables[name].to_python(skip_empty_area=False)
    place = places_in(header, numbered_rows(rows, 0), choose, source.name)
    row, columns = coded(numbered_rows(rows, len(header)), header, place)
    with_gaps = {
        k: column.name for k, column in zip(place.values(), columns.values(), strict=True) if "" in column.cells
    }
    raise_on_unread(source, name, with_gaps)
    return Sheet(source.name, row, columns, note)


def chosen_sheet(
    file: str, headers: dict[str, list[str]], choose: Choose, sheet: str | None, below: dict[str, list[Numbered]]
) -> tuple[str, list[str]]:
    """Return the name of the sheet to read, and a note if it was chosen by its columns.

    The first rows `below` the headers show which sheet is meant if none has all columns, and what it lacks.
    """
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
    rows = {name: [headers[name], *(cells for _, cells in below[name])] for name in filled}
    likely = max(able or filled, key=lambda name: max(sum(map(bool, row)) for row in rows[name]))  # notes have few
    example = f"name one with --sheet {as_word(likely)}"
    which = f"{' and '.join(map(repr, able))} have the columns"
    if not able:
        which = "none of them has all columns"
        try:
            places_in(headers[likely], below[likely], choose, file)
        except ValueError as error:
            example += f". {error}"
    raise ValueError(f"{file} has {len(filled)} sheets ({', '.join(filled)}), and {which}: {example}")


def _has_columns(header: list[str], choose: Choose) -> bool:
    try:
        choose(header)
    except ValueError:
        return False
    return True


def header_of(sheet: Any) -> list[str]:
    """Return the first row of a sheet as text, up to its last name."""
    first = sheet.to_python(skip_empty_area=False, nrows=1)
    header = [cell_text(value).strip() for value in (first[0] if first else ())]
    while header and not header[-1]:
        header.pop()
    return header


def numbered_rows(rows: list[list[Any]], width: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each row below the header; a width of 0 is that of the row."""
    for row, values in enumerate(rows[1:], start=2):
        cells = list(map(cell_text, values[:width] if width else values))
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


def raise_on_unread(source: Source, sheet: str, with_gaps: dict[int, str]) -> None:
    """Raise a ValueError if a column has formulas without stored results, or errors: they would count as empty.

    `with_gaps` has the names of the columns with empty cells, by their places.
    """
    with source.open() as file, zipfile.ZipFile(file) as archive:
        part = part_of(archive, sheet)
        text = archive.read(part)
        if not with_gaps or not (b"<f" in text or b't="e"' in text):  # walking through all cells takes long
            return
        with archive.open(part) as content:
            for _, cell in ElementTree.iterparse(content):
                if cell.tag == f"{MAIN}c":
                    column, row = place_of(cell.get("r", "A1"))
                    if column in with_gaps and (words := why_unread(cell)):
                        raise ValueError(f"{source.name}, row {row}, column '{with_gaps[column]}': {words}")
                    cell.clear()


def why_unread(cell: ElementTree.Element) -> str:
    """Return why a cell that is not empty has no value, or nothing if it has one; #N/A is a missing value."""
    formula, result = cell.find(f"{MAIN}f"), cell.findtext(f"{MAIN}v")
    if formula is not None and not result:
        return (
            f"the formula ={formula.text or ''} has no stored result. Open the workbook in a spreadsheet program and "
            "save it, or save it as CSV"
        )
    if cell.get("t") == "e" and result not in MISSING:
        return f"the cell has the error {result}. Correct it, or leave it empty if the value is missing"
    return ""


def part_of(archive: zipfile.ZipFile, sheet: str) -> str:
    """Return the name of the part of a workbook that has a sheet."""
    names = {one.get("name"): one.get(f"{RELATION}id") for one in root_of(archive, "workbook.xml").iter(f"{MAIN}sheet")}
    targets = {one.get("Id"): one.get("Target", "") for one in root_of(archive, "_rels/workbook.xml.rels")}
    target = targets[names[sheet]]
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def root_of(archive: zipfile.ZipFile, part: str) -> ElementTree.Element:
    """Return the root of one of the workbook's XML parts."""
    return ElementTree.fromstring(archive.read(f"xl/{part}"))


def place_of(reference: str) -> tuple[int, int]:
    """Return the column, from 0, and the row, from 1, of a cell.

    >>> place_of("A1"), place_of("AB12")
    ((0, 1), (27, 12))
    """
    letters = reference.rstrip("0123456789")
    column = 0
    for letter in letters:
        column = 26 * column + ord(letter) - ord("A") + 1
    return column - 1, int(reference[len(letters) :])
