"""What the probabilities of a randomisation say without a model: whether chance was as planned, and effects of arms.

With p the probability of what was chosen, each entry stands for 1/p entries like it (Horvitz and Thompson 1952).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.history import Cohort
from rogue_bandits.numerics.student import student_quantile
from rogue_bandits.types import Bools, Floats, Ints

FEWEST_PEOPLE = 5  # of which a standard error can be made
REST = -1
FAR = 3.0  # standard errors from what was planned


class Share(NamedTuple):
    """How often an arm, or a rest, was chosen, as a multiple of what the probabilities say; with its standard error."""

    arm: int
    chosen: int
    ratio: float
    error: float

    @property
    def is_off(self) -> bool:
        """Return whether it is far from what was planned."""
        return abs(self.ratio - 1.0) > FAR * self.error


class Effect(NamedTuple):
    """The mean reward after an arm less that after a rest, weighted, with a 95 % confidence interval."""

    arm: str
    difference: float
    low: float
    high: float
    sendings: int
    rests: int


class Entries(NamedTuple):
    """The entries of everybody at which chance decided with a known probability."""

    person: Ints
    arm: Ints
    reward: Floats
    probability: Floats


def share_of(arm: int, chosen: Ints, probability: Floats) -> Share:
    """Return the share of an arm: 1 if it could always be chosen and p is the probability of what was; else below.

    >>> share = share_of(0, np.array([0, 0, -1, -1]), np.full(4, 0.5))
    >>> share.ratio, share.error
    (1.0, 0.5)

    The standard error is that of the plan where this is larger: what was always chosen does not vary.

    >>> share_of(0, np.zeros(20, dtype=np.int64), np.full(20, 0.9)).is_off
    False
    """
    weight = np.where(chosen == arm, 1.0 / probability, 0.0)
    ratio = float(weight.mean())
    variance = float(weight.var()) + max(
        ratio * (ratio - 1.0), 0.0
    )  # E[1/p] − 1 by the plan: E[w²] − E[w] of weights w
    return Share(arm, int(np.count_nonzero(chosen == arm)), ratio, math.sqrt(variance / weight.size))


def shares_of(cohort: Cohort) -> list[Share]:
    """Return the share of a rest and of each arm that was chosen; none without probabilities."""
    known = entries_of(cohort)
    return [share_of(arm, known.arm, known.probability) for arm in np.unique(known.arm).tolist()]


def entries_of(cohort: Cohort) -> Entries:
    """Return the entries with a probability."""
    every = list(enumerate(cohort.people.values()))
    known = [history.available & ~np.isnan(history.probability) for _, history in every]
    parts = [(np.full(int(rows.sum()), i), h.arm[rows], h.reward[rows], h.probability[rows])
             for (i, h), rows in zip(every, known, strict=True)]  # fmt: skip
    return Entries._make(np.concatenate(column) for column in zip(*parts, strict=True))


def effects_of(cohort: Cohort) -> list[Effect]:
    """Return the effect of each arm beside silence, on the scale of the file; none where that cannot be said.

    Means are weighted by 1/p and divided by the sum of weights (Hájek). Standard errors are over people, as rewards of
    one person are dependent; the interval is Student's.
    """
    known = entries_of(cohort)
    known = Entries._make(column[~np.isnan(known.reward)] for column in known)
    rests = known.arm == REST
    found = []
    for k, arm in enumerate(cohort.arms):
        sent = known.arm == k
        both = np.unique(known.person[sent | rests])
        if min(sent.sum(), rests.sum()) < FEWEST_PEOPLE or both.size < FEWEST_PEOPLE:
            continue
        (one, one_parts), (none, none_parts) = _mean(known, sent), _mean(known, rests)
        by_person = np.bincount(known.person, weights=one_parts - none_parts)[both]
        error = math.sqrt(both.size / (both.size - 1.0) * float((by_person**2).sum()))
        width = student_quantile(0.975, both.size - 1.0) * error
        difference, low, high = (cohort.scale * (one - none + side * width) for side in (0.0, -1.0, 1.0))
        found.append(Effect(arm, difference, low, high, int(sent.sum()), int(rests.sum())))
    return found


def _mean(known: Entries, rows: Bools) -> tuple[float, Floats]:
    """Return the weighted mean of some entries, and what each of them contributes to its error."""
    weight = np.where(rows, 1.0 / known.probability, 0.0)
    mean = float((weight * known.reward).sum() / weight.sum())
    return mean, weight * (known.reward - mean) / weight.sum()
