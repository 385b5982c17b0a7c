"""ROGUE-TS, Plan-TS and Plan-UCB on rotting arms whose curve has jumps: the largest mean now at a draw, or bound."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.steps import StepsEvidence, StepsShared, level_at, mean_and_sd, steps_prior, value_now
from rogue_bandits.model.priors import Steps
from rogue_bandits.model.problem import arm_of
from rogue_bandits.numerics.normal import normal_quantile
from rogue_bandits.policies.curve_values import inside, width_at
from rogue_bandits.policies.rogue import Rogue, belief_in
from rogue_bandits.policies.thompson import Thompson, arm_at_draw
from rogue_bandits.policies.ties import best_of, probabilities_by_quantile
from rogue_bandits.types import Problem, Request, choose, mean, probabilities


class StepsPolicyShared(NamedTuple):
    """Tables of the belief, and settings."""

    belief: StepsShared
    beta: float  # of Plan-UCB


class StepsTSState(NamedTuple):
    """The state of ROGUE-TS and of Plan-TS."""

    shared: StepsPolicyShared
    personal: StepsEvidence


class StepsUCBState(NamedTuple):
    """The state of Plan-UCB."""

    shared: StepsPolicyShared
    personal: StepsEvidence


Thompson.register(StepsTSState)
Rogue.register(StepsUCBState)
probabilities.register(StepsUCBState)(probabilities_by_quantile)


def have_steps(problem: Problem) -> bool:
    """Return whether the curves of the arms, whose priors are of one type, have jumps."""
    return isinstance(problem.arms[0].dynamics.prior, Steps)


def start_on_steps(kind: Any, policy: str, problem: Problem, people: int, beta: float = 0.0) -> Any:
    """Return the state of a policy, of one of the kinds above, with the prior."""
    belief, personal = steps_prior(policy, problem, people)
    return kind(StepsPolicyShared(belief, beta), personal)


@arm_at_draw.register(StepsTSState)
def steps_ts_arm(state: StepsTSState, person: int, request: Request) -> int:
    """Return the arm with the largest mean at a draw of its last jump and of the level since then."""
    belief, available, u = belief_in(state), request.available, request.uniforms
    value = np.full(available.size, -np.inf)
    for k in range(value.size):
        if available[k]:
            now, arm = value_now(belief, person, k), arm_of(belief.shared.table, person, k)
            s = level_at(now, u[2 * k])
            value[k] = mean(arm.rewards, inside(arm, now.centre[s] + now.sd[s] * normal_quantile(u[2 * k + 1])), 0.0)
    return best_of(value, available, u[2 * value.size])[0]


@choose.register(StepsUCBState)
def steps_ucb_choose(state: StepsUCBState, person: int, request: Request) -> tuple[int, float]:
    """Return the arm with the largest mean √(2·beta·log t) standard deviations above the posterior mean."""
    belief, wide = belief_in(state), width_at(state.shared.beta, request.number)
    index = np.empty(request.available.size)
    for k in range(index.size):
        centre, sd = mean_and_sd(value_now(belief, person, k))
        arm = arm_of(belief.shared.table, person, k)
        index[k] = mean(arm.rewards, inside(arm, centre + wide * sd), 0.0)
    return best_of(index, request.available, request.uniforms[0])
