"""Boxes of (theta, x0): lower bounds of divergences, and levels that are proven to be out of reach."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.belief.boxes import least_kl_in_box, level_is_excluded
from rogue_bandits.belief.contract import advance as advance_arm
from rogue_bandits.belief.contract import empty_belief, observe, region, ticket
from rogue_bandits.belief.radius import rule_for
from rogue_bandits.model.rewards.laplace_agent import shift_kl
from rogue_bandits.types import Arm, Problem, draw, kl
from tests.belief.cases import oracle_model
from tests.oracles import Tuned, brute_upper_bound

ARMS = [
    Arm(rb.ClippedAffine(0.9, -0.05, 0.06), rb.LaplaceAgent(), theta_lo=0.02),
    Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 3.0)),
    Arm(rb.ClippedAffine(0.8, -0.3, 0.2), rb.Gaussian(1.0, -2.0, sd=0.5)),
]


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: type(arm.rewards).__name__)
@pytest.mark.parametrize("seed", range(20))
def test_no_point_of_a_box_has_a_smaller_kl(arm: Arm, seed: int) -> None:
    rng = np.random.default_rng(seed)
    (a, b), (c, d) = (np.sort(rng.uniform(lo, 1.0, 2)).tolist() for lo in (arm.theta_lo, 0.0))
    theta2, x2 = rng.uniform(arm.theta_lo, 1.0), rng.random()
    bound = least_kl_in_box(arm.rewards, (a, b), (c, d), theta2, x2)
    grid = [kl(arm.rewards, theta, x, theta2, x2) for theta in np.linspace(a, b, 30) for x in np.linspace(c, d, 30)]
    assert 0.0 <= bound <= min(grid) + 1e-12


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: type(arm.rewards).__name__)
def test_of_a_box_of_one_point_it_is_the_kl(arm: Arm) -> None:
    found = least_kl_in_box(arm.rewards, (0.3, 0.3), (0.6, 0.6), 0.5, 0.2)
    assert found == pytest.approx(kl(arm.rewards, 0.3, 0.6, 0.5, 0.2), rel=1e-12)


def test_the_kl_of_a_shift_is_that_of_two_agents_of_equal_scale() -> None:
    assert shift_kl(0.2, 0.3, 0.2) == pytest.approx(kl(rb.LaplaceAgent(), 0.2, 0.6, 0.2, 0.3), rel=1e-12)


@pytest.mark.parametrize("arm", ARMS[:2], ids=lambda arm: type(arm.rewards).__name__)
@pytest.mark.parametrize("rewards", [1, 3])
@pytest.mark.parametrize("variant", ["paper", "corrected"])
def test_a_level_that_is_excluded_is_above_the_upper_bound(arm: Arm, rewards: int, variant: str) -> None:
    """And one that is far above it is excluded, or the test could not fail."""
    rng = np.random.default_rng(rewards)
    belief = empty_belief(Problem((arm,)), 1, 100)
    seen = [draw(arm.rewards, 0.3, 0.5, u) for u in rng.uniform(0.2, 0.8, rewards)]
    for r in seen:
        observe(belief, 0, 0, ticket(belief, 0, 0), r)
        advance_arm(belief, 0, 0, 1.0)
    g = region(belief, 0, 0, rule_for(rb.TunedRadius(variant=variant), arm), math.log(rewards + 1.0))
    fit = (g.local_fit.theta, g.local_fit.x0)
    radius = Tuned(1.0, variant)
    exact = brute_upper_bound(oracle_model(arm), np.ones(rewards), np.array(seen), fit, radius, 1e-5)
    for below in (0.0, 1e-4, 1e-2, 0.1):
        assert not level_is_excluded(g, exact.reached - below)
    assert level_is_excluded(g, max(exact.ceiling + 0.2, 0.999))
