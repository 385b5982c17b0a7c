"""Files of all kinds have the same content; what is no table is refused in words."""

from __future__ import annotations

import datetime
import io
import sys
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow
import pytest
from pyarrow import parquet

from rogue_bandits.estimate.table import Columns, Reading, Table, read_table
from tests.estimate.reading.made_up import read

HEADER = ["person", "when", "arm", "reward", "note"]
ROWS: list[list[Any]] = [
    [1, datetime.datetime(2015, 7, 22, 9), "walk", 0.5, "x"],
    [1, datetime.datetime(2015, 7, 22, 18), None, 1.0, None],
    [1, datetime.datetime(2015, 7, 23, 9), "sit", None, "a, b"],
    [2, datetime.datetime(2015, 7, 23, 18), "walk", 3.0, "y"],
]


def as_csv(rows: list[list[Any]], separator: str = ",") -> bytes:
    quoted = [[f'"{cell}"' if separator in str(cell) else str(cell or "") for cell in row] for row in [HEADER, *rows]]
    return "\n".join(separator.join(row) for row in quoted).encode()


def as_workbook(*sheets: tuple[str, list[list[Any]]]) -> bytes:
    book = openpyxl.Workbook()
    del book[book.sheetnames[0]]
    for name, rows in sheets:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    with io.BytesIO() as file:
        book.save(file)
        return file.getvalue()


def as_parquet(rows: list[list[Any]]) -> bytes:
    columns = {name: [row[k] for row in rows] for k, name in enumerate(HEADER)}
    with io.BytesIO() as file:
        parquet.write_table(pyarrow.table(columns), file)
        return file.getvalue()


DATA = [HEADER, *ROWS]
KINDS = {
    "d.csv": as_csv(ROWS),
    "d.tsv": as_csv(ROWS, "\t"),
    "d.xlsx": as_workbook(("Data", DATA)),
    "d.parquet": as_parquet(ROWS),
    "wrong_ending.csv": as_workbook(("Data", DATA)),
}


def content(table: Table) -> list[Any]:
    return [table.people, table.arms, *(column.tolist() for column in table.rows[:4]), str(table.rows.reward.tolist())]


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_file_has_the_same_content(tmp_path: Path, name: str) -> None:
    table = read(tmp_path, KINDS[name], name=name, time="when")
    assert content(table) == [
        ["1", "2"], ["walk", "sit"], [2, 3, 4, 5], [0, 0, 0, 1], [0, 1, 2, 0], [0, -1, 1, 0], "[0.5, 1.0, nan, 3.0]",
    ]  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_the_standard_input_is_read_as_well(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(KINDS[name])))
    table = read_table(Path("-"), Columns(time="when"))
    assert content(table) == content(read(tmp_path, KINDS[name], name=name, time="when"))
    assert table.file == "stdin"


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ValueError, match=r"rogue-bandits\[tables\]") as error:
        read(tmp_path, KINDS["d.parquet"], name="d.parquet", time="when")
    assert str(error.value) == (
        "d.parquet is a Parquet file, which pyarrow reads, and that is not installed: "
        "pip install 'rogue-bandits[tables]', or save the file as CSV"
    )


def test_the_sheet_with_the_columns_is_found_or_named(tmp_path: Path) -> None:
    codes = ("Codebook", [["column", "meaning"], ["arm", "what was sent"]])
    table = read(tmp_path, as_workbook(codes, ("Data", DATA), ("Empty", [])), name="d.xlsx", time="when")
    assert table.notes[0] == "d.xlsx has 2 sheets; 'Data' was read, the only one with these columns."
    two = as_workbook(("Wave 1", DATA), ("Wave 2", DATA[:3]))
    with pytest.raises(ValueError, match="sheets") as error:
        read(tmp_path, two, name="d.xlsx", time="when")
    assert str(error.value) == (
        "d.xlsx has 2 sheets (Wave 1, Wave 2), and 'Wave 1' and 'Wave 2' have the columns: name one with "
        '--sheet "Wave 1"'
    )
    assert read(tmp_path, two, Reading(sheet="Wave 2"), name="d.xlsx", time="when").rows.row.tolist() == [2, 3]
    with pytest.raises(ValueError, match=r"d\.xlsx: sheet 'Wave2' is unknown, did you mean 'Wave 2'\?"):
        read(tmp_path, two, Reading(sheet="Wave2"), name="d.xlsx", time="when")
    with pytest.raises(ValueError, match="'A' is for workbooks"):
        read(tmp_path, KINDS["d.csv"], Reading(sheet="A"), time="when")


def test_merged_cells_have_a_value_in_the_first_only(tmp_path: Path) -> None:
    rows = [DATA[0], DATA[1], [None, *ROWS[1][1:]]]
    with pytest.raises(ValueError, match=r"row 3, column 'person': the name of the person is missing .of merged"):
        read(tmp_path, as_workbook(("Data", rows)), name="d.xlsx", time="when")


def test_formulas_whose_results_are_not_stored_are_not_taken_for_empty_cells(tmp_path: Path) -> None:
    rows = [DATA[0], DATA[1], [*ROWS[1][:3], "=1/4", None]]
    with pytest.raises(ValueError, match=r"row 3, column 'reward': the formula =1/4 has no stored result"):
        read(tmp_path, as_workbook(("Data", rows)), name="d.xlsx", time="when")


def test_errors_of_a_spreadsheet_are_not_taken_for_empty_cells(tmp_path: Path) -> None:
    missing = as_workbook(("Codes", [["a"]]), ("Data", [*DATA, [2, ROWS[3][1].replace(day=24), "#N/A", "#N/A", None]]))
    table = read(tmp_path, missing, name="d.xlsx", time="when")
    assert (table.rows.arm[-1], str(table.rows.reward[-1])) == (-1, "nan")
    wrong = as_workbook(("Codes", [["a"]]), ("Data", [DATA[0], [*ROWS[0][:2], "#REF!", 1.0, None]]))
    with pytest.raises(ValueError, match=r"d\.xlsx, row 2, column 'arm': the cell has the error #REF!"):
        read(tmp_path, wrong, name="d.xlsx", time="when")


def test_titles_above_the_header(tmp_path: Path) -> None:
    for name, text in {
        "d.csv": b"My export,,,,\n,,,,\n" + KINDS["d.csv"],
        "d.xlsx": as_workbook(("Data", [["My export"], [], *DATA])),
    }.items():
        with pytest.raises(ValueError, match="names of the columns in row 3: delete the rows above it"):
            read(tmp_path, text, name=name, time="when")


def test_the_sheet_with_data_below_a_title_is_meant(tmp_path: Path) -> None:
    """A page of notes comes first; the columns have names of the study's own."""
    own: list[list[Any]] = [["Export 2024"], [], ["Who", "Day", "Sent?", "Steps"], ["a", 1, "yes", 3]]
    with pytest.raises(ValueError, match="none of them has all columns") as error:
        read(tmp_path, as_workbook(("Notes", [["Study report"]]), ("Data", own)), name="d.xlsx")
    assert str(error.value) == (
        "d.xlsx has 2 sheets (Notes, Data), and none of them has all columns: name one with --sheet Data. d.xlsx has "
        "one cell in row 1, 'Export 2024', and several in row 3 (Who, Day, Sent?, …): if these are the names of the "
        "columns, delete the rows above them"
    )
    with pytest.raises(ValueError, match=r"name one with --sheet Data\. .* in row 3: delete the rows above it"):
        read(tmp_path, as_workbook(("Notes", [["Study"]]), ("Data", [["My export"], [], *DATA])), name="d.xlsx",
             time="when")  # fmt: skip


def test_a_title_is_named_wherever_its_cell_is(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"one cell in row 1, 'Export 2024', and several in row 2 \(Who, Day, Sent\?"):
        read(tmp_path, ",,Export 2024,\nWho,Day,Sent?,Steps\na,1,yes,3\n")


def test_a_line_that_names_the_separator(tmp_path: Path) -> None:
    text = "sep=;\nperson;decision;arm;reward\na;0;walk;0,5\na;1;walk;oops\n"
    with pytest.raises(ValueError, match="row 4, column 'reward': reward 'oops' is no number"):
        read(tmp_path, text)


def test_line_breaks_inside_quotation_marks(tmp_path: Path) -> None:
    text = 'person,decision,arm,reward,"a\nnote"\na,0,walk,1,"two\nlines"\na,1,walk,oops,\n'
    with pytest.raises(ValueError, match="row 3, column 'reward': reward 'oops' is no number"):
        read(tmp_path, text)


BAD = {
    "d.csv is an old spreadsheet: open it and save it as xlsx or as CSV (UTF-8)": b"\xd0\xcf\x11\xe0...",
    "d.csv is compressed: unpack it first": b"\x1f\x8b\x08\x00...",
    "d.csv is empty: it must have a row with the names of the columns, and data": as_workbook(("Data", [])),
    "d.csv has the names of columns, but no data below them": as_workbook(("Data", [HEADER])),
    "d.csv is a damaged Parquet file: ": b"PAR1 and no more",
    "d.csv is an archive or a damaged workbook, not a table: ": KINDS["d.xlsx"][:2000],
    "d.csv, column 'reward' has values of type list<": as_parquet([[*row[:3], [1.0], ""] for row in ROWS]),
}


@pytest.mark.parametrize(
    ("name", "program", "start"),
    [("d.sav", "SPSS", b"$FL2@(#)\0"), ("D.DTA", "Stata", b"<stata_dta>\0"), ("d.rds", "R", b"\x1f\x8b\x08\x00")],
)
def test_files_of_statistics_programs_are_called_so(tmp_path: Path, name: str, program: str, start: bytes) -> None:
    """Those of R are compressed and others have zero bytes: "unpack it" and "save it as UTF-8" would help nobody."""
    with pytest.raises(ValueError, match="is a file of") as error:
        read(tmp_path, start, name=name)
    assert str(error.value) == f"{name} is a file of {program}: save the table from there as CSV, xlsx or Parquet"


@pytest.mark.parametrize("says", BAD)
def test_what_is_no_table(tmp_path: Path, says: str) -> None:
    with pytest.raises(ValueError, match=r"d\.csv") as error:
        read(tmp_path, BAD[says], time="when")
    assert str(error.value).startswith(says)
