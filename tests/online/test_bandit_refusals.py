"""What a bandit refuses: each message names the thing, the value and what is allowed, and nothing is lost."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.types import Decision
from tests.policies.histories import TWO_ARMS


def test_a_bandit_needs_arms() -> None:
    with pytest.raises(ValueError, match="a bandit needs at least one arm, and arms is empty"):
        rb.Bandit([], rb.Random())


def test_a_mixture_of_families_is_refused_by_name() -> None:
    mixture = [TWO_ARMS[0], TWO_ARMS[1]._replace(rewards=rb.Gaussian(1.0, 1.0, 1.0), name="swim")]
    with pytest.raises(ValueError, match="arm 1 'swim' has rewards Gaussian where arm 0 has BernoulliLogit"):
        rb.Bandit(mixture, rb.Random())


@pytest.mark.parametrize("policy", ["random", None, rb.Random, TWO_ARMS[0]])
def test_what_is_not_a_policy_is_refused(policy: Any) -> None:
    with pytest.raises(TypeError, match="is not a policy"):
        rb.Bandit(TWO_ARMS, policy)


def test_a_policy_that_needs_a_horizon_says_so() -> None:
    with pytest.raises(ValueError, match="exp3s needs a horizon or both gamma and alpha"):
        rb.Bandit(TWO_ARMS, rb.Exp3S())


AVAILABLE = [
    ([], "available is empty: name at least one arm, or call rest"),
    ([2], "available, arm 2 must be a number from 0 to 1"),
    ([0, -1], "available, arm -1 must be a number from 0 to 1"),
    ([0.5], "available, arm 0.5 must be"),
    ([True], r"available, \[True\] has 1 booleans, and must have one for each of 2 arms"),
    ([True, 0], "available, arm True must be a number from 0 to 1"),
    ([False, False], r"available is empty: name at least one arm, or call rest\(\)"),
    ([1, 1], "available, arm 1 is listed twice: list each arm once; for flags of 1 and 0 use booleans"),
    ([0, 0], "available, arm 0 is listed twice: list each arm once; for flags of 1 and 0 use booleans"),
    (np.array([[0]]), r"available, arm array\(\[0\]\) must be a number from 0 to 1"),
    (np.ma.array([0, 1], mask=[False, True]), "available has masked entries: fill them first"),
    (0, "available, 0 must be a list of arm numbers, or of 2 booleans"),
    ("01", "available, '01' must be a list of arm numbers"),
    ({0: True, 1: False}, "available, {0: True, 1: False} must be a list of arm numbers"),
]
UPDATES = [
    (Decision(7, 0, 1.0), 1.0, "decision 7 was never made: 4 have been, from 0"),
    (Decision(4, 0, 1.0), 1.0, "decision 4 was never made: 4 have been, from 0"),
    (Decision(-1, 0, 1.0), 1.0, "decision -1 was never made: 4 have been, from 0"),
    (Decision(0, 0, 1.0), 1.0, "decision 0 awaits no reward: its reward was given already, or it was a rest"),
    (Decision(1, 0, 1.0), 1.0, "decision 1 awaits no reward: its reward was given already, or it was a rest"),
    (Decision(2, 1, 1.0), 1.0, "decision 2 played arm 0, not arm 1"),
    (Decision(3, 1, 1.0), 0.5, r"decision 3, arm 1, reward 0.5 must be 0 or 1 \(BernoulliLogit\)"),
    (Decision(3, 1, 1.0), 2.0, r"decision 3, arm 1, reward 2 must be 0 or 1 \(BernoulliLogit\)"),
    (Decision(3, 1, 1.0), -1.0, r"decision 3, arm 1, reward -1 must be 0 or 1 \(BernoulliLogit\)"),
    (Decision(3, 1, 1.0), math.nan, "arm 1, reward nan must be finite; a reward that will never be seen is None"),
    (Decision(3, 1, 1.0), math.inf, "decision 3, arm 1, reward inf must be finite"),
]


def with_a_past() -> rb.Bandit:
    """Decision 0 has its reward, decision 1 was a rest, decisions 2 (arm 0) and 3 (arm 1) await theirs."""
    bandit = rb.Bandit(TWO_ARMS, rb.TunedRogueUCB(), seed=7)
    bandit.update(bandit.choose(available=[0]), 1.0)
    bandit.rest()
    bandit.choose(available=[0])
    bandit.choose(available=[1])
    return bandit


@pytest.mark.parametrize(("available", "message"), AVAILABLE)
def test_arms_that_are_none_are_refused_and_nothing_is_lost(available: Any, message: str) -> None:
    bandit = with_a_past()
    before = bandit.to_json()
    with pytest.raises((ValueError, TypeError), match=message):
        bandit.choose(available=available)
    with pytest.raises((ValueError, TypeError), match="available"):
        bandit.explain(available)
    assert bandit.to_json() == before


@pytest.mark.parametrize(("decision", "reward", "message"), UPDATES)
def test_rewards_that_cannot_be_are_refused_and_nothing_is_lost(
    decision: Decision, reward: float, message: str
) -> None:
    bandit = with_a_past()
    before = bandit.to_json()
    with pytest.raises(ValueError, match=message):
        bandit.update(decision, reward)
    assert bandit.to_json() == before
    bandit.update(Decision(3, 1, 1.0), 1.0)


def test_a_reward_that_is_no_number_is_refused() -> None:
    with pytest.raises(TypeError, match="decision 3, arm 1, reward 'good' must be a number"):
        with_a_past().update(Decision(3, 1, 1.0), "good")  # type: ignore[arg-type]  # refused


@pytest.mark.parametrize(
    ("probability", "message"),
    [
        ("x", "record, probability 'x' must be a number above 0"),
        (1.5, "record, probability 1.5 must be above 0 and at"),
    ],
)
def test_a_probability_that_is_none_is_refused(probability: Any, message: str) -> None:
    bandit = with_a_past()
    before = bandit.to_json()
    with pytest.raises((TypeError, ValueError), match=message):
        bandit.record(0, 1, probability)
    assert bandit.to_json() == before


@pytest.mark.parametrize("seed", [-1, 1.5, "x"])
def test_seeds_that_are_none_are_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match=f"seed {seed!r} must be a whole number, 0 or more"):
        rb.Bandit(TWO_ARMS, rb.Random(), seed=seed)


def test_only_a_decision_can_be_given_its_reward() -> None:
    bandit = rb.Bandit(TWO_ARMS, rb.Random(), seed=1)
    bandit.choose()
    with pytest.raises(TypeError, match="update needs the Decision that choose returned, not 0"):
        bandit.update(0, 1.0)  # type: ignore[arg-type]  # what the test is about


@pytest.mark.parametrize("reward", [1.0, None])
def test_a_decision_without_a_number_is_not_taken_for_a_free_slot(reward: float | None) -> None:
    bandit, people = rb.Bandit(TWO_ARMS, rb.DUCB(gamma=0.9), seed=1), rb.Population(TWO_ARMS, rb.DUCB(gamma=0.9), 2, 1)
    made, everybody = bandit.choose(), people.choose()
    bandit.update(made, 1.0)
    people.update(everybody, [1.0, 1.0])
    before = bandit.to_bytes(), people.to_bytes(1)
    with pytest.raises(ValueError, match="decision -1 was never made: 1 have been, from 0"):
        bandit.update(Decision(-1, 0, 1.0), reward)
    made_up = everybody.at([1])._replace(number=np.array([-1]), arm=np.array([0]))
    with pytest.raises(ValueError, match="decision -1 of person 1 was never made: 1 have been, from 0"):
        people.update(made_up, [math.nan if reward is None else reward])
    assert (bandit.to_bytes(), people.to_bytes(1)) == before
