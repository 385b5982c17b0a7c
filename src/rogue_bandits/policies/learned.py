"""Optimistic planning where the dynamics are unknown (`Unknown`): posterior mean plus standard deviation of the index.

The value of an arm is m + s/√(1 + n/PATIENCE) after n rewards of it, where m and s are mean and standard deviation of
its index (of its mean reward, for policies that do not plan) over `POINTS` quantiles of the posterior of dynamics,
theta and state. What many rewards of an arm have left open, more of the same will not settle; an arm that is seldom
played keeps all of s, so that none is given up for good after a bad start. The quantiles shift from decision to
decision, by numbers that the history determines, so that over time all hypotheses are used; arms that were never
rewarded share them, so that they tie if they are alike. A draw in place of m + s explores more than pays
(docs/decisions/0026-unknown-dynamics.md).

A kind of dynamics (`belief.bank.kinds`) is drawn first: the richest of `KIND_DRAWS` draws. To act as if plays had no
effect teaches nothing about their effect, and is worth it only once that is nearly certain. Given the kind, the
decision is deterministic but for ties, so that its probabilities are exact and cheap.

While the rewards of an arm contradict the model (`belief.bank.check`), its value is that of recent rewards.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.belief.bank.belief import draw_arm
from rogue_bandits.belief.bank.check import is_contradicted, recent_value
from rogue_bandits.belief.bank.evidence import BankBelief, BankEvidence, BankShared, start_bank
from rogue_bandits.belief.bank.kinds import kind_at
from rogue_bandits.belief.bank.pooling import fill_kinds_of_person, fill_posterior, hypothesis_at_quantile
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.unknown import KINDS
from rogue_bandits.numerics.pcg64 import next_double, stir
from rogue_bandits.planning.path_index import path_index
from rogue_bandits.policies.rogue import Rogue, belief_in
from rogue_bandits.policies.ties import best_of
from rogue_bandits.types import NOT_ASKED, Floats, Problem, Request, choose, mean, probabilities

POINTS = 8
PATIENCE = 500.0  # rewards of an arm
KIND_DRAWS = 16
STEP_THETA = 0.6180339887498949  # the golden ratio: points of the two quantiles fill the square


class LearnedShared(NamedTuple):
    """Tables of the belief, and whether values look ahead."""

    belief: BankShared
    plans: bool


class LearnedState(NamedTuple):
    """The state of a policy with unknown dynamics."""

    shared: LearnedShared
    personal: BankEvidence


Rogue.register(LearnedState)


def learned_uniforms(problem: Problem) -> int:
    """One for the kind of the person, one for ties."""
    return 2


def start_learned(policy: str, problem: Problem, people: int, plans: bool) -> LearnedState:
    """With the prior."""
    shared, personal = start_bank(policy, problem, people)
    return LearnedState(LearnedShared(shared, plans), personal)


@routine
def value_at(state: LearnedState, belief: BankBelief, person: int, k: int, i: int, u_theta: float) -> float:
    """Return the index of arm k, or its mean reward, under hypothesis i at a quantile of theta."""
    drawn = draw_arm(belief, person, k, i, u_theta)
    if state.shared.plans:
        return path_index(drawn.arm, drawn.theta, drawn.x)
    return mean(drawn.arm.rewards, drawn.theta, drawn.x)


@routine
def fill_values(state: LearnedState, person: int, request: Request, kind: int, out: Floats) -> None:
    """Write the value of every available arm of a person of this kind."""
    belief, at, stream = belief_in(state), np.empty(POINTS), state.personal.stream[person].copy()
    cdf = np.empty((out.size, belief.personal.x.shape[2]))
    fill_posterior(belief, person, kind, cdf)
    stir(stream, request.number + 1.0)
    common_u, common_v = next_double(stream), next_double(stream)
    for k in range(out.size):
        out[k] = -np.inf
        if not request.available[k]:
            continue
        check, u, v = belief.personal.check[person, k], common_u, common_v
        if belief.personal.rewards[person, k, 0] > 0:
            u, v = next_double(stream), next_double(stream)
        if is_contradicted(check):
            out[k] = recent_value(check, belief.personal.since[person, k])
            continue
        for j in range(POINTS):
            i = hypothesis_at_quantile(cdf[k], (u + j / POINTS) % 1.0)
            at[j] = value_at(state, belief, person, k, i, (v + j * STEP_THETA) % 1.0)
        out[k] = at.mean() + at.std() / math.sqrt(1.0 + belief.personal.rewards[person, k, 0] / PATIENCE)


@inlined
def fill_kinds_to_act_on(state: LearnedState, person: int, out: Floats) -> None:
    """Write the probability of each kind to be the richest of `KIND_DRAWS` draws; kinds are in order of richness."""
    fill_kinds_of_person(belief_in(state), person, out)
    below, power = 0.0, 0.0
    for z in range(KINDS):
        below += out[z]
        now = min(below, 1.0) ** KIND_DRAWS if z < KINDS - 1 else 1.0
        out[z], power = now - power, now


@choose.register(LearnedState)
def learned_choose(state: LearnedState, person: int, request: Request) -> tuple[int, float]:
    """The arm of the largest value, for a kind."""
    value, kinds = np.empty(request.available.size), np.empty(KINDS)
    fill_kinds_to_act_on(state, person, kinds)
    fill_values(state, person, request, kind_at(kinds, request.uniforms[0]), value)
    return best_of(value, request.available, request.uniforms[1])[0], NOT_ASKED


@probabilities.register(LearnedState)
def learned_probabilities(state: LearnedState, person: int, request: Request, out: Floats) -> None:
    """The choices for all kinds, by their probabilities; ties are broken evenly."""
    value, kinds = np.empty(request.available.size), np.empty(KINDS)
    fill_kinds_to_act_on(state, person, kinds)
    out[:] = 0.0
    for z in range(KINDS):
        if kinds[z] > 0.0:
            fill_values(state, person, request, z, value)
            arm, share = best_of(value, request.available, 0.0)
            for k in range(out.size):
                if request.available[k] and value[k] == value[arm]:
                    out[k] += kinds[z] * share
