"""What the Thompson sampling policies share: a belief about every arm, its posterior, and one draw at each decision."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.contract import (
    ONLINE_EVALUATIONS,
    Shared,
    add_reward,
    belief_of,
    capacity,
    empty_belief,
    has_place,
    with_places,
)
from rogue_bandits.belief.evidence import LineEvidence, line_now
from rogue_bandits.belief.lines import LineBelief, evidence_on
from rogue_bandits.belief.posterior import (
    PosteriorTables,
    add_early,
    has_posterior,
    prior_tables,
    tabulate,
    theta_quantile,
    x0_quantile,
)
from rogue_bandits.compile.laws import inlined
from rogue_bandits.model.dynamics.clipped_affine import is_settled, state_at
from rogue_bandits.model.dynamics.projected import ProjectedDynamics
from rogue_bandits.model.problem import arm_of
from rogue_bandits.model.rewards.weighted import projected_arm
from rogue_bandits.policies.rogue import Rogue, belief_in, warn_of_growing_costs
from rogue_bandits.types import Floats, Line, Problem, Ticket, coordinate, grown, learn


class Thompson(Rogue):
    """The kind: states whose `shared` has a field `belief: Shared`, and whose `personal` is a `ThompsonPersonal`."""


class ThompsonPersonal(NamedTuple):
    """What is known of each person: rewards, and the posterior that they lead to."""

    evidence: LineEvidence
    posterior: PosteriorTables


def start_posterior(policy: str, problem: Problem, people: int) -> tuple[Shared, ThompsonPersonal]:
    """Return the shared and the personal part before the first decision."""
    for k, arm in enumerate(problem.arms):
        where = f"{policy}, arm {arm.name or k!r}"
        if not has_posterior(arm):
            raise ValueError(
                f"{where}: {type(arm.rewards).__name__} rewards have no posterior to draw from: they must be those of an "
                "exponential family or of LaplaceAgent, with a theta that is a number"
            )
        if isinstance(projected_arm(arm).dynamics, ProjectedDynamics):
            raise ValueError(
                f"{where}: the state under {type(arm.dynamics).__name__} is not a clipped line in x0, and has no "
                "posterior to draw from"
            )
    warn_of_growing_costs(problem)
    belief = empty_belief(problem, people, ONLINE_EVALUATIONS)
    tables = prior_tables(problem.arms, people, belief.shared.nodes)
    return belief.shared, ThompsonPersonal(belief.personal, tables)


@belief_in.register(Thompson)
def thompson_belief_in(state: Any) -> LineBelief:
    """Of the evidence."""
    return belief_of(state.personal.evidence, state.shared.belief)


@learn.register(Thompson)
def thompson_learn(
    state: Any, person: int, number: int, arm: int, probability: float, ticket: Ticket, r: float
) -> None:
    """Add the reward, and tabulate the posterior of its arm."""
    belief, tables, nodes = belief_in(state), state.personal.posterior, state.shared.belief.nodes
    played, line = arm_of(belief.shared.table, person, arm), Line(ticket.a, ticket.b, ticket.c, ticket.d)
    add_reward(belief, person, arm, ticket, r)
    if not is_settled(played.dynamics, line):
        add_early(tables, nodes, played, person, arm, line, r)
    tabulate(tables, nodes, played.rewards, evidence_on(belief, person, arm), person, arm)


@grown.register(Thompson)
def thompson_grown(state: Any) -> Any:
    """Room for twice as many rewards that are kept one by one."""
    p = state.personal
    return state._replace(personal=p._replace(evidence=with_places(p.evidence, 2 * capacity(p.evidence))))


@inlined
def draw_arm(state: Any, person: int, k: int, u_theta: float, u_x0: float) -> tuple[float, float]:
    """Draw theta and the state now of arm k from their posterior."""
    belief, tables = belief_in(state), state.personal.posterior
    arm, line = arm_of(belief.shared.table, person, k), line_now(belief.personal, person, k)
    theta = theta_quantile(tables, arm.rewards, person, k, u_theta)
    if is_settled(arm.dynamics, line):
        return theta, state_at(line, arm.dynamics.lo)
    x0 = x0_quantile(tables, belief.shared.nodes, arm, person, k, coordinate(arm.rewards, theta), u_x0)
    return theta, state_at(line, x0)
