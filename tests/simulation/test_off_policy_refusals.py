"""Off-policy estimates refuse logs and policies that cannot be evaluated, with the reason."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.types import NO_TICKET, Request, Ticket, choose, learn, play, probabilities, start
from tests.interpreted import interpreted as interpreted
from tests.policies.histories import TWO_ARMS

pytestmark = pytest.mark.usefixtures("interpreted")
TRUTH = rb.Truth(TWO_ARMS, [0.5, 0.7], [0.1, 0.3])
nan = math.nan
GOOD = rb.Log([[0, 1]], [[1, 0]], [[0.5, 0.5]])
REFUSED: list[tuple[rb.Log, str]] = [
    (GOOD._replace(arm=[[0, 2]]), r"log, person 0, decision 1: arm 2 must be from 0 to 1, or -1 for a rest"),
    (GOOD._replace(arm=[[0, 0.5]]), r"log, arm \(shape \(1, 2\)\) must hold whole numbers"),
    (GOOD._replace(arm=[[]]), r"log, arm \(shape \(1, 0\)\) must hold"),
    (GOOD._replace(arm=[["a", "b"]]), "log, arm must be numbers"),
    (
        GOOD._replace(reward=[[1, 0.5]]),
        r"log, person 0, decision 1, arm 1, reward 0.5 must be 0 or 1 \(BernoulliLogit\)",
    ),
    (GOOD._replace(reward=[1, 0, 1]), r"log, reward has shape \(3,\), and must have \(1, 2\)"),
    (GOOD._replace(probability=[[0.5, 0.0]]), "log, person 0, decision 1: probability 0 must be above 0 and at most 1"),
    (GOOD._replace(probability=[[nan, 0.5]]), "decision 0: probability nan must be above 0"),
    (GOOD._replace(available=[[[1, 1], [1, 0]]]), "decision 1: arm 1 must be one that was available"),
    (GOOD._replace(known_at=[[0, 2]]), "decision 0: known_at 0 must be above the number of the decision"),
    (
        GOOD._replace(probabilities=[[[0.5, 0.5], [0.0, 1.0]]], probability=[[0.5, 1.0]]),
        "policy Random chooses arm 0 with probability 0.5 at decision 1 of person 0, where the log chose it with prob",
    ),
    (
        GOOD._replace(probability=[[0.5, 1.0]]),  # without the probabilities of all arms: 1 says enough
        "policy Random chooses arm 0 with probability 0.5 at decision 1 of person 0, where the log chose it with prob",
    ),
]


@pytest.mark.parametrize(("log", "message"), REFUSED)
def test_a_log_that_contradicts_itself_is_refused(log: rb.Log, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        rb.off_policy_value(rb.Random(), log, TWO_ARMS)


def test_other_arguments_that_cannot_be_are_refused() -> None:
    with pytest.raises(TypeError, match="off_policy_value needs arms"):
        rb.off_policy_value(rb.Random(), GOOD)
    with pytest.raises(TypeError, match="is not a log: it must be a Trace or a Log"):
        rb.off_policy_value(rb.Random(), "trial.csv", TWO_ARMS)  # type: ignore[arg-type]  # on purpose
    with pytest.raises(ValueError, match="histories 'other' must be 'logged' or 'own'"):
        rb.off_policy_value(rb.Random(), GOOD, TWO_ARMS, histories="other")
    sampled = rb.simulate(TRUTH, rb.RogueTS(), 5)
    with pytest.raises(ValueError, match=r"no probabilities of its choices: simulate\(..., probabilities=True\)"):
        rb.off_policy_value(rb.Random(), sampled)


class Secretive(NamedTuple):
    probability: float


class SecretiveState(NamedTuple):
    shared: Secretive
    personal: tuple[()] = ()


start.register(Secretive, lambda policy, problem, people: SecretiveState(policy))


@choose.register(SecretiveState)
def secretive_choose(state: SecretiveState, person: int, request: Request) -> tuple[int, float]:
    return (1 if request.available[1] else 5), state.shared.probability


@play.register(SecretiveState)
def secretive_play(state: SecretiveState, person: int, number: int, arm: int) -> Ticket:
    return NO_TICKET


@learn.register(SecretiveState)
def secretive_learn(
    state: SecretiveState, person: int, number: int, arm: int, probability: float, ticket: Ticket, r: float
) -> None:
    pass


def test_policies_must_say_their_probabilities() -> None:
    with pytest.raises(
        ValueError, match=r"policy Secretive does not say with which probability .* \(decision 0 of person 0"
    ):
        rb.off_policy_value(Secretive(0.5), GOOD, TWO_ARMS)
    found = rb.off_policy_value(Secretive(1.0), GOOD, TWO_ARMS)  # what is certain needs no words
    assert found.inverse_propensity.mean == pytest.approx((0.0 + 2.0 * 0.0) / 2)
    limited = GOOD._replace(available=[[[1, 1], [1, 0]]], arm=[[0, 0]])
    with pytest.raises(ValueError, match=r"Secretive chose an arm that is not available \(decision 1 of person 0"):
        rb.off_policy_value(Secretive(1.0), limited, TWO_ARMS)


def test_probabilities_of_a_policy_must_sum_to_1_at_every_decision() -> None:
    """Those of a fresh policy are tried beforehand; later ones where they are asked for."""
    with pytest.raises(
        ValueError, match=r"policy Drifting, `probabilities` sum to 0.75 at decision 1 of person 0: it mu"
    ):
        rb.off_policy_value(Drifting(), GOOD, TWO_ARMS)


class Drifting(NamedTuple):
    """Says probabilities that no longer sum to 1 after the first decision."""


class DriftingState(NamedTuple):
    shared: tuple[()] = ()
    personal: tuple[()] = ()


start.register(Drifting, lambda policy, problem, people: DriftingState())
play.register(DriftingState)(secretive_play)
learn.register(DriftingState)(secretive_learn)


@choose.register(DriftingState)
def drifting_choose(state: DriftingState, person: int, request: Request) -> tuple[int, float]:
    return 0, 0.5


@probabilities.register(DriftingState)
def drifting_probabilities(state: DriftingState, person: int, request: Request, out: Any) -> None:
    out[0], out[1] = 0.5, 0.5 / (1 + request.number)


def test_a_regression_needs_known_dynamics() -> None:
    """It is the regression that does, whatever the policy."""
    arms = [rb.Arm(rb.Unknown(), rb.BernoulliLogit(1.0, 1.0), name="walk")] * 2
    log = rb.Log(arm=np.zeros((2, 3), dtype=int), reward=np.ones((2, 3)), probability=np.full((2, 3), 0.5))
    with pytest.raises(ValueError, match="arm 'walk': the regression fits theta and x0, and needs known dynamics"):
        rb.off_policy_value(rb.Random(), log, arms)
