"""Plan-TS: Thompson sampling of (theta, x0), and the first arm of a plan made as if the draw were true."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.bank.evidence import are_unknown
from rogue_bandits.belief.contract import Shared
from rogue_bandits.belief.marginal import PosteriorEvidence
from rogue_bandits.belief.posterior import drawn_state, prior
from rogue_bandits.model.problem import rows_of
from rogue_bandits.model.rewards.tabulated import have_curves
from rogue_bandits.planning.lookahead import DEPTH, lookahead, scratch_size
from rogue_bandits.planning.values import Values, relaxed_values
from rogue_bandits.policies.curves import plan_ts_uniforms_on_curves, start_plan_ts_on_curves
from rogue_bandits.policies.learned import learned_uniforms, start_learned
from rogue_bandits.policies.rogue import belief_in
from rogue_bandits.policies.settings import require, require_whole
from rogue_bandits.policies.thompson import Thompson, arm_at_draw
from rogue_bandits.types import Problem, Request, start, uniforms

DEEPEST = 10


class PlanTS(NamedTuple):
    """Draws (theta, x0) of every arm from its posterior and plays the first arm of a plan for the draw.

    The plan looks `depth` decisions ahead and values the states after them by a relaxation (`planning.lookahead`).
    Where the dynamics are `Unknown`, it is `IndexTS`: relaxed values would have to be worked out for every draw.

    >>> PlanTS()
    PlanTS(depth=4)
    """

    depth: int = DEPTH


class PlanTSShared(NamedTuple):
    """Tables of the belief, and relaxed values."""

    belief: Shared
    values: Values
    depth: int
    scratch: int  # numbers that `lookahead` needs for intermediate results


class PlanTSState(NamedTuple):
    """The state of Plan-TS."""

    shared: PlanTSShared
    personal: PosteriorEvidence


Thompson.register(PlanTSState)


@uniforms.register(PlanTS)
def plan_ts_uniforms(policy: PlanTS, problem: Problem) -> int:
    """Return two uniforms for each arm; other numbers where curves or dynamics are unknown."""
    if are_unknown(problem.arms):
        return learned_uniforms(problem)
    return plan_ts_uniforms_on_curves(problem) if have_curves(problem.arms) else 2 * len(problem.arms)


@start.register(PlanTS)
def start_plan_ts(policy: PlanTS, problem: Problem, people: int) -> Any:
    """Return the state before the first decision: the prior."""
    require_whole("plan-ts", "depth", policy.depth)
    require(
        "plan-ts", "depth", policy.depth, f"at most {DEEPEST}: the cost triples with each step", policy.depth <= DEEPEST
    )
    if are_unknown(problem.arms):
        return start_learned("plan-ts", problem, people, plans=True)
    if have_curves(problem.arms):
        return start_plan_ts_on_curves(problem, people, int(policy.depth))
    shared, personal = prior("plan-ts", problem, people)
    depth, values = int(policy.depth), relaxed_values(rows_of(problem))
    return PlanTSState(PlanTSShared(shared, values, depth, scratch_size(len(problem.arms), depth)), personal)


@arm_at_draw.register(PlanTSState)
def plan_ts_arm(state: PlanTSState, person: int, request: Request) -> int:
    """Return the best first arm of a plan at the draw."""
    u, shared, belief = request.uniforms, state.shared, belief_in(state)
    arms = request.available.size
    theta, x, total = np.empty(arms), np.empty(arms), np.empty(arms)
    for k in range(arms):
        theta[k], x[k] = drawn_state(belief, person, k, u[2 * k], u[2 * k + 1])
    scratch, available = np.empty(shared.scratch), request.available
    return lookahead(shared.belief.table, shared.values, person, theta, x, available, shared.depth, scratch, total)
