"""Numbers: commas are read by the whole column, and codes for missing values are named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rogue_bandits.estimate.reading.numbers import NumberOptions
from rogue_bandits.estimate.table import Reading
from tests.estimate.reading.made_up import read, rewards

NAN = float("nan")

READ = {
    "a point": (["0.5", "1", "1e3", "-2"], [0.5, 1.0, 1000.0, -2.0]),
    "a decimal comma": (["0,5", "1", "12,25"], [0.5, 1.0, 12.25]),
    "three digits behind a decimal comma": (["7,656", "8,12"], [7.656, 8.12]),
    "nothing before a decimal comma": (["0,656", "1,250"], [0.656, 1.25]),
    "a comma for thousands": (["7,656", "310", "12,001"], [7656.0, 310.0, 12001.0]),
    "a comma for millions": (["1,234,567", "0"], [1234567.0, 0.0]),
    "thousands and a point": (["7,656", "0.5"], [7656.0, 0.5]),
    "both in one cell": (["7,656.25", "8,000"], [7656.25, 8000.0]),
    "both, the other way round": (["1.234,5", "987,25", "3"], [1234.5, 987.25, 3.0]),
    "a point for millions": (["1.234.567", "6.123", "980"], [1234567.0, 6123.0, 980.0]),
    "three digits behind a point": (["6.123", "7", "12.345"], [6.123, 7.0, 12.345]),
    "fewer digits behind one point": (["6.123", "980", "12.5"], [6.123, 980.0, 12.5]),
    "blanks between thousands": (["12 000", "7\u202f656", "5"], [12000.0, 7656.0, 5.0]),
    "a typographic minus": (["\u22120.5", "0.25"], [-0.5, 0.25]),
    "yes and no": (["Yes", "no", "", "yes"], [1.0, 0.0, NAN, 1.0]),
    "true and false": (["TRUE", "FALSE", "NA"], [1.0, 0.0, NAN]),
    "percent": (["12 %", "15%", "", "0", "12.5%"], [0.12, 0.15, NAN, 0.0, 0.125]),
    "percent, with a decimal comma": (["12,5 %", "7\u00a0%"], [0.125, 0.07]),
    "not observed": (["", "NA", "n/a", "NaN", "null", ".", "#N/A", "1"], [NAN] * 7 + [1.0]),
}


@pytest.mark.parametrize("name", READ)
def test_numbers_are_read_by_the_column(tmp_path: Path, name: str) -> None:
    cells, values = READ[name]
    np.testing.assert_array_equal(read(tmp_path, rewards(*cells)).rows.reward, values)


def test_what_a_comma_was_taken_for_is_noted(tmp_path: Path) -> None:
    assert read(tmp_path, rewards("7,656", "310")).notes == [
        "Column 'reward' has a comma for thousands: 7,656 is read as 7656."
    ]
    assert read(tmp_path, rewards("0,5", "1")).notes == ["Column 'reward' has a decimal comma: 0,5 is read as 0.5."]


def test_percent_is_noted_and_a_probability_in_percent_is_read(tmp_path: Path) -> None:
    """A column wholly in percent brought 20 lines of refusals."""
    note = "Column '{}' is in percent, and is read as shares: {} is {}."
    assert read(tmp_path, rewards("12 %", "15%")).notes == [note.format("reward", "12 %", 0.12)]
    table = read(tmp_path, "person,decision,arm,reward,p\na,0,walk,1,60 %\na,1,walk,1,50 %\n", probability="p")
    assert table.rows.probability.tolist() == [0.6, 0.5]
    assert note.format("p", "60 %", 0.6) in table.notes


@pytest.mark.parametrize(("comma", "value"), [("thousands", 7656.0), ("decimal", 7.656)])
def test_a_comma_that_no_cell_explains_is_asked_for(tmp_path: Path, comma: str, value: float) -> None:
    for cells in (["7,656"], ["7,656", "12,001"], ["7,656", "1500"]):
        with pytest.raises(ValueError, match=r"7656 or 7\.656") as error:
            read(tmp_path, rewards(*cells))
        assert str(error.value) == (
            "d.csv, row 2, column 'reward': reward '7,656' is 7656 or 7.656, and no other cell of the column tells "
            "which: add --comma thousands or --comma decimal"
        )
    said = Reading(numbers=NumberOptions(comma=comma))
    assert read(tmp_path, rewards("7,656"), said).rows.reward.tolist() == [value]


BAD = {
    "row 3, column 'reward': reward '0.25' does not fit row 2, '0,5', which has a decimal comma: write all numbers of "
    "the column in the same way": ["0,5", "0.25"],
    "row 4, column 'reward': reward '1,23' does not fit row 2, '7,656.5', which has a comma for thousands: write all "
    "numbers of the column in the same way": ["7,656.5", "12", "1,23"],
    "row 4, column 'reward': reward '0.3' has no % sign, and row 2, '45%', has one: write all numbers of the column in "
    "the same way": ["45%", "12%", "0.3"],
    "row 2, column 'reward': reward '#DIV/0!' is no number: a formula of the spreadsheet failed": ["#DIV/0!"],
    "row 3, column 'reward': reward 'a lot, really' is no number: write one, or leave the cell empty if nothing was "
    "observed": ["0.5", "a lot, really"],
    "row 2, column 'reward': reward '1_000' is no number: write one, or leave the cell empty if nothing was observed": [
        "1_000"
    ],
    "row 3, column 'reward': reward '1e999' must be finite": ["0.5", "1e999"],
}


@pytest.mark.parametrize(("comma", "value"), [("decimal", 6123.0), ("thousands", 6.123)])
def test_points_that_may_separate_thousands_are_asked_for(tmp_path: Path, comma: str, value: float) -> None:
    """Steps of a spreadsheet with German numbers: 6.123 beside 980 was read as six."""
    with pytest.raises(ValueError, match=r"row 2, column 'reward': reward '6.123' is 6123 or 6.123: .* '980' has none"):
        read(tmp_path, rewards("6.123", "980"))
    table = read(tmp_path, rewards("6.123", "980"), Reading(numbers=NumberOptions(comma=comma)))
    assert table.rows.reward.tolist() == [value, 980.0]
    note = "Column 'reward' has a point for thousands: 6.123 is read as 6123."
    assert (note in table.notes) == (comma == "decimal")


def test_what_was_said_of_commas_is_for_columns_that_have_them(tmp_path: Path) -> None:
    said = Reading(numbers=NumberOptions(comma="decimal"))
    assert read(tmp_path, rewards("0.5", "1"), said).rows.reward.tolist() == [0.5, 1.0]


@pytest.mark.parametrize("says", BAD)
def test_what_is_no_number_is_refused_by_row_and_column(tmp_path: Path, says: str) -> None:
    with pytest.raises(ValueError, match=r"d\.csv") as error:
        read(tmp_path, rewards(*BAD[says]))
    assert str(error.value) == f"d.csv, {says}"


@pytest.mark.parametrize(
    ("code", "others"),
    [
        ("-99", ["1", "3", "5"]),
        ("-9", ["0", "1"]),
        ("-999.0", ["250", "0", "1500"]),
        ("999", ["1", "7", "4"]),
        ("9999", ["0", "1311", "414"]),
        ("99", ["0.5", "1"]),
        ("9", ["0", "1"]),
        ("-99", ["-1.5", "2", "0"]),
    ],
)
def test_codes_for_missing_values_are_named_with_what_to_do(tmp_path: Path, code: str, others: list[str]) -> None:
    cells = [*others, code, code]
    with pytest.raises(ValueError, match="looks like a code for a missing value") as error:
        read(tmp_path, rewards(*cells))
    number = f"{float(code):g}"
    words = str(error.value)
    assert words.startswith(f"d.csv, row {len(others) + 2}, column 'reward': {number} looks like")
    assert f"add --missing {number}; if it is a real number, add --missing none" in words
    assert "2 rows have it" in words
    assert "--clip" not in words
    missing = Reading(numbers=NumberOptions(missing=(number,)))
    table = read(tmp_path, rewards(*cells), missing)
    np.testing.assert_array_equal(table.rows.reward, [*map(float, others), NAN, NAN])
    assert table.notes == [f"2 of {len(cells)} cells of 'reward' are {number} and count as not observed."]
    real = Reading(numbers=NumberOptions(missing=("none",)))
    assert read(tmp_path, rewards(*cells), real).rows.reward[-1] == float(code)


@pytest.mark.parametrize(
    "cells",
    [["9", "8", "10", "3"], ["99", "100", "60"], ["-9", "-12", "4", "-3"], ["999", "1200", "400"], ["-99"],
     ["9", "2", "0"]],
)  # fmt: skip
def test_ordinary_numbers_are_no_codes(tmp_path: Path, cells: list[str]) -> None:
    assert read(tmp_path, rewards(*cells)).rows.reward.tolist() == [float(cell) for cell in cells]


def test_a_long_cell_is_not_repeated_in_full(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is no number") as error:
        read(tmp_path, rewards('"' + "many\nwords " * 500 + '"'))
    assert len(str(error.value)) < 1000
    assert "\n" not in str(error.value)


def test_words_may_stand_for_missing_values(tmp_path: Path) -> None:
    missing = Reading(numbers=NumberOptions(missing=("Lost",)))
    np.testing.assert_array_equal(read(tmp_path, rewards("1", "lost"), missing).rows.reward, [1.0, NAN])
