"""Data of people: which arm was played at which decision, and the reward that followed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rogue_bandits.types import Floats, Ints

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
    """One person's decisions, from the first to the last: `at` which of them (from 0) which arm was played."""

    first: int  # the number of the first decision, as the file has it
    length: int
    at: Ints
    arm: Ints
    reward: Floats  # nan: not observed

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
    """People with their histories, how rewards are modelled, and notes on the data."""

    file: str
    reward: str  # the name of the reward
    scale: float  # that rewards were divided by
    arms: list[str]
    people: dict[str, History]
    notes: list[str]
    family: str = "agent"
    trials: float = 0.0  # of the binomial family

    def rewards(self) -> Floats:
        """Return all rewards that were seen, of everybody."""
        every = np.concatenate([history.reward for history in self.people.values()])
        return every[~np.isnan(every)]


def records_of(cohort: Cohort) -> dict[str, dict[str, Record]]:
    """Return the records that can be fitted, by person and arm: those with enough rewards."""
    every = {
        name: {arm: history.record(k) for k, arm in enumerate(cohort.arms) if history.rewards_of(k) >= FEWEST_REWARDS}
        for name, history in cohort.people.items()
    }
    return {name: records for name, records in every.items() if records}
