"""ROGUE-UCB with a likelihood-ratio radius: play the arm with the largest mean in its likelihood region."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import rogue_bandits.belief.likelihood_bounds  # noqa: F401  # registers the region of a LikelihoodRule, and its bounds
from rogue_bandits.belief.contract import Shared, upper_bound
from rogue_bandits.belief.radius import LikelihoodRatioRadius, rule_for
from rogue_bandits.compile.laws import inlined, pick, stack
from rogue_bandits.model.problem import rows_of
from rogue_bandits.policies.rogue import Rogue, belief_in, start_belief
from rogue_bandits.policies.ties import any_of, best_of, merge_ties, probabilities_by_quantile
from rogue_bandits.types import Problem, Request, choose, probabilities


class LikelihoodUCBShared(NamedTuple):
    """Tables of the belief, and the rule of each arm (stacked as the arms are)."""

    belief: Shared
    rule: Any


class LikelihoodUCBState(NamedTuple):
    """The state of ROGUE-UCB with a likelihood-ratio radius."""

    shared: LikelihoodUCBShared
    personal: Any


Rogue.register(LikelihoodUCBState)
probabilities.register(LikelihoodUCBState)(probabilities_by_quantile)


def start_likelihood_ucb(radius: LikelihoodRatioRadius, problem: Problem, people: int) -> LikelihoodUCBState:
    """Return the state before the first decision."""
    rule = stack([stack([rule_for(radius, arm) for arm in arms]) for arms in rows_of(problem)])
    belief, personal = start_belief(problem, people)
    return LikelihoodUCBState(LikelihoodUCBShared(belief, rule), personal)


@inlined
def likelihood_bound(state: LikelihoodUCBState, person: int, k: int) -> float:
    """Return the upper bound of arm k, which does not depend on the number of the decision."""
    row = person * state.shared.belief.table.stride
    return upper_bound(belief_in(state), person, k, pick(state.shared.rule, (row, k)), 0.0)


@choose.register(LikelihoodUCBState)
def likelihood_ucb_choose(state: LikelihoodUCBState, person: int, request: Request) -> tuple[int, float]:
    """Return an arm never played; else that of the largest upper bound."""
    available, u = request.available, request.uniforms[0]
    untried = available & (state.personal.plays[person] == 0)
    if untried.any():
        return any_of(untried, u)
    index = np.full(available.size, -np.inf)
    for k in range(available.size):
        if available[k]:
            index[k] = likelihood_bound(state, person, k)
    return best_of(merge_ties(index, available, state.shared.belief.tie_tolerance), available, u)
