"""Plan-UCB: the first arm of a plan at the most optimistic point that is still likely, of every arm."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.contract import Shared, state_at
from rogue_bandits.belief.marginal import PosteriorEvidence
from rogue_bandits.belief.posterior import likely_points, prior, theta_inside
from rogue_bandits.model.problem import arm_of, rows_of
from rogue_bandits.model.rewards.tabulated import have_curves
from rogue_bandits.planning.lookahead import DEPTH, lookahead, scratch_size
from rogue_bandits.planning.values import Values, relaxed_values
from rogue_bandits.planning.whittle import Indices, index_at_coordinate, index_table
from rogue_bandits.policies.curves import start_plan_ucb_on_curves
from rogue_bandits.policies.rogue import Rogue, belief_in
from rogue_bandits.policies.settings import require_positive
from rogue_bandits.policies.ties import any_of, best_of, merge_ties, probabilities_by_quantile
from rogue_bandits.types import Problem, Request, choose, probabilities, start


class PlanUCB(NamedTuple):
    """Plans at the (theta, x0) of every arm with the largest Whittle index among the likely ones.

    Likely are points whose log-likelihood is at most beta·log t below the largest, t = 1, 2, … the decision. Arms that
    were never played come first. Arms must wear out when played and recover at rest (`planning.whittle`).

    >>> PlanUCB()
    PlanUCB(beta=0.5)
    """

    beta: float = 0.5


class PlanUCBShared(NamedTuple):
    """Tables of the belief, of the index, and relaxed values."""

    belief: Shared
    indices: Indices
    values: Values
    beta: float
    scratch: int  # numbers that `lookahead` needs for intermediate results


class PlanUCBState(NamedTuple):
    """The state of Plan-UCB."""

    shared: PlanUCBShared
    personal: PosteriorEvidence


Rogue.register(PlanUCBState)


@start.register(PlanUCB)
def start_plan_ucb(policy: PlanUCB, problem: Problem, people: int) -> Any:
    """Return the state before the first decision."""
    require_positive("plan-ucb", "beta", policy.beta)
    if have_curves(problem.arms):
        return start_plan_ucb_on_curves(problem, people, DEPTH, float(policy.beta))
    shared, personal = prior("plan-ucb", problem, people)
    rows = rows_of(problem)
    size = scratch_size(len(problem.arms), DEPTH)
    return PlanUCBState(
        PlanUCBShared(shared, index_table(rows), relaxed_values(rows), float(policy.beta), size), personal
    )


probabilities.register(PlanUCBState)(probabilities_by_quantile)


@choose.register(PlanUCBState)
def plan_ucb_choose(state: PlanUCBState, person: int, request: Request) -> tuple[int, float]:
    """Return the best first arm of a plan at the optimistic points."""
    available, u, shared, belief = request.available, request.uniforms[0], state.shared, belief_in(state)
    untried = available & (state.personal.plays[person] == 0)
    if untried.any():
        return any_of(untried, u)
    arms, deepest = available.size, shared.beta * math.log(request.number + 1.0)
    theta, x, total = np.empty(arms), np.empty(arms), np.empty(arms)
    for k in range(arms):
        points, row = likely_points(belief, person, k, deepest), person * shared.belief.table.stride
        best, at = -np.inf, 0.0
        for i in range(points.shape[0]):
            now = state_at(belief, person, k, points[i, 1:])
            index = index_at_coordinate(shared.indices, row, k, points[i, 0], now)
            if index > best:
                best, at, x[k] = index, points[i, 0], now
        theta[k] = theta_inside(arm_of(shared.belief.table, person, k), at)
    scratch = np.empty(shared.scratch)
    lookahead(shared.belief.table, shared.values, person, theta, x, available, DEPTH, scratch, total)
    return best_of(merge_ties(total, available, shared.belief.tie_tolerance), available, u)
