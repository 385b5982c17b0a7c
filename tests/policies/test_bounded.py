"""Bounded probabilities: every available arm at least so often, and the policy as it was otherwise."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rogue_bandits as rb
from rogue_bandits.policies.bounded import raise_to_least
from rogue_bandits.types import NO_TICKET, Problem, choose, learn, play, start
from tests.interpreted import coarse_quadrature as coarse_quadrature
from tests.interpreted import compiled_in_verify as compiled_in_verify
from tests.policies.histories import THREE_ARMS


@given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=6), st.floats(0.01, 1.0), st.integers(0, 5))
def test_probabilities_are_at_least_the_least_and_keep_their_proportions(
    raw: list[float], share: float, without: int
) -> None:
    available = np.ones(len(raw), dtype=np.bool_)
    if len(raw) > 2 and without < len(raw):
        available[without] = False
    p = np.where(available, raw, 0.0)
    p = p / p.sum() if p.sum() > 0.0 else available / available.sum()
    least, before = share / len(raw), p.copy()
    raise_to_least(p, available, least)
    assert p.sum() == pytest.approx(1.0)
    assert (p[available] >= least * (1.0 - 1e-12)).all()
    assert (p[~available] == 0.0).all()
    above = p > least * (1.0 + 1e-9)
    ratios = p[above] / before[above]
    assert ratios == pytest.approx(np.full(ratios.size, ratios[0] if ratios.size else 1.0))


@pytest.mark.usefixtures("coarse_quadrature")
@pytest.mark.parametrize(
    ("policy", "decisions"),
    [(rb.TunedRogueUCB(), 25), (rb.RogueTS(), 5), (rb.RoundRobin(), 25)],  # quadrature is slow when it is interpreted
    ids=["ucb", "ts", "robin"],
)
def test_decisions_have_bounded_probabilities(policy: Any, decisions: int, request: pytest.FixtureRequest) -> None:
    """Compiled for one policy, the quickest to compile."""
    if not isinstance(policy, rb.RoundRobin):
        request.getfixturevalue("compiled_in_verify")
    bandit = rb.Bandit(THREE_ARMS, rb.Bounded(policy, least=0.15), seed=5)
    played = np.zeros(3)
    for _ in range(decisions):
        decision = bandit.choose()
        assert min(decision.probabilities) >= 0.15 * (1.0 - 1e-12)
        assert sum(decision.probabilities) == pytest.approx(1.0)
        assert decision.probability == decision.probabilities[decision.arm]
        bandit.update(decision, float(decision.arm == 1))
        played[decision.arm] += 1
    assert np.count_nonzero(played) >= 2
    again = rb.Bandit.from_bytes(bandit.to_bytes(), THREE_ARMS, rb.Bounded(policy, least=0.15))
    assert again.choose() == bandit.choose()


@pytest.mark.usefixtures("compiled_in_verify")
def test_it_is_saved_as_text_with_the_policy_that_it_bounds() -> None:
    bandit = rb.Bandit(THREE_ARMS, rb.Bounded(rb.Exp3S(horizon=100), least=0.2), seed=2)
    bandit.update(bandit.choose(), 1.0)
    again = rb.Bandit.from_json(bandit.to_json())
    assert again.policy == bandit.policy
    assert again.choose() == bandit.choose()


def test_two_arms_from_a_fifth_to_four_fifths() -> None:
    bandit = rb.Bandit(THREE_ARMS[:2], rb.Bounded(rb.RoundRobin(), least=0.2), seed=1)
    assert sorted(bandit.choose().probabilities) == pytest.approx([0.2, 0.8])
    assert bandit.choose(available=[1]).probabilities == (0.0, 1.0)


@pytest.mark.parametrize("least", [0.0, -0.1, 0.34, float("nan"), True])
def test_limits_that_cannot_be_met_are_refused(least: Any) -> None:
    with pytest.raises(ValueError, match=r"bounded, least .* must be above 0 and at most 1/3"):
        start(rb.Bounded(rb.Random(), least), Problem(tuple(THREE_ARMS)), 1)


class Silent(NamedTuple):
    """A policy that says no probabilities."""


class SilentState(NamedTuple):
    shared: tuple[()] = ()
    personal: tuple[()] = ()


start.register(Silent, lambda policy, problem, people: SilentState())
choose.register(SilentState)(lambda state, person, request: (0, 0.5))
play.register(SilentState)(lambda state, person, number, arm: NO_TICKET)
learn.register(SilentState)(lambda state, person, number, arm, probability, ticket, r: None)


def test_a_policy_that_says_no_probabilities_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Silent does not say .* register the law `probabilities` for its state"):
        start(rb.Bounded(Silent()), Problem(tuple(THREE_ARMS)), 1)
