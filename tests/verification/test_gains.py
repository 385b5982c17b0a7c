"""Standard errors of shares, and environments outside of the model."""

from __future__ import annotations

import numpy as np

import rogue_bandits as rb
from verification.gains import expected_rewards, ratio, same
from verification.worlds import random_walk, shifted_rewards

ARM = rb.Arm(rb.ClippedAffine(decay=0.8, pull=-0.25, drift=0.16), rb.LaplaceAgent(), theta_lo=0.01, theta_hi=1.0)
TRUTH = rb.Truth([ARM, ARM], theta=[0.1, 0.2], x0=[0.5, 0.3])


def test_the_standard_error_of_a_ratio_is_its_spread_over_samples() -> None:
    """20 % for 4 standard errors of a standard deviation of 800 samples, and for the linearisation."""
    rng, found = np.random.default_rng(1), []
    for _ in range(800):
        whole = rng.uniform(1.0, 3.0, 50)
        found.append(ratio(0.7 * whole + rng.normal(0.0, 0.4, 50), whole))
    spread = np.std([one.value for one in found])
    assert abs(np.mean([one.error for one in found]) / spread - 1.0) < 0.2


def test_without_a_shift_the_world_is_that_of_simulate() -> None:
    """Round robin chooses the same arms whatever the rewards, so that expected rewards agree exactly."""
    truths = [TRUTH, TRUTH._replace(x0=[0.9, 0.1])]
    shifted = shifted_rewards(truths, np.zeros((2, 50, 2)), rb.RoundRobin(), same, seed=1)
    assert np.allclose(shifted, expected_rewards(truths, rb.RoundRobin(), 50, 1), rtol=0.0, atol=1e-12)


def test_a_random_walk_moves_by_its_steps() -> None:
    shift = random_walk(50, 400, 2, seed=1)
    steps = np.abs(np.diff(shift, axis=1))
    assert steps.max() < 0.02 * 6.0
    assert shift.std(axis=1).mean() > 0.05  # of a walk over 400 steps of 0.02, reflected at 0.25
