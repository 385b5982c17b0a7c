"""Plan-TS, ROGUE-TS and Plan-UCB on arms whose curve is unknown: the same choices, made with a belief about curves.

Rotting arms do not change at rest, so that only the numbers of their plays matter. As their means fall with every play,
playing the largest mean now is optimal, and no plan is needed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.curves import (
    CurveBelief,
    CurveEvidence,
    CurveShared,
    curve_at,
    curve_prior,
    upper_curve,
    value_and_sd,
)
from rogue_bandits.belief.on_curve import place_now
from rogue_bandits.compile.laws import routine
from rogue_bandits.model.dynamics.curves import Rotting
from rogue_bandits.model.priors import Monotone
from rogue_bandits.model.problem import arm_of
from rogue_bandits.numerics.normal import normal_quantile
from rogue_bandits.planning.recovering import recovering_scratch_size, recovering_values
from rogue_bandits.policies.curve_values import inside, to_means, width_at
from rogue_bandits.policies.rogue import Rogue, belief_in
from rogue_bandits.policies.steps import StepsTSState, StepsUCBState, have_steps, start_on_steps
from rogue_bandits.policies.thompson import Thompson, arm_at_draw
from rogue_bandits.policies.ties import best_of, probabilities_by_quantile
from rogue_bandits.types import Bools, Floats, Problem, Request, choose, mean, probabilities


class CurvePlanShared(NamedTuple):
    """Tables of the belief, and settings."""

    belief: CurveShared
    depth: int
    scratch: int  # numbers that `recovering_values` needs for intermediate results
    beta: float  # of Plan-UCB


class CurvePlanTSState(NamedTuple):
    """The state of Plan-TS."""

    shared: CurvePlanShared
    personal: CurveEvidence


class CurvePlanUCBState(NamedTuple):
    """The state of Plan-UCB."""

    shared: CurvePlanShared
    personal: CurveEvidence


class CurveRogueTSState(NamedTuple):
    """The state of ROGUE-TS, and of Plan-TS on rotting arms."""

    shared: CurvePlanShared
    personal: CurveEvidence


class WholeCurveTSState(NamedTuple):
    """The same state where a draw at one place depends on the whole curve, as its shape is restricted."""

    shared: CurvePlanShared
    personal: CurveEvidence


class CurveUCBState(NamedTuple):
    """The state of Plan-UCB on rotting arms."""

    shared: CurvePlanShared
    personal: CurveEvidence


Thompson.register(CurvePlanTSState)
Thompson.register(CurveRogueTSState)
Thompson.register(WholeCurveTSState)
Rogue.register(CurvePlanUCBState)
Rogue.register(CurveUCBState)


def start_on_curves(kind: Any, policy: str, problem: Problem, people: int, depth: int = 0, beta: float = 0.0) -> Any:
    """Return the state of a policy, of one of the kinds above, with the prior."""
    belief, personal = curve_prior(policy, problem, people)
    _, arms, values, _ = belief.features.shape
    return kind(CurvePlanShared(belief, depth, recovering_scratch_size(arms, values, depth), beta), personal)


def start_plan_ts_on_curves(problem: Problem, people: int, depth: int) -> Any:
    """Return the state of Plan-TS."""
    if needs_plan(problem):
        return start_on_curves(CurvePlanTSState, "plan-ts", problem, people, depth)
    return start_rogue_ts_on_curves("plan-ts", problem, people)


def start_rogue_ts_on_curves(policy: str, problem: Problem, people: int) -> Any:
    """Return the state of ROGUE-TS, or of a policy that is the same."""
    if have_steps(problem):
        return start_on_steps(StepsTSState, policy, problem, people)
    kind = WholeCurveTSState if has_shape(problem) else CurveRogueTSState
    return start_on_curves(kind, policy, problem, people)


def start_plan_ucb_on_curves(problem: Problem, people: int, depth: int, beta: float) -> Any:
    """Return the state of Plan-UCB."""
    if have_steps(problem):
        return start_on_steps(StepsUCBState, "plan-ucb", problem, people, beta)
    kind = CurvePlanUCBState if needs_plan(problem) else CurveUCBState
    return start_on_curves(kind, "plan-ucb", problem, people, depth, beta)


def plan_ts_uniforms_on_curves(problem: Problem) -> int:
    """Return the uniforms of Plan-TS: one for each feature of each curve; without a plan, as ROGUE-TS."""
    return len(problem.arms) * features_in(problem) if needs_plan(problem) else rogue_ts_uniforms_on_curves(problem)


def rogue_ts_uniforms_on_curves(problem: Problem) -> int:
    """Return the uniforms of ROGUE-TS: one for each arm, or feature if a whole curve is drawn; and one for ties."""
    if have_steps(problem):
        return 2 * len(problem.arms) + 1
    return len(problem.arms) * (features_in(problem) if has_shape(problem) else 1) + 1


def needs_plan(problem: Problem) -> bool:
    """Return whether the largest mean now may not be optimal."""
    return not isinstance(problem.arms[0].dynamics, Rotting)


def has_shape(problem: Problem) -> bool:
    """Return whether the prior restricts the shape of a curve."""
    return isinstance(problem.arms[0].dynamics.prior, Monotone)


def features_in(problem: Problem) -> int:
    """Return how many normal numbers a draw of one curve takes."""
    return int(curve_prior("", problem, 1).personal.mode.shape[2])


# ---- Thompson sampling -----------------------------------------------------------------------------------------------
@arm_at_draw.register(CurvePlanTSState)
def curve_plan_ts_arm(state: CurvePlanTSState, person: int, request: Request) -> int:
    """Return the best first arm of a plan for drawn curves."""
    belief = belief_in(state)
    _, arms, values, _ = belief.shared.features.shape
    means = np.empty((arms, values))
    for k in range(arms):
        draw_curve(belief, person, k, request.uniforms, means[k])
        to_means(arm_of(belief.shared.table, person, k), means[k])
    return first_arm(state, person, means, request.available, np.empty(arms))


@arm_at_draw.register(WholeCurveTSState)
def whole_curve_ts_arm(state: WholeCurveTSState, person: int, request: Request) -> int:
    """Return the arm whose drawn curve has the largest mean at its place now."""
    belief, available = belief_in(state), request.available
    value, curve = np.full(available.size, -np.inf), np.empty(belief.shared.features.shape[2])
    for k in range(value.size):
        if available[k]:
            draw_curve(belief, person, k, request.uniforms, curve)
            arm = arm_of(belief.shared.table, person, k)
            value[k] = mean(arm.rewards, inside(arm, curve[place_now(belief, person, k)]), 0.0)
    return best_of(value, available, request.uniforms[request.uniforms.size - 1])[0]


@routine
def draw_curve(belief: CurveBelief, person: int, k: int, u: Floats, curve: Floats) -> None:
    """Fill in the curve of arm k at a draw, by a uniform for each feature; those of the arms follow each other."""
    normal = np.empty(belief.shared.features.shape[3])
    for a in range(normal.size):
        normal[a] = normal_quantile(u[k * normal.size + a])
    curve_at(belief, person, k, normal, curve)


@arm_at_draw.register(CurveRogueTSState)
def curve_rogue_ts_arm(state: CurveRogueTSState, person: int, request: Request) -> int:
    """Return the arm with the largest mean at draws of the curves at their places now."""
    belief, available = belief_in(state), request.available
    value = np.full(available.size, -np.inf)
    for k in range(value.size):
        if available[k]:
            centre, sd = value_and_sd(belief, person, k, place_now(belief, person, k))
            arm = arm_of(belief.shared.table, person, k)
            value[k] = mean(arm.rewards, inside(arm, centre + sd * normal_quantile(request.uniforms[k])), 0.0)
    return best_of(value, available, request.uniforms[value.size])[0]


# ---- upper bounds ----------------------------------------------------------------------------------------------------
probabilities.register(CurvePlanUCBState)(probabilities_by_quantile)
probabilities.register(CurveUCBState)(probabilities_by_quantile)


@choose.register(CurvePlanUCBState)
def curve_plan_ucb_choose(state: CurvePlanUCBState, person: int, request: Request) -> tuple[int, float]:
    """Return the best first arm of a plan for upper bounds of the curves, √(2·beta·log t) standard deviations up."""
    belief, available = belief_in(state), request.available
    _, arms, values, _ = belief.shared.features.shape
    means, total = np.empty((arms, values)), np.empty(arms)
    wide = width_at(state.shared.beta, request.number)
    for k in range(arms):
        upper_curve(belief, person, k, wide, means[k])
        to_means(arm_of(belief.shared.table, person, k), means[k])
    first_arm(state, person, means, available, total)
    return best_of(total, available, request.uniforms[0])


@choose.register(CurveUCBState)
def curve_ucb_choose(state: CurveUCBState, person: int, request: Request) -> tuple[int, float]:
    """Return the arm with the largest upper bound at its place now."""
    wide = width_at(state.shared.beta, request.number)
    return best_of(upper_bounds_now(belief_in(state), person, wide), request.available, request.uniforms[0])


@routine
def upper_bounds_now(belief: CurveBelief, person: int, wide: float) -> Floats:
    """Return the mean reward of each arm if its curve is `wide` standard deviations up at its place now."""
    _, arms, values, _ = belief.shared.features.shape
    index, curve = np.empty(arms), np.empty(values)
    for k in range(arms):
        upper_curve(belief, person, k, wide, curve)
        arm = arm_of(belief.shared.table, person, k)
        index[k] = mean(arm.rewards, inside(arm, curve[place_now(belief, person, k)]), 0.0)
    return index


@routine
def first_arm(state: Any, person: int, means: Floats, available: Bools, total: Floats) -> int:
    """Fill total[k] with the value of playing arm k now if the curves are these means; return the best arm."""
    shared = state.shared
    x, scratch = state.personal.state[person], np.empty(shared.scratch)
    return recovering_values(shared.belief.table, person, means, x, available, shared.depth, scratch, total)
