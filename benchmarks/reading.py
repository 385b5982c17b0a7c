"""How long `rogue fit` takes to read a table, by the kind of file: `python -m benchmarks.reading`."""

from __future__ import annotations

import csv
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.results import Requirement
from rogue_bandits.estimate.table import Columns, Reading, read_table

PEOPLE, DECISIONS = 1_000, 200
HEADER = ["person", "decision", "time", "arm", "reward", "available", "probability", "mood"]
NUMBERS = Columns(), Reading()
TIMES = Columns(time="time", probability="probability"), Reading(covariates=("weekday", "hour", "mood"))


def rows_of(people: int = PEOPLE, decisions: int = DECISIONS) -> list[list[Any]]:
    """Return rows of people with five decisions a day, at times that vary."""
    rng = np.random.default_rng(0)
    minutes = [(t // 5) * 1440 + (t % 5) * 150 + 480 for t in range(decisions)]
    rows = []
    for person in range(people):
        late, reward, mood = rng.integers(0, 40, decisions), rng.normal(size=decisions), rng.normal(size=decisions)
        when = np.datetime64("2020-01-01") + (np.array(minutes) + late).astype("timedelta64[m]")
        arms = [("walk", "none", "sleep")[t % 3] for t in range(decisions)]
        rows += [
            [f"p{person}", t, str(when[t]), arms[t], round(reward[t], 4), 1, 0.3333, round(mood[t], 2)]
            for t in range(decisions)
        ]
    return rows


def write_csv(path: Path, rows: list[list[Any]]) -> None:
    """Write a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *rows])


def write_parquet(path: Path, rows: list[list[Any]]) -> None:
    """Write a Parquet file."""
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({name: [row[k] for row in rows] for k, name in enumerate(HEADER)}), path)


def write_workbook(path: Path, rows: list[list[Any]]) -> None:
    """Write an xlsx workbook."""
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Data")
    for row in [HEADER, *rows]:
        sheet.append(row)
    book.save(path)


WRITERS: dict[str, Callable[[Path, list[list[Any]]], None]] = {
    "csv": write_csv, "parquet": write_parquet, "xlsx": write_workbook
}  # fmt: skip


def seconds_of(path: Path, columns: Columns, reading: Reading) -> float:
    """Return the processor time that reading takes."""
    before = time.process_time()
    read_table(path, columns, reading)
    return time.process_time() - before


def reading_requirements() -> list[Requirement]:
    """Reading a trial of 1,000 people × 200 decisions from a CSV file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data.csv")
        write_csv(path, rows_of())
        kinds = {"numbers of decisions": NUMBERS, "times, probabilities and three covariates": TIMES}
        return [
            Requirement(f"reading {PEOPLE * DECISIONS:,} rows of CSV, {words}", seconds_of(path, *how), 2.0, "s")
            for words, how in kinds.items()
        ]


def main() -> None:
    """Print the processor time of each kind of file, with numbers of decisions and with times."""
    rows = rows_of()
    print(f"{'file':10}{'rows':>12}{'numbers, s':>14}{'times, s':>12}")
    with tempfile.TemporaryDirectory() as folder:
        for kind, write in WRITERS.items():
            path = Path(folder, f"data.{kind}")
            write(path, rows)
            print(f"{kind:10}{len(rows):>12,}{seconds_of(path, *NUMBERS):>14.2f}{seconds_of(path, *TIMES):>12.2f}")
        path = Path(folder, "data.csv")
        many = rows_of(5 * PEOPLE)
        write_csv(path, many)
        print(f"{'csv':10}{len(many):>12,}{seconds_of(path, *NUMBERS):>14.2f}{seconds_of(path, *TIMES):>12.2f}")


if __name__ == "__main__":
    main()
