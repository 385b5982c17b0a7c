"""ROGUE-UCB with a likelihood-ratio radius: the arm with the largest upper bound, and as any policy otherwise."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rogue_bandits as rb
from tests.interpreted import interpreted as interpreted

ARMS = [
    rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(4.0, 6.0), name="a"),
    rb.Arm(rb.ClippedAffine(0.7, -1.2, 0.5), rb.BernoulliLogit(7.0, 3.0), name="b"),
]
POLICY = rb.RogueUCB(radius=rb.LikelihoodRatioRadius(0.2))


@pytest.mark.usefixtures("interpreted")
def test_the_arm_with_the_largest_upper_bound_is_played() -> None:
    trace = rb.simulate(rb.Truth(ARMS, [0.2, 0.7], [0.1, 0.9]), POLICY, horizon=40, seed=3)
    chosen = trace.arm[0]
    for t in range(2, 40, 3):
        bounds = []
        for k, arm in enumerate(ARMS):
            played = (chosen[:t] == k).astype(float)
            rewards = np.where(played == 1.0, trace.reward[0, :t], math.nan)
            bounds.append(rb.upper_bound(arm, played.tolist(), rewards.tolist(), rb.LikelihoodRatioRadius(0.2)))
        assert bounds[chosen[t]] >= max(bounds) - 1e-9


@pytest.mark.usefixtures("interpreted")
def test_it_explains_itself_and_is_saved_and_restored() -> None:
    bandit = rb.Bandit(ARMS, POLICY, seed=1)
    for reward in (1, 0, 1, 1):
        bandit.update(bandit.choose(), reward)
    copy = rb.Bandit.from_bytes(bandit.to_bytes(), ARMS, POLICY)
    assert "upper bound" in str(bandit.explain())
    for reward in (0, 1, 0):
        decision = bandit.choose()
        assert copy.choose() == decision
        bandit.update(decision, reward)
        copy.update(decision, reward)


def test_a_scale_is_refused() -> None:
    policy = rb.RogueUCB(scale=0.5, radius=rb.LikelihoodRatioRadius())
    with pytest.raises(ValueError, match=r"rogue-ucb, scale 0\.5 must be 1"):
        rb.Bandit(ARMS, policy, seed=1)
