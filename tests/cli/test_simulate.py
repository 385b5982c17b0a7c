"""`rogue simulate`: numbers as people write them."""

from __future__ import annotations

import math

import pytest

from rogue_bandits.cli.simulate import SimulatedPolicy, line_of
from rogue_bandits.cli.simulate_fit import gain_words
from rogue_bandits.experiments.results import Gain


@pytest.mark.parametrize(
    ("mean", "stderr", "words"),
    [
        (152.3, 151.8, "+152 ± 152"),
        (-23_456.7, 1_520.0, "-23,457 ± 1,520"),
        (0.000123, 0.000021, "+0.000123 ± 0.000021"),
        (1_234_567.0, 0.0, "+1234567 ± 0"),
        (0.0, 0.0, "+0 ± 0"),
    ],
)
def test_gains_have_no_exponents(mean: float, stderr: float, words: str) -> None:
    assert gain_words(Gain(mean, stderr, 0.0, 0.0)) == words


def test_a_line_of_a_simulation_has_no_exponents() -> None:
    measures = {"reward": (12_345.6, 152.0), "tracking regret": (1_234_567.0, math.nan)}
    assert line_of(SimulatedPolicy("random", measures)) == "random: reward 12,346 ± 152, tracking regret 1234567"
