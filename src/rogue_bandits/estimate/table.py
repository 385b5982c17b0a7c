"""Read a table with a row for each decision of a person; errors name the row and the column."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.reading.cells import NOT_OBSERVED
from rogue_bandits.estimate.reading.columns import (
    Choose,
    Column,
    Columns,
    Sheet,
    column_places,
    notes_on_unused,
)
from rogue_bandits.estimate.reading.covariates import columns_wanted, covariates_of
from rogue_bandits.estimate.reading.faults import Gathered
from rogue_bandits.estimate.reading.names import ArmOptions, Arms, arms_of, people_of
from rogue_bandits.estimate.reading.numbered import notes_below_0, notes_on_order, numbered_decisions
from rogue_bandits.estimate.reading.numbers import YES_NO, NumberOptions, Numbers, numbers_of
from rogue_bandits.estimate.reading.parquet import read_parquet
from rogue_bandits.estimate.reading.probability import from_sending, notes_on_balance, notes_on_plan, probabilities_of
from rogue_bandits.estimate.reading.repeats import without_repeats
from rogue_bandits.estimate.reading.schedule import Schedule, schedule_of, step_length
from rogue_bandits.estimate.reading.sources import PARQUET, WORKBOOK, Progress, Source, source_of
from rogue_bandits.estimate.reading.text import read_text
from rogue_bandits.estimate.reading.time_of_day import notes_on_hours
from rogue_bandits.estimate.reading.times import (
    TimeOptions,
    Times,
    checked_zone,
    notes_on_parts,
    times_of,
    with_clock,
)
from rogue_bandits.estimate.reading.workbook import read_workbook
from rogue_bandits.estimate.reading.zeros import notes_on_zeros
from rogue_bandits.types import Bools, Floats, Ints

__all__ = ["Columns", "Reading", "Rows", "Table", "read_table"]

COULD_BE_SENT = {word: value == 1.0 for word, value in {"1": 1.0, "1.0": 1.0, "0": 0.0, "0.0": 0.0, **YES_NO}.items()}


class Reading(NamedTuple):
    """How cells are read; the defaults ask nothing of the reader where the table is clear.

    >>> Reading(numbers=NumberOptions(missing=("-99",))).arms.merge_names
    False
    """

    arms: ArmOptions = ArmOptions()
    numbers: NumberOptions = NumberOptions()
    times: TimeOptions = TimeOptions()
    step: str | None = None  # of a regular grid of decisions: 2h, 1d
    covariates: tuple[str, ...] = ()
    sheet: str | None = None  # of a workbook


class Rows(NamedTuple):
    """Rows of a table as numbers."""

    row: Ints  # in the file; the header is row 1
    person: Ints
    decision: Ints
    arm: Ints  # −1: a rest
    reward: Floats  # nan: not observed; what followed a rest is there too
    unavailable: Bools  # an arm is named although nothing could be sent: a rest
    available: Bools
    probability: Floats  # of what was chosen; nan: unknown
    covariates: Floats  # [rows, columns]


class Table(NamedTuple):
    """The rows of a file, the names behind their numbers, and notes for the reader."""

    file: str
    columns: dict[str, str]  # the name of a column, by its meaning
    people: list[str]
    arms: list[str]
    rows: Rows
    notes: list[str]
    covariates: list[str]  # the names of the columns of rows.covariates
    coding: dict[str, list[float] | str]  # of covariates: `reading/covariates.py`
    a_week: int = 0  # decisions a week, 0 if that is not known


def read_table(
    path: Path | Source, columns: Columns, reading: Reading | None = None, progress: Progress | None = None
) -> Table:
    """Read a table; `progress` is called with the number of bytes just read. A ValueError says what is wrong with it.

    CSV, xlsx and Parquet are told apart by their first bytes. An arm that is empty or a word for nothing is a rest; so
    is a decision at which nothing was available.
    """
    reading = reading or Reading()
    source = path if isinstance(path, Source) else source_of(path)
    if reading.step is not None:
        step_length(reading.step)  # checked before a long file is read
    if reading.times.zone is not None:
        checked_zone(reading.times.zone)
    sheet = read_sheet(source, columns, reading, progress)
    if not sheet.row.size:
        raise ValueError(f"{source.name} has the names of columns, but no data below them")
    return table_of(sheet, reading)


def read_sheet(source: Source, columns: Columns, reading: Reading, progress: Progress | None) -> Sheet:
    """Return the columns that are wanted, as text."""

    unused: list[str] = []

    def choose(header: list[str], below: Sequence[Sequence[str]] = ()) -> dict[str, int]:
        covariates = columns_wanted(reading.covariates, header, columns.time is not None)
        found = column_places(columns, covariates, header, source.name, below)
        unused[:] = notes_on_unused(columns, covariates, header)
        return found

    if reading.sheet is not None and not source.start.startswith(WORKBOOK):
        raise ValueError(f"--sheet '{reading.sheet}' is for workbooks (xlsx), and {source.name} is none")
    sheet = _READERS.get(source.start, _read_text)(source, choose, reading.sheet, progress)
    return without_repeats(sheet._replace(notes=[*sheet.notes, *unused]))


def _read_text(source: Source, choose: Choose, _: str | None, progress: Progress | None) -> Sheet:
    return read_text(source, choose, progress)


def _read_workbook(source: Source, choose: Choose, sheet: str | None, progress: Progress | None) -> Sheet:
    found = read_workbook(source, choose, sheet)
    _report_all(source, progress)
    return found


def _read_parquet(source: Source, choose: Choose, _: str | None, progress: Progress | None) -> Sheet:
    found = read_parquet(source, choose)
    _report_all(source, progress)
    return found


def _report_all(source: Source, progress: Progress | None) -> None:
    if progress is not None:
        progress(source.size)


_READERS = {WORKBOOK: _read_workbook, PARQUET: _read_parquet}


def table_of(sheet: Sheet, reading: Reading) -> Table:
    """Return the table behind columns of text."""
    if "clock" in sheet.columns:
        if "time" not in sheet.columns:
            raise ValueError("--clock has the times of day of the dates in --time: name their column as well")
        joined = with_clock(sheet, sheet.columns["time"], sheet.columns["clock"])
        notes = [*sheet.notes, *notes_on_parts(sheet.columns["clock"])]
        sheet = sheet._replace(columns={**sheet.columns, "time": joined}, notes=notes)
    columns, faults, all_rows = sheet.columns, Gathered(sheet.file), np.ones(sheet.row.size, dtype=np.bool_)
    unknown, rests = Numbers(np.full(sheet.row.size, np.nan), []), np.full(sheet.row.size, -1)
    people, on_people = faults.of(([], []), people_of, sheet, columns["person"])
    available, on_available = faults.of((all_rows, []), availability_of, sheet, columns.get("available"))
    arms = faults.of(Arms([], rests, all_rows, []), arms_of, sheet, columns["arm"], available, reading.arms)
    reward, on_reward = faults.of(unknown, numbers_of, sheet, columns["reward"], "reward", reading.numbers)
    times, schedule = faults.of((None, Schedule(rests, [], 0)), timed_decisions, sheet, reading)
    probability, on_probability = faults.of(
        (unknown.values, []), chosen_probabilities, sheet, arms, available, reading.numbers
    )
    faults.tell()
    covariates = covariates_of(sheet, reading.covariates, times, reading.numbers)
    what = arms.arm, reward, arms.named & ~available, available, probability, covariates.values
    rows = Rows(sheet.row, columns["person"].code, schedule.decision, *what)
    notes = [
        *sheet.notes, *on_people, *on_available, *arms.notes, *on_reward,
        *notes_on_zeros(columns["reward"].name, reward, reading.numbers), *schedule.account, *on_probability,
        *covariates.notes, *notes_on_hours(times, reading.covariates, arms.names, arms.arm, available),
    ]  # fmt: skip
    names = {meaning: column.name for meaning, column in columns.items()}
    return Table(
        sheet.file, names, people, arms.names, rows, notes, covariates.names, covariates.coding, schedule.a_week
    )


def chosen_probabilities(
    sheet: Sheet, arms: Arms, available: Bools, options: NumberOptions
) -> tuple[Floats, list[str]]:
    """Return the probability of what was chosen in each row, nan where it is unknown, and notes."""
    chosen, sending = sheet.columns.get("probability"), sheet.columns.get("send-probability")
    if chosen is not None and sending is not None:
        raise ValueError("--probability and --send-probability say the same in two ways: use one of them")
    if chosen is not None:
        values, notes = probabilities_of(sheet, chosen, available, options)
        wrong_column = notes_on_balance(chosen.name, arms.names, arms.arm, values)
        return values, [*notes, *(wrong_column or notes_on_plan(chosen.name, arms.names, arms.arm, values, False))]
    if sending is not None:
        values, notes = probabilities_of(sheet, sending, available, options)
        values, on_shares = from_sending(arms.names, arms.arm, values)
        return values, [*notes, *on_shares, *notes_on_plan(sending.name, arms.names, arms.arm, values, True)]
    return np.full(sheet.row.size, np.nan), []


def availability_of(sheet: Sheet, column: Column | None) -> tuple[Bools, list[str]]:
    """Return whether anything could be sent in each row; an empty cell, or no column, says that it could; a note."""
    if column is None:
        return np.ones(sheet.row.size, dtype=np.bool_), []
    words, faults = [cell.lower() for cell in column.cells], Gathered(sheet.file)
    for k, word in enumerate(words):
        if word not in NOT_OBSERVED and word not in COULD_BE_SENT:
            said = f"available '{column.cells[k]}' must be 1 or 0 (or true, false, yes, no)"
            faults.add(sheet.error(column, k, said))
    faults.tell()
    available = np.array([COULD_BE_SENT.get(word, True) for word in words], dtype=np.bool_)[column.code]
    absent = f"{np.count_nonzero(~available):,} of {available.size:,} decisions"
    return available, [] if available.all() else [f"Nothing was available at {absent}: rests that were not chosen."]


def timed_decisions(sheet: Sheet, reading: Reading) -> tuple[Times | None, Schedule]:
    """Return the times, if there are any, and the number of each row's decision, with notes."""
    times = times_of(sheet, sheet.columns["time"], reading.times) if "time" in sheet.columns else None
    return times, decisions_of(sheet, times, reading)


def decisions_of(sheet: Sheet, times: Times | None, reading: Reading) -> Schedule:
    """Return the number of each row's decision: from its column if there is one, else from the times."""
    if "decision" in sheet.columns:
        column = sheet.columns["decision"]
        decision = numbered_decisions(sheet, column)
        if reading.step is not None:
            raise ValueError("--step makes decisions from --time, and --decision names their numbers: use one of them")
        on_times = [*times.notes, *notes_on_order(sheet, decision, times)] if times else []
        return Schedule(decision, [*on_times, *notes_below_0(sheet, column, decision)], 0)
    if times is None:
        raise ValueError(f"{sheet.file}: decisions need a column of numbers (--decision) or of times (--time)")
    person = sheet.columns["person"].code
    found = schedule_of(sheet, sheet.columns["time"], person, times, reading.step)
    return found._replace(account=[*times.notes, *found.account])
