"""Columns of dates and times, with or without a time zone; what is ambiguous is decided by the whole column."""

from __future__ import annotations

import datetime
import re
import zoneinfo
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.reading.cells import NOT_OBSERVED, PARTS, is_clock, with_minutes
from rogue_bandits.estimate.reading.columns import Column, Sheet
from rogue_bandits.estimate.reading.faults import Gathered
from rogue_bandits.types import Ints

SECOND = 1_000_000  # times are whole microseconds
MINUTE, HOUR, DAY = 60 * SECOND, 3600 * SECOND, 86_400 * SECOND
YEARS = range(1950, 2101)  # outside, a year is a typing error
DAY_FIRST, MONTH_FIRST = "day-first", "month-first"
WRITTEN = re.compile(
    r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})"  # 22/07/2015, 7/22/15
    r"(?:[ T,]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(?: ?([AaPp])\.?[Mm]\.?)?)?"  # 16:30:00 or 4:30 PM
)
YEAR_FIRST = re.compile(
    r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})"
    r"(?:[ T]+(\d{1,2})(:\d{2}(?::\d{2}(?:\.\d+)?)?)(?: ?([AaPp])\.?[Mm]\.?)?( ?(?:[Zz]|[-+]\d{2}:?\d{2}))?)?"
)
NAMED_MONTH = re.compile(
    r"(?:(?P<day>\d{1,2})[ .-]*(?P<month>[A-Za-z]{3,9})[ .,-]*(?P<year>\d{4}|\d{2})"  # 22JUL2015, 22-Jul-15
    r"|(?P<month2>[A-Za-z]{3,9})\.? (?P<day2>\d{1,2})(?:st|nd|rd|th)?,? (?P<year2>\d{4}))"  # July 22, 2015
    r"(?:[ T:,]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d+)?)?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?)?"
)
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
MIDNIGHT = re.compile(r"[ T]00:00(:00)?$")
NUMBER = re.compile(r"\d+(\.\d+)?")
PIVOT = 69  # the first year of two digits that is of the last century
EXCEL_EPOCH = datetime.datetime(1899, 12, 30)
UNIX_EPOCH = datetime.datetime(1970, 1, 1)
HELP = "write it as 2015-07-22 or 2015-07-22 16:30, with or without +02:00"


class TimeOptions(NamedTuple):
    """The order of day and month (None: by the column), and the zone that times are converted to (None: as written)."""

    order: str | None = None
    zone: str | None = None


class Times(NamedTuple):
    """Times in microseconds since 1970: on the clock of the place, and as instants; whether there is a time of day."""

    local: Ints
    instant: Ints
    has_clock: bool
    notes: list[str]


def times_of(sheet: Sheet, column: Column, options: TimeOptions) -> Times:
    """Return the times of a column."""
    faults = Gathered(sheet.file)
    for k, cell in enumerate(column.cells):
        if cell.lower() in NOT_OBSERVED:
            faults.add(sheet.error(column, k, f"the time is missing{_in_rows(column, k)}"))
    faults.tell()
    if all(NUMBER.fullmatch(cell) for cell in column.cells):
        times, notes = _from_numbers(sheet, column)
    else:
        times, notes = _from_text(sheet, column, options)
    for k, time in enumerate(times):
        if time.year not in YEARS:
            words = f"time '{column.cells[k]}' is in the year {time.year}: a typing error?"
            faults.add(sheet.error(column, k, words))
    faults.tell()
    has_zone = [time.tzinfo is not None for time in times]
    if any(has_zone) and not all(has_zone):
        without = has_zone.index(False)
        other = sheet.row_of(column, has_zone.index(True))
        words = f"time '{column.cells[without]}' has no time zone, and row {other} has one: write all in the same way"
        raise sheet.error(column, without, words)
    if options.zone is not None:
        zone = checked_zone(options.zone)
        times = [(time if time.tzinfo else time.replace(tzinfo=datetime.UTC)).astimezone(zone) for time in times]
        start = "" if all(has_zone) else f" '{column.name}' has no time zone and was taken as UTC;"
        notes.append(f"Times are those of {options.zone}.{start} {column.cells[0]} is {times[0]:%Y-%m-%d %H:%M} there.")
    local = np.array([time.replace(tzinfo=None) for time in times], dtype="datetime64[us]").astype(np.int64)
    offset = np.array([_offset(time) for time in times], dtype=np.int64)
    code, has_clock = column.code, bool((local % DAY != 0).any())
    return Times(local[code], (local - offset)[code], has_clock, notes)


def with_clock(sheet: Sheet, date: Column, clock: Column) -> Column:
    """Return the column of times that a column of dates and one of times of day make together."""
    faults = Gathered(sheet.file)
    for k, cell in enumerate(clock.cells):
        if cell.lower() in NOT_OBSERVED:
            faults.add(sheet.error(clock, k, f"the time of day is missing{_in_rows(clock, k)}"))
        elif not is_clock(cell):
            faults.add(sheet.error(clock, k, f"time of day '{cell}' must be such as 16:30, 4:30 PM or morning"))
    faults.tell()
    days, hours = [MIDNIGHT.sub("", cell) for cell in date.cells], [PARTS.get(c.lower(), c) for c in clock.cells]
    pair, code = np.unique(date.code * len(clock.cells) + clock.code, return_inverse=True)
    cells = [f"{days[k // len(hours)]} {hours[k % len(hours)]}" for k in pair.tolist()]
    return Column(date.name, cells, code)


def notes_on_parts(clock: Column) -> list[str]:
    """Return a note on parts of the day that stand for times."""
    words = sorted({cell for cell in clock.cells if cell.lower() in PARTS}, key=lambda cell: PARTS[cell.lower()])
    listed = ", ".join(f"{word} as {PARTS[word.lower()]}" for word in words)
    return [f"Times of day in '{clock.name}' are words, and are read in this order: {listed}."] if words else []


def _in_rows(column: Column, k: int) -> str:
    """Return in how many more rows a cell is, if there are any."""
    more = column.rows_of(k) - 1
    return f" ({more:,} more like this)" if more else ""


def _offset(time: datetime.datetime) -> int:
    offset = time.utcoffset()
    return 0 if offset is None else offset // datetime.timedelta(microseconds=1)


def checked_zone(name: str) -> zoneinfo.ZoneInfo:
    """Return a time zone by its name."""
    try:
        return zoneinfo.ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"--zone '{name}' is unknown: name one such as Europe/Berlin or America/New_York") from None


class _Count(NamedTuple):
    """A way to count time: the range of today's times in it, when it begins, and its unit in seconds."""

    least: float
    most: float
    epoch: datetime.datetime
    seconds: float


COUNTS = {
    "days since 1900, as spreadsheets count": _Count(18_264.0, 73_416.0, EXCEL_EPOCH, 86_400.0),
    "seconds since 1970": _Count(3e8, 4.2e9, UNIX_EPOCH, 1.0),
    "milliseconds since 1970": _Count(3e11, 4.2e12, UNIX_EPOCH, 1e-3),
}


def kind_of_number(values: Ints) -> str | None:
    """Return which times whole numbers must be, as no numbers of decisions are so large; None if they may be such.

    >>> kind_of_number(np.array([1437582600, 1437669000])), kind_of_number(np.array([42207, 42208]))
    ('seconds since 1970', None)
    """
    if ((values >= 19500101) & (values <= 21001231) & (values % 100 <= 31) & (values // 100 % 100 <= 12)).all():
        return "a date"
    for words, count in COUNTS.items():
        if count.epoch is UNIX_EPOCH and count.least <= values.min() and values.max() <= count.most:
            return words
    return None


def _from_numbers(sheet: Sheet, column: Column) -> tuple[list[datetime.datetime], list[str]]:
    """Return the times behind numbers: 20150722, a spreadsheet's days since 1900, or seconds since 1970."""
    values = [float(cell) for cell in column.cells]
    if all(19500101 <= value <= 21001231 and value.is_integer() for value in values):
        return [_compact(sheet, column, k) for k in range(len(values))], []
    for words, (least, most, epoch, seconds) in COUNTS.items():
        if least <= min(values) and max(values) <= most:
            zone = datetime.UTC if epoch is UNIX_EPOCH else None
            start = epoch.replace(tzinfo=zone)
            times = [start + datetime.timedelta(seconds=round(value * seconds)) for value in values]
            example = f"{column.cells[0]} is {times[0]:%Y-%m-%d %H:%M}{' UTC' if zone else ''}"
            return times, [f"Times in '{column.name}' are read as {words}: {example}."]
    k = next((k for k, value in enumerate(values) if value < 18_264.0), 0)
    words = "is a number, not a date. If it counts decisions, name it with --decision"
    raise sheet.error(column, k, f"time '{column.cells[k]}' {words}; else {HELP}")


def _compact(sheet: Sheet, column: Column, k: int) -> datetime.datetime:
    try:
        return datetime.datetime.strptime(column.cells[k].split(".")[0], "%Y%m%d")
    except ValueError:
        raise sheet.error(column, k, f"time '{column.cells[k]}' is no date; {HELP}") from None


def _from_text(sheet: Sheet, column: Column, options: TimeOptions) -> tuple[list[datetime.datetime], list[str]]:
    """Return the times behind texts, all in ISO form or all with day and month in one order."""
    cells = [with_minutes(cell) for cell in column.cells]
    iso = [_iso(cell) for cell in cells]
    if all(time is not None for time in iso):
        return [time for time in iso if time is not None], []
    parts = [WRITTEN.fullmatch(cell) for cell in cells]
    faults = Gathered(sheet.file)
    for k, (time, part) in enumerate(zip(iso, parts, strict=True)):
        if time is None and part is None:
            help = f"--time names the dates, and --clock {column.word()} these" if is_clock(column.cells[k]) else HELP
            faults.add(sheet.error(column, k, f"time '{column.cells[k]}' is no date; {help}"))
    faults.tell()
    forms = [time is not None for time in iso]
    if any(forms):
        k, other = forms.index(False), forms.index(True)
        raise sheet.error(
            column,
            k,
            f"time '{column.cells[k]}' is written otherwise than row {sheet.row_of(column, other)}, "
            f"'{column.cells[other]}'. A spreadsheet may have misread some dates, with day and month exchanged: "
            "write all in the same way",
        )
    fields = [part.groups() for part in parts if part is not None]
    order, notes = _order(sheet, column, fields, options.order)
    found = [faults.of(UNIX_EPOCH, _written, sheet, column, k, field, order) for k, field in enumerate(fields)]
    faults.tell()
    return found, notes


def _iso(cell: str) -> datetime.datetime | None:
    """Return the time of a cell with the year first: ISO 8601, also with slashes, without leading zeros or with PM."""
    if named := NAMED_MONTH.fullmatch(cell):
        return _with_month(named)
    text = cell.removesuffix(" UTC") + "Z" * cell.endswith(" UTC")
    if loose := YEAR_FIRST.fullmatch(text):
        year, month, day, hour, minutes, half, zone = loose.groups(default="")
        hours = _hours(hour, half)
        text = f"{year}-{int(month):02d}-{int(day):02d}" + (f"T{hours:02d}{minutes}{zone.strip()}" if hour else "")
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        return None


def _with_month(found: re.Match[str]) -> datetime.datetime | None:
    """Return the time of a cell with the English name of a month, None if there is no such month or day."""
    part = {name.removesuffix("2"): text for name, text in found.groupdict().items() if text is not None}
    month = next((k for k, name in enumerate(MONTHS, 1) if name.startswith(part["month"].lower())), 0)
    year = _full_year(part["year"])
    clock = _hours(part.get("hour", ""), part.get("half")), int(part.get("minute", 0)), int(part.get("second", 0))
    try:
        return datetime.datetime(year, month, int(part["day"]), *clock)
    except ValueError:
        return None


def _full_year(year: str) -> int:
    """Return a year; of two digits, 69 to 99 are of the last century, as POSIX has it.

    >>> _full_year("15"), _full_year("99"), _full_year("2015")
    (2015, 1999, 2015)
    """
    return int(year) + (0 if len(year) > 2 else 1900 if int(year) >= PIVOT else 2000)


def _hours(hour: str, half: str | None) -> int:
    """Return hours from midnight; `half` is the A or P of a clock with twelve hours."""
    return int(hour or 0) % 12 + 12 * (half.lower() == "p") if half else int(hour or 0)


def _order(sheet: Sheet, column: Column, fields: list[tuple[str, ...]], order: str | None) -> tuple[str, list[str]]:
    """Return whether the day or the month is first: as said, or as the cells show."""
    if order is not None:
        return order, []
    first_above = next((k for k, field in enumerate(fields) if int(field[0]) > 12), None)
    second_above = next((k for k, field in enumerate(fields) if int(field[2]) > 12), None)
    if first_above is not None and second_above is not None:
        other = f"row {sheet.row_of(column, first_above)}, '{column.cells[first_above]}'"
        words = (
            f"time '{column.cells[second_above]}' has the month first, and {other}, the day: write all in the same way"
        )
        raise sheet.error(column, second_above, words)
    if first_above is None and second_above is None and any(field[1] != "." for field in fields):
        words = f"time '{column.cells[0]}': is the day first or the month? Add --date-order day-first or month-first"
        raise sheet.error(column, 0, words)
    found = MONTH_FIRST if second_above is not None else DAY_FIRST
    example = column.cells[second_above or first_above or 0]
    return found, [f"Dates in '{column.name}' have the {found.split('-')[0]} first, as {example}."]


def _written(sheet: Sheet, column: Column, k: int, field: tuple[str, ...], order: str) -> datetime.datetime:
    one, _, two, year, hour, minute, second, half = field
    day, month = (one, two) if order == DAY_FIRST else (two, one)
    try:
        when = _hours(hour, half), int(minute or 0), int(second or 0)
        return datetime.datetime(_full_year(year), int(month), int(day), *when)
    except ValueError:
        raise sheet.error(
            column, k, f"time '{column.cells[k]}' is no date with the {order.split('-')[0]} first"
        ) from None
