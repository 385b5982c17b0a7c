"""What is left out of stored evidence is computed again bit for bit, for every kind of belief."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.belief.compact import derive, without_derived
from rogue_bandits.online.personal import fitted_into, leaves, mapped
from tests.interpreted import compiled_in_verify as compiled_in_verify
from tests.policies.histories import TWO_ARMS

SLOW = [arm._replace(dynamics=arm.dynamics._replace(decay=0.98, pull=-0.02, drift=0.01)) for arm in TWO_ARMS]
AGENTS = [arm._replace(rewards=rb.LaplaceAgent(), theta_lo=0.05) for arm in TWO_ARMS]


@pytest.mark.parametrize(
    ("arms", "policy", "nights"),
    [
        (TWO_ARMS, rb.TunedRogueUCB(), 12),
        (AGENTS, rb.EpsilonRogue(), 12),
        (SLOW, rb.EpsilonRogue(), 40),  # early rewards of which there are many, in pools
        (TWO_ARMS, rb.RogueTS(), 5),
        (TWO_ARMS, rb.Bounded(rb.EpsilonRogue(), least=0.1), 5),
        (TWO_ARMS, rb.DUCB(gamma=0.9), 5),
    ],
)
@pytest.mark.usefixtures("compiled_in_verify")
def test_derived_numbers_are_restored_bit_for_bit(arms: Any, policy: Any, nights: int) -> None:
    people, random = rb.Population(arms, policy, people=3, seed=1), np.random.default_rng(4)
    people.add(1)  # one who never decides
    for _ in range(nights):
        made = people.choose([0, 1, 2], probabilities=False)
        people.update(made.at([0, 1]), random.integers(0, 2, 2))
        people.update(made.at(2), np.nan)
    whole = people._online.state.personal
    stored = without_derived(whole)
    rebuilt = mapped(lambda short, room: np.array(fitted_into(short, room.shape)), stored, whole)
    derive(rebuilt, people._online.state.shared)
    for one, other in zip(leaves(whole), leaves(rebuilt), strict=True):
        assert one.tobytes() == other.tobytes()


def test_settled_evidence_is_less_than_half_as_large() -> None:
    people = rb.Population(TWO_ARMS, rb.TunedRogueUCB(), people=1, seed=1)
    for reward in [1.0, 0.0] * 6:
        people.update(people.choose(), [reward])
    whole = people._online.state.personal
    assert sum(a.nbytes for a in leaves(without_derived(whole))) < 0.7 * sum(a.nbytes for a in leaves(whole))
