"""ROGUE-UCB and Tuned ROGUE-UCB: play the arm with the largest upper bound."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.contract import Shared, region
from rogue_bandits.belief.elimination import is_proven_below, reaches_level
from rogue_bandits.belief.radius import LikelihoodRatioRadius, Radius, TheoremRadius, TunedRadius, rule_for
from rogue_bandits.belief.region import mean_at_fit
from rogue_bandits.belief.upper_bound import peak_at_fit, reached_bound, upper_bound_of
from rogue_bandits.compile.laws import inlined, pick, routine, stack
from rogue_bandits.model.problem import rows_of
from rogue_bandits.policies.likelihood_ucb import LikelihoodUCBState, start_likelihood_ucb
from rogue_bandits.policies.rogue import Rogue, belief_in, start_belief
from rogue_bandits.policies.settings import require
from rogue_bandits.policies.ties import any_of, best_of, merge_ties, probabilities_by_quantile
from rogue_bandits.types import Bools, Ints, Problem, Request, choose, probabilities, start

CLEARLY = 1e4  # times the tie tolerance: 1e-5 of the range of means


class TunedRogueUCB(NamedTuple):
    """Tuned ROGUE-UCB, Algorithm 3: the radius is `TunedRadius(eta, variant)`.

    >>> TunedRogueUCB(variant="corrected")
    TunedRogueUCB(eta=None, variant='corrected')
    """

    eta: float | None = None
    variant: str = "paper"


class RogueUCB(NamedTuple):
    """ROGUE-UCB, Algorithm 1: the radius is `TheoremRadius(scale)`, or another if `radius` is given.

    At scale 1 it has the theorem's guarantee and, at any practical horizon, explores without end: the radius exceeds
    every divergence there is (see docs/errata.md). Smaller scales have no guarantee. `AdaptiveRadius(alpha)`,
    `HellingerRadius(alpha)` and `LikelihoodRatioRadius(alpha)` have one, and are smaller by far (docs/theory.md).

    >>> from rogue_bandits import HellingerRadius
    >>> RogueUCB(radius=HellingerRadius(alpha=0.05))
    RogueUCB(scale=1.0, radius=HellingerRadius(alpha=0.05))
    """

    scale: float = 1.0
    radius: Radius | None = None


class RogueUCBShared(NamedTuple):
    """Tables of the belief, and the radius of each arm in numbers (stacked as the arms are)."""

    belief: Shared
    rule: Any


class RogueUCBState(NamedTuple):
    """The state of ROGUE-UCB, tuned or not."""

    shared: RogueUCBShared
    personal: Any


Rogue.register(RogueUCBState)


@start.register
def start_tuned_rogue_ucb(policy: TunedRogueUCB, problem: Problem, people: int) -> RogueUCBState:
    """Return the state before the first decision, with the tuned radius."""
    return start_with(TunedRadius(policy.eta, policy.variant), problem, people)


@start.register
def start_rogue_ucb(policy: RogueUCB, problem: Problem, people: int) -> RogueUCBState | LikelihoodUCBState:
    """Return the state with the radius of Theorem 1, or with the one that was given."""
    if policy.radius is None:
        return start_with(TheoremRadius(policy.scale), problem, people)
    require("rogue-ucb", "scale", policy.scale, "1 where a radius is given: it scales Theorem 1's", policy.scale == 1.0)
    if isinstance(policy.radius, LikelihoodRatioRadius):
        return start_likelihood_ucb(policy.radius, problem, people)
    return start_with(policy.radius, problem, people)


def start_with(radius: Radius, problem: Problem, people: int) -> RogueUCBState:
    """Return the state before the first decision, with the radius of each arm."""
    rule = stack([stack([rule_for(radius, arm) for arm in arms]) for arms in rows_of(problem)])
    belief, personal = start_belief(problem, people)
    return RogueUCBState(RogueUCBShared(belief, rule), personal)


probabilities.register(RogueUCBState)(probabilities_by_quantile)


@choose.register(RogueUCBState)
def rogue_ucb_choose(state: RogueUCBState, person: int, request: Request) -> tuple[int, float]:
    """Return an arm never played; else that of the largest upper bound, computed only for arms that may have it.

    Arms are eliminated whose bound cannot exceed the mean of another at its fit, then the largest mean of another at
    its fitted x0, then a mean that is near the bound of another. Most decisions need no bound. The remaining arms are
    compared with the leader's bound before their own is computed.
    """
    available, u, plays = request.available, request.uniforms[0], state.personal.plays[person]
    if any_untried(plays, available):
        return any_of(available & (plays == 0), u)
    log_t = math.log(request.number + 1.0)
    candidates = available.copy()
    leader, level = leading(mean_at_fit, state, person, candidates, log_t)
    left = eliminate_if_proven(state, person, candidates, log_t, leader, level)
    if left > 1:
        leader, left, level = leading_peak(state, person, candidates, log_t, leader)
    if left > 1:
        left = eliminate_below_level(state, person, candidates, log_t, leader, level)
    if left > 1:
        ahead, reached = leading(reached_bound, state, person, candidates, log_t)
        if reached > level:
            leader = ahead
            left = eliminate_below_level(state, person, candidates, log_t, leader, reached)
    if left == 1:
        return leader, 1.0
    index = np.full(candidates.size, -np.inf)
    index[leader] = upper_bound_of(region_at(state, person, leader, log_t))
    eliminate_below_level(state, person, candidates, log_t, leader, index[leader])
    for k in range(candidates.size):
        if candidates[k] and k != leader:
            index[k] = upper_bound_of(region_at(state, person, k, log_t))
    return best_of(merge_ties(index, candidates, state.shared.belief.tie_tolerance), candidates, u)


@inlined
def any_untried(plays: Ints, available: Bools) -> bool:
    """Return whether an available arm was never played."""
    for k in range(plays.size):
        if available[k] and plays[k] == 0:
            return True
    return False


@inlined
def region_at(state: RogueUCBState, person: int, k: int, log_t: float) -> Any:
    """Return the confidence region of arm k."""
    row = person * state.shared.belief.table.stride
    return region(belief_in(state), person, k, pick(state.shared.rule, (row, k)), log_t)


@inlined
def leading(
    value: Callable[[Any], float], state: RogueUCBState, person: int, candidates: Bools, log_t: float
) -> tuple[int, float]:
    """Return the arm whose region has the largest value, a law of regions, and that value."""
    level, leader = -np.inf, -1
    for k in range(candidates.size):
        if candidates[k]:
            found = value(region_at(state, person, k, log_t))
            if found > level:
                level, leader = found, k
    return leader, level


@inlined
def leading_peak(
    state: RogueUCBState, person: int, candidates: Bools, log_t: float, leader: int
) -> tuple[int, int, float]:
    """Raise the level to the largest mean with x0 as fitted; return the leader, how many are left, and the level.

    Both means are of points inside the confidence region, so that its upper bound is at least that. The leader so far
    comes first: most arms are eliminated by its peak, and need none of their own.
    """
    level = peak_at_fit(region_at(state, person, leader, log_t))
    left = eliminate_if_proven(state, person, candidates, log_t, leader, level)
    first, before = leader, level
    for k in range(candidates.size):
        if candidates[k] and k != first:
            value = peak_at_fit(region_at(state, person, k, log_t))
            if value > level:
                level, leader = value, k
    if level > before:
        left = eliminate_if_proven(state, person, candidates, log_t, leader, level)
    return leader, left, level


@inlined
def eliminate_if_proven(
    state: RogueUCBState, person: int, candidates: Bools, log_t: float, leader: int, level: float
) -> int:
    """Eliminate arms whose bound is proven to be below the leader's level; return how many are left."""
    return eliminate(is_proven_below, state, person, candidates, log_t, leader, level - tie_tolerance(state))


@routine
def eliminate_below_level(
    state: RogueUCBState, person: int, candidates: Bools, log_t: float, leader: int, level: float
) -> int:
    """Eliminate arms whose bound is clearly below the level; return how many are left."""
    return eliminate(is_below, state, person, candidates, log_t, leader, level - CLEARLY * tie_tolerance(state))


@inlined
def is_below(g: Any, level: float) -> bool:
    """Return whether a search finds nothing inside the region that reaches the level."""
    return not reaches_level(g, level)


@inlined
def eliminate(
    test: Callable[[Any, float], bool],
    state: RogueUCBState, person: int, candidates: Bools, log_t: float, leader: int, level: float,
) -> int:  # fmt: skip
    """Eliminate arms, but the leader, whose region passes a test; return how many are left."""
    left = 1
    for k in range(candidates.size):
        if candidates[k] and k != leader:
            candidates[k] = not test(region_at(state, person, k, log_t), level)
            left += candidates[k]
    return left


@inlined
def tie_tolerance(state: RogueUCBState) -> float:
    """Return by how much two bounds may differ that count as equal."""
    return state.shared.belief.tie_tolerance
