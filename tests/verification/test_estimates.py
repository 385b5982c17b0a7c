"""Slopes and exponents of what is known beforehand."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from verification.estimates import LEVEL, bootstrap, quantile, share, share_by_trial
from verification.growth import local_exponents

ENDS = 1_000 * 2 ** np.arange(6)


@pytest.mark.verify
def test_an_interval_holds_the_truth_as_often_as_it_says() -> None:
    held, cases = 0, 200
    for seed in range(cases):
        people = np.random.default_rng(seed).normal(3.0, 1.0, 200)
        held += bootstrap(people, lambda drawn: float(drawn.mean()), seed).contains(3.0)
    # 4 standard errors of the share, and a little for the small sample
    assert held / cases >= LEVEL - 4.0 * np.sqrt(LEVEL * (1.0 - LEVEL) / cases) - 0.01


@pytest.mark.verify
def test_linear_regret_and_a_root_have_their_exponents() -> None:
    noise = np.random.default_rng(1).normal(1.0, 0.1, (300, 1))
    for power in (1.0, 0.5, 0.0):
        for exponent in local_exponents(noise * ENDS**power, 1):
            assert abs(exponent.value - power) < 1e-9
    last = local_exponents(noise * np.log(ENDS), 1)[-1]
    assert abs(last.value - 1.0 / np.log(ENDS[-1])) < 0.01


def test_the_exponent_of_a_regret_that_levels_off_falls() -> None:
    """A root up to the third end, then nothing: one power law would have called it slower than T throughout."""
    regret = np.sqrt(np.minimum(ENDS, ENDS[2])) * np.ones((50, 1))
    found = [exponent.value for exponent in local_exponents(regret, 1)]
    assert np.allclose(found, [0.5, 0.5, 0.0, 0.0, 0.0])


def test_the_interval_of_a_share_misses_as_seldom_as_it_says() -> None:
    """The chance of a miss, exactly: the binomial probability of all counts whose interval leaves the truth out."""
    cases, counts = 40, np.arange(41)
    chance = np.array([comb(cases, k) for k in range(41)], dtype=np.float64)
    for truth in (0.05, 0.5, 0.95):
        missed = np.array([not share(int(held), cases).contains(truth) for held in counts])
        assert (chance * truth**counts * (1.0 - truth) ** (cases - counts))[missed].sum() <= 1.0 - LEVEL


def test_an_interval_of_a_quantile_holds_it_as_often_as_it_says() -> None:
    """The 90 % quantile of the uniform law is 0.9. 4 standard errors of a share of 2,000."""
    rng = np.random.default_rng(1)
    held = np.mean([quantile(rng.uniform(size=500), 0.9).contains(0.9) for _ in range(2_000)])
    assert held >= LEVEL - 4.0 * np.sqrt(LEVEL * (1.0 - LEVEL) / 2_000)


def test_cases_of_one_trial_count_as_often_as_they_are_independent() -> None:
    rng = np.random.default_rng(3)
    alone = (rng.random(400) < 0.95).tolist()
    np.testing.assert_allclose(share_by_trial([[hit] for hit in alone]), share(sum(alone), 400), atol=1e-12)
    copies = share_by_trial([[hit] * 20 for hit in alone])
    np.testing.assert_allclose(copies, share(sum(alone), 400), atol=1e-12)
    independent = (rng.random((400, 20)) < 0.95).tolist()
    apart = share_by_trial(independent)
    assert apart.hi - apart.lo < 0.4 * (copies.hi - copies.lo)
