"""What a bandit says of its arms: what its policy has, the decision that follows, and nothing changed by asking."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.policies.explain import Interval, policy_rows
from rogue_bandits.types import NO_TICKET, Problem, Request, Ticket, choose, learn, next_state, play, start
from tests.interpreted import coarse_quadrature as coarse_quadrature
from tests.interpreted import compiled_in_verify as compiled_in_verify

WALK = rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6), name="walk")
SLEEP = rb.Arm(rb.ClippedAffine(0.7, -1.2, 0.5), rb.BernoulliLogit(0.7, 0.3))
FITS = ("plays", "rewards seen", "theta, fitted", "x0, fitted", "state now, fitted", "mean reward, fitted")
POSTERIOR = ("plays", "rewards seen", "theta", "state now", "mean reward")
HAS: dict[str, tuple[str, ...]] = {
    "tuned-rogue-ucb": (*FITS, "upper bound", "probability"),
    "epsilon-rogue": (*FITS, "probability"),
    "rogue-ts": (*POSTERIOR, "probability"),
    "random": ("probability",),
    "round-robin": ("probability",),
}
interpreted = pytest.mark.usefixtures("compiled_in_verify", "coarse_quadrature")


def lived(policy: Any) -> rb.Bandit:
    bandit = rb.Bandit([WALK, SLEEP], policy, seed=3)
    for reward in (1, 0, 1, 1):
        bandit.update(bandit.choose(), reward)
    return bandit


@interpreted
@pytest.mark.parametrize("name", HAS)
def test_it_has_what_the_policy_has_and_tells_the_next_decision(name: str) -> None:
    bandit = lived(rb.POLICIES[name]())
    before = bandit.to_bytes()
    explained = bandit.explain()
    assert bandit.to_bytes() == before
    assert tuple(row.name for row in explained.rows) == HAS[name]
    decision = bandit.choose()
    assert (explained.number, explained.arm) == (decision.number, decision.arm)
    assert explained.row("probability") == decision.probabilities
    assert explained.arms == ("walk", "arm 1")
    assert all(row.name in str(explained) for row in explained.rows)
    assert f"Decision 4 would play {explained.arms[explained.arm]}, which has probability" in explained.sentence


@interpreted
def test_fits_states_and_bounds_are_those_of_the_functions_for_data() -> None:
    bandit = rb.Bandit([WALK, SLEEP], rb.TunedRogueUCB(eta=1.0), seed=3)
    arms, rewards = [0, 1, 0, 0, 1], [1.0, 0.0, 1.0, 0.0, 1.0]
    for arm, reward in zip(arms, rewards, strict=True):
        bandit.record(arm, reward)
    explained = bandit.explain()
    for k, model in enumerate((WALK, SLEEP)):
        played = [float(arm == k) for arm in arms]
        seen = [reward if arm == k else float("nan") for arm, reward in zip(arms, rewards, strict=True)]
        fit, x = rb.fit(model, played, seen), rb.fit(model, played, seen).x0
        for one in played:
            x = next_state(model.dynamics, x, one)
        assert explained.row("theta, fitted")[k] == pytest.approx(fit.theta, abs=1e-6)
        assert explained.row("state now, fitted")[k] == pytest.approx(x, abs=1e-6)
        bound = rb.upper_bound(model, played, seen, radius=rb.TunedRadius(eta=1.0))
        assert explained.row("upper bound")[k] == pytest.approx(bound, abs=1e-6)


def test_before_the_first_decision_an_interval_is_that_of_the_prior() -> None:
    theta = dict(policy_rows(start(rb.RogueTS(), Problem((WALK, SLEEP)), 1), 0, 0))["theta"][0]
    assert isinstance(theta, Interval)
    assert tuple(theta) == pytest.approx((0.5, 0.05, 0.95))
    assert str(theta) == "0.5 (0.05 to 0.95)"


def test_policies_with_an_index_say_it() -> None:
    """At a known state and a narrow theta it is the index."""
    arm = WALK._replace(dynamics=rb.ClippedAffine(0.0, -0.5, 1.0), theta_lo=0.5, theta_hi=0.5001)
    state = start(rb.IndexTS(), Problem((arm, arm)), 1)
    play(state, 0, 0, 0)
    index = dict(policy_rows(state, 0, 1))["Whittle index"]
    assert index[0].middle == pytest.approx(rb.whittle_index(arm, 0.5, 0.5), abs=1e-3)
    assert index[1].middle == pytest.approx(rb.whittle_index(arm, 0.5, 1.0), abs=1e-3)


@interpreted
def test_a_person_of_a_population_and_arms_that_are_available() -> None:
    people = rb.Population([WALK, SLEEP], rb.Random(), people=3, seed=7)
    explained = people.explain(1, available=[1])
    assert explained.row("probability") == (0.0, 1.0)
    assert explained.sentence == "Decision 0 would play arm 1, which has probability 1: as no other arm is available."
    assert people.number.tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="person 3 must be a number from 0 to 2"):
        people.explain(3)
    with pytest.raises(KeyError, match="there is no row 'upper bound'; there are: probability"):
        people.explain(0).row("upper bound")


@interpreted
@pytest.mark.parametrize("prior", [rb.Matern(2.0, 0.5, 0.3), rb.Steps(0.2, 0.5, 0.3)], ids=lambda p: type(p).__name__)
def test_curves_have_a_state_and_an_interval_of_the_mean_now(prior: Any) -> None:
    """Before any reward the interval is that of the prior; it holds rewards once there are many."""
    arm = rb.Arm(rb.Rotting(20, 10, prior), rb.Gaussian(1.0, 0.0, 0.1), -2.0, 2.0)
    bandit = rb.Bandit([arm, arm], rb.PlanUCB(), seed=1)
    first = bandit.explain().row("mean reward")[0]
    assert first == pytest.approx((0.3, 0.3 - 1.645 * 0.5, 0.3 + 1.645 * 0.5), abs=0.02)
    for _ in range(8):
        bandit.record(1, reward=0.7)
    explained = bandit.explain()
    assert explained.row("state now") == (0, 8)
    assert explained.row("mean reward")[1] == pytest.approx((0.7, 0.64, 0.76), abs=0.02)


class Failing(NamedTuple):
    """Raises at decision 1, after it has changed an array."""


class FailingState(NamedTuple):
    shared: tuple[()]
    personal: Any


class Asked(NamedTuple):
    times: Any


@start.register(Failing)
def start_failing(policy: Failing, problem: Problem, people: int) -> FailingState:
    return FailingState((), Asked(np.zeros(people)))


@choose.register(FailingState)
def failing_choose(state: FailingState, person: int, request: Request) -> tuple[int, float]:
    state.personal.times[person] += 1.0
    if request.number == 1:
        raise ArithmeticError("no choice at decision 1")
    return 0, 1.0


@play.register(FailingState)
def failing_play(state: FailingState, person: int, number: int, arm: int) -> Ticket:
    return NO_TICKET


@learn.register(FailingState)
def failing_learn(
    state: FailingState, person: int, number: int, arm: int, probability: float, ticket: Ticket, r: float
) -> None:
    pass


@interpreted
def test_a_law_that_raises_in_explain_leaves_everybody_as_they_were() -> None:
    bandit, people = rb.Bandit([WALK, SLEEP], Failing(), seed=3), rb.Population([WALK, SLEEP], Failing(), 2, seed=3)
    bandit.choose()
    people.choose([1])
    before = [bandit.to_bytes(), people.to_bytes(0), people.to_bytes(1)]
    with pytest.raises(ArithmeticError, match="no choice at decision 1"):
        bandit.explain()
    with pytest.raises(ArithmeticError, match="no choice at decision 1"):
        people.explain(1)
    assert [bandit.to_bytes(), people.to_bytes(0), people.to_bytes(1)] == before
    bandit.record(1)
    people.rest([1])
    assert bandit.choose().number == 2
    assert people.choose().number.tolist() == [0, 2]
