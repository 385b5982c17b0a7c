from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rogue_bandits.policies.d_ucb import DUCB
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


def indices(observed: list[ObservedReward], arms: int, t: int, gamma: float, xi: float) -> list[float]:
    """Garivier & Moulines (2008): X_γ + 2B√(ξ log n_γ / N_γ) from the whole history; age 0 is decision t − 1."""
    weights = [[gamma ** (t - 1 - s.number) for s in observed if s.arm == k] for k in range(arms)]
    sums = [math.fsum(gamma ** (t - 1 - s.number) * s.reward for s in observed if s.arm == k) for k in range(arms)]
    log_n = math.log(max(1.0, math.fsum(math.fsum(of_arm) for of_arm in weights)))
    return [
        total / math.fsum(of_arm) + 2 * math.sqrt(xi * log_n / math.fsum(of_arm)) if of_arm else math.inf
        for total, of_arm in zip(sums, weights, strict=True)
    ]


@both_ways
@both_rewards
@pytest.mark.parametrize(
    ("policy", "gamma"),
    [
        (DUCB(), 1 - 1000**-0.25 / 4),
        (DUCB(upsilon=40, horizon=250), 0.9),
        (DUCB(gamma=0.3), 0.3),
    ],
)
def test_choices_are_those_of_the_formula(
    follow: Callable[[Any, int, Script], Run], binary: bool, policy: DUCB, gamma: float
) -> None:
    script = eventful(300, arms=3, seed=3, binary=binary)
    run = follow(begin(policy, THREE_ARMS, 1, 1000), 0, script)
    for t in decided(script):
        assert_best(indices(observed_before(script, run, t), 3, t, gamma, 0.6), script, run, t)


def test_a_late_reward_weighs_as_if_it_had_come_at_once() -> None:
    late, prompt = (begin(DUCB(gamma=0.7), TWO_ARMS, 1, None) for _ in range(2))
    for number, (arm, r) in enumerate([(0, 0.3), (1, 0.9), (0, 0.8), (-1, 0.0), (1, 0.1)]):
        play(late, 0, number, arm)
        play(prompt, 0, number, arm)
        if arm >= 0:
            learn(prompt, 0, number, arm, 1.0, NOTHING, r)
    for number, arm, r in [(4, 1, 0.1), (0, 0, 0.3), (2, 0, 0.8), (1, 1, 0.9)]:
        learn(late, 0, number, arm, 1.0, NOTHING, r)
    assert late.personal.n == pytest.approx(prompt.personal.n)
    assert late.personal.mean == pytest.approx(prompt.personal.mean)
    assert prompt.personal.n[0] == pytest.approx([0.7**4 + 0.7**2, 0.7**3 + 1.0])


def test_a_gamma_of_1_forgets_nothing() -> None:
    state = begin(DUCB(gamma=1), TWO_ARMS, 1, None)
    for number in range(1000):
        play(state, 0, number, 0 if number % 3 else -1)
        if number % 3:
            learn(state, 0, number, 0, 1.0, NOTHING, number / 1000)
    assert state.personal.n[0, 0] == 666.0
    assert state.personal.mean[0, 0] == pytest.approx(sum(number / 1000 for number in range(1000) if number % 3) / 666)


def rested(rests: int) -> Any:
    """Arm 0 was better, both were played once, and then nothing for a while."""
    state = begin(DUCB(gamma=0.5), TWO_ARMS, 1, None)
    for number, r in [(0, 0.9), (1, 0.2)]:
        play(state, 0, number, number)
        learn(state, 0, number, number, 1.0, NOTHING, r)
    for number in range(2, 2 + rests):
        play(state, 0, number, -1)
    return state


@pytest.mark.parametrize("rests", [0, 1, 50, 900])
def test_while_little_is_remembered_the_means_decide(rests: int) -> None:
    assert ask(rested(rests), 0, 2 + rests, ALL, 0.9) == (0, 1.0)


def test_when_all_is_forgotten_any_arm_will_do() -> None:
    state = rested(2000)
    assert ask(state, 0, 2002, ALL, 0.9) == (1, 0.5)
    learn(state, 0, 0, 0, 1.0, NOTHING, 1.0)
    assert np.isfinite(state.personal.mean).all()
    assert ask(state, 0, 2002, ALL, 0.9) == (1, 0.5)
