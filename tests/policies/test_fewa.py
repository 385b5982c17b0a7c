"""FEWA and wSWA against plain versions that look at the whole history."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.model.problem import problem_of
from rogue_bandits.types import Request, choose, grown, has_room, learn, play, start

SIGMA, ARMS = 0.7, 3
PROBLEM = problem_of([rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.Gaussian(1.0, 1.0, SIGMA))] * ARMS)


def fewa_choices(history: list[list[float]], alpha: float, t: int) -> set[int]:
    """Algorithm 1 of the paper, with the averages of lists."""
    left, h = set(range(ARMS)), 0
    while True:
        if short := {k for k in left if len(history[k]) <= h}:
            return short
        if len(left) == 1:
            return left
        h += 1
        averages = {k: float(np.mean(history[k][-h:])) for k in left}
        c = math.sqrt(2.0 * SIGMA**2 / h * math.log(t**alpha))
        left = {k for k in left if averages[k] >= max(averages.values()) - 2.0 * c}


def wswa_choices(epoch: list[list[float]], alpha: float, horizon: int) -> set[int]:
    """Algorithm 1 of the paper for a known horizon, with the rewards of this epoch."""
    log = math.log(math.sqrt(2.0) * horizon)
    window = math.ceil(alpha * 4 ** (2 / 3) * SIGMA ** (2 / 3) * ARMS ** (-2 / 3) * horizon ** (2 / 3) * log ** (1 / 3))
    if short := {k for k in range(ARMS) if len(epoch[k]) < window}:
        return short
    averages = [float(np.mean(epoch[k][-window:])) for k in range(ARMS)]
    return {k for k in range(ARMS) if averages[k] >= max(averages) - 1e-12}


def run(policy: Any, decisions: int, seed: int) -> Any:
    """Yield the number, the choice and the history before it; rewards fall with every play of an arm."""
    rng, state = np.random.default_rng(seed), start(policy, PROBLEM, 1)
    history: list[list[float]] = [[] for _ in range(ARMS)]
    for t in range(decisions):
        if not has_room(state, 0):
            state = grown(state)
        arm, _ = choose(state, 0, Request(t, np.ones(ARMS, dtype=np.bool_), rng.random(1)))
        yield t, arm, history
        ticket = play(state, 0, t, arm)
        r = float(rng.normal(0.5 - 0.02 * arm * len(history[arm]), SIGMA))
        learn(state, 0, t, arm, 1.0, ticket, r)
        history[arm].append(r)


@pytest.mark.parametrize("alpha", [0.06, 0.5])
def test_fewa_filters_as_the_paper_does(alpha: float) -> None:
    for t, arm, history in run(rb.FEWA(alpha), 250, seed=1):
        assert arm in fewa_choices(history, alpha, t + 1)


@pytest.mark.parametrize("alpha", [0.02, 0.2])
def test_wswa_averages_as_the_paper_does(alpha: float) -> None:
    """Epochs of 1, 2, 4, … decisions, each with a fresh history."""
    began: list[int] = [0] * ARMS
    ends, horizon = 1, 1
    for t, arm, history in run(rb.WSWA(alpha), 250, seed=2):
        if t == ends:
            horizon *= 2
            ends, began = ends + horizon, [len(one) for one in history]
        assert arm in wswa_choices([one[n:] for one, n in zip(history, began, strict=True)], alpha, horizon)


def test_only_available_arms() -> None:
    for policy in (rb.FEWA(), rb.WSWA()):
        state = start(policy, PROBLEM, 1)
        for t in range(20):
            only = np.arange(ARMS) == t % ARMS
            arm, _ = choose(state, 0, Request(t, only, np.array([0.3])))
            assert arm == t % ARMS
            learn(state, 0, t, arm, 1.0, play(state, 0, t, arm), 0.1 * arm)


@pytest.mark.parametrize("policy", [rb.FEWA, rb.WSWA], ids=["fewa", "wswa"])
def test_settings_are_checked(policy: Any) -> None:
    name = policy.__name__.lower()
    with pytest.raises(ValueError, match=f"{name}, alpha 0 must be above 0"):
        start(policy(alpha=0), PROBLEM, 1)
    with pytest.raises(ValueError, match=f"{name}, sigma -1.0 must be above 0"):
        start(policy(sigma=-1.0), PROBLEM, 1)
    counts = problem_of([rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.PoissonLog(1.0, 1.0))])
    with pytest.raises(ValueError, match=f"{name} needs sigma: PoissonLog rewards are not sub-Gaussian"):
        start(policy(), counts, 1)
