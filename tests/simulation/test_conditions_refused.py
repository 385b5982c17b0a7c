"""Conditions of a simulation that cannot be, and what they leave undefined."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.simulation.simulate import simulate
from tests.policies.histories import TWO_ARMS

TRUTH = rb.Truth(TWO_ARMS, [0.5, 0.7], [0.1, 0.3])

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"delay": -1}, "simulate, delay -1 must be a whole number, 0 or more"),
    ({"delay": 1.5}, "simulate, delay 1.5 must be a whole number, 0 or more"),
    ({"delay": "long"}, "simulate, delay 'long' must be a whole number, 0 or more"),
    ({"delay": [0, 1]}, "simulate, delay has shape (2,), and must be a whole number, [decisions], [people, decisions]"),
    ({"delay": [0, 1, 2, 3, 0.5]}, "simulate, delay 0.5 must be a whole number, 0 or more"),
    ({"delay": lambda u: u}, "must be a whole number, 0 or more"),
    ({"delay": lambda u: u - 5}, "simulate, delay(u) -"),
    ({"delay": lambda u: np.zeros(3)}, "simulate, delay(u) has shape (3,)"),
    ({"missing": 1.2}, "simulate, missing 1.2 must be a probability, from 0 to 1, or a boolean"),
    ({"missing": "often"}, "simulate, missing 'often' must be numbers: a number, [decisions] or [people, decisions]"),
    ({"missing": np.zeros((3, 5))}, "simulate, missing has shape (3, 5), and must be a number, [decisions]"),
    ({"available": [0.5]}, "simulate, available has shape (1,), and must be a number, [arms], [decisions, arms]"),
    ({"available": float("nan")}, "simulate, available nan must be a probability"),
    ({"available": np.ones((4, 2))}, "simulate, available has shape (4, 2)"),
    ({"learner_arms": TWO_ARMS[:1]}, "simulate, learner_arms has 1 arms where the truth has 2"),
    ({"learner_arms": "arms"}, "arm 0: 'a' is not an Arm"),
]  # fmt: skip


@pytest.mark.parametrize(("conditions", "message"), REFUSED, ids=[message[:40] for _, message in REFUSED])
def test_conditions_that_cannot_be_are_refused(conditions: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        simulate(TRUTH, rb.Random(), 5, people=2, **conditions)


def test_learners_for_whom_a_reward_is_impossible_are_refused() -> None:
    gaussian = rb.Truth([arm._replace(rewards=rb.Gaussian(1.0, 1.0, 1.0)) for arm in TWO_ARMS], [0.5, 0.7], [0.1, 0.3])
    words = (
        r"learner_arms, arm 0: its rewards must be 0 or 1 \(BernoulliLogit\), where those of the truth are any number"
    )
    with pytest.raises(ValueError, match=words):
        simulate(gaussian, rb.Random(), 5, learner_arms=TWO_ARMS)


def test_no_optimal_gap_where_arms_were_not_always_available() -> None:
    trace = simulate(TRUTH, rb.Random(), 20, available=0.5, seed=1)
    with pytest.raises(ValueError, match="optimal gap: this trace has arms that were not always available"):
        trace.optimal_gap()
    late = simulate(
        TRUTH, rb.Random(), 20, delay=3, missing=0.5, seed=1
    )  # rewards that are late are earned all the same
    plain = simulate(TRUTH, rb.Random(), 20, seed=1)
    assert np.array_equal(late.optimal_gap(), plain.optimal_gap())


def test_arms_of_a_trace_must_be_available() -> None:
    trace = simulate(TRUTH, rb.Random(), 20, available=0.5, seed=1)
    assert trace.available is not None
    rest, one = (trace.arm == -1), trace.available.sum(axis=2) == 1
    for where, arm in ((rest, 0), (one, -1), (one, 1 - trace.arm[one][0])):
        t = int(np.argwhere(where)[0][1])
        wrong = trace.arm.copy()
        wrong[0, t] = arm
        with pytest.raises(
            ValueError, match=f"person 0, decision {t}: arm {arm} must be from 0 to 1, one that was avail"
        ):
            _ = trace._replace(arm=wrong).mean
