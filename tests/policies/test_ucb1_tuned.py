from __future__ import annotations

import math
from collections.abc import Callable
from statistics import fmean, pvariance
from typing import Any

import numpy as np
import pytest

from rogue_bandits.policies.ucb1_tuned import UCB1Tuned
from rogue_bandits.types import NO_TICKET, learn, play
from tests.policies.histories import (
    THREE_ARMS,
    TWO_ARMS,
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


def index(rewards: list[float], t: int) -> float:
    """Auer, Cesa-Bianchi & Fischer (2002), Sec. 4, from the list of the rewards."""
    if not rewards:
        return math.inf
    n = len(rewards)
    bound = pvariance(rewards) + math.sqrt(2 * math.log(t) / n)
    return fmean(rewards) + math.sqrt(math.log(t) / n * min(1 / 4, bound))


@both_ways
@both_rewards
@pytest.mark.parametrize(("lo", "hi"), [(0.0, 1.0), (-2.0, 3.0)])
def test_choices_are_those_of_the_formula(
    follow: Callable[[Any, int, Script], Run], binary: bool, lo: float, hi: float
) -> None:
    script = eventful(300, arms=3, seed=2, binary=binary)
    run = follow(begin(UCB1Tuned(lo, hi), THREE_ARMS, 1, None), 0, script)
    for t in decided(script):
        observed = observed_before(script, run, t)
        rewards = [[(s.reward - lo) / (hi - lo) for s in observed if s.arm == k] for k in range(3)]
        assert_best([index(of_arm, t + 1) for of_arm in rewards], script, run, t)


def test_the_variance_survives_rewards_far_from_zero() -> None:
    state = begin(UCB1Tuned(), TWO_ARMS, 1, None)
    rewards = [1e9 + 1e-3 * (i % 7) for i in range(1000)]
    for i, r in enumerate(rewards):
        learn(state, 0, i, 0, 1.0, NOTHING, r)
    assert state.personal.scatter[0, 0] / 1000 == pytest.approx(pvariance(rewards), rel=1e-3)


def test_equal_rewards_have_no_variance() -> None:
    state = begin(UCB1Tuned(), TWO_ARMS, 1, None)
    for i in range(1000):
        learn(state, 0, i, 0, 1.0, NOTHING, 0.1)
    assert 0.0 <= state.personal.scatter[0, 0] < 1e-20


def test_an_arm_whose_reward_is_missing_is_worth_any_price_but_not_before_one_never_played() -> None:
    state = begin(UCB1Tuned(), TWO_ARMS, 1, None)
    play(state, 0, 0, 0)
    assert ask(state, 0, 1, ALL, 0.1) == (1, 1.0)
    play(state, 0, 1, 1)
    assert ask(state, 0, 2, ALL, 0.1) == (0, 0.5)
    learn(state, 0, 0, 0, 0.5, NOTHING, 1.0)
    assert ask(state, 0, 2, ALL, 0.1) == (1, 1.0)
