"""Slopes and exponents of what is known beforehand."""

from __future__ import annotations

import numpy as np

from verification.estimates import LEVEL, bootstrap
from verification.growth import exponent_of

ENDS = 1_000 * 2 ** np.arange(6)


def test_an_interval_holds_the_truth_as_often_as_it_says() -> None:
    held = 0
    for seed in range(200):
        people = np.random.default_rng(seed).normal(3.0, 1.0, 200)
        held += bootstrap(people, lambda drawn: float(drawn.mean()), seed).holds(3.0)
    # 4 standard errors of a share of 200, and a little for the small sample
    assert held / 200 >= LEVEL - 4.0 * np.sqrt(LEVEL * (1.0 - LEVEL) / 200) - 0.01


def test_linear_and_logarithmic_regret_have_their_exponents() -> None:
    noise = np.random.default_rng(1).normal(1.0, 0.1, (300, 1))
    linear, logarithmic = exponent_of(noise * ENDS, ENDS, 1), exponent_of(noise * np.log(ENDS), ENDS, 1)
    assert abs(linear.value - 1.0) < 1e-9
    assert abs(logarithmic.value) < 1e-9
