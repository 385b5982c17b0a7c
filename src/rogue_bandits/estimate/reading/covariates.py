"""Covariates as columns of numbers: standardised, or one column of 0 and 1 for each category but the most frequent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.reading.cells import NOT_OBSERVED
from rogue_bandits.estimate.reading.columns import Column, Sheet
from rogue_bandits.estimate.reading.numbers import NumberOptions, numbers_of
from rogue_bandits.estimate.reading.times import DAY, HOUR, Times
from rogue_bandits.types import Floats, Ints
from rogue_bandits.wording import plain

WEEKDAYS = "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"
PARTS_OF_DAY = "0 to 6", "6 to 12", "12 to 18", "18 to 24"
DERIVED = "weekday", "hour"  # from the time
MOST_CATEGORIES = 20
MISSING = "missing"
NUMBER_LIKE = re.compile(r"[-+\u2212]?[\d., \u00a0\u202f'’]*\d[\d.,]*(e[-+]?\d+)?", re.IGNORECASE)
THURSDAY = 3  # 1 January 1970


class Covariates(NamedTuple):
    """A matrix with a row for each row of the table, the names of its columns, and notes for the reader."""

    values: Floats
    names: list[str]
    notes: list[str]
    coding: dict[str, list[float] | str]  # by covariate: mean and standard deviation, or the category of reference


def columns_wanted(asked: Sequence[str], header: Sequence[str], has_time: bool) -> list[str]:
    """Return the covariates that are columns of the file; `weekday` and `hour` follow from the time if they are not."""
    for name in asked:
        if name in DERIVED and name not in header and not has_time:
            raise ValueError(f"--covariate {name} follows from the times of decisions: name their column with --time")
    return [name for name in dict.fromkeys(asked) if name in header or name not in DERIVED]


def covariates_of(sheet: Sheet, asked: Sequence[str], times: Times | None, options: NumberOptions) -> Covariates:
    """Return the covariates that were asked for."""
    parts = [_covariate(sheet, name, times, options) for name in dict.fromkeys(asked)]
    values = np.concatenate([part.values for part in parts], axis=1) if parts else np.zeros((sheet.row.size, 0))
    coding = {name: code for part in parts for name, code in part.coding.items()}
    names, notes = [name for part in parts for name in part.names], [note for part in parts for note in part.notes]
    return Covariates(values, names, notes, coding)


def _covariate(sheet: Sheet, name: str, times: Times | None, options: NumberOptions) -> Covariates:
    column = sheet.columns.get(f"covariate {name}")
    if column is not None:
        found = _numeric(sheet, name, column, options) if _is_numeric(column) else _categories_of(sheet, name, column)
        return found._replace(notes=[*_note_on_name(sheet, name, times), *found.notes])
    assert times is not None  # columns_wanted asked for them
    if name == "hour" and not times.has_clock:
        raise ValueError(f"{sheet.file}: --covariate hour needs times of day, and the times are dates only")
    if name == "weekday":
        return _dummies(name, (times.local // DAY + THURSDAY) % 7, list(WEEKDAYS))
    return _dummies(name, part_of_day(times), list(PARTS_OF_DAY))


def part_of_day(times: Times) -> Ints:
    """Return which of `PARTS_OF_DAY` each time is in."""
    return times.local % DAY // (6 * HOUR)


def _note_on_name(sheet: Sheet, name: str, times: Times | None) -> list[str]:
    """Return a note on a column that has the name of what also follows from the times."""
    if name not in DERIVED or times is None:
        return []
    when = sheet.columns["time"].name
    return [
        f"Covariate '{name}' is the column '{name}' of the file, not the {name} of '{when}'. To use the latter, give "
        "the column another name."
    ]


def _is_numeric(column: Column) -> bool:
    """Return whether most cells look like numbers; a single odd cell is then an error with its place."""
    cells = [cell for cell in column.cells if cell.lower() not in NOT_OBSERVED]
    numeric = sum(NUMBER_LIKE.fullmatch(cell) is not None for cell in cells)
    return 2 * numeric > len(cells)


def _numeric(sheet: Sheet, name: str, column: Column, options: NumberOptions) -> Covariates:
    """Return a column with mean 0 and standard deviation 1 over the rows; what was not observed is 0, the mean."""
    values, notes = numbers_of(sheet, column, "covariate", options)
    seen = ~np.isnan(values)
    spread = float(np.std(values[seen])) if seen.any() else 0.0
    if spread == 0.0:
        return _left_out(sheet, name)
    mean = float(np.mean(values[seen]))
    if absent := int(np.count_nonzero(~seen)):
        notes = [
            *notes,
            f"Covariate '{name}' was not observed in {absent:,} of {seen.size:,} rows: its mean is used there.",
        ]
    standard = np.where(seen, (values - mean) / spread, 0.0)
    scale = f"Covariate '{name}' is standardised: {plain(mean, 4)} is 0, and {plain(spread, 4)} more is 1."
    return Covariates(standard[:, None], [name], [*notes, scale], {name: [mean, spread]})


def _categories_of(sheet: Sheet, name: str, column: Column) -> Covariates:
    words = [MISSING if cell.lower() in NOT_OBSERVED else cell for cell in column.cells]
    categories = list(dict.fromkeys(words))
    if len(categories) > MOST_CATEGORIES:
        raise ValueError(
            f"{sheet.file}, column '{column.name}': the covariate has {len(categories):,} different values, such as "
            f"{words[0]!r} and {words[1]!r}: it must have numbers, or at most {MOST_CATEGORIES} categories"
        )
    if len(categories) == 1:
        return _left_out(sheet, name)
    number = np.array([categories.index(word) for word in words], dtype=np.int64)
    return _dummies(name, number[column.code], categories)


def _left_out(sheet: Sheet, name: str) -> Covariates:
    note = f"Warning: covariate '{name}' is the same in every row and was left out."
    return Covariates(np.zeros((sheet.row.size, 0)), [], [note], {})


def _dummies(name: str, category: Ints, words: list[str]) -> Covariates:
    """Return a column of 0 and 1 for each category that occurs but the most frequent one, the reference."""
    rows = np.bincount(category, minlength=len(words))
    reference = int(np.argmax(rows))
    others = [k for k in np.flatnonzero(rows).tolist() if k != reference]
    values = (category[:, None] == np.array(others, dtype=np.int64)).astype(np.float64)
    note = f"Covariate '{name}' compares {', '.join(words[k] for k in others)} with {words[reference]}."
    if not others:
        note = f"Warning: covariate '{name}' is {words[reference]} in every row and was left out."
    return Covariates(values, [f"{name}: {words[k]}" for k in others], [note], {name: words[reference]})
