"""Which arms never forget their first state: whichever arm of a bandit they are, and whatever their type."""

from __future__ import annotations

from typing import NamedTuple

import pytest

import rogue_bandits as rb
from rogue_bandits.model.dynamics.forgetting import _forgets_under, forgets
from rogue_bandits.model.rewards.weighted import projected_arm
from rogue_bandits.types import next_state

LOGIT = rb.BernoulliLogit(1.0, 1.0)


class Still(NamedTuple):
    """Never moves. Of the same numbers as `Saturating`, so that tuples of the two are equal."""

    pace: float
    half: float
    drop: float
    lo: float = 0.0
    hi: float = 1.0


@next_state.register(Still)
def still_next_state(d: Still, x_t: float, played_t: float) -> float:
    return x_t


def test_an_arm_that_its_own_play_settles_forgets_whichever_arm_it_is() -> None:
    first, second = rb.Coupled(1.0, (-1.0, 0.0), 0.0), rb.Coupled(1.0, (0.0, -1.0), 0.0)
    assert forgets(first, 0)
    assert forgets(second, 1)
    assert not forgets(first, 1)
    assert not forgets(second, 0)


@pytest.mark.parametrize("order", [1, -1])
def test_two_types_of_the_same_numbers_are_told_apart(order: int) -> None:
    _forgets_under.cache_clear()
    dynamics = [rb.Saturating(0.25, 0.5, 0.5), Still(0.25, 0.5, 0.5)][::order]
    assert dynamics[0] == dynamics[1]
    assert [forgets(projected_arm(rb.Arm(d, LOGIT)).dynamics) for d in dynamics] == [True, False][::order]
