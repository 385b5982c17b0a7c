"""ROGUE-UCB and Tuned ROGUE-UCB: play the arm with the largest upper bound."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.contract import Belief
from rogue_bandits.belief.elimination import can_exceed, cannot_exceed
from rogue_bandits.belief.radius import TheoremRadius, TunedRadius, rule_for
from rogue_bandits.belief.region import mean_at_fit
from rogue_bandits.belief.upper_bound import peak_at_fit, upper_bound_of
from rogue_bandits.compile.laws import inlined, pick, routine, stack
from rogue_bandits.policies.rogue import Rogue, checked_belief, region
from rogue_bandits.policies.ties import any_of, best_of, merge_ties
from rogue_bandits.types import Arm, Bools, Ints, choose, start

CLEARLY = 1e4  # times what counts as even: 1e-5 of the range of means


class TunedRogueUCB(NamedTuple):
    """Tuned ROGUE-UCB, Algorithm 3: the radius is `TunedRadius(eta, variant)`.

    >>> TunedRogueUCB(variant="corrected")
    TunedRogueUCB(eta=1.0, variant='corrected')
    """

    eta: float = 1.0
    variant: str = "paper"


class RogueUCB(NamedTuple):
    """ROGUE-UCB, Algorithm 1: the radius is `TheoremRadius(scale)`.

    At scale 1 it has the theorem's guarantee and, at any practical horizon, explores without end: the radius exceeds
    every divergence there is (see docs/errata.md). Smaller scales learn, without the guarantee.

    >>> RogueUCB()
    RogueUCB(scale=1.0)
    """

    scale: float = 1.0


class RogueUCBState(NamedTuple):
    """What is known, and the rule of the radius for each arm (stacked)."""

    known: Belief
    rule: Any


Rogue.register(RogueUCBState)


@start.register
def start_tuned_rogue_ucb(
    policy: TunedRogueUCB, arms: Sequence[Arm], people: int, horizon: int | None
) -> RogueUCBState:
    """Tuned radius, nothing known."""
    known = checked_belief(arms, people)
    return RogueUCBState(known, stack([rule_for(TunedRadius(policy.eta, policy.variant), arm) for arm in arms]))


@start.register
def start_rogue_ucb(policy: RogueUCB, arms: Sequence[Arm], people: int, horizon: int | None) -> RogueUCBState:
    """The theorem's radius, nothing known."""
    known = checked_belief(arms, people)
    return RogueUCBState(known, stack([rule_for(TheoremRadius(policy.scale), arm) for arm in arms]))


@choose.register(RogueUCBState)
def rogue_ucb_choose(state: RogueUCBState, person: int, number: int, available: Bools, u: float) -> tuple[int, float]:
    """Any arm never played; else the largest upper bound, worked out in full only for arms that may have it.

    An arm that cannot reach the mean of another at its fit, and then what another reaches at its fitted x0, is out of
    the race. Most decisions are made before any bound is worked out. Those that are left are asked whether they reach
    the leader's bound before their own is worked out.
    """
    if any_untried(state.known.plays[person], available):
        return any_of(available & (state.known.plays[person] == 0), u)
    log_t = math.log(number + 1.0)
    candidates = available.copy()
    leader, left, level = eliminate_below_leader(state, person, candidates, log_t, False)
    if left > 1:
        leader, left, level = eliminate_below_leader(state, person, candidates, log_t, True)
    if left > 1:
        left = eliminate_below_level(state, person, candidates, log_t, leader, level)
    if left == 1:
        return leader, 1.0
    index = np.full(candidates.size, -np.inf)
    index[leader] = upper_bound_of(region_at(state, person, leader, log_t))
    eliminate_below_level(state, person, candidates, log_t, leader, index[leader])
    for k in range(candidates.size):
        if candidates[k] and k != leader:
            index[k] = upper_bound_of(region_at(state, person, k, log_t))
    return best_of(merge_ties(index, candidates, state.known.tie_tolerance), candidates, u)


@inlined
def any_untried(plays: Ints, available: Bools) -> bool:
    """Is there an available arm that was never played?"""
    for k in range(plays.size):
        if available[k] and plays[k] == 0:
            return True
    return False


@inlined
def region_at(state: RogueUCBState, person: int, k: int, log_t: float) -> Any:
    """The confidence region of arm k."""
    return region(state.known, pick(state.rule, k), person, k, log_t)


@inlined
def eliminate_below_leader(
    state: RogueUCBState, person: int, candidates: Bools, log_t: float, far: bool
) -> tuple[int, int, float]:
    """Take out of the race what cannot reach the leader; who leads, how many are left, and what does the leader reach?

    An arm leads by its mean at the fit or, looking `far`, by the largest mean with x0 as fitted: both are believed, so
    that its upper bound is at least that.
    """
    level, leader = -np.inf, -1
    for k in range(candidates.size):
        if candidates[k]:
            g = region_at(state, person, k, log_t)
            value = peak_at_fit(g) if far else mean_at_fit(g)
            if value > level:
                level, leader = value, k
    left = 1
    for k in range(candidates.size):
        if candidates[k] and k != leader:
            candidates[k] = not cannot_exceed(region_at(state, person, k, log_t), level - state.known.tie_tolerance)
            left += candidates[k]
    return leader, left, level


@routine
def eliminate_below_level(
    state: RogueUCBState, person: int, candidates: Bools, log_t: float, leader: int, level: float
) -> int:
    """Take out of the race what clearly does not reach the level; how many are left?"""
    left, clearly = 1, CLEARLY * state.known.tie_tolerance
    for k in range(candidates.size):
        if candidates[k] and k != leader:
            candidates[k] = can_exceed(region_at(state, person, k, log_t), level - clearly)
            left += candidates[k]
    return left
