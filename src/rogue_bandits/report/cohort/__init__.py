"""Reports on fitted people: people.csv, people.json, report.html, and advice."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from rogue_bandits.checkpoint import write_atomic
from rogue_bandits.estimate.files import People, people_json
from rogue_bandits.estimate.fitted import NUMBERS
from rogue_bandits.report.cohort.page import cohort_page
from rogue_bandits.report.terminal import csv_text


def write_cohort(people: People, folder: Path, command: str, progress: Callable[[int], None]) -> list[Path]:
    """Write the three files and return their paths. `progress` is called with the number of people just drawn."""
    files = {
        "people.csv": people_csv(people),
        "people.json": people_json(people),
        "report.html": cohort_page(people, command, progress),
    }
    return [write_atomic(folder / name, content) for name, content in files.items()]


def people_csv(people: People) -> bytes:
    """Return a row for each person and arm that was fitted. A byte-order mark tells spreadsheets that it is UTF-8."""
    with_interval = NUMBERS[:-1]
    rows: list[list[object]] = [[
        "person", "arm", "rewards", "enough_data", "cost_of_one_sending", "decisions_to_recover_half", "longest_rest",
        "reward_fresh", "reward_worn_out", *NUMBERS, "log_likelihood",
        *(f"{name}_{end}" for name in with_interval for end in ("lo", "hi")), "proven_gap",
    ]]  # fmt: skip
    for person, arms in people.fitted.people.items():
        for arm, fit in arms.items():
            fresh, worn, cost, recovery, observed = people.summary(person, arm)
            ends = [end for name in with_interval for end in fit.intervals.get(name, (math.nan, math.nan))]
            gap = math.nan if fit.gap is None else fit.gap
            values = [cost, recovery, observed.rests, fresh, worn, *fit.numbers().values(), fit.loglik, *ends, gap]
            enough = "yes" if fit.enough else "no"
            rows.append([person, arm, fit.n, enough, *("" if math.isnan(v) else f"{v:.6g}" for v in values)])
    return csv_text(rows).encode("utf-8-sig")
