"""The table of the arms of a cohort, the same in the terminal and in the report."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table

from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.terms import Terms
from rogue_bandits.report.cohort_words import NEGLIGIBLE, NO_COST, NOT_SEEN, reward


class ArmLine(NamedTuple):
    """A line of the table, as it is written."""

    arm: str
    people: str
    rewards: str
    fresh: str
    worn: str
    cost: str
    recovery: str


HEADINGS = ArmLine(
    "arm", "people", "rewards", "at its freshest", "at its most worn", "one sending costs", "rests until half is back"
)
CAPTION = "Medians over the people with enough data"


def arm_lines(people: People) -> list[ArmLine]:
    """A line for each arm that was fitted to anybody."""
    lines = []
    for arm in people.cohort.arms:
        fits = {person: arms[arm] for person, arms in people.fitted.people.items() if arm in arms}
        if not fits:
            continue
        enough = [people.terms(person, arm) for person, fit in fits.items() if fit.enough]
        who = f"{len(enough):,}" + (f" of {len(fits):,}" if len(enough) < len(fits) else "")
        rewards = f"{sum(fit.n for fit in fits.values()):,}"
        lines.append(ArmLine(arm, who, rewards, *medians(enough, people.size())))
    return lines


def medians(enough: list[Terms], scale: float) -> list[str]:
    """Fresh, worn, cost and recovery."""
    if not enough:
        return ["not enough data", "", "", ""]
    middles = []
    for name in ("fresh", "worn", "cost"):
        lo, middle, hi = np.quantile([getattr(terms, name) for terms in enough], [0.25, 0.5, 0.75])
        middles.append(f"{reward(middle, scale)} ({reward(lo, scale)}–{reward(hi, scale)})")
    # By rank, not by interpolation: between 3 decisions and not seen there is no number.
    waits = sorted(terms.recovery for terms in enough if not np.isnan(terms.recovery))
    if not waits or np.median([terms.cost for terms in enough]) < NEGLIGIBLE * scale:
        return [*middles, NO_COST]
    middle = waits[len(waits) // 2]
    return [*middles, NOT_SEEN if np.isinf(middle) else f"{middle:.0f}"]


def summary(people: People) -> Table:
    """The table for a terminal: medians alone, which fit in 80 characters."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, caption=f"{CAPTION}.", caption_justify="left")
    for heading in HEADINGS:
        is_arm = heading == HEADINGS.arm
        table.add_column(heading, justify="left" if is_arm else "right", no_wrap=is_arm)
    for line in arm_lines(people):
        table.add_row(line.arm, *(cell.split(" (")[0] for cell in line[1:]))
    return table
