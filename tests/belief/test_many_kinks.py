"""Upper bounds of rotting arms, whose state is clipped at another x0 by each reward, against a certified bracket."""

from __future__ import annotations

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.belief.x0_pieces import PIECES
from rogue_bandits.types import mean
from tests.belief.cases import oracle_model
from tests.oracles import Tuned, brute_upper_bound

REWARDS, PULL = 50, 0.015


@pytest.mark.parametrize(("seed", "variant"), [(0, "paper"), (1, "corrected")])
def test_the_upper_bound_of_a_rotting_arm(seed: int, variant: str) -> None:
    """There are more kinks than pieces of x0 are searched one by one."""
    assert REWARDS > PIECES + 1
    rng = np.random.default_rng(seed)
    arm = rb.Arm(rb.ClippedAffine(1.0, -PULL, 0.0), rb.BernoulliLogit(1.0, 3.0), -1.0, 1.0)
    theta, x0 = rng.uniform(-1.0, 1.0), rng.random()
    means = [mean(arm.rewards, theta, max(0.0, x0 - PULL * t)) for t in range(REWARDS)]
    played, rewards = np.ones(REWARDS), (rng.random(REWARDS) < means).astype(float)
    fit = rb.fit(arm, played.tolist(), rewards.tolist())
    found = rb.upper_bound(arm, played.tolist(), rewards.tolist(), rb.TunedRadius(1.0, variant))
    exact = brute_upper_bound(oracle_model(arm), played, rewards, (fit.theta, fit.x0), Tuned(1.0, variant), 3e-7)
    assert exact.reached - 1e-6 <= found <= exact.ceiling + 1e-6


def test_theta_and_x0_that_no_reward_tells_apart() -> None:
    """On a line through the fit the divergence is 0: the search for the bound starts from a rounding error there."""
    arm = rb.Arm(rb.ClippedAffine(1.0, -0.001, 0.0), rb.BernoulliLogit(1.0, 3.0), -1.0, 1.0)
    played, rewards = np.ones(34), (np.random.default_rng(4).random(34) < 0.93).astype(float)
    fit = rb.fit(arm, played.tolist(), rewards.tolist())
    found = rb.upper_bound(arm, played.tolist(), rewards.tolist())
    exact = brute_upper_bound(oracle_model(arm), played, rewards, (fit.theta, fit.x0), Tuned(1.0, "paper"), 3e-7)
    assert exact.reached - 1e-6 <= found <= exact.ceiling + 1e-6
