"""What a fit means to a reader: the cost of a sending and the time to recover from it, as far as the data go.

Nothing is extrapolated: only states in which rewards were seen, and no longer runs of sendings and of rests than came
before one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.families.contract import seen_states, trajectory
from rogue_bandits.estimate.fitted import ArmFit
from rogue_bandits.estimate.history import Record
from rogue_bandits.types import Floats


class ObservedRange(NamedTuple):
    """The range that the rewards of a record cover."""

    lowest: float  # fitted state in which a reward was seen
    highest: float
    sendings: int  # the most in a row right before a reward that was seen
    rests: int  # the most in a row between a sending and a reward that was seen


class ArmSummary(NamedTuple):
    """An arm of a person; rewards are on the user's own scale.

    `recovery` is in decisions: infinite where half is not back within the longest rest that was seen, nan where a
    sending costs nothing.
    """

    fresh: float
    worn: float
    cost: float
    recovery: float
    observed: ObservedRange


def summarise(fit: ArmFit, record: Record, scale: float = 1.0) -> ArmSummary:
    """Return the summary of a fit to a record.

    >>> from rogue_bandits import ClippedAffine
    >>> d = ClippedAffine(decay=0.5, pull=-0.4, drift=0.5)
    >>> fit = ArmFit(d, theta=0.01, x0=1.0, loglik=0.0, n=3, intervals={}, gap=None, enough=True)
    >>> record = Record(np.array([1.0, 1.0, 0.0, 1.0]), np.array([0.9, 0.6, np.nan, 0.7]))
    >>> [round(value) for value in summarise(fit, record, scale=1000.0)[:4]]  # fresh, worn, cost, recovery
    [995, 600, 395, 1]
    """
    observed = observed_range(fit, record)
    sent, rested = np.eye(1, observed.rests + 1)[0], np.zeros(observed.rests + 1)
    lost = (mean_rewards(fit, observed.highest, rested) - mean_rewards(fit, observed.highest, sent))[1:]
    recovery = math.nan
    if lost[0] > 0.0:
        # Rounding in the last place must not turn "half" into "never".
        back = np.flatnonzero(lost <= 0.5 * lost[0] + 1e-12)
        recovery = float(back[0]) if back.size else math.inf
    fresh, worn = fit.mean(observed.highest), fit.mean(observed.lowest)
    return ArmSummary(fresh * scale, worn * scale, float(lost[0]) * scale, recovery, observed)


def observed_range(fit: ArmFit, record: Record) -> ObservedRange:
    """Return the range that the rewards of a record cover, in fitted states."""
    x = seen_states(fit.dynamics, fit.x0, record)
    sendings = rests = in_a_row = 0
    for played, reward in zip(record.played.tolist(), record.rewards.tolist(), strict=True):
        if not math.isnan(reward):
            sendings, rests = max(sendings, in_a_row), max(rests, -in_a_row)
        if played:
            in_a_row = max(in_a_row, 0) + 1
        elif in_a_row != 0:  # rests before the first sending follow none
            in_a_row = min(in_a_row, 0) - 1
    return ObservedRange(float(x.min()), float(x.max()), sendings, rests)


def mean_rewards(fit: ArmFit, x: float, played: Floats) -> Floats:
    """Return the mean reward in state x and after each of these decisions."""
    return np.array([fit.mean(state) for state in trajectory(fit.dynamics, x, played)])
