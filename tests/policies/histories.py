"""Histories to put policies through: rests, arms that are not available, rewards that come late or never."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

from rogue_bandits.compile.laws import inlined, kernel
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.bernoulli_logit import BernoulliLogit
from rogue_bandits.types import Arm, Bools, Floats, Ints, Problem, Request, Ticket, choose, learn, play, start

TWO_ARMS = [
    Arm(ClippedAffine(0.6, -1.0, 0.5), BernoulliLogit(0.4, 0.6)),
    Arm(ClippedAffine(0.7, -1.2, 0.5), BernoulliLogit(0.7, 0.3)),
]
THREE_ARMS = [*TWO_ARMS, Arm(ClippedAffine(0.5, -0.8, 0.5), BernoulliLogit(0.5, 0.5))]


class Script(NamedTuple):
    """All that happens to a person but the choices."""

    rest: Bools  # [decisions]
    available: Bools  # [decisions, arms]
    uniforms: Floats  # [decisions, uniforms]
    reward: Floats  # [decisions, arms]
    arrival: Ints  # [decisions] the decision after which the reward is observed, −1 if it never is


class Run(NamedTuple):
    """The choices; a rest is arm −1."""

    arm: Ints
    probability: Floats


class ObservedReward(NamedTuple):
    """A reward that has been observed."""

    number: int
    arm: int
    reward: float


def eventful(decisions: int, arms: int, seed: int, binary: bool, uniforms: int = 1) -> Script:
    """A fifth of the rewards never come, two fifths come late; arms are missing, and one decision in ten is a rest."""
    rng = np.random.default_rng(seed)
    available = rng.random((decisions, arms)) < 0.8
    available[np.arange(decisions), rng.integers(arms, size=decisions)] = True
    reward = rng.random((decisions, arms)) ** np.arange(1, arms + 1)
    delay = np.where(rng.random(decisions) < 0.5, rng.integers(1, 13, decisions), 0)
    arrival = np.where(rng.random(decisions) < 0.2, -1, np.arange(decisions) + delay)
    return Script(
        rest=rng.random(decisions) < 0.1,
        available=available,
        uniforms=rng.random((decisions, uniforms)),
        reward=np.round(reward) if binary else reward,
        arrival=arrival,
    )


def begin(policy: Any, arms: Sequence[Arm], people: int = 1, horizon: int | None = None) -> Any:
    """The state of a policy that has not decided yet."""
    return start(policy, Problem(tuple(arms), horizon), people)


@inlined
def ask(state: Any, person: int, number: int, available: Bools, u: float) -> tuple[int, float]:
    """A choice of a policy that needs one uniform."""
    return choose(state, person, Request(number, available, np.full(1, u)))


@inlined
def live_through(state: Any, person: int, t: int, script: Script, run: Run, tickets: Floats) -> None:
    """Play what was chosen at decision t, and see the rewards that arrive then."""
    ticket = play(state, person, t, run.arm[t])
    tickets[t, 0], tickets[t, 1], tickets[t, 2], tickets[t, 3] = ticket.a, ticket.b, ticket.c, ticket.d
    for s in range(t + 1):
        if script.arrival[s] == t and run.arm[s] >= 0:
            then = Ticket(tickets[s, 0], tickets[s, 1], tickets[s, 2], tickets[s, 3])
            learn(state, person, s, run.arm[s], run.probability[s], then, script.reward[s, run.arm[s]])


def follow(state: Any, person: int, script: Script) -> Run:
    """The choices of a policy."""
    decisions = len(script.rest)
    run = Run(np.full(decisions, -1), np.ones(decisions))
    tickets = np.zeros((decisions, 4))
    for t in range(decisions):
        if not script.rest[t]:
            request = Request(t, script.available[t], script.uniforms[t])
            run.arm[t], run.probability[t] = choose(state, person, request)
        live_through(state, person, t, script, run, tickets)
    return run


follow_compiled = kernel(follow)

both_ways = pytest.mark.parametrize("follow", [follow, follow_compiled], ids=["interpreted", "compiled"])
both_rewards = pytest.mark.parametrize("binary", [False, True], ids=["real", "binary"])


def decided(script: Script) -> list[int]:
    """The decisions that are not rests."""
    return [t for t, rest in enumerate(script.rest) if not rest]


def observed_before(script: Script, run: Run, t: int) -> list[ObservedReward]:
    """The rewards that are known when decision t is made, in the order in which they came."""
    numbers = [s for s in range(t) if run.arm[s] >= 0 and 0 <= script.arrival[s] < t]
    numbers.sort(key=lambda s: (script.arrival[s], s))
    return [ObservedReward(s, int(run.arm[s]), float(script.reward[s, run.arm[s]])) for s in numbers]


def assert_best(index: list[float], script: Script, run: Run, t: int) -> None:
    """The choice at decision t is any arm never played, else one of the largest index, as likely as the others.

    Indices that differ by rounding error may or may not tie.
    """
    allowed = [k for k in range(len(index)) if script.available[t, k]]
    untried = [k for k in allowed if k not in run.arm[:t]]
    best = max(index[k] for k in allowed)
    exact = untried or [k for k in allowed if index[k] == best]
    close = untried or [k for k in allowed if index[k] >= best - 1e-9]
    assert run.arm[t] in close
    if len(close) == len(exact):
        assert run.probability[t] == 1.0 / len(exact)
    else:
        assert 1.0 / run.probability[t] in range(1, len(close) + 1)
