"""Round robin: the arms in turn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rogue_bandits.policies.ties import probabilities_by_quantile
from rogue_bandits.types import NO_TICKET, Ints, Problem, Request, Ticket, choose, learn, play, probabilities, start


class RoundRobin(NamedTuple):
    """Plays the available arms in turn, in the order of their numbers, and learns nothing.

    >>> from rogue_bandits import Arm, Bandit, BernoulliLogit, ClippedAffine
    >>> arm = Arm(ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), BernoulliLogit(0.4, 0.6))
    >>> bandit = Bandit([arm, arm, arm], RoundRobin())
    >>> [bandit.choose().arm for _ in range(4)]
    [0, 1, 2, 0]
    """


class RoundRobinPersonal(NamedTuple):
    """The arm whose turn it is, for each person."""

    turn: Ints  # [people] the arm after the one that was played last


class RoundRobinState(NamedTuple):
    """The state of round robin."""

    shared: tuple[()]
    personal: RoundRobinPersonal


@start.register(RoundRobin)
def start_round_robin(policy: RoundRobin, problem: Problem, people: int) -> RoundRobinState:
    """Return the state before the first decision: arm 0 is next."""
    return RoundRobinState((), RoundRobinPersonal(np.zeros(people, dtype=np.int64)))


probabilities.register(RoundRobinState)(probabilities_by_quantile)


@choose.register(RoundRobinState)
def round_robin_choose(state: RoundRobinState, person: int, request: Request) -> tuple[int, float]:
    """Return the next available arm."""
    arms, arm = request.available.size, state.personal.turn[person] % request.available.size
    while not request.available[arm]:
        arm = (arm + 1) % arms
    return arm, 1.0


@play.register(RoundRobinState)
def round_robin_play(state: RoundRobinState, person: int, number: int, arm: int) -> Ticket:
    """Set the turn to the arm after the one that was played."""
    if arm >= 0:
        state.personal.turn[person] = arm + 1
    return NO_TICKET


@learn.register(RoundRobinState)
def round_robin_learn(
    state: RoundRobinState, person: int, number: int, arm: int, probability: float, ticket: Ticket, r: float
) -> None:
    """Do nothing."""
