"""Upper bounds of rotting arms, whose state is clipped at another x0 by each reward, against a search kink by kink."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.belief import contract, upper_bound
from rogue_bandits.belief.history import belief_from
from rogue_bandits.belief.radius import rule_for
from rogue_bandits.types import mean

REWARDS = 60


@pytest.mark.parametrize("variant", ["paper", "corrected"])
@pytest.mark.parametrize("seed", range(2))
def test_wide_pieces_of_x0_do_not_change_the_bound(seed: int, variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    arm = rb.Arm(rb.ClippedAffine(1.0, -0.01, 0.0), rb.Gaussian(1.0, 1.0, 0.5), 0.0, 1.0)
    theta, x = rng.random(2)
    means = [mean(arm.rewards, theta, max(0.0, x - 0.01 * t)) for t in range(REWARDS)]
    belief = belief_from(arm, [1] * REWARDS, rng.normal(means, 0.5).tolist())
    contract.refit(belief, 0, 0, True)
    g = contract.region(belief, 0, 0, rule_for(rb.TunedRadius(variant=variant), arm), math.log(REWARDS + 1))
    assert g.seen.kinks.size > upper_bound.PIECES + 1
    found = upper_bound.upper_bound_of(g)
    monkeypatch.setattr(upper_bound, "PIECES", REWARDS + 2)
    assert found == pytest.approx(upper_bound.upper_bound_of(g), abs=1e-9)
