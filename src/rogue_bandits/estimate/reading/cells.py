"""What the text of a cell may be: a date, a time of day, a number."""

from __future__ import annotations

import re
from collections.abc import Iterable

NOT_OBSERVED = "", "na", "nan", "null", "n/a", "#n/a", "<na>", "nat", "."  # as spreadsheets, R, Python, SPSS write it
PARTS = {
    "morning": "09:00", "am": "09:00", "noon": "12:00", "midday": "12:00", "afternoon": "15:00", "pm": "15:00",
    "evening": "20:00", "night": "22:00",
}  # of the day, as words  # fmt: skip
HALF = r" ?[AaPp]\.?[Mm]\.?"  # of the day, of a clock with twelve hours
CLOCK = re.compile(rf"\d{{1,2}}(?::\d{{2}}(?::\d{{2}}(?:\.\d+)?)?(?:{HALF})?|{HALF})")  # 16:30, 4:30 PM, 4 pm
HOUR_ALONE = re.compile(r"(?<![\d:])(\d{1,2}) ?([AaPp])\.?[Mm]\.?$")
DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d|\d{1,2}([-/.])\d{1,2}\1\d{2}|\d{1,2}[ .-]?[A-Za-z]{3}|[A-Za-z]{3,9}\.? \d")
WHOLE = re.compile(r"-?\d+(\.0*)?")
DATES, TIMES, CLOCKS, NUMBERS = "dates", "dates with times", "times of day", "whole numbers"


def kind_of(cells: Iterable[str]) -> str:
    """Return what the cells of a column are, if they are all alike; '' if they are not, or are something else.

    >>> kind_of(["3/4/2015", "3/5/2015"]), kind_of(["3/4/2015 4:30 PM"]), kind_of(["4:30 PM", "9 am"]), kind_of(["7"])
    ('dates', 'dates with times', 'times of day', 'whole numbers')
    """
    found = {_kind(cell) for cell in cells if cell.lower() not in NOT_OBSERVED}
    return found.pop() if len(found) == 1 else ""


def is_clock(cell: str) -> bool:
    """Return whether a cell is a time of day."""
    return CLOCK.fullmatch(cell) is not None or cell.lower() in PARTS


def with_minutes(cell: str) -> str:
    """Return a time with the minutes that are left out in 4 pm.

    >>> with_minutes("2015-07-22 4 pm"), with_minutes("7/22/2015 4:30 PM")
    ('2015-07-22 4:00 PM', '7/22/2015 4:30 PM')
    """
    return HOUR_ALONE.sub(lambda found: f"{found[1]}:00 {found[2].upper()}M", cell)


def _kind(cell: str) -> str:
    if is_clock(cell):
        return CLOCKS
    if DATE.match(cell):
        return TIMES if ":" in with_minutes(cell) and not cell.endswith(" 00:00:00") else DATES
    return NUMBERS if WHOLE.fullmatch(cell) else ""
