"""Choices by elimination are those by all upper bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.belief.elimination import is_proven_below, reaches_level
from rogue_bandits.belief.upper_bound import upper_bound_of
from rogue_bandits.compile.laws import kernel, pick, stack
from rogue_bandits.policies.rogue_ucb import CLEARLY, region_at
from rogue_bandits.policies.ties import any_of, best_of, merge_ties
from rogue_bandits.types import Arm, Bools, Floats, draw, grown, learn, next_state, play
from tests.interpreted import compiled_in_verify as compiled_in_verify
from tests.matrix import FULL, some_of
from tests.policies.histories import ask, begin

pytestmark = pytest.mark.usefixtures("compiled_in_verify")
DECISIONS = 120 if FULL else 12

LOGISTIC = [
    rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6)),
    rb.Arm(rb.ClippedAffine(0.7, -1.2, 0.5), rb.BernoulliLogit(0.7, 0.3)),
    rb.Arm(rb.ClippedAffine(-0.5, -0.6, 0.5), rb.BernoulliLogit(-3.0, 4.0)),
]
AGENTS = [
    rb.Arm(rb.ClippedAffine(0.6, -0.4, 0.3), rb.LaplaceAgent(), theta_lo=0.05),
    rb.Arm(rb.ClippedAffine(0.5, -0.5, 0.4), rb.LaplaceAgent(), theta_lo=0.1, theta_hi=0.5),
]
# Slow, and never clipped: most of their rewards are early ones.
SLOW_AGENTS = [
    rb.Arm(rb.ClippedAffine(decay, -0.3 * (1.0 - decay), 0.6 * (1.0 - decay)), rb.LaplaceAgent(), theta_lo=0.02)
    for decay in (0.8, 0.9, 0.95)
]
SLOW_LOGISTIC = [
    rb.Arm(rb.ClippedAffine(decay, -0.3 * (1.0 - decay), 0.6 * (1.0 - decay)), rb.BernoulliLogit(1.0, 3.0))
    for decay in (0.9, 0.97)
]


@kernel
def chosen_both_ways(
    arms: Arm, theta: Floats, x: Floats, state: Any, u: Floats, choices: Floats, unproven: Floats
) -> None:
    """Choose by elimination and by all upper bounds; and compare what is ruled out with the bounds themselves."""
    available: Bools = np.ones(x.size, dtype=np.bool_)
    for t in range(u.shape[0]):
        arm, probability = ask(state, 0, t, available, u[t, 0])
        choices[t, 0], choices[t, 1] = arm, probability
        untried = state.personal.plays[0] == 0
        if untried.any():
            choices[t, 2], choices[t, 3] = any_of(untried, u[t, 0])
        else:
            index = np.empty(x.size)
            for k in range(x.size):
                g = region_at(state, 0, k, np.log(t + 1.0))
                index[k] = upper_bound_of(g)
                # Ruled out, although the bound reaches it: by how much?
                for level in (index[k] - 1e-3, index[k] - 1e-6, index[k] - 1e-9):
                    if is_proven_below(g, level) or not reaches_level(
                        g, level - CLEARLY * state.shared.belief.tie_tolerance
                    ):
                        unproven[0] = max(unproven[0], index[k] - level)
            choices[t, 2], choices[t, 3] = best_of(
                merge_ties(index, available, state.shared.belief.tie_tolerance), available, u[t, 0]
            )
        line = play(state, 0, t, arm)
        r = draw(pick(arms, arm).rewards, theta[arm], x[arm], u[t, 1])
        learn(state, 0, t, arm, probability, line, r)
        for k in range(x.size):
            x[k] = next_state(pick(arms, k).dynamics, x[k], 1.0 if k == arm else 0.0)


def roomy(state: Any) -> Any:
    """Room for every reward of the test to be an early one."""
    for _ in range(5):
        state = grown(state)
    return state


CORRECTED = rb.TunedRogueUCB(variant="corrected")
CASES: dict[str, tuple[list[Arm], Any]] = {
    "logistic": (LOGISTIC, rb.TunedRogueUCB()),
    "logistic corrected": (LOGISTIC, CORRECTED),
    "logistic theorem": (LOGISTIC, rb.RogueUCB(1e-4)),
    "agents corrected": (AGENTS, CORRECTED),
    "slow agents": (SLOW_AGENTS, rb.TunedRogueUCB()),
    "slow logistic corrected": (SLOW_LOGISTIC, CORRECTED),
}
if FULL:
    CASES |= {
        "agents": (AGENTS, rb.TunedRogueUCB()),
        "slow agents corrected": (SLOW_AGENTS, CORRECTED),
        "slow logistic": (SLOW_LOGISTIC, rb.TunedRogueUCB()),
    }


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", some_of(range(3), 1))
def test_the_arm_that_is_left_has_the_largest_upper_bound(name: str, seed: int) -> None:
    (arms, policy), rng = CASES[name], np.random.default_rng(seed)
    theta = np.array([rng.uniform(arm.theta_lo, arm.theta_hi) for arm in arms])
    x = rng.random(len(arms))
    choices, unproven = np.zeros((DECISIONS, 4)), np.zeros(1)
    state = roomy(begin(policy, arms, 1, None))
    chosen_both_ways(stack(arms), theta, x, state, rng.random((DECISIONS, 2)), choices, unproven)
    np.testing.assert_array_equal(choices[:, :2], choices[:, 2:])
    assert unproven[0] < 1.1e-6  # the accuracy to which bounds are found
