"""The fit of a play log says the same compiled and interpreted; other tests of play logs are interpreted."""

from __future__ import annotations

import math

import pytest

import rogue_bandits as rb
from tests.interpreted import interpreted_if


def test_the_compiled_fit_is_the_interpreted_one() -> None:
    arm = rb.Arm(rb.Saturating(pace=0.2, half=0.4, drop=0.3), rb.BernoulliLogit(0.4, 0.6), -1.0, 2.0)
    played = [1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0]
    rewards = [1.0, 0.0, math.nan, 1.0, math.nan, math.nan, 1.0, 0.0]
    compiled = rb.fit(arm, played, rewards)
    with interpreted_if(lambda _: True):
        interpreted = rb.fit(arm, played, rewards)
    assert compiled == pytest.approx(interpreted, rel=1e-9, abs=1e-9)
    assert compiled.gap <= 1e-6
