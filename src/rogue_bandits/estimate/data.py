"""What the statistics take from a cohort: the records of arms, what followed rests, and covariates."""

from __future__ import annotations

import numpy as np

from rogue_bandits.estimate.fit import Data
from rogue_bandits.estimate.history import FEWEST_REWARDS, Cohort, History, Record, records_of
from rogue_bandits.types import Floats


def data_of(cohort: Cohort) -> Data:
    """Return the data of a cohort; silence is what followed a rest that was chosen, not for want of availability."""
    records = records_of(cohort)
    rests = {name: silence_of(history) for name, history in cohort.people.items()}
    enough = {name: record for name, record in rests.items() if record.seen().size >= FEWEST_REWARDS}
    covariates = {name: by_decision(history) for name, history in cohort.people.items()} if cohort.covariates else None
    return Data(records, enough or None, covariates)


def silence_of(history: History) -> Record:
    """Return the rewards of decisions at which something could be sent and nothing was."""
    rests = history.rests() & history.available
    rewards = np.full(history.length, np.nan)
    rewards[history.at[rests]] = history.reward[rests]
    return Record(np.zeros(history.length), rewards)


def by_decision(history: History) -> Floats:
    """Return the covariates of every decision, 0 where there is no entry."""
    values = np.zeros((history.length, history.covariates.shape[1]))
    values[history.at] = history.covariates
    return values
