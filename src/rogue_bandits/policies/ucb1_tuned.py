"""UCB1-Tuned: an upper confidence bound for rewards that do not change.

P. Auer, N. Cesa-Bianchi, P. Fischer (2002), Finite-time analysis of the multiarmed bandit problem, Sec. 4.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined
from rogue_bandits.policies.settings import RewardBounds, reward_bounds, unit_reward
from rogue_bandits.policies.ties import probabilities_by_quantile, untried_else_best
from rogue_bandits.types import (
    NO_TICKET,
    Bools,
    Floats,
    Problem,
    Request,
    Ticket,
    choose,
    learn,
    play,
    probabilities,
    start,
)


class UCB1Tuned(NamedTuple):
    """Plays the largest mean + √(log t / n · min(¼, variance + √(2 log t / n))).

    Rewards are mapped from [reward_lo, reward_hi], by default all that the arms can give, to [0, 1], where ¼ is the
    largest variance there is.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine
    >>> arms = (Arm(ClippedAffine(0.6, -1.0, 0.5), BernoulliLogit(0.4, 0.6)),) * 2
    >>> state = start(UCB1Tuned(), Problem(arms), people=1)
    >>> ticket = play(state, 0, 0, 1)
    >>> choose(state, 0, Request(1, np.array([True, True]), np.array([0.5])))  # arm 0 was never played
    (0, 1.0)
    """

    reward_lo: float | None = None
    reward_hi: float | None = None


class UCB1TunedShared(NamedTuple):
    """The settings of UCB1-Tuned in numbers."""

    bounds: RewardBounds


class UCB1TunedPersonal(NamedTuple):
    """The sums of UCB1-Tuned for each person."""

    tried: Bools  # [people, arms] ever played
    n: Floats  # [people, arms] observed rewards
    total: Floats  # [people, arms] their sum
    scatter: Floats  # [people, arms] the sum of their squared distances from their mean


class UCB1TunedState(NamedTuple):
    """The state of UCB1-Tuned."""

    shared: UCB1TunedShared
    personal: UCB1TunedPersonal


@start.register(UCB1Tuned)
def start_ucb1_tuned(policy: UCB1Tuned, problem: Problem, people: int) -> UCB1TunedState:
    """Return the state before the first decision."""
    bounds = reward_bounds("ucb1-tuned", policy.reward_lo, policy.reward_hi, problem.arms)
    shape = people, len(problem.arms)
    personal = UCB1TunedPersonal(
        tried=np.zeros(shape, dtype=np.bool_),
        n=np.zeros(shape),
        total=np.zeros(shape),
        scatter=np.zeros(shape),
    )
    return UCB1TunedState(UCB1TunedShared(bounds), personal)


@inlined
def ucb1_tuned_index(mean: float, variance: float, n: float, t: int) -> float:
    """mean + √(log t / n · min(¼, variance + √(2 log t / n)))."""
    ratio = math.log(t) / n
    return mean + math.sqrt(ratio * min(0.25, variance + math.sqrt(2.0 * ratio)))


probabilities.register(UCB1TunedState)(probabilities_by_quantile)


@choose.register(UCB1TunedState)
def ucb1_tuned_choose(state: UCB1TunedState, person: int, request: Request) -> tuple[int, float]:
    """Return the arm with the largest index; that of an arm with no reward is infinite."""
    available, p = request.available, state.personal
    index = np.full(len(available), np.inf)
    for k in range(len(available)):
        n = p.n[person, k]
        if n > 0.0:
            index[k] = ucb1_tuned_index(p.total[person, k] / n, p.scatter[person, k] / n, n, request.number + 1)
    return untried_else_best(index, p.tried[person], available, request.uniforms[0])


@play.register(UCB1TunedState)
def ucb1_tuned_play(state: UCB1TunedState, person: int, number: int, arm: int) -> Ticket:
    """Mark the arm as tried."""
    if arm >= 0:
        state.personal.tried[person, arm] = True
    return NO_TICKET


@learn.register(UCB1TunedState)
def ucb1_tuned_learn(
    state: UCB1TunedState, person: int, number: int, arm: int, probability: float, ticket: Ticket, r: float
) -> None:
    """Add the reward by Welford's step: the scatter grows by a square, so that no variance is negative.

    The mean is kept as a sum, which is exact for rewards of 0 and 1: arms that tie on paper tie here.
    """
    x = unit_reward(r, state.shared.bounds)
    n = state.personal.n[person, arm]
    if n > 0.0:
        distance = x - state.personal.total[person, arm] / n
        state.personal.scatter[person, arm] += distance * distance * n / (n + 1.0)
    state.personal.n[person, arm] = n + 1.0
    state.personal.total[person, arm] += x
