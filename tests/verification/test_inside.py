"""How much of a radius is needed: the largest divergence of the truth over it, by fits to each beginning of a trace."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rogue_bandits as rb
from tests.interpreted import interpreted as interpreted
from verification.inside import ALPHA, LIKELIHOOD, RADII, asked
from verification.radii import held
from verification.scenarios import COINS

pytestmark = pytest.mark.usefixtures("interpreted")


def test_the_multiple_that_is_needed_is_the_largest_over_all_rewards() -> None:
    """Coins have no x0 that matters, so that their fit is unique: the share of ones, as far as the box allows."""
    trace, places = rb.simulate(COINS, rb.Random(), 16, 2, 1), {name: m for m, name in enumerate(RADII)}
    found, theta = asked(trace).needed, np.linspace(-2.0, 2.0, 4_001)
    p = 1 / (1 + np.exp(-theta))
    for person, k in ((0, 0), (0, 1), (1, 0)):
        truth, seen = 1 / (1 + math.exp(-COINS.theta[k])), trace.reward[person, trace.arm[person] == k]
        adaptive, likely = 0.0, 0.0
        for n in range(1, len(seen) + 1):
            ones = seen[:n].sum()
            loglik = ones * np.log(p) + (n - ones) * np.log(1 - p)
            q = float(p[loglik.argmax()])
            divergence = truth * math.log(truth / q) + (1 - truth) * math.log((1 - truth) / (1 - q))
            radius = rb.theory.adaptive_radius(COINS.arms[k], n, 6 * ALPHA / (math.pi * n) ** 2)
            adaptive = max(adaptive, divergence / radius)
            at_truth = ones * math.log(truth) + (n - ones) * math.log(1 - truth)
            beta = loglik.max() - math.log(np.exp(loglik).mean()) + math.log(1 / ALPHA)
            likely = max(likely, (loglik.max() - at_truth) / beta)
        assert found[person, k, places["adaptive"]] == pytest.approx(adaptive, rel=2e-3)
        # The mixture is bounded from below, so that the region is a little wider than that of the integral.
        assert 0.8 * likely <= found[person, k, places[LIKELIHOOD]] <= likely * 1.002


def test_a_radius_holds_where_one_of_it_or_less_is_needed() -> None:
    needed = np.concatenate([np.linspace(0.0, 0.9, 96), [1.0, 1.5, 2.0, 3.0]])
    assert held(needed).coverage.value == 0.97
    assert held(needed).needed == pytest.approx(np.quantile(needed, 0.95))
