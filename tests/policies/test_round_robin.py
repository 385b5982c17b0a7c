"""Round robin: the arms in turn, whatever is available."""

from __future__ import annotations

import rogue_bandits as rb
from tests.policies.histories import THREE_ARMS


def test_arms_take_turns() -> None:
    bandit = rb.Bandit(THREE_ARMS, rb.RoundRobin())
    assert [bandit.choose().arm for _ in range(7)] == [0, 1, 2, 0, 1, 2, 0]


def test_the_turn_of_an_arm_that_is_not_available_passes_on() -> None:
    bandit = rb.Bandit(THREE_ARMS, rb.RoundRobin())
    assert [bandit.choose(available=[0, 2]).arm for _ in range(3)] == [0, 2, 0]
    bandit.record(2)
    bandit.rest()
    assert bandit.choose().arm == 0
