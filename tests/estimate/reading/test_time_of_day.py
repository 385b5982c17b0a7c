"""Sendings that go with the time of day bring a warning, unless the time of day is a covariate."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rogue_bandits.estimate.table import Reading
from tests.estimate.reading.made_up import read

WARNING = (
    "Warning: 'walk' was sent at 30% of the decisions from 6 to 12 o'clock, and at 70% of the decisions from 18 to 24 "
    "o'clock. Rewards that differ by the time of day are taken for an effect of sendings then: add --covariate hour."
)


def trial(evening: float, days: int = 200) -> str:
    """Two decisions a day; 'walk' was sent on 3 of 10 mornings."""
    rows = ["person,time,arm,reward"]
    for day in range(days):
        for hour, share in ((7, 0.3), (20, evening)):
            when = np.datetime64("2023-01-01") + np.timedelta64(day, "D")
            rows.append(f"a,{when} {hour:02d}:10,{'walk' if day % 10 < 10 * share else 'none'},{day % 7}")
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize(("evening", "days", "warned"), [(0.7, 200, True), (0.3, 200, False), (0.7, 20, False)])
def test_sendings_that_go_with_the_time_of_day_bring_a_warning(
    tmp_path: Path, evening: float, days: int, warned: bool
) -> None:
    """'Rewards rise with sendings' was said of people whose rewards are lower in the evening, when more was sent."""
    notes = read(tmp_path, trial(evening, days), time="time").notes
    assert any(note.startswith("Warning: 'walk' was sent at") for note in notes) == warned
    assert not warned or WARNING in notes
    hour = read(tmp_path, trial(evening, days), Reading(covariates=("hour",)), time="time").notes
    assert not any(note.startswith("Warning") for note in hour)
