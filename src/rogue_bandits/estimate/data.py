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
    return Data(records, enough or None, covariates_of(cohort) if cohort.covariates else None)


def silence_of(history: History) -> Record:
    """Return the rewards of decisions at which something could be sent and nothing was."""
    rests = history.rests() & history.available
    rewards = np.full(history.length, np.nan)
    rewards[history.at[rests]] = history.reward[rests]
    return Record(np.zeros(history.length), rewards)


def covariates_of(cohort: Cohort) -> dict[str, Floats]:
    """Return the covariates of every decision, less their means over the cohort; 0 where there is no entry.

    The means are those of all arms and of silence, so that their levels are comparable.
    """
    mean = mean_covariates(cohort)
    return {name: by_decision(history, mean) for name, history in cohort.people.items()}


def mean_covariates(cohort: Cohort) -> Floats:
    """Return the means of covariates over all entries of the cohort."""
    return np.concatenate([history.covariates for history in cohort.people.values()]).mean(0)


def by_decision(history: History, mean: Floats) -> Floats:
    """Return the covariates of one person."""
    values = np.zeros((history.length, mean.size))
    values[history.at] = history.covariates - mean
    return values
