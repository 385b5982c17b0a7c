"""From times to numbers of decisions: several a day, nights, and days without any."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.reading.columns import Column, Sheet
from rogue_bandits.estimate.reading.repeats import Again, raise_on_decisions_again
from rogue_bandits.estimate.reading.times import DAY, HOUR, MINUTE, Times
from rogue_bandits.types import Floats, Ints

USUAL = 0.95  # of the days of people have no more decisions than a day is given
NIGHT, SMALL_HOURS = 4 * HOUR, 3 * HOUR  # a night is so long, and this time of day is in most of them
FULL_DAYS = 3  # of a person, from which the times of day are the person's own
STEP = re.compile(r"(\d+)\s*(min|h|d|w)")
UNITS = {"min": MINUTE, "h": HOUR, "d": DAY, "w": 7 * DAY}


class Schedule(NamedTuple):
    """The number of each row's decision, from 0 at the first row of a person, and an account of how it was found."""

    decision: Ints
    account: list[str]
    a_week: int  # decisions; 0 if a week has no whole number of them


class _Days(NamedTuple):
    """The days of people, from rows sorted by person and time."""

    day: Ints  # of each row
    clock: Ints  # microseconds since the day began
    group: Ints  # which day of which person, 0, 1, 2, …
    size: Ints  # rows of each group
    rank: Ints  # of a row in its group


def schedule_of(sheet: Sheet, column: Column, person: Ints, times: Times, step: str | None) -> Schedule:
    """Return the decisions that follow from the times of people; `step` (2h, 1d) asks for a regular grid."""
    order = np.lexsort((times.local, times.instant, person))
    raise_on_same_time(sheet, column, person, times, order)
    who, local = person[order], times.local[order]
    begins = day_begins(local) if times.has_clock else 0
    if step is not None:
        decision, account = _on_grid(sheet, column, who, times, order, step, begins)
        a_week = _whole(UNITS["w"], step_length(step))
    else:
        decision, account, a_week = _by_days(who, _days_of(who, local, begins), begins)
    found = np.empty_like(decision)
    found[order] = decision
    first, last = (np.datetime64(int(t), "us").astype("datetime64[D]") for t in (local.min(), local.max()))
    return Schedule(found, [f"Decisions follow from '{column.name}' ({first} to {last}): {account}"], a_week)


def _whole(whole: int, part: int) -> int:
    """Return how many parts a whole has, 0 if these are not a whole number."""
    return 0 if whole % part else whole // part


def raise_on_same_time(sheet: Sheet, column: Column, person: Ints, times: Times, order: Ints) -> None:
    """Raise a ValueError if a person has two rows at the same time."""
    same = (np.diff(person[order]) == 0) & (np.diff(times.instant[order]) == 0)
    if not same.any():
        return
    help = ". Leave one of them out, or number the decisions in a column and name it with --decision"
    if not times.has_clock:
        help = (
            ". Several decisions a day need the time of day (--clock NAME, if it has a column of its own), or numbers "
            "in a column that --decision names"
        )
    who, every = sheet.columns["person"], []
    for at in np.flatnonzero(same).tolist():
        one, two = sorted(order[at : at + 2].tolist())
        rows = int(sheet.row[two]), int(sheet.row[one])
        every.append(Again(*rows, who.cells[who.code[two]], column.cells[column.code[two]]))
    raise_on_decisions_again(sheet.file, column.name, every, help)


def day_begins(local: Ints) -> int:
    """Return the time of day at which days are told apart: in the middle of the night, as the decisions show it.

    The night is the time without decisions around 3:00, or else the longest time of day without (times in UTC, from
    another part of the world), if it is long enough; else the hour with the fewest decisions.
    """
    clocks = np.unique(local % DAY // MINUTE) * MINUTE
    starts, ends = clocks, np.append(clocks[1:], clocks[0] + DAY)
    lengths = ends - starts
    at = (SMALL_HOURS - starts) % DAY < lengths
    k = int(np.argmax(at)) if lengths[at].max(initial=0) >= NIGHT else int(np.argmax(lengths))
    if lengths[k] >= NIGHT:
        inside = (SMALL_HOURS - starts[k]) % DAY < lengths[k]
        midnight = (-starts[k]) % DAY < lengths[k]
        if inside and midnight:
            return 0  # an ordinary day
        return int((starts[k] + lengths[k] // 2) // HOUR * HOUR % DAY)
    by_hour = np.bincount(local % DAY // HOUR, minlength=24)
    return int(np.argmin(by_hour)) * HOUR


def _days_of(who: Ints, local: Ints, begins: int) -> _Days:
    day, clock = np.divmod(local - begins, DAY)
    new = np.append(True, (np.diff(who) != 0) | (np.diff(day) != 0))
    group = np.cumsum(new) - 1
    count = np.bincount(group)
    rank = np.arange(who.size) - np.flatnonzero(new)[group]
    return _Days(day, clock, group, count, rank)


def _by_days(who: Ints, days: _Days, begins: int) -> tuple[Ints, str, int]:
    """Return decisions by days of as many decisions as usual days have at most, the account, and decisions a week."""
    most = int(np.sort(days.size)[int(np.ceil(USUAL * days.size.size)) - 1])
    if most == 1:
        every = _every(who, days.day)
        a_week = _whole(7, every)
        number = _since_first(who, days.day) // every
        account = "one decision a day" if every == 1 else f"one decision every {every} days"
    else:
        a_week = 7 * most
        number = _since_first(who, days.day) * most + np.minimum(_slots(who, days, most), most)
        full = np.count_nonzero(days.size >= most) / days.size.size
        account = f"{most} decisions a day ({full:.0%} of the days with data have all {most})"
        if begins:
            account += f", where a day begins at {begins // HOUR:02d}:00"
        account += ". A night counts as one step, like the time between two decisions of a day; --step 2h counts hours"
    crowded = days.size > most
    if crowded.any():
        at = int(np.argmax(days.size))
        account += (
            f". {crowded.sum():,} of {days.size.size:,} days have more than {most} (the most: {days.size[at]}): "
            "their decisions are counted one by one, and the next days begin later"
        )
    return _increasing(who, number), account + ". --decision NAME takes numbers of your own.", a_week


def _every(who: Ints, day: Ints) -> int:
    """Return how many days lie between decisions, if it is always a multiple of the same number."""
    steps = np.diff(day)[np.diff(who) == 0]
    return max(int(np.gcd.reduce(steps[steps > 0])), 1) if (steps > 0).any() else 1


def _since_first(who: Ints, values: Ints) -> Ints:
    """Return values less the first of their person; rows are sorted by person."""
    new = np.append(True, np.diff(who) != 0)
    return values - values[new][np.cumsum(new) - 1]


def _increasing(who: Ints, number: Ints) -> Ints:
    """Return the smallest numbers, at least these, that rise strictly within a person, from 0."""
    shift = who * (number.max() + number.size + 1)  # apart, so that one running maximum serves all people
    place = np.arange(number.size)
    return _since_first(who, np.maximum.accumulate(number + shift - place) + place - shift)


def _slots(who: Ints, days: _Days, most: int) -> Ints:
    """Return the place of each row in its day: its rank on full days, else by the times of day of full days."""
    slot = days.rank.copy()
    count = days.size[days.group]
    full, partial = count == most, count < most
    if not full.any() or not partial.any():
        return slot
    usual = _usual_clocks(who[full][::most], days.clock[full].reshape(-1, most), int(who.max()) + 1)
    rows = np.flatnonzero(partial)
    distance = np.abs(days.clock[rows, None] - usual[who[rows]])
    slot[rows] = np.argmin(distance, axis=1)
    same_day = np.diff(days.group) == 0
    clash = np.unique(days.group[1:][same_day & (np.diff(slot) <= 0) & partial[1:]])
    starts = np.searchsorted(days.group, clash)
    for start, n in zip(starts.tolist(), days.size[clash].tolist(), strict=True):
        slot[start : start + n] = nearest_in_order(days.clock[start : start + n], usual[who[start]])
    return slot


def _usual_clocks(who: Ints, clocks: Ints, people: int) -> Floats:
    """Return the median time of day of each decision, a person's own from a few full days on."""
    usual = np.tile(np.median(clocks, axis=0), (people, 1))
    starts = np.flatnonzero(np.append(True, np.diff(who) != 0))
    for start, end in zip(starts, np.append(starts[1:], who.size), strict=True):
        if end - start >= FULL_DAYS:
            usual[who[start]] = np.median(clocks[start:end], axis=0)
    return usual


def nearest_in_order(clock: Ints, usual: Floats) -> Ints:
    """Return rising places in `usual` of times that rise, nearest in the sum of distances.

    >>> nearest_in_order(np.array([9, 10]), np.array([8.0, 12.0, 18.0]))
    array([0, 1])
    """
    n, most = clock.size, usual.size
    best = np.full((n + 1, most + 1), np.inf)  # of the first i times among the first j places
    best[0] = 0.0
    for i in range(1, n + 1):
        for j in range(i, most + 1):
            best[i, j] = min(best[i, j - 1], best[i - 1, j - 1] + abs(clock[i - 1] - usual[j - 1]))
    places, j = np.empty(n, dtype=np.int64), most
    for i in range(n, 0, -1):
        while best[i, j] == best[i, j - 1]:
            j -= 1
        j -= 1
        places[i - 1] = j
    return places


def _on_grid(
    sheet: Sheet, column: Column, who: Ints, times: Times, order: Ints, step: str, begins: int
) -> tuple[Ints, str]:
    """Return decisions as whole steps since a person's first; two of a person in one step raise a ValueError."""
    length = step_length(step)
    if length % DAY == 0:
        number = _since_first(who, (times.local[order] - begins) // DAY) // (length // DAY)
    else:
        number = (_since_first(who, times.instant[order]) + length // 2) // length
    same = (np.diff(who) == 0) & (np.diff(number) == 0)
    if same.any():
        at = int(np.argmax(same))
        one, two = order[at], order[at + 1]
        more = f" ({same.sum() - 1:,} more like this)" if same.sum() > 1 else ""
        person = sheet.columns["person"]
        words = (
            f"person '{person.cells[person.code[two]]}' has another decision in the same {step}, in row "
            f"{sheet.row[one]}{more}: a shorter --step keeps them apart"
        )
        raise sheet.error_at(column.name, int(two), words)
    return number, f"one every {step}, as --step says. Steps without a row, those of nights too, count as rests."


def step_length(step: str) -> int:
    """Return the microseconds of a step.

    >>> step_length("2h") // HOUR
    2
    """
    found = STEP.fullmatch(step.strip().lower())
    if found is None or not int(found[1]):
        raise ValueError(f"--step '{step}' must be a number with min, h, d or w: 30min, 2h, 1d")
    return int(found[1]) * UNITS[found[2]]
