"""A fit in plain terms, as far as the data go: what a sending costs, and how long it takes to recover from it.

Nothing is extrapolated: only states in which rewards were seen, and no longer runs of sendings and of rests than came
before one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.families.contract import seen_states
from rogue_bandits.estimate.fitted import ArmFit
from rogue_bandits.estimate.history import Record
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.types import Floats, next_state


class Reach(NamedTuple):
    """The range that the rewards of a record cover."""

    lowest: float  # fitted state in which a reward was seen
    highest: float
    sendings: int  # the most in a row right before a reward that was seen
    rests: int  # the most in a row between a sending and a reward that was seen


class Terms(NamedTuple):
    """An arm of a person in plain terms; rewards are on the user's own scale.

    `recovery` is in decisions: infinite where half is not back within the longest rest that was seen, nan where a
    sending costs nothing.
    """

    fresh: float
    worn: float
    cost: float
    recovery: float
    reach: Reach


def terms_of(fit: ArmFit, record: Record, scale: float = 1.0) -> Terms:
    """Return the plain terms of a fit to a record.

    >>> d = ClippedAffine(decay=0.5, pull=-0.4, drift=0.5)
    >>> fit = ArmFit(d, theta=0.01, x0=1.0, loglik=0.0, n=3, intervals={}, gap=None, enough=True)
    >>> record = Record(np.array([1.0, 1.0, 0.0, 1.0]), np.array([0.9, 0.6, np.nan, 0.7]))
    >>> terms = terms_of(fit, record, scale=1000.0)
    >>> [round(term) for term in terms[:4]]  # when fresh, worn out; one sending costs; half of it is back after
    [995, 600, 395, 1]
    """
    reach = reach_of(fit, record)
    fresh, worn = fit.mean(reach.highest), fit.mean(reach.lowest)
    sent, rested = (rewards(fit, reach.highest, reach.rests + 1, first) for first in (1.0, 0.0))
    cost = rested[0] - sent[0]
    return Terms(fresh * scale, worn * scale, cost * scale, recovery(rested - sent), reach)


def reach_of(fit: ArmFit, record: Record) -> Reach:
    """Return the range that the rewards of a record cover, in fitted states."""
    seen = ~np.isnan(record.rewards)
    x = seen_states(fit.dynamics, fit.x0, record)
    sendings = rests = in_a_row = 0
    for played, is_seen in zip(record.played.tolist(), seen.tolist(), strict=True):
        if is_seen:
            sendings, rests = max(sendings, in_a_row), max(rests, -in_a_row)
        if played:
            in_a_row = max(in_a_row, 0) + 1
        elif in_a_row != 0:  # rests before the first sending follow none
            in_a_row = min(in_a_row, 0) - 1
    return Reach(float(x.min()), float(x.max()), sendings, rests)


def rewards(fit: ArmFit, x: float, n: int, first: float) -> Floats:
    """Return the mean rewards after a sending (first = 1) or a rest (0) in state x, and then at rest."""
    after = next_state(fit.dynamics, x, first)
    return np.array([fit.mean(x) for x in islice(path(fit.dynamics, after, 0.0), n)])


def recovery(missing: Floats) -> float:
    """Return the decisions of rest until half of what is missing at first is back.

    >>> recovery(np.array([0.4, 0.3, 0.2])), recovery(np.array([0.4, 0.3])), recovery(np.zeros(3))
    (2.0, inf, nan)
    """
    if missing[0] <= 0.0:
        return math.nan
    # Rounding in the last place must not turn "half" into "never".
    back = np.flatnonzero(missing <= 0.5 * missing[0] + 1e-12)
    return float(back[0]) if back.size else math.inf


def path(d: ClippedAffine, x: float, played: float) -> Iterator[float]:
    """Yield the states from x on, always played or always at rest, without end."""
    while True:
        yield x
        x = next_state(d, x, played)


def surely_wears_out(fit: ArmFit) -> bool | None:
    """Return whether the interval of pull excludes 0; None where there is no interval."""
    return fit.intervals["pull"].hi < -1e-9 if "pull" in fit.intervals else None
