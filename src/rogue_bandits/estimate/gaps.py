"""Gaps between the decisions of a person that are so long that they may decide the estimate."""

from __future__ import annotations

import numpy as np

from rogue_bandits.estimate.table import Table

SHORT = 20  # decisions; a gap up to here is no reason to warn


def notes_on_gaps(table: Table) -> list[str]:
    """Return a warning on sorted rows if somebody has more decisions in one gap than rows in all."""
    rows = table.rows
    missing = np.where(np.diff(rows.person) == 0, np.diff(rows.decision) - 1, 0)
    have = np.bincount(rows.person, minlength=len(table.people))[rows.person[1:]]
    huge = (missing > SHORT) & (missing > have)
    if not huge.any():
        return []
    at = int(np.argmax(np.where(huge, missing, 0)))
    others = np.unique(rows.person[1:][huge]).size - 1
    more = f" ({others:,} more {'person has' if others == 1 else 'people have'} such a gap.)" if others else ""
    before, after = rows.row[at : at + 2]
    return [
        f"Warning: person '{table.people[rows.person[at]]}' has no row for {missing[at]:,} decisions in a row, between "
        f"row {before} and row {after} of the file, and only {have[at]:,} rows in all.{more} A gap counts as rests, so "
        f"an arm is taken to have recovered as far as it can by row {after}, and the rewards from there on may alone "
        "decide how far that is. If a number or a date is a typing error, mend it; if the person was away, give them "
        f"another name from row {after} on."
    ]
