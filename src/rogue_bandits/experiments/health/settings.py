"""The settings of the experiment on physical activity, as data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from rogue_bandits.experiments.experiment import Horizon, Replicates, Settings

Size = Annotated[float, Field(gt=0)]


class HealthSettings(Settings):
    """The paper's sizes, and the cohort of docs/health.md, unless others are given.  [Sec. 5.4]

    >>> HealthSettings(people=3).kinds
    5
    """

    horizon: Horizon = 1_000
    replicates: Replicates = 10
    people: Annotated[int, Field(ge=1, description="people to draw")] = 30
    kinds: Annotated[int, Field(ge=2, description="kinds of messages")] = 5
    cohort_seed: Annotated[int, Field(ge=0, description="of the people: the same seed, the same people")] = 2026
    half_life: Annotated[tuple[Size, Size], Field(description="days, from and to")] = (1.0, 14.0)
    noise: Annotated[tuple[Size, Size], Field(description="theta, from and to")] = (0.08, 0.25)
    cohort: Annotated[Path | None, Field(description="people.json of `rogue fit`, instead of people to draw")] = None
