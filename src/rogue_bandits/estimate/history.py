"""Data of people: which arm was played at which decision, and the reward that followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.types import Bools, Floats, Ints

WARNING = "Warning: "  # begins a note that an estimate may be wrong
FEWEST_REWARDS = 3  # of a person and arm, below which there is nothing to fit


class Record(NamedTuple):
    """One arm of one person, decision by decision; a reward is nan where the arm was not played or nothing was seen."""

    played: Floats
    rewards: Floats

    def seen(self) -> Floats:
        """Return the rewards that were seen."""
        return self.rewards[~np.isnan(self.rewards)]


Records = Mapping[str, Mapping[str, Record]]  # by person, by arm


class History(NamedTuple):
    """One person's decisions as a table has them: arms, rewards, availability, probabilities and covariates.

    There is an entry for each row of the table, in the order of decisions: also for rests, whose rewards are the
    baseline level. A decision without an entry is a gap: nothing was sent, and nothing is known.

    >>> yes, unknown, none = np.array([True, True]), np.array([np.nan, np.nan]), np.zeros((2, 0))
    >>> person = History(5, 3, np.array([0, 2]), np.array([1, -1]), np.array([0.5, 0.2]), yes, unknown, none)
    >>> person.decisions(), person.rests()
    (array([5, 7]), array([False,  True]))
    """

    first: int  # the number of the first decision, as the file has it
    length: int  # from the first to the last, gaps included
    at: Ints  # the decision, from 0 at the first; rising
    arm: Ints  # −1: a rest
    reward: Floats  # divided by the scale; nan: not observed; at a rest: what followed it
    available: Bools  # whether anything could be sent; a rest was chosen only where it is True
    probability: Floats  # with which the arm, or the rest, was chosen; nan: unknown
    covariates: Floats  # [entries, columns], standardised or 0 and 1; Cohort.covariates names the columns

    def decisions(self) -> Ints:
        """Return the number of each decision, as the file has it."""
        return self.first + self.at

    def rests(self) -> Bools:
        """Return which entries are rests, chosen or not."""
        return self.arm < 0

    def record(self, arm: int) -> Record:
        """Return one arm of this person."""
        mine = self.arm == arm
        played, rewards = np.zeros(self.length), np.full(self.length, np.nan)
        played[self.at[mine]] = 1.0
        rewards[self.at[mine]] = self.reward[mine]
        return Record(played, rewards)

    def rewards_of(self, arm: int) -> int:
        """Return the number of rewards seen on an arm."""
        return int(np.count_nonzero(~np.isnan(self.reward[self.arm == arm])))


class Cohort(NamedTuple):
    """People with their histories, how rewards are modelled, and notes on the data.

    A note that begins with `WARNING` says that an estimate may be wrong.
    """

    file: str
    reward: str  # the name of the reward
    scale: float  # that rewards were divided by
    arms: list[str]
    people: dict[str, History]
    notes: list[str]
    family: str = "agent"
    trials: float = 0.0  # of the binomial family
    covariates: Sequence[str] = ()  # the names of the columns of History.covariates
    coding: Mapping[str, Any] = {}  # never written to; of covariates: `reading/covariates.py`
    a_week: int = 0  # decisions a week, 0 if that is not known

    def rewards(self) -> Floats:
        """Return all rewards of arms that were seen, of everybody."""
        every = np.concatenate([history.reward[~history.rests()] for history in self.people.values()])
        return every[~np.isnan(every)]

    def baseline(self) -> Floats:
        """Return all rewards that followed a rest, of everybody."""
        every = np.concatenate([history.reward[history.rests()] for history in self.people.values()])
        return every[~np.isnan(every)]

    def only_reward(self) -> float | None:
        """Return the reward on the scale of the file if all of arms and rests are equal: nothing follows from them."""
        every = np.concatenate([self.rewards(), self.baseline()])
        return float(every[0]) * self.scale if every.size and np.ptp(every) == 0.0 else None


def records_of(cohort: Cohort) -> dict[str, dict[str, Record]]:
    """Return the records that can be fitted, by person and arm: those with enough rewards."""
    every = {
        name: {arm: history.record(k) for k, arm in enumerate(cohort.arms) if history.rewards_of(k) >= FEWEST_REWARDS}
        for name, history in cohort.people.items()
    }
    return {name: records for name, records in every.items() if records}
