"""EXP3.S and REXP3 against the same recursions in 60 decimal digits, and over millions of decisions."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest

from rogue_bandits.compile.laws import kernel
from rogue_bandits.policies.exp3 import Exp3State
from rogue_bandits.policies.exp3s import Exp3S
from rogue_bandits.policies.rexp3 import Rexp3
from rogue_bandits.types import NO_TICKET, Bools, Floats, learn, play
from tests.matrix import FULL
from tests.policies.histories import THREE_ARMS, TWO_ARMS, Run, Script, ask, begin, both_rewards, both_ways, eventful

NOTHING = NO_TICKET
Follow = Callable[[Any, int, Script], Run]


def exact_probabilities(weights: list[Decimal], gamma: Decimal, available: Bools) -> list[Decimal]:
    """(1 − γ) w / W + γ / K over the available arms."""
    total = sum((w for w, allowed in zip(weights, available, strict=True) if allowed), Decimal(0))
    arms = int(available.sum())
    return [((1 - gamma) * w / total + gamma / arms) * int(ok) for w, ok in zip(weights, available, strict=True)]


def assert_drawn(script: Script, run: Run, t: int, p: list[Decimal]) -> None:
    """The arm is the one at the quantile u, unless u is within rounding error of an edge; its probability is exact."""
    edges = np.cumsum([float(value) for value in p])
    if np.abs(edges - script.uniforms[t, 0]).min() > 1e-12:
        assert run.arm[t] == np.searchsorted(edges, script.uniforms[t, 0])
    assert run.probability[t] == pytest.approx(float(p[run.arm[t]]), rel=1e-11)


def assert_exact(script: Script, run: Run, gamma: float, alpha: float, batch: int) -> None:
    """Every choice is that of the recursion of the source, in 60 digits."""
    arms = script.available.shape[1]
    g = Decimal(gamma)
    share = Decimal(1).exp() * Decimal(alpha) / arms
    chosen_with: dict[int, Decimal] = {}
    weights = [Decimal(1)] * arms
    for t in range(len(script.rest)):
        if t % batch == 0:
            weights = [Decimal(1)] * arms
        if not script.rest[t]:
            p = exact_probabilities(weights, g, script.available[t])
            assert_drawn(script, run, t, p)
            chosen_with[t] = p[run.arm[t]]
        for s in [s for s in chosen_with if script.arrival[s] == t and s // batch == t // batch]:
            estimate = Decimal(script.reward[s, run.arm[s]]) / chosen_with[s]
            shared = share * sum(weights)
            grown = [w * (g * estimate / arms).exp() if k == run.arm[s] else w for k, w in enumerate(weights)]
            weights = [w + shared for w in grown]


@both_ways
@both_rewards
@pytest.mark.parametrize(
    ("policy", "gamma", "alpha"),
    [
        (Exp3S(), math.sqrt(3 * math.log(3000) / 1000), 1e-3),
        (Exp3S(horizon=10), 1.0, 0.1),
        (Exp3S(gamma=0.02, alpha=0.0), 0.02, 0.0),
        (Exp3S(gamma=0.9, alpha=1e-9), 0.9, 1e-9),
    ],
)
def test_exp3s_is_exact(follow: Follow, binary: bool, policy: Exp3S, gamma: float, alpha: float) -> None:
    script = eventful(300, arms=3, seed=5, binary=binary)
    run = follow(begin(policy, THREE_ARMS, 1, 1000), 0, script)
    with localcontext(prec=60):
        assert_exact(script, run, gamma, alpha, batch=10**9)


@both_ways
@both_rewards
@pytest.mark.parametrize(
    ("policy", "batch", "gamma"),
    [
        (Rexp3(), 7, math.sqrt(3 * math.log(3) / ((math.e - 1) * 7))),
        (Rexp3(variation=5.0, horizon=2000), 81, math.sqrt(3 * math.log(3) / ((math.e - 1) * 81))),
        (Rexp3(batch=20), 20, math.sqrt(3 * math.log(3) / ((math.e - 1) * 20))),
        (Rexp3(batch=1, gamma=0.5), 1, 0.5),
    ],
)
def test_rexp3_is_exact(follow: Follow, binary: bool, policy: Rexp3, batch: int, gamma: float) -> None:
    script = eventful(300, arms=3, seed=6, binary=binary)
    run = follow(begin(policy, THREE_ARMS, 1, 1000), 0, script)
    with localcontext(prec=60):
        assert_exact(script, run, gamma, 0.0, batch)


@pytest.mark.parametrize(("r", "same_as"), [(7.0, 3.0), (-9.0, -1.0)])
def test_rewards_beyond_the_bounds_count_as_the_bounds(r: float, same_as: float) -> None:
    states = [begin(Exp3S(gamma=0.1, alpha=0.1, reward_lo=-1.0, reward_hi=3.0), TWO_ARMS, 1, None) for _ in range(2)]
    for state, reward in zip(states, [r, same_as], strict=True):
        play(state, 0, 0, 1)
        learn(state, 0, 0, 1, 0.5, NOTHING, reward)
    assert (states[0].personal.log_weight == states[1].personal.log_weight).all()


def test_a_reward_of_a_batch_that_is_over_is_dropped() -> None:
    state = begin(Rexp3(batch=3), TWO_ARMS, 1, None)
    for number in range(3):
        play(state, 0, number, 1)
        learn(state, 0, number, 1, 0.5, NOTHING, 1.0)
        assert (state.personal.log_weight[0, 0] < 0.0) == (number < 2)
    learn(state, 0, 0, 1, 0.5, NOTHING, 1.0)
    assert (state.personal.log_weight == 0.0).all()


MANY = 10_000_000 if FULL else 2_000_000


@kernel
def worst_error_by_exponents(state: Exp3State, uniforms: Floats, decisions: int, turn: int) -> float:
    """Arm 0 pays before the turn, arm 1 after. Without sharing, w_k = exp(Σ γ x̂_k / K): sum them with compensation."""
    everything = np.ones(2, dtype=np.bool_)
    lead, carry, worst = 0.0, 0.0, 0.0
    for t in range(decisions):
        arm, p = ask(state, 0, t, everything, uniforms[t % len(uniforms)])
        exact = (1.0 - state.shared.gamma) / (1.0 + math.exp(-lead if arm == 0 else lead)) + state.shared.gamma / 2.0
        worst = max(worst, abs(p - exact))
        line = play(state, 0, t, arm)
        r = 1.0 if (arm == 0) == (t < turn) else 0.0
        learn(state, 0, t, arm, p, line, r)
        added = (1.0 if arm == 0 else -1.0) * state.shared.gamma * r / (2.0 * p) - carry
        total = lead + added
        carry = (total - lead) - added
        lead = total
    return worst if math.isfinite(state.personal.log_weight.sum()) else math.inf


@kernel
def worst_error_by_shares(state: Exp3State, uniforms: Floats, decisions: int, turn: int) -> float:
    """The same with sharing, which keeps every weight above eα/K of the sum: plain weights that sum to 1 are exact."""
    everything = np.ones(2, dtype=np.bool_)
    w, worst = np.full(2, 0.5), 0.0
    for t in range(decisions):
        arm, p = ask(state, 0, t, everything, uniforms[t % len(uniforms)])
        worst = max(worst, abs(p - (1.0 - state.shared.gamma) * w[arm] - state.shared.gamma / 2.0))
        line = play(state, 0, t, arm)
        r = 1.0 if (arm == 0) == (t < turn) else 0.0
        learn(state, 0, t, arm, p, line, r)
        w[arm] *= math.exp(state.shared.gamma * r / (2.0 * p))
        w += math.e * state.shared.alpha / 2.0
        w /= w.sum()
    return worst if math.isfinite(state.personal.log_weight.sum()) else math.inf


def test_weights_stay_right_over_millions_of_decisions_without_sharing() -> None:
    """By the turn arm 1 weighs e^−10,000 of arm 0 at most, far below the smallest float; it must still come back."""
    state = begin(Exp3S(gamma=0.025, alpha=0.0), TWO_ARMS, 1, None)
    uniforms = np.random.default_rng(7).random(1_000_003)
    worst = worst_error_by_exponents(state, uniforms, MANY, 4 * MANY // 10)
    assert worst < 1e-6
    arm, p = ask(state, 0, MANY, np.array([True, True]), 0.5)
    assert arm == 1
    assert p == pytest.approx(1.0 - 0.025 / 2.0)


def test_weights_stay_right_over_millions_of_decisions_with_sharing() -> None:
    state = begin(Exp3S(), TWO_ARMS, 1, MANY)
    uniforms = np.random.default_rng(8).random(1_000_003)
    worst = worst_error_by_shares(state, uniforms, MANY, MANY // 2)
    assert worst < 1e-9
    assert ask(state, 0, MANY, np.array([True, True]), 0.5)[0] == 1
