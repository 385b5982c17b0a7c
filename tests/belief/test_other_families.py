"""Fit, divergence and upper bound of the other exponential families against brute force over the whole history."""

from __future__ import annotations

import numpy as np
import pytest

import rogue_bandits as rb
from tests.belief.cases import oracle_model, tilted_case
from tests.interpreted import compiled_in_verify as compiled_in_verify
from tests.matrix import FULL
from tests.oracles import Tuned, brute_divergence, brute_fit, brute_loglik, tuned_radius
from tests.oracles.history import brute_mean

pytestmark = pytest.mark.usefixtures("compiled_in_verify")

SEEDS = range(50) if FULL else (0, 4, 18, 27, 31, 36, 40)  # each family, which is that of the number modulo 5
POINTS = 61 if FULL else 31  # of a grid, along each axis


@pytest.mark.parametrize("seed", SEEDS)
def test_the_fit_is_the_global_maximum(seed: int) -> None:
    arm, played, rewards = tilted_case(seed)
    model = oracle_model(arm)
    best, fit = brute_fit(model, played, rewards, tolerance=1e-6), rb.fit(arm, played, rewards)
    loglik = float(brute_loglik(model, played, rewards, fit.theta, fit.x0)[0])
    assert fit.loglik == pytest.approx(loglik, abs=1e-9, rel=1e-9)
    assert best.ceiling - best.loglik <= 2e-6
    assert fit.loglik >= best.loglik - 1e-6


@pytest.mark.parametrize("seed", SEEDS)
def test_the_divergence_is_the_sum_over_the_history(seed: int) -> None:
    arm, played, rewards = tilted_case(seed)
    rng = np.random.default_rng(seed)
    low, high = (arm.theta_lo, arm.dynamics.lo), (arm.theta_hi, arm.dynamics.hi)
    for _ in range(5):
        (theta, x0), (theta2, x02) = rng.uniform(low, high), rng.uniform(low, high)
        exact = float(brute_divergence(oracle_model(arm), played, rewards, theta, x0, theta2, x02)[0])
        found = rb.divergence(arm, played, rewards, (theta, x0), (theta2, x02))
        assert found == pytest.approx(exact, abs=1e-9, rel=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_believed_point_of_a_grid_has_a_larger_mean_than_the_bound(seed: int) -> None:
    """And it is no larger than the grid's best by more than a step of the grid can hide."""
    arm, played, rewards = tilted_case(seed)
    model, fit = oracle_model(arm), rb.fit(arm, played, rewards)
    found = rb.upper_bound(arm, played, rewards, rb.TunedRadius(1.0, "corrected"))
    thetas, x0s = (np.linspace(lo, hi, POINTS) for lo, hi in ((arm.theta_lo, arm.theta_hi), (model.lo, model.hi)))
    theta, x0 = (axis.ravel() for axis in np.meshgrid(thetas, x0s))
    n = int(np.count_nonzero(~np.isnan(rewards)))
    divergence = brute_divergence(model, played, rewards, theta, x0, fit.theta, fit.x0) / n
    radius = tuned_radius(model, played, rewards, theta, x0, (fit.theta, fit.x0), Tuned(1.0, "corrected"))
    mean = brute_mean(model, played, theta, x0)
    at_fit = brute_mean(model, played, fit.theta, fit.x0)
    assert np.where(divergence <= radius, mean, at_fit).max() <= found + 1e-7
    # Nearly believed points cover what lies between those of the grid.
    step = sum(np.abs(np.diff(mean.reshape(POINTS, POINTS), axis=axis)).max() for axis in (0, 1))
    assert found <= max(mean[divergence <= 1.1 * radius + 1e-3].max(initial=-np.inf), at_fit[0]) + 2.0 * step
