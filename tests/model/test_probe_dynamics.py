"""Dynamics of one's own are tried at the door, with all that they may be given and all that they promise."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import pytest

import rogue_bandits as rb
from rogue_bandits.model.dynamics.projected import lipschitz_state
from rogue_bandits.model.validation import checked_arm, checked_arms
from rogue_bandits.types import next_state, signal

LOGIT = rb.BernoulliLogit(1.0, 1.0)


class Jealous(NamedTuple):
    """Sound when it is played itself, and out of its bounds when another arm is."""

    lo: float = 0.0
    hi: float = 1.0


@signal.register(Jealous)
def jealous_signal(d: Jealous, k: int, arm: int) -> float:
    return -1.0 if arm < 0 else 0.0 if arm == k else 1.0


@next_state.register(Jealous)
def jealous_next_state(d: Jealous, x_t: float, played_t: float) -> float:
    return 0.5 * x_t - (1.0 if played_t == 1.0 else 0.0)


def test_what_other_arms_do_to_a_state_is_tried_too() -> None:
    arm = rb.Arm(Jealous(), LOGIT)
    assert checked_arms([arm]) == [arm]
    with pytest.raises(ValueError, match="arm 0, next_state: at x 0, played 1 it is -1, and the bounds are 0 to 1"):
        checked_arms([arm, arm])


def promising(share: Any) -> Any:
    """Dynamics that halve every distance, and say that of it."""
    kind: Any = type("Promising", (Halving,), {})
    lipschitz_state.register(kind)(lambda d: share)
    return kind()


class Halving(NamedTuple):
    lo: float = 0.0
    hi: float = 1.0


@next_state.register(Halving)
def halving_next_state(d: Halving, x_t: float, played_t: float) -> float:
    return 0.5 * x_t


@pytest.mark.parametrize("share", [0.5, 0.75, 1.0])
def test_a_promise_that_is_kept_is_believed(share: float) -> None:
    assert checked_arm(rb.Arm(promising(share), LOGIT)).dynamics == (0.0, 1.0)


@pytest.mark.parametrize(("share", "words"), [
    (math.nan, "its lipschitz_state is nan, and must be from 0 to 1"),
    (2.0, "its lipschitz_state is 2, and must be from 0 to 1"),
    (-1.0, "its lipschitz_state is -1, and must be from 0 to 1"),
    (None, "its lipschitz_state must be a number from 0 to 1: TypeError"),
    (0.25, "0.0125 apart: more than its lipschitz_state of 0.25 allows"),
])  # fmt: skip
def test_a_promise_that_is_not_kept_is_reported(share: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        checked_arm(rb.Arm(promising(share), LOGIT))
