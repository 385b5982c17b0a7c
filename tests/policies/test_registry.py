"""The registry of policies: every entry makes a policy, and one entry is all that a new policy needs."""

from __future__ import annotations

import inspect
from abc import ABC
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits import policies
from rogue_bandits.experiments.logistic.settings import LogisticSettings
from rogue_bandits.policies.registry import POLICIES, ROGUE_POLICIES, PolicySpec, checked_ids
from rogue_bandits.policies.rogue import Rogue
from rogue_bandits.policies.ties import arm_at_quantile
from rogue_bandits.types import (
    NO_TICKET,
    NOT_ASKED,
    Floats,
    Problem,
    Request,
    Ticket,
    choose,
    learn,
    play,
    probabilities,
    start,
    uniforms,
)
from tests.interpreted import interpreted_if
from tests.matrix import FULL
from tests.policies import test_conformance
from tests.policies.histories import TWO_ARMS, begin


@pytest.mark.parametrize("name", POLICIES)
def test_every_entry_makes_a_policy_and_describes_it(name: str) -> None:
    spec = rb.POLICIES[name]
    assert type(spec()) is spec.policy_class
    assert LogisticSettings().policy(name) == (spec(eta=1.0) if "eta" in spec.settings else spec())
    assert spec.label
    assert spec.about.endswith(".")
    assert spec.is_rogue is isinstance(begin(spec(), TWO_ARMS, horizon=1000), Rogue)


def test_labels_and_policies_are_distinct() -> None:
    assert len({spec.label for spec in POLICIES.values()}) == len(POLICIES)
    assert len({(spec.policy_class, spec()) for spec in POLICIES.values()}) == len(POLICIES)


def test_the_recommended_policy_is_an_entry_like_the_others() -> None:
    assert rb.POLICIES["tuned-rogue-ucb"]() == rb.TunedRogueUCB()
    assert rb.POLICIES["tuned-rogue-ucb-corrected"]() == rb.TunedRogueUCB(variant="corrected")
    assert rb.POLICIES["tuned-rogue-ucb-corrected"](eta=0.3) == rb.TunedRogueUCB(eta=0.3, variant="corrected")
    assert "tuned-rogue-ucb-corrected" in ROGUE_POLICIES


def test_the_folder_has_the_classes_of_the_registry() -> None:
    """As in version 0.1.0."""
    assert getattr(policies, "DUCB") is rb.DUCB  # noqa: B009  # unknown to mypy
    assert not hasattr(policies, "NoPolicy")


class Greedy(NamedTuple):
    """A policy that was just written: explores with probability xi, else plays the arm with the largest mean.

    It needs eleven uniforms, of which it uses the last.
    """

    xi: float = 0.5


class CostlyGreedy(NamedTuple):
    """The same, where `choose` leaves the probability to `probabilities`."""

    xi: float = 0.5


class Sums(NamedTuple):
    n: Floats
    total: Floats


class GreedyState(NamedTuple):
    shared: Greedy
    personal: Sums


class CostlyState(NamedTuple):
    shared: CostlyGreedy
    personal: Sums


class HasSums(ABC):
    """The kind of both states."""


HasSums.register(GreedyState)
HasSums.register(CostlyState)
uniforms.register(Greedy, lambda policy, problem: 11)
uniforms.register(CostlyGreedy, lambda policy, problem: 11)


@start.register
def start_greedy(policy: Greedy, problem: Problem, people: int) -> GreedyState:
    return GreedyState(policy, no_rewards(problem, people))


@start.register
def start_costly(policy: CostlyGreedy, problem: Problem, people: int) -> CostlyState:
    return CostlyState(policy, no_rewards(problem, people))


def no_rewards(problem: Problem, people: int) -> Sums:
    shape = people, len(problem.arms)
    return Sums(np.zeros(shape), np.zeros(shape))


@probabilities.register(HasSums)
def greedy_probabilities(state: Any, person: int, request: Request, out: Floats) -> None:
    available, sums = request.available, state.personal
    mean = np.where(available, sums.total[person] / np.maximum(sums.n[person], 1.0), -np.inf)
    best = mean == mean.max()
    for k in range(out.size):
        out[k] = state.shared.xi * available[k] / available.sum() + (1.0 - state.shared.xi) * best[k] / best.sum()


@choose.register(GreedyState)
def greedy_choose(state: Any, person: int, request: Request) -> tuple[int, float]:
    p = np.empty(request.available.size)
    probabilities(state, person, request, p)
    arm = arm_at_quantile(p, request.available, request.uniforms[10])
    return arm, p[arm]


@choose.register(CostlyState)
def costly_choose(state: Any, person: int, request: Request) -> tuple[int, float]:
    p = np.empty(request.available.size)
    probabilities(state, person, request, p)
    return arm_at_quantile(p, request.available, request.uniforms[10]), NOT_ASKED


@play.register(HasSums)
def greedy_play(state: Any, person: int, number: int, arm: int) -> Ticket:
    return NO_TICKET


@learn.register(HasSums)
def greedy_learn(state: Any, person: int, number: int, arm: int, probability: float, ticket: Ticket, r: float) -> None:
    state.personal.n[person, arm] += 1.0
    state.personal.total[person, arm] += r


CHECKS = [check for name, check in vars(test_conformance).items() if name.startswith("test_")]
ARGUMENTS = {"policy": "new", "family": "bernoulli", "interpreted": not FULL, "available": [True, True], "past": 20}


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("policy", [Greedy, CostlyGreedy])
def test_one_entry_is_all_that_a_new_policy_needs(
    policy: Any, check: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It passes every conformance check, with a `choose` that returns probabilities and with one that does not."""
    monkeypatch.setitem(POLICIES, "new", PolicySpec("New", policy, about="Plays the arm with the largest mean."))
    compares = check is test_conformance.test_interpreted_is_compiled
    with interpreted_if(lambda _: not (FULL or compares)):
        check(**{name: ARGUMENTS[name] for name in inspect.signature(check).parameters})


def test_experiments_take_a_new_policy_by_its_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(POLICIES, "greedy", PolicySpec("Greedy", Greedy, about="Plays the arm with the largest mean."))
    settings = LogisticSettings(policies=("random", "greedy"), xi=0.7)
    assert settings.policy("greedy") == Greedy(xi=0.7)
    assert checked_ids(["greedy"]) == ("greedy",)
