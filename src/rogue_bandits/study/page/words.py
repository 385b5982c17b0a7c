"""Numbers and times as people read them."""

from __future__ import annotations

import math
from datetime import datetime


def percent(share: float) -> str:
    """Return a share in percent, on one line.

    >>> [percent(share).replace("\N{NO-BREAK SPACE}", " ") for share in (0.715, 0.004, 0.0)]
    ['72 %', 'below 1 %', '0 %']
    """
    words = "below 1 %" if 0.0 < share < 0.005 else f"{math.floor(100.0 * share + 0.5)} %"
    return words.replace(" ", "\N{NO-BREAK SPACE}")


def number(value: float | None) -> str:
    """Return a number with as many digits as a reader needs; a dash where there is none.

    >>> number(0.61803), number(12.0), number(1.618), number(None), number(123456.7)
    ('0.62', '12', '1.62', '–', '123,457')
    """
    if value is None or math.isnan(value):
        return "–"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 1 else f"{value:.2g}"


def day(time: str) -> str:
    """Return the date of a time, by its own clock.

    >>> day("2026-03-02T08:00:00+01:00")
    '2 Mar 2026'
    """
    moment = datetime.fromisoformat(time)
    return f"{moment.day} {moment:%b %Y}"


def moment(time: str) -> str:
    """Return the date and the time of day, by the clock of the time itself.

    >>> moment("2026-03-02T08:05:00+01:00")
    '2 Mar 2026, 08:05'
    """
    return f"{day(time)}, {datetime.fromisoformat(time):%H:%M}"


def ago(time: str, now: str) -> str:
    """Return how many days ago a time is, by its own clock.

    >>> ago("2026-03-02T08:00:00+00:00", "2026-03-05T07:00:00+00:00")
    '3 days ago'
    >>> ago("2026-03-05T08:00:00+00:00", "2026-03-05T09:00:00+00:00")
    'today'
    """
    then = datetime.fromisoformat(time)
    days = (datetime.fromisoformat(now).astimezone(then.tzinfo).date() - then.date()).days
    if days < 0:
        return f"on {day(time)}"
    return ("today", "yesterday")[days] if days < 2 else f"{days} days ago"


def is_later(start: str | None, now: str) -> bool:
    """Return whether a start is on a later day than now.

    >>> is_later("2026-03-02", "2026-03-01T23:00:00+00:00"), is_later(None, "2026-03-01T23:00:00+00:00")
    (True, False)
    """
    return start is not None and start > now[:10]
