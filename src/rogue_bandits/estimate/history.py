"""What happened to each person: which arm at which decision, and what followed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.record import Record
from rogue_bandits.types import Floats, Ints

FEWEST_REWARDS = 3


class History(NamedTuple):
    """One person's decisions, from the first to the last: `at` which of them (from 0) which arm was played."""

    first: int  # the number of the first decision, as the file has it
    length: int
    at: Ints
    arm: Ints
    reward: Floats  # from 0 to 1; nan: not observed

    def record(self, arm: int) -> Record:
        """One arm of this person, decision by decision."""
        mine = self.arm == arm
        played, rewards = np.zeros(self.length), np.full(self.length, np.nan)
        played[self.at[mine]] = 1.0
        rewards[self.at[mine]] = self.reward[mine]
        return Record(played, rewards)

    def rewards_of(self, arm: int) -> int:
        """The number of rewards seen on an arm."""
        return int(np.count_nonzero(~np.isnan(self.reward[self.arm == arm])))


class Cohort(NamedTuple):
    """People with their histories, and what a reader of the results should know of the data."""

    file: str
    reward: str  # what the reward is called
    scale: float  # what rewards were divided by
    arms: list[str]
    people: dict[str, History]
    notes: list[str]


def records_of(cohort: Cohort) -> dict[str, dict[str, Record]]:
    """The records that can be fitted: those with enough rewards."""
    every = {
        name: {arm: history.record(k) for k, arm in enumerate(cohort.arms) if history.rewards_of(k) >= FEWEST_REWARDS}
        for name, history in cohort.people.items()
    }
    return {name: records for name, records in every.items() if records}


def left_out(cohort: Cohort) -> Iterator[tuple[str, str, int]]:
    """The person, the arm and the number of rewards of what was played and is not in `records_of`."""
    for name, history in cohort.people.items():
        for k in np.unique(history.arm):
            if (n := history.rewards_of(int(k))) < FEWEST_REWARDS:
                yield name, cohort.arms[k], n
