"""Decisions from times, against schedules that are known."""

from __future__ import annotations

import datetime
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from rogue_bandits.estimate.reading.schedule import day_begins, nearest_in_order
from rogue_bandits.estimate.reading.times import DAY, HOUR, MINUTE
from rogue_bandits.estimate.table import Reading, Table
from tests.estimate.reading.made_up import read, times

MONDAY = datetime.datetime(2015, 7, 20)
ALL_FIVE = "5 decisions a day ({} of the days with data have all 5)"
NIGHT = "A night counts as one step, like the time between two decisions of a day; --step 2h counts hours."
OWN = "--decision NAME takes numbers of your own."


def at(day: int, hour: float) -> str:
    return f"{MONDAY + datetime.timedelta(days=day, hours=hour):%Y-%m-%d %H:%M:%S}"


READING = Reading()


def decisions(folder: Path, cells: list[str], reading: Reading = READING) -> list[int]:
    found: list[int] = read(folder, times(*cells), reading, time="time").rows.decision.tolist()
    return found


def test_one_a_day_with_days_left_out(tmp_path: Path) -> None:
    assert decisions(tmp_path, [at(day, 9 + day % 3) for day in (0, 1, 4, 5)]) == [0, 1, 4, 5]


def test_dates_in_any_order(tmp_path: Path) -> None:
    assert decisions(tmp_path, ["2015-07-25", "2015-07-22", "2015-07-23"]) == [3, 0, 1]


def test_once_a_week_is_one_step(tmp_path: Path) -> None:
    table = read(tmp_path, times(*(at(day, 0)[:10] for day in (0, 7, 21, 28))), time="time")
    assert table.rows.decision.tolist() == [0, 1, 3, 4]
    assert table.notes == [f"Decisions follow from 'time' (2015-07-20 to 2015-08-17): one decision every 7 days. {OWN}"]


def test_several_a_day_a_night_is_one_step_and_an_absence_is_a_gap(tmp_path: Path) -> None:
    cells = [at(day, hour) for day in (0, 1, 5) for hour in (8, 12.5, 15, 18, 21)]
    table = read(tmp_path, times(*cells), time="time")
    assert table.rows.decision.tolist() == [*range(10), *range(25, 30)]
    assert table.notes == [
        f"Decisions follow from 'time' (2015-07-20 to 2015-07-25): {ALL_FIVE.format('100%')}. {NIGHT} {OWN}"
    ]


def known_schedule(rng: np.random.Generator, night_ends: float) -> tuple[str, list[int]]:
    """Return a table of three people with times of day of their own, jitter and lost rows, in random order."""
    rows = []
    for person in "abc":
        hours = np.sort(night_ends + np.arange(5) * 3.0 + rng.uniform(0.0, 1.0, 5))
        kept = rng.random(40 * 5) < 0.98
        kept[[0, 7]] = True, False
        first = int(np.argmax(kept))
        rows += [
            (f"{person},{at(k // 5, hours[k % 5] + rng.uniform(-0.5, 0.5))},walk,0.5", k - first)
            for k in np.flatnonzero(kept).tolist()
        ]
    order = rng.permutation(len(rows)).tolist()
    return "\n".join(["person,time,arm,reward", *(rows[k][0] for k in order)]), [rows[k][1] for k in order]


@pytest.mark.parametrize("night_ends", [7.0, 13.0])  # at home, and on a clock of another part of the world
def test_times_with_jitter_and_lost_rows_give_the_schedule_back(tmp_path: Path, night_ends: float) -> None:
    for seed in range(5):
        text, truth = known_schedule(np.random.default_rng(seed), night_ends)
        assert read(tmp_path, text, time="time").rows.decision.tolist() == truth


def test_a_day_that_ends_after_midnight_is_one_day(tmp_path: Path) -> None:
    cells = [at(day, hour) for day in range(6) for hour in (13, 16, 19, 22, 25.5)]
    table = read(tmp_path, times(*cells), time="time")
    assert table.rows.decision.tolist() == list(range(30))
    assert "where a day begins at 07:00" in table.notes[0]


def test_a_crowded_day_is_counted_one_by_one(tmp_path: Path) -> None:
    cells = [at(day, hour) for day in range(40) for hour in (9, 18)]
    crowded = [at(20, 10), at(20, 11)]
    table = read(tmp_path, times(*cells, *crowded), time="time")
    assert np.sort(table.rows.decision).tolist() == list(range(82))
    assert "1 of 40 days have more than 2 (the most: 4)" in table.notes[0]


def test_people_begin_at_0_each(tmp_path: Path) -> None:
    text = times(at(0, 9), at(1, 9)) + "b," + at(100, 9) + ",walk,1\nb," + at(102, 9) + ",walk,1\n"
    assert read(tmp_path, text, time="time").rows.decision.tolist() == [0, 1, 0, 2]


def test_a_journey_keeps_the_order_of_instants(tmp_path: Path) -> None:
    """To the west: the clock goes back, the decisions do not."""
    cells = [
        "2015-07-22T09:00:00+02:00",
        "2015-07-22T18:00:00+02:00",
        "2015-07-22T14:00:00-04:00",
        "2015-07-23T09:00:00-04:00",
    ]
    assert decisions(tmp_path, cells) == sorted(decisions(tmp_path, cells))


def test_a_regular_grid_counts_nights(tmp_path: Path) -> None:
    cells = [at(day, hour) for day in (0, 1) for hour in (8, 12, 20.1)]
    assert decisions(tmp_path, cells, Reading(step="4h")) == [0, 1, 3, 6, 7, 9]
    assert decisions(tmp_path, [at(0, 20), at(1, 8), at(3, 23)], Reading(step="1d")) == [0, 1, 3]
    assert decisions(tmp_path, [at(0, 20), at(8, 8)], Reading(step="1w")) == [0, 1]


BAD = {
    "d.csv, column 'time': 5 rows have a decision that their person has already: row 3 (person 'a' has 2015-07-22 in "
    "row 2), row 4 (person 'a' has 2015-07-22 in row 3), row 5 (person 'a' has 2015-07-22 in row 4) and 2 more. "
    "Several decisions a day need the time of day (--clock NAME, if it has a column of its own), or numbers in a "
    "column that --decision names": (["2015-07-22"] * 6, None),
    "d.csv has 2 problems:\n  row 4, column 'time': person 'a' has 2015-07-22 9:00 already, in row 2. Leave one of "
    "them out, or number the decisions in a column and name it with --decision\n"
    "  row 5, column 'time': person 'a' has 2015-07-23 9:00 already, in row 3":
        (["2015-07-22 09:00", "2015-07-23 09:00", "2015-07-22 9:00", "2015-07-23 9:00"], None),
    "d.csv, row 3, column 'time': person 'a' has 2015-07-22 already, in row 2. Several decisions a day need the time "
    "of day (--clock NAME, if it has a column of its own), or numbers in a column that --decision names":
        (["2015-07-22", "2015-07-22"], None),
    "d.csv, row 3, column 'time': person 'a' has 2015-07-22T09:00:00+02:00 already, in row 2. Leave one of them out, "
    "or number the decisions in a column and name it with --decision":
        (["2015-07-22T08:00:00+01:00", "2015-07-22T09:00:00+02:00"], None),
    "d.csv, row 3, column 'time': person 'a' has another decision in the same 2h, in row 2: a shorter --step keeps "
    "them apart": (["2015-07-22 09:00", "2015-07-22 09:50"], "2h"),
    "--step '2 days' must be a number with min, h, d or w: 30min, 2h, 1d": (["2015-07-22"], "2 days"),
    "--step '0h' must be a number with min, h, d or w: 30min, 2h, 1d": (["2015-07-22"], "0h"),
}  # fmt: skip


@pytest.mark.parametrize("says", BAD)
def test_times_that_make_no_schedule(tmp_path: Path, says: str) -> None:
    cells, step = BAD[says]
    with pytest.raises(ValueError, match=r".") as error:
        decisions(tmp_path, cells, Reading(step=step))
    assert str(error.value) == says


def test_numbers_and_times_together(tmp_path: Path) -> None:
    """The numbers decide; times are for covariates, and a contradiction is reported."""
    rows = "a,0,2015-07-22 09:00,walk,1", "a,2,2015-07-22 08:00,walk,1", "a,1,2015-07-22 09:00,walk,1"
    text = "\n".join(["person,n,time,arm,reward", *rows])
    table: Table = read(tmp_path, text, decision="n", time="time")
    assert table.rows.decision.tolist() == [0, 2, 1]
    assert table.notes == ["Warning: 1 decision is numbered after one that has a later time (the first in row 3)."]
    with pytest.raises(ValueError, match="--step makes decisions from --time, and --decision names their numbers"):
        read(tmp_path, text, Reading(step="1d"), decision="n", time="time")


@pytest.mark.parametrize(
    ("hours", "begins"),
    [((9, 21), 0), ((7, 23), 0), ((0, 12, 23), 0), ((13, 19, 25), 7), ((12, 15, 18, 21, 24, 27), 7), ((8,), 0),
     (tuple(range(2, 24)), 0)],
)  # fmt: skip
def test_where_a_day_begins(hours: tuple[int, ...], begins: int) -> None:
    local = np.array([day * DAY + hour * HOUR for day in range(3) for hour in hours])
    assert day_begins(local) == begins * HOUR


def test_the_nearest_places_in_order_against_all_of_them() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        most = int(rng.integers(2, 7))
        clock = np.sort(rng.integers(0, 1440, int(rng.integers(1, most)))) * MINUTE
        usual = (np.sort(rng.integers(0, 1440, most)) * MINUTE).astype(np.float64)
        places = nearest_in_order(clock, usual)
        best = min(np.abs(clock - usual[list(chosen)]).sum() for chosen in combinations(range(most), clock.size))
        assert (np.diff(places) > 0).all()
        assert np.abs(clock - usual[places]).sum() == best


@pytest.mark.parametrize(
    ("a_day", "step", "a_week"), [(1, None, 7), (3, None, 21), (3, "2h", 84), (1, "1w", 1), (1, "10d", 0)]
)
def test_decisions_of_a_week_are_known_from_times(tmp_path: Path, a_day: int, step: str | None, a_week: int) -> None:
    every = 10 if step in ("1w", "10d") else 1
    rows = [f"a,2026-03-{1 + every * day:02d} {8 + 4 * k}:00,walk,1" for day in range(3) for k in range(a_day)]
    table = read(tmp_path, "\n".join(["person,when,arm,reward", *rows]), Reading(step=step), time="when")
    assert table.a_week == a_week
