"""Times: the same instant in many forms, and what is ambiguous is asked for."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import pytest

from rogue_bandits.estimate.reading.sources import source_of
from rogue_bandits.estimate.reading.times import TimeOptions, times_of
from rogue_bandits.estimate.table import Columns, Reading, read_sheet
from tests.estimate.reading.made_up import read, times

AS_WRITTEN = TimeOptions()


def parsed(folder: Path, cells: list[str], options: TimeOptions = AS_WRITTEN) -> tuple[list[str], list[str]]:
    """Return the clock of the place and UTC, to the minute."""
    path = folder / "d.csv"
    path.write_text(times(*cells), encoding="utf-8")
    sheet = read_sheet(source_of(path), Columns(time="time"), Reading(), None)
    found = times_of(sheet, sheet.columns["time"], options)
    local, instant = ([str(np.datetime64(int(t), "us"))[:16] for t in one] for one in (found.local, found.instant))
    return local, instant


FORMS = [
    "2015-07-22 16:30", "2015-07-22T16:30:00", "20150722T1630", "22/07/2015 16:30", "22.7.2015 16:30", "42207.6875",
    "7/22/2015 4:30 PM", "7/22/15 4:30pm", "22-07-2015 16:30:00", "2015-07-22 16:30:00.000", "2015/7/22 16:30",
    "2015-07-22 4:30 PM", "2015-7-22 16:30:00.0", "22/07/2015T16:30",
]  # fmt: skip


@pytest.mark.parametrize("cell", FORMS)
def test_one_time_in_many_forms(tmp_path: Path, cell: str) -> None:
    assert parsed(tmp_path, [cell]) == (["2015-07-22T16:30"], ["2015-07-22T16:30"])


@pytest.mark.parametrize("cell", ["2015-07-22", "20150722", "22/07/2015", "42207", "7/22/2015"])
def test_one_date_in_many_forms(tmp_path: Path, cell: str) -> None:
    assert parsed(tmp_path, [cell])[0] == ["2015-07-22T00:00"]


@pytest.mark.parametrize(
    "cell",
    [
        "2015-07-22T12:30:00-04:00",
        "2015-07-22 16:30Z",
        "2015-07-22 16:30 UTC",
        "2015-07-22 9:30 -0700",
        "1437582600",
        "1437582600000",
    ],
)
def test_instants_with_a_zone(tmp_path: Path, cell: str) -> None:
    assert parsed(tmp_path, [cell])[1] == ["2015-07-22T16:30"]


def test_a_zone_moves_the_clock_and_not_the_instant(tmp_path: Path) -> None:
    cells = ["2015-10-24T22:30:00Z", "2015-10-25T00:30:00Z", "2015-10-25T01:30:00Z"]  # around the end of summer time
    local, instant = parsed(tmp_path, cells, TimeOptions(zone="Europe/Berlin"))
    assert local == ["2015-10-25T00:30", "2015-10-25T02:30", "2015-10-25T02:30"]
    assert instant == ["2015-10-24T22:30", "2015-10-25T00:30", "2015-10-25T01:30"]
    assert (
        read(tmp_path, times(*cells), Reading(times=TimeOptions(zone="Europe/Berlin")), time="time").rows.row.size == 3
    )


def test_times_without_a_zone_are_utc_where_one_is_named(tmp_path: Path) -> None:
    reading = Reading(times=TimeOptions(zone="America/Detroit"))
    assert read(tmp_path, times("2015-07-22 02:30"), reading, time="time").notes[0] == (
        "Times are those of America/Detroit. 'time' has no time zone and was taken as UTC; "
        "2015-07-22 02:30 is 2015-07-21 22:30 there."
    )


def test_the_order_of_day_and_month_is_that_of_the_column(tmp_path: Path) -> None:
    assert parsed(tmp_path, ["3/4/2015", "13/4/2015"])[0] == ["2015-04-03T00:00", "2015-04-13T00:00"]
    assert parsed(tmp_path, ["3/4/2015", "4/13/2015"])[0] == ["2015-03-04T00:00", "2015-04-13T00:00"]
    assert parsed(tmp_path, ["3/4/2015"], TimeOptions("month-first"))[0] == ["2015-03-04T00:00"]
    assert parsed(tmp_path, ["3.4.2015"])[0] == ["2015-04-03T00:00"]  # points: always the day first


def test_dates_and_times_of_day_in_two_columns(tmp_path: Path) -> None:
    rows = "a,2015-07-22,09:00,walk,1", "a,2015-07-22,16:30,walk,1", "a,2015-07-23 00:00:00,09:05:00,walk,1"
    text = "\n".join(["person,date,hour,arm,reward", *rows, ""])
    assert read(tmp_path, text, time="date", clock="hour").rows.decision.tolist() == [0, 1, 2]
    for bad, says in {"": "the time of day is missing", "late": "time of day 'late' must be such as 16:30"}.items():
        with pytest.raises(ValueError, match=f"row 5, column 'hour': {says}"):
            read(tmp_path, f"{text}a,2015-07-24,{bad},walk,1\n", time="date", clock="hour")
    american = "person,date,hour,arm,reward\na,7/22/2015,4:30 PM,walk,1\na,7/22/2015,9:00 AM,walk,1\n"
    assert read(tmp_path, american, time="date", clock="hour").rows.decision.tolist() == [1, 0]
    with pytest.raises(ValueError, match="--clock has the times of day of the dates in --time"):
        read(tmp_path, "person,decision,hour,arm,reward\na,0,9:00,walk,1\n", clock="hour")


def test_numbers_that_are_times_are_explained(tmp_path: Path) -> None:
    assert read(tmp_path, times("42207.6875"), time="time").notes[0] == (
        "Times in 'time' are read as days since 1900, as spreadsheets count: 42207.6875 is 2015-07-22 16:30."
    )
    assert read(tmp_path, times("1437582600"), time="time").notes[0] == (
        "Times in 'time' are read as seconds since 1970: 1437582600 is 2015-07-22 16:30 UTC."
    )


HELP = "write it as 2015-07-22 or 2015-07-22 16:30, with or without +02:00"
BAD = {
    "row 2, column 'time': time '3/4/2015': is the day first or the month? Add --date-order day-first or month-first":
        ["3/4/2015", "5/6/2015"],
    "row 3, column 'time': time '4/13/2015' has the month first, and row 2, '13/4/2015', the day: write all in the "
    "same way": ["13/4/2015", "4/13/2015"],
    "row 3, column 'time': time '13/04/2015' is written otherwise than row 2, '2015-03-04'. A spreadsheet may have "
    "misread some dates, with day and month exchanged: write all in the same way": ["2015-03-04", "13/04/2015"],
    f"row 3, column 'time': time 'yesterday' is no date; {HELP}": ["2015-03-04", "yesterday"],
    f"row 2, column 'time': time '20151340' is no date; {HELP}": ["20151340"],
    "row 2, column 'time': time '31/02/2015' is no date with the day first": ["31/02/2015"],
    "row 3, column 'time': the time is missing": ["2015-03-04", "NA"],
    "row 3, column 'time': time '0215-03-05' is in the year 215: a typing error?": ["2015-03-04", "0215-03-05"],
    "row 3, column 'time': time '2015-03-05 08:00' has no time zone, and row 2 has one: write all in the same way":
        ["2015-03-04 08:00Z", "2015-03-05 08:00"],
    "row 2, column 'time': time '3' is a number, not a date. If it counts decisions, name it with --decision; else "
    f"{HELP}":
        ["3", "42207"],
}  # fmt: skip


@pytest.mark.parametrize("says", BAD)
def test_bad_times_are_refused_by_row_and_column(tmp_path: Path, says: str) -> None:
    with pytest.raises(ValueError, match=r"d\.csv") as error:
        read(tmp_path, times(*BAD[says]), time="time")
    assert str(error.value) == f"d.csv, {says}"


@pytest.mark.parametrize(
    ("cell", "looks"), [("2015-07-22", "It looks like a date"), ("7/22/2015", "It looks like a date"),
                        ("42207.69", "It looks like a date"), ("20150722", "looks like a date"),
                        ("1437582600", "looks like seconds since 1970")]
)  # fmt: skip
def test_dates_in_the_column_of_decisions_are_told_apart(tmp_path: Path, cell: str, looks: str) -> None:
    with pytest.raises(ValueError, match="row 2, column 'time': decision") as error:
        read(tmp_path, times(cell), decision="time")
    assert f"{looks}: add --time time (and leave --decision out)" in str(error.value)


def test_a_table_without_decisions_is_told_of_times(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no column 'decision'") as error:
        read(tmp_path, times("2015-07-22"))
    assert str(error.value) == (
        "d.csv has no column 'decision'. If 'time' says when it was, add --time time. It has: person, time, arm, reward"
    )


def test_a_zone_that_there_is_not(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="--zone 'Europe/Berlim' is unknown: name one such as Europe/Berlin"):
        read(tmp_path, times("2015-07-22"), Reading(times=TimeOptions(zone="Europe/Berlim")), time="time")


def test_all_weekdays_of_a_year(tmp_path: Path) -> None:
    days = [datetime.date(2016, 1, 1) + datetime.timedelta(days=k) for k in range(366)]
    table = read(tmp_path, times(*map(str, days)), Reading(covariates=("weekday",)), time="time")
    named = {name.removeprefix("weekday: "): k for k, name in enumerate(table.covariates)}
    assert len(named) == 6
    for day, row in zip(days, table.rows.covariates, strict=True):
        assert row.tolist() == [float(named.get(f"{day:%A}") == k) for k in range(6)]


@pytest.mark.parametrize(
    "cell", ["22JUL2015:16:30:00", "22-Jul-15 16:30", "22 July 2015, 4:30 PM", "July 22, 2015 16:30"]
)
def test_months_with_names(tmp_path: Path, cell: str) -> None:
    """As statistics programs write them; also within one column."""
    found = read(tmp_path, f'person,when,arm,reward\na,"{cell}",walk,1\na,2015-07-22 17:30,walk,1\n',
                 Reading(covariates=("weekday", "hour")), time="when")  # fmt: skip
    assert any("2015-07-22 to 2015-07-22" in note for note in found.notes)
    assert found.rows.decision.tolist() == [0, 1]


@pytest.mark.parametrize("cell", ["01-Jul-{}", "1.7.{}"])
@pytest.mark.parametrize(("year", "full"), [("99", 1999), ("69", 1969), ("68", 2068), ("15", 2015)])
def test_years_of_two_digits(tmp_path: Path, cell: str, year: str, full: int) -> None:
    """69 to 99 are of the last century."""
    found = read(tmp_path, f"person,when,arm,reward\na,{cell.format(year)},walk,1\n", time="when")
    assert any(f"{full}-07-01 to {full}-07-01" in note for note in found.notes), found.notes


@pytest.mark.parametrize("cell", ["22XYZ2015", "31-Feb-2015", "Ju 22, 2015"])
def test_months_that_are_none(tmp_path: Path, cell: str) -> None:
    """Are refused as other texts are."""
    with pytest.raises(ValueError, match="is no date"):
        read(tmp_path, f'person,when,arm,reward\na,"{cell}",walk,1\n', time="when")


def test_parts_of_the_day_as_words(tmp_path: Path) -> None:
    """In the order of the day, with a note."""
    rows = "a,2021-03-01,Evening,walk,1\na,2021-03-01,Morning,walk,1\na,2021-03-02,Morning,walk,1\n"
    found = read(tmp_path, f"person,date,tod,arm,reward\n{rows}", time="date", clock="tod")
    assert found.rows.decision.tolist() == [1, 0, 2]
    assert found.notes[0] == (
        "Times of day in 'tod' are words, and are read in this order: Morning as 09:00, Evening as 20:00."
    )
