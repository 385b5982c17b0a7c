"""wSWA, the sliding window average with restarts: for rotting arms, whose means can only fall with their plays.

N. Levine, K. Crammer, S. Mannor (2017), Rotting bandits, NeurIPS, arXiv:1702.07274, Algorithms 1 and 2.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined, overwrite
from rogue_bandits.policies.reward_sums import RewardSums, Summing, WindowShared, latest_mean, start_sums
from rogue_bandits.policies.ties import best_of
from rogue_bandits.types import NO_TICKET, Problem, Request, Ticket, choose, play, start


class WSWA(NamedTuple):
    """Plays the largest average of the latest M rewards; arms with fewer come first. Starts afresh with doubled T.

    M = ⌈alpha·(16·σ²·T²·log(√2·T)/K²)^⅓⌉ for K arms and epochs of T = 1, 2, 4, … decisions, each of which forgets all
    rewards before it. alpha = 0.2 is that of the authors' experiments; σ (`sigma`) is the sub-Gaussian parameter of
    rewards, by default that of the arms. Every reward is stored.

    >>> WSWA()
    WSWA(alpha=0.2, sigma=None)
    """

    alpha: float = 0.2
    sigma: float | None = None


class WSWAState(NamedTuple):
    """The state of wSWA."""

    shared: WindowShared
    personal: RewardSums


Summing.register(WSWAState)


@start.register(WSWA)
def start_wswa(policy: WSWA, problem: Problem, people: int) -> WSWAState:
    """Return the state before the first decision."""
    return WSWAState(*start_sums("wswa", policy, problem, people))


@inlined
def epoch_of(number: int) -> int:
    """Return the length T of the epoch that decision `number` is in: 1, 2, 2, 4, 4, 4, 4, 8, …

    >>> [epoch_of(number) for number in range(8)]
    [1, 2, 2, 4, 4, 4, 4, 8]
    """
    length = 1
    while 2 * length - 1 <= number:
        length *= 2
    return length


@inlined
def wswa_window(alpha: float, sigma: float, arms: int, horizon: int) -> int:
    """M = ⌈alpha·(16·σ²·T²·log(√2·T)/K²)^⅓⌉."""
    inside: float = 16.0 * sigma * sigma * horizon * horizon * math.log(math.sqrt(2.0) * horizon) / (arms * arms)
    window: float = alpha * inside ** (1.0 / 3.0)
    return math.ceil(window)


@choose.register(WSWAState)
def wswa_choose(state: WSWAState, person: int, request: Request) -> tuple[int, float]:
    """Return the arm with the largest average; that of an arm with too few rewards in this epoch is infinite."""
    sums, available, epoch = state.personal, request.available, epoch_of(request.number)
    window = wswa_window(state.shared.alpha, state.shared.sigma, available.size, epoch)
    index = np.full(available.size, np.inf)
    for k in range(available.size):
        if request.number + 1 > epoch and sums.n[person, k] - sums.base[person, k] >= window:
            index[k] = latest_mean(sums, person, k, window)
    return best_of(index, available, request.uniforms[0])


@play.register(WSWAState)
def wswa_play(state: WSWAState, person: int, number: int, arm: int) -> Ticket:
    """Discard all rewards at the first decision of an epoch."""
    if number + 1 == epoch_of(number):
        overwrite(state.personal.base[person], state.personal.n[person])
    return NO_TICKET
