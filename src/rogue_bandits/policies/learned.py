"""Optimistic planning where the dynamics are unknown (`Unknown`): posterior mean plus standard deviation of the index.

The value of an arm is m + c·s, where m and s are mean and standard deviation of its index (of its mean reward, for
policies that do not plan) over points of the posterior: draws of dynamics and state, quantiles of theta. After n of the
N rewards of a person with K arms

    c² = (1 + ½ log⁺(N/(K n))) / (1 + n/PATIENCE).

What many rewards of an arm have left open, more of the same will not settle; an arm that is seldom played has more than
all of s, so that none is given up for good after a bad start (as in MOSS: J.-Y. Audibert and S. Bubeck, 2009). The
points are new at every decision, by numbers that the history determines, so that over time all hypotheses are used;
arms that were never rewarded share these numbers, so that they tie if they are alike. A draw in place of m + c·s
explores more than pays (docs/decisions/0026-unknown-dynamics.md).

A kind of dynamics (`belief.bank.kinds`) is drawn first: the richest of `KIND_DRAWS` draws. To act as if plays had no
effect teaches nothing about their effect, and is worth it only once that is nearly certain. Given the kind, the
decision is deterministic but for ties, so that its probabilities are exact and cheap.

While the rewards of an arm contradict the model (`belief.bank.check`), its value is that of recent rewards.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.bank.belief import dynamics_of, state_now
from rogue_bandits.belief.bank.check import is_contradicted, recent_value
from rogue_bandits.belief.bank.evidence import BankBelief, BankEvidence, BankShared, start_bank
from rogue_bandits.belief.bank.kinds import kind_at
from rogue_bandits.belief.bank.likelihood import fill_theta_quantiles
from rogue_bandits.belief.bank.pooling import fill_kinds_of_person, fill_run_cdfs
from rogue_bandits.belief.bank.runs import hypothesis_in_runs
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.unknown import KINDS
from rogue_bandits.model.problem import arm_of
from rogue_bandits.numerics.pcg64 import next_double, stir
from rogue_bandits.planning.path_index import WIDTH, add_paths, fill_path_indices, new_paths
from rogue_bandits.policies.rogue import Rogue, belief_in
from rogue_bandits.policies.ties import best_of
from rogue_bandits.types import NOT_ASKED, Floats, Problem, Request, choose, mean, probabilities

FEWEST_POINTS = 8  # of an arm
PATIENCE = 100.0  # rewards of an arm
SELDOM = 0.5  # what is added to c² where an arm has a part e of its share of the rewards
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
    """Return two uniforms: one for the kind of the person, one for ties."""
    return 2


def start_learned(policy: str, problem: Problem, people: int, plans: bool) -> LearnedState:
    """Return the state before the first decision: the prior."""
    shared, personal = start_bank(policy, problem, people)
    return LearnedState(LearnedShared(shared, plans), personal)


@routine
def fill_values(state: LearnedState, person: int, request: Request, kind: int, out: Floats) -> None:
    """Write the value of every available arm of a person of this kind."""
    belief, stream, points = belief_in(state), state.personal.stream[person].copy(), points_of(out.size)
    of_runs, at = np.empty((out.size, belief.personal.run.shape[2])), np.empty((out.size, points))
    paths, pairs = new_paths(), 0
    fill_run_cdfs(belief, person, kind, of_runs)
    stir(stream, request.number + 1.0)
    common = stream.copy()
    stir(common, -1.0)
    for k in range(out.size):
        own = common.copy()
        if request.available[k] and belief.personal.rewards[person, k, 0] > 0:
            own = stream
        if request.available[k] and not is_contradicted(belief.personal.check[person, k]):
            if pairs + points > WIDTH:
                fill_path_indices(paths, pairs, at.ravel())
                pairs = 0
            pairs = add_points(state, person, k, of_runs[k], own, paths, pairs, at)
    fill_path_indices(paths, pairs, at.ravel())
    for k in range(out.size):
        out[k] = value_of(belief, person, k, at[k]) if request.available[k] else -np.inf


@inlined
def points_of(arms: int) -> int:
    """Return the number of points of an arm: as many as advance together, divided among the arms."""
    return max(FEWEST_POINTS, WIDTH // arms)


@routine
def add_points(
    state: LearnedState, person: int, k: int, of_runs: Floats, stream: Any, paths: Floats, pairs: int, at: Floats
) -> int:
    """Add the paths of arm k at points of its posterior; return the pairs of paths. Mean rewards go to `at` itself."""
    belief, prior = belief_in(state), arm_of(state.shared.belief.table, person, k)
    p, points, v = belief.personal, at.shape[1], next_double(stream)
    chosen, quantile, theta = np.empty(points, np.int64), np.empty(points), np.empty(points)
    for j in range(points):
        chosen[j] = hypothesis_in_runs(belief, person, k, of_runs, next_double(stream))
        quantile[j] = (v + j * STEP_THETA) % 1.0
    sums, tables = p.sums[person, k], belief.shared.theta
    fill_theta_quantiles(prior.rewards, tables, k, p.totals[person, k], sums, chosen, quantile, theta)
    for j in range(points):
        x = state_now(belief, person, k, chosen[j])
        if state.shared.plans:
            d = dynamics_of(belief, person, k, chosen[j])
            add_paths(prior.rewards, d, theta[j], x, k * points + j, paths, pairs + j)
        else:
            at[k, j] = mean(prior.rewards, theta[j], x)
    return pairs + points if state.shared.plans else 0


@inlined
def value_of(belief: BankBelief, person: int, k: int, at: Floats) -> float:
    """Return the value of arm k by its index at the points, or by recent rewards where these contradict the model."""
    check, n = belief.personal.check[person, k], belief.personal.rewards[person, k, 0]
    if is_contradicted(check):
        return recent_value(check, belief.personal.since[person, k])
    share = belief.personal.rewards[person, :, 0].sum() / (belief.personal.rewards.shape[1] * max(n, 1))
    c = math.sqrt((1.0 + SELDOM * math.log(max(share, 1.0))) / (1.0 + n / PATIENCE))
    return float(at.mean() + c * at.std())


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
    """Return the arm with the largest value, for a drawn kind of person."""
    value, kinds = np.empty(request.available.size), np.empty(KINDS)
    fill_kinds_to_act_on(state, person, kinds)
    fill_values(state, person, request, kind_at(kinds, request.uniforms[0]), value)
    return best_of(value, request.available, request.uniforms[1])[0], NOT_ASKED


@probabilities.register(LearnedState)
def learned_probabilities(state: LearnedState, person: int, request: Request, out: Floats) -> None:
    """Write the choices for all kinds, weighted by the kinds' probabilities; ties are broken evenly."""
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
