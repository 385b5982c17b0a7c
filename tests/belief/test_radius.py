"""The largest divergence of an arm, by which the tuned radius is capped unless eta is given."""

from __future__ import annotations

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.belief.radius import largest_kl, rule_for
from rogue_bandits.types import kl
from tests.policies.golden import FAMILIES, LINES, NUMERIC


def test_of_gaussian_rewards_it_is_half_the_squared_range_of_means_over_the_variance() -> None:
    arm = rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5, lo=0.0, hi=2.0), rb.Gaussian(0.5, 1.0, 0.2), -1.0, 1.0)
    assert largest_kl(arm) == pytest.approx(3.0**2 / (2.0 * 0.2**2))
    assert rule_for(rb.TunedRadius(), arm) == rule_for(rb.TunedRadius(eta=largest_kl(arm)), arm)


@pytest.mark.parametrize("family", [name for name in FAMILIES if name not in NUMERIC])
def test_no_pair_of_points_has_a_larger_divergence(family: str) -> None:
    make, lo, hi = FAMILIES[family]
    arm = rb.Arm(LINES["ClippedAffine"](0), make(0), lo, hi)
    points = np.random.default_rng(1).uniform([lo, 0.0, lo, 0.0], [hi, 1.0, hi, 1.0], size=(300, 4)).tolist()
    found = max(kl(arm.rewards, *point) for point in points)
    assert 0.2 * largest_kl(arm) < found <= largest_kl(arm) * (1.0 + 1e-9)
