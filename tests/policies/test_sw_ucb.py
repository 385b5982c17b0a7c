from __future__ import annotations

import math
from collections.abc import Callable
from statistics import fmean
from typing import Any

import numpy as np
import pytest

from rogue_bandits.policies.sw_ucb import SWUCB
from rogue_bandits.types import NO_TICKET, learn, play
from tests.policies.histories import (
    THREE_ARMS,
    TWO_ARMS,
    ObservedReward,
    Run,
    Script,
    ask,
    assert_best,
    begin,
    both_rewards,
    both_ways,
    decided,
    eventful,
    observed_before,
)

NOTHING = NO_TICKET
ALL = np.array([True, True])


def indices(observed: list[ObservedReward], arms: int, t: int, window: int, xi: float) -> list[float]:
    """Garivier & Moulines (2008): X_τ + B√(ξ log min(t, τ) / N_τ) from the whole history."""
    rewards = [[s.reward for s in observed if s.arm == k and s.number >= t - window] for k in range(arms)]
    padding = xi * math.log(min(t + 1, window))
    return [fmean(of_arm) + math.sqrt(padding / len(of_arm)) if of_arm else math.inf for of_arm in rewards]


@both_ways
@both_rewards
@pytest.mark.parametrize(
    ("policy", "window"),
    [
        (SWUCB(), math.ceil(2 * math.sqrt(math.sqrt(1000) * math.log(1000)))),
        (SWUCB(upsilon=2, horizon=100), 31),
        (SWUCB(window=7), 7),
        (SWUCB(window=1), 1),
        (SWUCB(window=1000), 1000),
    ],
)
def test_choices_are_those_of_the_formula(
    follow: Callable[[Any, int, Script], Run], binary: bool, policy: SWUCB, window: int
) -> None:
    script = eventful(300, arms=3, seed=4, binary=binary)
    run = follow(begin(policy, THREE_ARMS, 1, 1000), 0, script)
    for t in decided(script):
        assert_best(indices(observed_before(script, run, t), 3, t, window, 0.6), script, run, t)


def test_the_window_is_over_the_decisions_of_all_arms() -> None:
    state = begin(SWUCB(window=3), TWO_ARMS, 1, None)
    for number, arm in enumerate([0, 1, 1, 1]):
        play(state, 0, number, arm)
        learn(state, 0, number, arm, 1.0, NOTHING, 0.5)
    assert state.personal.n.tolist() == [[0.0, 3.0]]
    assert ask(state, 0, 4, ALL, 0.9) == (0, 1.0)


@pytest.mark.parametrize(("rests", "counts"), [(0, 1.0), (2, 1.0), (3, 0.0), (4, 0.0)])
def test_a_late_reward_counts_while_its_decision_is_in_the_window(rests: int, counts: float) -> None:
    state = begin(SWUCB(window=3), TWO_ARMS, 1, None)
    play(state, 0, 0, 0)
    for number in range(1, 1 + rests):
        play(state, 0, number, -1)
    learn(state, 0, 0, 0, 1.0, NOTHING, 0.5)
    assert state.personal.n[0, 0] == counts
    for number in range(1 + rests, 4 + rests):
        play(state, 0, number, -1)
    assert state.personal.n[0, 0] == 0.0


def test_a_huge_reward_leaves_no_trace() -> None:
    state = begin(SWUCB(window=5), TWO_ARMS, 1, None)
    for number, r in enumerate([0.3, 1e17] + 20 * [0.3]):
        play(state, 0, number, 0)
        learn(state, 0, number, 0, 1.0, NOTHING, r)
    assert state.personal.total[0, 0] == pytest.approx(1.5, rel=1e-15)
