"""Ranks of the calibration of a bank: the check passes what it should, can fail, and its code runs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

import rogue_bandits as rb
from verification.calibration import DRAWS, FAMILIES, QUANTITIES, chi_square, drawn_person, rank_of, ranks

CASES = 1_000
LIMIT = chi2.ppf(0.999, DRAWS)  # of one histogram


def chi_square_of_normal(seed: int, sd: float, bias: float = 0.0) -> float:
    """χ² of a posterior that is normal where the truth is standard normal."""
    rng = np.random.default_rng(seed)
    true, draws = rng.normal(size=CASES), rng.normal(bias, sd, (DRAWS, CASES))
    return chi_square(rank_of(true, draws, rng))


def test_draws_from_the_posterior_have_uniform_ranks() -> None:
    """One in a thousand is above the limit: 4 of 200 would have a chance of 1e-4."""
    assert sum(chi_square_of_normal(seed, 1.0) > LIMIT for seed in range(200)) < 4


@pytest.mark.parametrize(("sd", "bias"), [(0.75, 0.0), (1.35, 0.0), (1.0, 0.3)])
def test_draws_that_are_too_narrow_too_wide_or_biased_have_not(sd: float, bias: float) -> None:
    assert all(chi_square_of_normal(seed, sd, bias) > LIMIT for seed in range(20))


def test_ties_are_broken_evenly() -> None:
    """The same number throughout has uniform ranks, as a kind that is certain."""
    rng = np.random.default_rng(1)
    assert chi_square(rank_of(np.ones(CASES), np.ones((DRAWS, CASES)), rng)) < LIMIT


def test_truths_are_drawn_as_the_prior_says() -> None:
    """Of the two kinds without recovery, to 4 standard errors; states and levels of the others are within bounds."""
    arm, rng = FAMILIES["agent"], np.random.default_rng(1)
    drawn = [drawn_person(arm, rng)[0] for _ in range(2_000)]
    simple = np.mean([one.decay == 1.0 for one in drawn])
    expected = arm.dynamics.no_effect + arm.dynamics.no_recovery
    # an arm of another kind than the person's moves the share by less than 2 %
    assert abs(simple - expected) < 4.0 * np.sqrt(expected * (1.0 - expected) / 2_000) + 0.02
    for one in drawn:
        assert arm.theta_lo <= one.theta <= arm.theta_hi
        assert 0.0 <= one.x0 <= 1.0
        assert one.pull <= 0.0
        if one.decay < 1.0:
            assert 0.0 <= one.drift / (1.0 - one.decay) <= 2.0 + 1e-12
            assert 0.5 - 1e-12 <= -1.0 / np.log2(one.decay) <= 30.0 + 1e-9


@pytest.mark.verify
def test_a_small_calibration_has_a_rank_of_every_number_and_is_reproducible() -> None:
    prior = rb.Unknown(no_effect=0.1, no_recovery=0.1, hypotheses=64)
    arm = FAMILIES["agent"]._replace(dynamics=prior)
    found = ranks(arm, cases=12, seed=1, decisions=10)
    assert found.shape == (12, len(QUANTITIES))
    assert found.min() >= 0
    assert found.max() <= DRAWS
    assert np.array_equal(found, ranks(arm, cases=12, seed=1, decisions=10))
    assert found.std(axis=0).min() > 1.0  # ranks of 12 truths are not all alike
