"""A policy of one's own: whatever its `choose` returns, an error names it and nothing is read out of range."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.types import NO_TICKET, Problem, Request, Ticket, choose, learn, play, start, uniforms
from tests.policies.histories import TWO_ARMS

TRUTH = rb.Truth(TWO_ARMS, [0.5, 0.7], [0.1, 0.3])


class Stubborn(NamedTuple):
    """Always the same arm, with the same probability."""

    arm: int
    probability: float = 1.0


class StubbornState(NamedTuple):
    shared: Stubborn
    personal: tuple[()] = ()


@start.register(Stubborn)
def start_stubborn(policy: Stubborn, problem: Problem, people: int) -> StubbornState:
    return StubbornState(policy)


@choose.register(StubbornState)
def stubborn_choose(state: StubbornState, person: int, request: Request) -> tuple[int, float]:
    return state.shared.arm, state.shared.probability


@play.register(StubbornState)
def stubborn_play(state: StubbornState, person: int, number: int, arm: int) -> Ticket:
    return NO_TICKET


@learn.register(StubbornState)
def stubborn_learn(
    state: StubbornState, person: int, number: int, arm: int, probability: float, ticket: Ticket, r: float
) -> None:
    pass


WRONG = [
    (Stubborn(2), "returned arm 2 with probability 1 at decision 0"),
    (Stubborn(-1), "returned arm -1 with probability 1 at decision 0"),
    (Stubborn(10**9), "returned arm 1000000000 with probability 1"),
    (Stubborn(0, 0.0), "returned arm 0 with probability 0"),
    (Stubborn(0, float("nan")), "returned arm 0 with probability nan"),
]


@pytest.mark.parametrize(("policy", "message"), WRONG)
def test_a_wrong_choice_is_an_error_in_one_sentence(policy: Stubborn, message: str) -> None:
    for run in (
        lambda: rb.Bandit(TWO_ARMS, policy).choose(),
        lambda: rb.Population(TWO_ARMS, policy, people=2).choose(),
        lambda: rb.simulate(TRUTH, policy, 10, people=3),
        lambda: rb.simulate(TRUTH, policy, 10, people=3, delay=1),
    ):
        with pytest.raises(ValueError, match=f"policy Stubborn, `choose` {message}.*: it must be the number of an"):
            run()


def test_an_arm_that_is_not_available_is_an_error() -> None:
    bandit = rb.Bandit(TWO_ARMS, Stubborn(1))
    assert bandit.choose().arm == 1
    with pytest.raises(ValueError, match="`choose` returned arm 1 with probability 1 at decision 1 of person 0"):
        bandit.choose(available=[0])
    people = rb.Population(TWO_ARMS, Stubborn(1), people=3)
    with pytest.raises(ValueError, match="`choose` returned arm 1 with probability 1 at decision 0 of person 2"):
        people.choose(available=[[1], [0, 1], [0]])
    available = np.ones((2, 10, 2), dtype=bool)
    available[1, 7, 1] = False
    with pytest.raises(ValueError, match="`choose` returned arm 1 with probability 1 at decision 7 of person 1"):
        rb.simulate(TRUTH, Stubborn(1), 10, people=2, available=available)


class Greedy(NamedTuple):
    """Asks for three uniforms, and shows that they are the person's own."""


class GreedyState(NamedTuple):
    shared: tuple[()]
    personal: Any


class Latest(NamedTuple):
    uniforms: Any


@uniforms.register(Greedy)
def three(policy: Greedy, problem: Problem) -> int:
    return 3


@start.register(Greedy)
def start_greedy(policy: Greedy, problem: Problem, people: int) -> GreedyState:
    return GreedyState((), Latest(np.zeros((people, 3))))


@choose.register(GreedyState)
def greedy_choose(state: GreedyState, person: int, request: Request) -> tuple[int, float]:
    for j in range(3):
        state.personal.uniforms[person, j] = request.uniforms[j]
    return 0, 1.0


@play.register(GreedyState)
def greedy_play(state: GreedyState, person: int, number: int, arm: int) -> Ticket:
    return NO_TICKET


@learn.register(GreedyState)
def greedy_learn(
    state: GreedyState, person: int, number: int, arm: int, probability: float, ticket: Ticket, r: float
) -> None:
    pass


def test_a_policy_gets_as_many_uniforms_as_it_asks_for() -> None:
    people = rb.Population(TWO_ARMS, Greedy(), 2, seed=4)
    people.choose()
    for person in range(2):
        stream = np.random.Generator(np.random.PCG64(np.random.SeedSequence(4, spawn_key=(person,))))
        assert people._online.state.personal.uniforms[person].tolist() == stream.random(3).tolist()
    assert rb.simulate(TRUTH, Greedy(), 20).arm.tolist() == [[0] * 20]


def test_the_decision_of_another_bandit_is_refused() -> None:
    one, other = (rb.Bandit(TWO_ARMS, rb.Random(), seed=seed) for seed in (1, 2))
    decision = one.choose(available=[0])
    other.choose(available=[0])
    with pytest.raises(ValueError, match="decision 0 was made by another bandit"):
        other.update(decision, 1.0)
    one.update(decision, 1.0)


def test_a_reseeded_bandit_still_knows_its_decisions() -> None:
    bandit = rb.Bandit(TWO_ARMS, rb.Random(), seed=1)
    decision = bandit.choose()
    bandit.reseed(9)
    bandit.update(decision, 1.0)
