"""Whether the curve on which the mean is a level comes near the region, where the minimum on it is narrow."""

from __future__ import annotations

import math

import pytest

import rogue_bandits as rb
from rogue_bandits.belief.contract import refit
from rogue_bandits.belief.elimination import reaches_level
from rogue_bandits.belief.history import belief_from
from rogue_bandits.belief.lines import line_region
from rogue_bandits.belief.radius import rule_for
from tests.belief.cases import oracle_model
from tests.interpreted import interpreted as interpreted
from tests.oracles import Tuned, brute_upper_bound

pytestmark = pytest.mark.usefixtures("interpreted")

NAN = math.nan
REWARDS = [
    NAN, 1.0, NAN, 0.691, 0.763, 0.805, 0.765, 0.667, NAN, 0.706, 0.897, 0.703, NAN, 0.694, 0.612, NAN, 0.603, 0.58,
    NAN, NAN, 0.609, 0.643, NAN, NAN, 0.495, NAN, 0.42, NAN, 0.557, NAN, 0.667, NAN, NAN, 0.677, NAN, NAN, 0.524, NAN,
    0.572,
]  # fmt: skip
PLAYED = [float(not math.isnan(r)) for r in REWARDS]


def test_a_minimum_within_a_millionth_of_x0_is_found() -> None:
    """Where theta has the level at the end of an interval of x0 alone, as an agent's mean hardly depends on it."""
    arm, radius = rb.Arm(rb.ClippedAffine(0.95, -0.015, 0.03), rb.LaplaceAgent(), theta_lo=0.02), rb.TunedRadius()
    belief, fit = belief_from(arm, PLAYED, REWARDS), rb.fit(arm, PLAYED, REWARDS)
    refit(belief, 0, 0, True)
    region = line_region(belief, 0, 0, rule_for(radius, arm), math.log(len(PLAYED) + 1))
    eta = rb.belief.radius.largest_kl(arm)
    exact = brute_upper_bound(oracle_model(arm), PLAYED, REWARDS, (fit.theta, fit.x0), Tuned(eta, "paper"), 1e-5)
    assert exact.reached > 0.51
    assert reaches_level(region, exact.reached - 1e-5)
    assert not reaches_level(region, exact.ceiling + 1e-4)
