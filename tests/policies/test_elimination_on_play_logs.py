"""No arm with a play log is eliminated that could have the largest upper bound."""

from __future__ import annotations

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.belief.elimination import is_proven_below, reaches_level
from rogue_bandits.belief.region import mean_at_fit
from rogue_bandits.belief.upper_bound import bound_and_gap, peak_at_fit
from rogue_bandits.compile.laws import kernel
from rogue_bandits.policies.rogue_ucb import RogueUCBState, region_at
from rogue_bandits.types import Floats, grown, learn, play
from tests.interpreted import compiled_in_verify as compiled_in_verify
from tests.policies.histories import begin

ARMS = [
    rb.Arm(
        rb.MatrixAffine(((0.6, slow), (0.0, 0.9)), (-1.0, -0.2), (0.5, 0.1), (0.0, 0.0), (1.0, 1.0)),
        rb.Weighted(rb.BernoulliLogit(1.0, 1.0), (0.4, -0.3), (0.6, weight)),
        (0.0, 0.0),
        (1.0, 1.0),
    )
    for slow, weight in ((0.1, 0.5), (0.3, 0.8))
]


@kernel
def asked(state: RogueUCBState, rewards: Floats, found: Floats) -> None:
    """After each of some decisions, of each arm: its bound and gap, what the fit reaches, and what elimination says."""
    for t in range(rewards.size):
        line = play(state, 0, t, t % 2)
        learn(state, 0, t, t % 2, 1.0, line, rewards[t])
        for k in range(2):
            g = region_at(state, 0, k, np.log(t + 2.0))
            bound, gap = bound_and_gap(g)
            found[t, k, 0], found[t, k, 1], found[t, k, 2], found[t, k, 3] = bound, gap, mean_at_fit(g), peak_at_fit(g)
            found[t, k, 4] = is_proven_below(g, bound - 1e-9)
            found[t, k, 5] = reaches_level(g, bound - 1e-4)
            found[t, k, 6] = reaches_level(g, bound + gap + 1e-4)


@pytest.mark.verify
@pytest.mark.usefixtures("compiled_in_verify")
def test_what_is_reached_is_not_ruled_out() -> None:
    rewards = (np.random.default_rng(3).random(40) < 0.6).astype(np.float64)
    for variant in ("paper", "corrected"):
        found = np.zeros((rewards.size, 2, 7))
        state = begin(rb.TunedRogueUCB(variant=variant), ARMS, 1, None)
        for _ in range(2):
            state = grown(state)
        asked(state, rewards, found)
        bound, gap, at_fit, peak, cannot, below, above = found[2:].transpose(2, 0, 1)
        assert (at_fit <= bound + 1e-9).all()
        assert (peak <= bound + 1e-6).all()
        assert not cannot.any()
        assert below.all()
        assert not above.any()
        assert np.median(gap) <= 1e-6
