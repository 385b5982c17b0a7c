"""Reports on fitted people: people.csv, people.json, report.html, and advice."""

from __future__ import annotations

import math
from pathlib import Path

from rogue_bandits.checkpoint import write_atomic
from rogue_bandits.estimate.files import People, people_json
from rogue_bandits.report.cohort.page import cohort_page
from rogue_bandits.report.terminal import csv_text

WITH_INTERVAL = {
    "reward_fresh": "fresh", "reward_worn_out": "worn", "cost_of_one_sending": "drop",
    "decisions_to_recover_half": "half_life", "reward_next": "now",
}  # fmt: skip
NUMBERS = "decay", "pull", "drift", "x0", "theta"


def write_cohort(people: People, folder: Path) -> list[Path]:
    """Write the three files and return their paths."""
    files = {"people.csv": people_csv(people), "people.json": people_json(people), "report.html": cohort_page(people)}
    return [write_atomic(folder / name, content) for name, content in files.items()]


def people_csv(people: People) -> bytes:
    """Return a row for each person and arm. A byte-order mark tells spreadsheets that it is UTF-8."""
    head = ["person", "arm", "rewards", "enough_data", "rung"]
    head += [name + end for name in WITH_INTERVAL for end in ("", "_lo", "_hi")]
    rows: list[list[object]] = [[*head, *NUMBERS]]
    for person, fits in people.fitted.people.items():
        for arm, fit in fits.items():
            ladder = people.fitted.arms[arm]
            mine = ladder.persons[person]
            values = [x for field in WITH_INTERVAL.values() for x in middle_and_ends(getattr(mine, field))]
            d = fit.dynamics
            values += [d.decay, d.pull, d.drift, fit.x0, fit.theta]
            shown = ["" if math.isnan(value) else f"{value:.6g}" for value in values]
            rows.append([person, arm, fit.n, "yes" if fit.enough else "no", ladder.rung, *shown])
    return csv_text(rows).encode("utf-8-sig")


def middle_and_ends(quantiles: list[float]) -> tuple[float, float, float]:
    """Return the median and the ends of the credible interval; nan where there is none.

    >>> middle_and_ends([1.0, 2.0, 4.0])
    (2.0, 1.0, 4.0)
    """
    if not quantiles:
        return math.nan, math.nan, math.nan
    return quantiles[len(quantiles) // 2], quantiles[0], quantiles[-1]
