"""Arms that were sent at some times of day more than at others: what the time of day does may be taken for theirs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rogue_bandits.estimate.reading.covariates import PARTS_OF_DAY, part_of_day
from rogue_bandits.estimate.reading.times import Times
from rogue_bandits.types import Bools, Ints

FEWEST = 30  # decisions of a part of the day, of which shares are compared
APART, FAR = 0.1, 5.0  # a difference of shares that matters, and the standard errors from which it is no chance


def notes_on_hours(
    times: Times | None, covariates: Sequence[str], arms: Sequence[str], arm: Ints, available: Bools
) -> list[str]:
    """Return a warning on the arm whose share differs most by the time of day, if `hour` is no covariate.

    `arm` is what was sent in each row, -1 for a rest.
    """
    if times is None or not times.has_clock or "hour" in covariates:
        return []
    part = part_of_day(times)[available]
    rows = np.bincount(part, minlength=len(PARTS_OF_DAY))
    compared = np.flatnonzero(rows >= FEWEST)
    if compared.size < 2:
        return []
    found = []
    for k, name in enumerate(arms):
        sent = np.bincount(part[arm[available] == k], minlength=rows.size)[compared] / rows[compared]
        low, high = int(np.argmin(sent)), int(np.argmax(sent))
        ends = [low, high]
        error = float(np.sqrt((sent[ends] * (1.0 - sent[ends]) / rows[compared][ends]).sum()))
        if (far := float(sent[high] - sent[low])) > max(APART, FAR * error):
            where = [f"{sent[j]:.0%} of the decisions from {PARTS_OF_DAY[compared[j]]} o'clock" for j in ends]
            found.append((far, f"Warning: '{name}' was sent at {where[0]}, and at {where[1]}."))
    if not found:
        return []
    advice = "Rewards that differ by the time of day are taken for an effect of sendings then: add --covariate hour."
    return [f"{max(found)[1]} {advice}"]
