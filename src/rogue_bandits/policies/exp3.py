"""Exponential weights for exploration and exploitation: the laws that EXP3.S and REXP3 share.

P. Auer, N. Cesa-Bianchi, Y. Freund, R. Schapire (2002), The nonstochastic multiarmed bandit problem, SIAM Journal on
Computing 32(1), 48-77. With x̂ = reward / probability for the arm played and 0 for the others, and W = Σ w:

    p_k = (1 − γ) w_k / W + γ / K
    w_k ← w_k exp(γ x̂_k / K) + (e α / K) W

Weights overflow within some thousand decisions, and those of poor arms vanish when the others are scaled down, never to
return. Their logarithms do neither. A step is taken for each reward that is seen, with the probability its arm was
chosen with: a reward that never comes is no step. Where some arms are not available, W and K in p_k are over those that
are, which keeps x̂ unbiased and γ x̂ / K at most 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined
from rogue_bandits.policies.settings import RewardBounds, unit_reward
from rogue_bandits.policies.ties import arm_at_quantile, probabilities_by_quantile
from rogue_bandits.types import NO_TICKET, Bools, Floats, Ints, Request, Ticket, choose, learn, play, probabilities

NEVER = 2**62  # a batch that no run outlasts


class Exp3Shared(NamedTuple):
    """The settings of EXP3.S and REXP3 in numbers."""

    gamma: float
    alpha: float
    batch: int  # decisions after which all weights are equal again
    bounds: RewardBounds


class Exp3Personal(NamedTuple):
    """The weights of EXP3.S and REXP3 for each person."""

    log_weight: Floats  # [people, arms] up to a constant: the largest is 0
    clock: Ints  # [people] decisions so far


class Exp3State(NamedTuple):
    """The state of EXP3.S and of REXP3."""

    shared: Exp3Shared
    personal: Exp3Personal


def fresh_weights(arms: int, people: int, gamma: float, alpha: float, batch: int, bounds: RewardBounds) -> Exp3State:
    """Return the state with equal weights of all arms."""
    personal = Exp3Personal(np.zeros((people, arms)), np.zeros(people, dtype=np.int64))
    return Exp3State(Exp3Shared(float(gamma), float(alpha), int(batch), bounds), personal)


@inlined
def exp3_probabilities(log_weight: Floats, gamma: float, available: Bools) -> Floats:
    """p_k = (1 − γ) w_k / W + γ / K over the available arms, 0 for the others.

    >>> exp3_probabilities(np.array([0.0, -5000.0]), 0.5, np.array([True, True]))
    array([0.75, 0.25])
    """
    arms = 0
    top = -np.inf
    for k in range(len(log_weight)):
        if available[k]:
            arms += 1
            top = max(top, log_weight[k])
    p = np.zeros(len(log_weight))
    for k in range(len(log_weight)):
        if available[k]:
            p[k] = math.exp(log_weight[k] - top)
    total = p.sum()
    for k in range(len(log_weight)):
        if available[k]:
            p[k] = (1.0 - gamma) * p[k] / total + gamma / arms
    return p


@inlined
def log_add(a: float, b: float) -> float:
    """log(e^a + e^b), for a finite a; b may be −inf."""
    top = max(a, b)
    return top + math.log1p(math.exp(min(a, b) - top))


probabilities.register(Exp3State)(probabilities_by_quantile)


@choose.register(Exp3State)
def exp3_choose(state: Exp3State, person: int, request: Request) -> tuple[int, float]:
    """Return the arm at the quantile u of the probabilities."""
    p = exp3_probabilities(state.personal.log_weight[person], state.shared.gamma, request.available)
    arm = arm_at_quantile(p, request.available, request.uniforms[0])
    return arm, float(p[arm])


@play.register(Exp3State)
def exp3_play(state: Exp3State, person: int, number: int, arm: int) -> Ticket:
    """Reset all weights to equal at the end of a batch."""
    state.personal.clock[person] = number + 1
    if (number + 1) % state.shared.batch == 0:
        state.personal.log_weight[person] = 0.0
    return NO_TICKET


@learn.register(Exp3State)
def exp3_learn(
    state: Exp3State, person: int, number: int, arm: int, probability: float, ticket: Ticket, r: float
) -> None:
    """w_k ← w_k exp(γ x̂_k / K) + (e α / K) W, in logarithms. A reward of a batch that is over is dropped."""
    if number // state.shared.batch == state.personal.clock[person] // state.shared.batch:
        log_weight = state.personal.log_weight[person]
        # The bounds on which γ x̂ / K ≤ 1 rests are exact ones: a reward outside of them counts as the nearest.
        x = min(max(unit_reward(r, state.shared.bounds), 0.0), 1.0)
        share = math.e * state.shared.alpha / len(log_weight) * np.exp(log_weight).sum()
        log_share = math.log(share) if share > 0.0 else -np.inf
        log_weight[arm] += state.shared.gamma * x / (probability * len(log_weight))
        for k in range(len(log_weight)):
            log_weight[k] = log_add(log_weight[k], log_share)
        log_weight -= log_weight.max()
