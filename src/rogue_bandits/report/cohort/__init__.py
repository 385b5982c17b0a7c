"""Reports on fitted people: the table people, people.json, report.html, and advice.

In words, the same in the terminal and in the report:

    words.py           numbers, names, lists       claims.py     what the data support for an arm
    first_sentence.py  the verdict on all arms     verdict.py    the verdict on each arm
    margins.py         how much better, how sure   which_arm.py  what to send next
    advice.py          what `rogue advise` prints

The report:

    page.py            report.html                 arm_table.py  the table of arms
    figures.py         the figures of an arm       board.py      what a board asks: missing rewards, balance, choices
    harm.py            arms and silence            randomised.py effects by the randomisation alone
"""

from __future__ import annotations

import math
from pathlib import Path

from rogue_bandits.checkpoint import write_atomic
from rogue_bandits.estimate.files import People, people_json
from rogue_bandits.report.cohort.page import cohort_page
from rogue_bandits.report.table_file import Rows, remove_other, table_bytes

WITH_INTERVAL = {
    "reward_fresh": "fresh", "reward_worn_out": "worn", "cost_of_one_sending": "drop",
    "decisions_to_recover_half": "half_life", "reward_next": "now",
}  # fmt: skip
SPREADSHEET = "utf-8-sig"  # a byte-order mark tells spreadsheets that it is UTF-8
NUMBERS = "decay", "pull", "drift", "x0", "theta"


def write_cohort(people: People, folder: Path, kind: str = "csv", which: str = "") -> list[Path]:
    """Write the three files, the table as CSV or Parquet, and return their paths; `which` is as in `cohort_page`."""
    remove_other(folder, "people", kind)
    files = {f"people.{kind}": people_bytes(people, kind)}
    files |= {"people.json": people_json(people), "report.html": cohort_page(people, which)}
    return [write_atomic(folder / name, content) for name, content in files.items()]


def people_bytes(people: People, kind: str) -> bytes:
    """Return the table of people as a file."""
    rows = people_table(people)
    return table_bytes(rows, kind, dict.fromkeys(map(str, rows[0]), ".6g"), SPREADSHEET)


def people_table(people: People) -> Rows:
    """Return a row for each person and arm."""
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
            rows.append([person, arm, fit.n, "yes" if fit.enough else "no", ladder.rung, *map(float, values)])
    return rows


def middle_and_ends(quantiles: list[float]) -> tuple[float, float, float]:
    """Return the median and the ends of the credible interval; nan where there is none.

    >>> middle_and_ends([1.0, 2.0, 4.0])
    (2.0, 1.0, 4.0)
    """
    if not quantiles:
        return math.nan, math.nan, math.nan
    return quantiles[len(quantiles) // 2], quantiles[0], quantiles[-1]
