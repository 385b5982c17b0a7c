"""What a reader of the results should know of the data: what was mended, left out or not used, counted and in words."""

from __future__ import annotations

import numpy as np

from rogue_bandits.estimate.history import FEWEST_REWARDS, Cohort, left_out
from rogue_bandits.estimate.table import Table
from rogue_bandits.types import Bools


def notes_on_rows(table: Table, was_sorted: bool, scale: float, outside: Bools) -> list[str]:
    """On rows that are sorted by now; `outside` says which rewards were clipped."""
    rows = table.rows
    gap = (np.diff(rows.person) == 0) & (np.diff(rows.decision) > 1)
    missing, with_gaps = int((np.diff(rows.decision)[gap] - 1).sum()), np.unique(rows.person[1:][gap]).size
    sent, seen = rows.arm >= 0, ~np.isnan(rows.reward)
    rests, unseen = int((~sent).sum()), int((sent & ~seen).sum())
    unavailable, clipped = int(rows.unavailable.sum()), int(outside.sum())
    divided = f" after dividing by {scale:g}" if scale != 1.0 else ""
    notes = {
        "Decisions were out of order in the file; they were sorted.": not was_sorted,
        f"{count(missing, 'decision is', 'decisions are')} missing between the first and the last of "
        f"{count(with_gaps, 'person', 'people')}. A gap counts as a rest.": missing,
        f"{count(unavailable, 'row names', 'rows name')} an arm although available is 0. They count as rests.":
            unavailable,
        f"{count(rests, 'decision is a rest', 'decisions are rests')}. Rewards that follow a rest are not used: "
        "the model is about what follows an arm.": (~sent & seen).any(),
        f"{count(unseen, 'sending has', 'sendings have')} no reward: the arm wears out, and nothing is learned.":
            unseen,
        f"{count(clipped, 'reward was', 'rewards were')} outside [0, 1]{divided} and clipped "
        f"({clipped / max(int((sent & seen).sum()), 1):.1%} of those used).": clipped,
        f"There is one arm only, '{table.arms[0]}': it is fitted, but there is nothing to choose from.":
            len(table.arms) == 1,
    }  # fmt: skip
    return [words for words, holds in notes.items() if holds]


def notes_on_few(cohort: Cohort) -> list[str]:
    """Who is left out for want of rewards; an error if nobody remains."""
    few = list(left_out(cohort))
    every = sum(len(np.unique(history.arm)) for history in cohort.people.values())
    if len(few) == every:
        raise ValueError(
            f"{cohort.file}, column '{cohort.reward}': nobody has {FEWEST_REWARDS} rewards of the same arm, "
            "and fewer say nothing: there is nothing to fit"
        )
    named = ", ".join(f"person {person}: {arm}, {n}" for person, arm, n in few[:5])
    more = f"; and {len(few) - 5:,} more" if len(few) > 5 else ""
    note = (
        f"Left out, with fewer than {FEWEST_REWARDS} rewards: {len(few):,} of {every:,} arms of people ({named}{more})."
    )
    return [note] if few else []


def count(n: int, one: str, many: str) -> str:
    """A number with its noun.

    >>> count(1, "person", "people"), count(2000, "person", "people")
    ('1 person', '2,000 people')
    """
    return f"{n:,} {one if n == 1 else many}"
