"""FEWA, filtering on expanding window averages: for rotting arms, whose means can only fall with their plays.

J. Seznec, A. Locatelli, A. Carpentier, A. Lazaric, M. Valko (2019), Rotting bandits are no harder than stochastic
ones, AISTATS, arXiv:1811.11043, Algorithm 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined
from rogue_bandits.policies.reward_sums import RewardSums, Summing, WindowShared, latest_mean, start_sums
from rogue_bandits.policies.ties import any_of
from rogue_bandits.types import Bools, Problem, Request, choose, start


class FEWA(NamedTuple):
    """For windows h = 1, 2, …: drops arms whose latest h rewards average 2c(h) less than those of the best arm left.

    c(h) = σ√(2·alpha·log t / h). The first arm left that has no more than h rewards is played, or the last arm left.
    alpha = 0.06 is that of the authors' experiments; σ (`sigma`) is the sub-Gaussian parameter of rewards, by default
    that of the arms. Every reward is stored.

    >>> FEWA()
    FEWA(alpha=0.06, sigma=None)
    """

    alpha: float = 0.06
    sigma: float | None = None


class FEWAState(NamedTuple):
    """The state of FEWA."""

    shared: WindowShared
    personal: RewardSums


Summing.register(FEWAState)


@start.register(FEWA)
def start_fewa(policy: FEWA, problem: Problem, people: int) -> FEWAState:
    """Return the state before the first decision."""
    return FEWAState(*start_sums("fewa", policy, problem, people))


@choose.register(FEWAState)
def fewa_choose(state: FEWAState, person: int, request: Request) -> tuple[int, float]:
    """Expand the windows until an arm is found, and return it; ties are broken at random."""
    left, n = request.available.copy(), state.personal.n[person]
    wide = 2.0 * state.shared.sigma * math.sqrt(2.0 * state.shared.alpha * math.log(request.number + 1.0))
    h = 0
    while True:
        short = left & (n <= h)
        if short.any():
            return any_of(short, request.uniforms[0])
        if left.sum() == 1:
            return any_of(left, request.uniforms[0])
        h += 1
        keep_near_best(state.personal, person, h, wide / math.sqrt(h), left)


@inlined
def keep_near_best(sums: RewardSums, person: int, h: int, width: float, left: Bools) -> None:
    """Drop the arms whose latest h rewards average less than the best arm's by more than `width`."""
    best = -np.inf
    for k in range(left.size):
        if left[k]:
            best = max(best, latest_mean(sums, person, k, h))
    for k in range(left.size):
        if left[k] and latest_mean(sums, person, k, h) < best - width:
            left[k] = False
