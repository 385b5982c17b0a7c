"""What is fitted: the data of one arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.ladder.compare import CANDIDATES, Candidate
from rogue_bandits.types import Floats


class ArmTask(NamedTuple):
    """The data of an arm, of people by name."""

    records: Mapping[str, Record]
    family: str
    trials: float = 0.0
    covariates: Mapping[str, Floats] | None = None
    candidates: Sequence[Candidate] = CANDIDATES
    scale: float = 1.0  # what rewards were divided by
    seed: int = 0  # of the draws: arms must not share theirs

    def longest(self) -> int:
        """Return the length of the longest record."""
        return max(record.played.size for record in self.records.values())
