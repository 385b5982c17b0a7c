"""Thompson sampling: probabilities that hold, and choices that are best for the draw."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.belief.posterior import drawn_state
from rogue_bandits.planning.whittle import whittle_index
from rogue_bandits.policies.rogue import belief_in
from rogue_bandits.policies.thompson import DRAWS
from rogue_bandits.types import (
    Bools,
    Floats,
    Problem,
    Request,
    choose,
    learn,
    mean,
    play,
    probabilities,
    start,
    uniforms,
)
from tests.interpreted import coarse_quadrature as coarse_quadrature
from tests.matrix import pairs_of, some_of

ARMS = [
    rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6)),
    rb.Arm(rb.ClippedAffine(0.7, -1.2, 0.5), rb.BernoulliLogit(0.7, 0.3)),
    rb.Arm(rb.ClippedAffine(0.5, -0.8, 0.5), rb.BernoulliLogit(0.5, 0.5)),
]
EVERY = np.ones(3, dtype=np.bool_)
SOME = np.array([True, False, True])
POLICIES: list[Any] = [rb.RogueTS(), rb.IndexTS(), rb.PlanTS()]
each_policy = pytest.mark.parametrize("policy", POLICIES, ids=["rogue-ts", "index-ts", "plan-ts"])


def lived(policy: Any, decisions: int, seed: int = 0) -> Any:
    """The state after some decisions."""
    rng, problem = np.random.default_rng(seed), Problem(tuple(ARMS))
    state, m = start(policy, problem, 1), uniforms(policy, problem)
    for t in range(decisions):
        arm, _ = choose(state, 0, Request(t, EVERY, rng.random(m)))
        token = play(state, 0, t, arm)
        learn(state, 0, t, arm, 1.0, token, float(rng.random() < 0.6))
    return state


def probabilities_at(state: Any, number: int, available: Bools, u: Floats) -> Floats:
    out = np.empty(available.size)
    probabilities(state, 0, Request(number, available, u), out)
    return out


@pytest.mark.verify
@pytest.mark.usefixtures("coarse_quadrature")
@pytest.mark.parametrize(("policy", "available"), pairs_of(POLICIES, [EVERY, SOME], 1), ids=str)
def test_probabilities_are_frequencies_of_choices(policy: Any, available: Bools) -> None:
    state, rng = lived(policy, 12), np.random.default_rng(1)
    m = uniforms(policy, Problem(tuple(ARMS)))
    draws = 1500
    arms = [choose(state, 0, Request(12, available, rng.random(m)))[0] for _ in range(draws)]
    shares = np.bincount(arms, minlength=3) / draws
    found = probabilities_at(state, 12, available, rng.random(m))
    assert found.sum() == pytest.approx(1.0)
    assert (found[~available] == 0.0).all()
    assert np.abs(found - shares).max() < 4.0 * 0.5 / np.sqrt(draws) + 0.02


@pytest.mark.verify
def test_every_point_of_a_lattice_gives_the_same_probabilities() -> None:
    """So that the choice is a draw from the probabilities that are given."""
    policy = rb.PlanTS()
    state, rng = lived(policy, 12), np.random.default_rng(2)
    u = rng.random(uniforms(policy, Problem(tuple(ARMS))))
    expected = probabilities_at(state, 12, EVERY, u)
    z = np.array([pow(219, j, DRAWS) for j in range(u.size)])
    arms = np.zeros(3)
    for i in range(DRAWS):
        moved = (u + i * z / DRAWS) % 1.0
        arms[choose(state, 0, Request(12, EVERY, moved))[0]] += 1.0 / DRAWS
        if i % 200 == 7:
            rounding = 2.5 / DRAWS  # moves a point
            assert probabilities_at(state, 12, EVERY, moved) == pytest.approx(expected, abs=rounding)
    assert arms == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("policy", some_of(POLICIES[::-1], 1), ids=str)  # others take up to 15 s to compile
def test_a_bandit_says_the_probability_of_every_arm(policy: Any) -> None:
    bandit = rb.Bandit(ARMS, policy, seed=3)
    for _ in range(5):
        decision = bandit.choose(available=[0, 2])
        assert len(decision.probabilities) == 3
        assert sum(decision.probabilities) == pytest.approx(1.0)
        assert decision.probabilities[1] == 0.0
        assert decision.probability == decision.probabilities[decision.arm] > 0.0
        bandit.update(decision, 1.0)


@pytest.mark.usefixtures("coarse_quadrature")
@each_policy
def test_the_only_arm_that_is_available_has_probability_one(policy: Any) -> None:
    """Exactly: a probability of 1 − 1e-14 would be logged as a random choice."""
    state, only = lived(policy, 6), np.array([False, True, False])
    u = np.random.default_rng(4).random(uniforms(policy, Problem(tuple(ARMS))))
    assert probabilities_at(state, 6, only, u).tolist() == [0.0, 1.0, 0.0]


def test_the_largest_mean_and_the_largest_index_at_the_draw_are_played() -> None:
    for policy, value in ((rb.RogueTS(), lambda arm, *at: mean(arm.rewards, *at)), (rb.IndexTS(), whittle_index)):
        state, rng = lived(policy, 20), np.random.default_rng(4)
        wrong = 0
        for _ in range(40):
            u = rng.random(7)
            arm, _ = choose(state, 0, Request(20, EVERY, u))
            draws = [drawn_state(belief_in(state), 0, k, u[2 * k], u[2 * k + 1]) for k in range(3)]
            values = [value(ARMS[k], *draws[k]) for k in range(3)]
            wrong += max(values) - values[arm] > 2e-3  # the index is tabulated
        assert wrong == 0


def test_the_index_is_refused_for_arms_that_never_recover() -> None:
    arms = [rb.Arm(rb.ClippedAffine(1.0, -0.1, 0.05), rb.BernoulliLogit(0.4, 0.6))] * 2
    with pytest.raises(ValueError, match=r"decay 1\.0 must be below 1 for the Whittle index"):
        start(rb.IndexTS(), Problem(tuple(arms)), 1)


@pytest.mark.parametrize("depth", [0, 11, 2.5])
def test_depths_that_cannot_be_searched_are_refused(depth: Any) -> None:
    with pytest.raises(ValueError, match=rf"plan-ts, depth {depth} must be"):
        start(rb.PlanTS(depth), Problem(tuple(ARMS)), 1)


def test_the_index_is_refused_where_arms_grow_by_being_played() -> None:
    arms = [rb.Arm(rb.ClippedAffine(0.6, 0.3, 0.1), rb.BernoulliLogit(0.4, 0.6))] * 2
    with pytest.raises(ValueError, match=r"pull 0\.3 must be 0 or less for the Whittle index"):
        start(rb.IndexTS(), Problem(tuple(arms)), 1)
    start(rb.PlanTS(), Problem(tuple(arms)), 1)
