"""The Belief contract as a posterior of (theta, x0), of constant size, from which policies draw by inverse transform.

How it is held: `marginal`; why: docs/decisions/0022-posterior-by-tables.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rogue_bandits.belief.basis import add_coefficients, fill_basis
from rogue_bandits.belief.contract import (
    ConstantSize,
    Shared,
    add_reward,
    belief_of,
    belief_refusal,
    has_place,
    log_likelihood,
    posterior_draw,
    refit,
    rewards_count,
    shared_by,
)
from rogue_bandits.belief.evidence import line_now
from rogue_bandits.belief.marginal import (
    NEGLIGIBLE,
    THETA_NODES,
    X0_NODES,
    PosteriorEvidence,
    add_early,
    coordinate_quantile,
    does_not_depend,
    first_and_last,
    tabulate,
    x0_node,
    x0_quantile,
)
from rogue_bandits.belief.nodes import NodeTables
from rogue_bandits.belief.on_line import OnLine
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.clipped_affine import line_before_first, state_on_line
from rogue_bandits.model.dynamics.projected import ProjectedDynamics
from rogue_bandits.model.problem import arm_of, types_in
from rogue_bandits.model.protocols import Model
from rogue_bandits.model.rewards.exponential import Exponential
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.model.rewards.weighted import projected_arm
from rogue_bandits.types import (
    Arm,
    Floats,
    Line,
    Problem,
    Ticket,
    coordinate,
    theta_at,
)


class PosteriorBelief(NamedTuple):
    """The belief as a posterior."""

    shared: Shared
    personal: PosteriorEvidence


def prior(policy: str, problem: Problem, people: int) -> PosteriorBelief:
    """Return the belief before the first decision; `policy` is named where there is none."""
    for k, arm in enumerate(problem.arms):
        if (wrong := posterior_fault(arm)) is not None:
            raise ValueError(f"{policy}, arm {arm.name or k!r}: {wrong}")
    shared = shared_by(types_in(problem.arms), problem, 0)
    return PosteriorBelief(shared, prior_evidence(problem.arms, people, shared.nodes))


def posterior_fault(arm: Arm) -> str | None:
    """Say why an arm has no posterior here."""
    if (wrong := belief_refusal(arm)) is not None:
        return wrong
    if not isinstance(arm.rewards, Exponential | LaplaceAgent):
        return (
            f"{type(arm.rewards).__name__} rewards have no posterior to draw from: they must be those of LaplaceAgent, "
            "or of an exponential family with a theta that is a number"
        )
    if isinstance(projected_arm(arm).dynamics, ProjectedDynamics):
        return f"under {type(arm.dynamics).__name__} the state is not a clipped line in x0: no posterior to draw from"
    return None


def prior_evidence(arms: Sequence[Arm], people: int, nodes: NodeTables) -> PosteriorEvidence:
    """Return what is known before the first decision."""
    shape, basis = (people, len(arms)), 3 if isinstance(arms[0].rewards, LaplaceAgent) else nodes.theta.shape[1]
    window = np.stack([nodes.middle - nodes.half, nodes.middle + nodes.half], axis=1)
    lines = np.array([line_before_first(arm) for arm in arms], dtype=np.float64)
    return PosteriorEvidence(
        line=np.tile(lines, (people, 1, 1)),
        settled=np.zeros((*shape, basis)),
        early=np.zeros((*shape, basis, X0_NODES)),
        rewards=np.zeros((*shape, 2), dtype=np.int64),
        window=np.tile(window, (people, 1, 1)),
        x0_best=np.zeros((*shape, THETA_NODES)),
        x0_integral=np.zeros((*shape, THETA_NODES)),
        log_density=np.zeros((*shape, THETA_NODES)),
        cdf=np.tile(np.linspace(0.0, 1.0, THETA_NODES), (*shape, 1)),
        plays=np.zeros(shape, dtype=np.int64),
    )


ConstantSize.register(PosteriorEvidence)
OnLine.register(PosteriorBelief)


@belief_of.register(PosteriorEvidence)
def posterior_belief_of(personal: PosteriorEvidence, shared: Shared) -> PosteriorBelief:
    """Return the belief as a posterior."""
    return PosteriorBelief(shared, personal)


@add_reward.register(PosteriorBelief)
def posterior_add_reward(b: PosteriorBelief, person: int, k: int, token: Ticket, r: float) -> bool:
    """Add a reward at the line of its ticket: once if that does not depend on x0, else at every node of x0."""
    arm, line, p = arm_of(b.shared.table, person, k), Line(token.a, token.b, token.c, token.d), b.personal
    if does_not_depend(arm.dynamics, line):
        x = state_on_line(line, 0.5 * (arm.dynamics.lo + arm.dynamics.hi))
        add_coefficients(arm.rewards, b.shared.nodes, k, x, r, p.settled[person, k])
        p.rewards[person, k, 0] += 1
        return False
    add_early(arm, b.shared.nodes, k, line, r, p.early[person, k])
    p.rewards[person, k, 1] += 1
    return True


@refit.register(PosteriorBelief)
def posterior_refit(b: PosteriorBelief, person: int, k: int, x0_moved: bool) -> None:
    """Tabulate the marginal of theta."""
    tabulate(arm_of(b.shared.table, person, k).rewards, b.shared.nodes, b.personal, person, k, x0_moved)


@rewards_count.register(PosteriorBelief)
def posterior_rewards_count(b: PosteriorBelief, person: int, k: int) -> float:
    """Return the number of rewards, early and settled."""
    return float(b.personal.rewards[person, k, 0] + b.personal.rewards[person, k, 1])


@log_likelihood.register(PosteriorBelief)
def posterior_log_likelihood(b: PosteriorBelief, person: int, k: int, theta: float, x0: Floats) -> float:
    """Return the log-likelihood, linear between the nodes of x0."""
    arm, p = arm_of(b.shared.table, person, k), b.personal
    basis = np.empty(p.settled.shape[2])
    fill_basis(arm.rewards, b.shared.nodes, k, coordinate(arm.rewards, theta), basis)
    width = arm.dynamics.hi - arm.dynamics.lo
    share = (x0[0] - arm.dynamics.lo) / width * (X0_NODES - 1) if width > 0.0 else 0.0
    i = min(int(share), X0_NODES - 2)
    total = 0.0
    for c in range(basis.size):
        low, high = p.early[person, k, c, i], p.early[person, k, c, i + 1]
        total += basis[c] * (p.settled[person, k, c] + low + (share - i) * (high - low))
    return total


has_place.register(PosteriorBelief)(lambda b, person: True)  # the size is constant


@posterior_draw.register(PosteriorBelief)
def draw_of_posterior(b: PosteriorBelief, person: int, k: int, u_theta: float, u_x0: float) -> tuple[float, float]:
    """Return the quantile of theta, and of x0 given theta."""
    arm, p = arm_of(b.shared.table, person, k), b.personal
    y = coordinate_quantile(p, person, k, u_theta)
    theta = theta_inside(arm, y)
    if does_not_depend(arm.dynamics, line_now(p, person, k)):
        return theta, arm.dynamics.lo
    return theta, x0_quantile(arm, b.shared.nodes, p, person, k, y, u_x0)


@inlined
def drawn_state(b: PosteriorBelief, person: int, k: int, u_theta: float, u_x0: float) -> tuple[float, float]:
    """Return a draw of theta and of the state now."""
    theta, x0 = posterior_draw(b, person, k, u_theta, u_x0)
    return theta, state_on_line(line_now(b.personal, person, k), x0)


@routine
def likely_points(b: PosteriorBelief, person: int, k: int, deepest: float) -> Floats:
    """Return points on the boundary of where the log-likelihood is at most `deepest` below its largest: [points, 2].

    A point is the coordinate of theta, and x0. They are the least and the largest theta of the window, at every node of
    x0; at one x0 where the state now does not depend on it, and then for the likeliest x0. More than `NEGLIGIBLE` below
    is not looked at. A value that is monotone in theta is largest at one of them.
    """
    arm, p = arm_of(b.shared.table, person, k), b.personal
    best = np.empty(THETA_NODES)  # over x0
    for j in range(THETA_NODES):
        best[j] = p.log_density[person, k, j] - p.x0_integral[person, k, j] + p.x0_best[person, k, j]
    least = best.max() - min(deepest, NEGLIGIBLE)
    if does_not_depend(arm.dynamics, line_now(p, person, k)):
        points = np.empty((2, 2))
        add_edges(arm, p.window[person, k], best, 0, 0, least, points, 0)
        return points
    # At other thetas no x0 is likely. One more on either side is interpolated with.
    first, last = first_and_last(best, least)
    first, last = max(first - 1, 0), min(last + 1, THETA_NODES - 1)
    value, points, found = np.empty((X0_NODES, THETA_NODES)), np.empty((2 * X0_NODES, 2)), 0
    fill_likely(arm.rewards, b.shared.nodes, p, person, k, value[:, first : last + 1], first)
    for i in range(X0_NODES):
        found = add_edges(arm, p.window[person, k], value[i, first : last + 1], first, i, least, points, found)
    return points[:found]


@inlined
def fill_likely(
    f: Model, nodes: NodeTables, p: PosteriorEvidence, person: int, k: int, value: Floats, first: int
) -> None:
    """Write the log-likelihood at every node of x0 and at the nodes of theta from `first` on: [x0, theta]."""
    settled, early, window = p.settled[person, k], p.early[person, k], p.window[person, k]
    basis, step, at = np.empty(settled.size), (window[1] - window[0]) / (THETA_NODES - 1), np.empty(X0_NODES)
    for j in range(value.shape[1]):
        fill_basis(f, nodes, k, window[0] + (first + j) * step, basis)
        at[:] = 0.0
        for c in range(basis.size):
            for i in range(X0_NODES):
                at[i] += basis[c] * (settled[c] + early[c, i])
        for i in range(X0_NODES):
            value[i, j] = at[i]


@inlined
def add_edges(
    arm: Arm, window: Floats, values: Floats, offset: int, i: int, least: float, points: Floats, found: int
) -> int:
    """Add the first and the last place, between nodes too, where values are at least `least`; return the number of all.

    The values are at the i-th node of x0 and at nodes of theta from `offset` on.
    """
    first = 0
    while first < values.size and values[first] < least:
        first += 1
    if first == values.size:
        return found
    last = values.size - 1
    while values[last] < least:
        last -= 1
    low, high = 1.0 * first, 1.0 * last
    if first > 0:
        low -= (values[first] - least) / (values[first] - values[first - 1])
    if last < values.size - 1:
        high += (values[last] - least) / (values[last] - values[last + 1])
    step = (window[1] - window[0]) / (THETA_NODES - 1)
    points[found, 0], points[found + 1, 0] = window[0] + (offset + low) * step, window[0] + (offset + high) * step
    points[found, 1] = points[found + 1, 1] = x0_node(arm.dynamics, i)
    return found + 2


@inlined
def theta_inside(arm: Arm, y: float) -> float:
    """Return the theta of a coordinate, inside of its bounds whatever the rounding."""
    theta: float = min(max(theta_at(arm.rewards, y), arm.theta_lo), arm.theta_hi)
    return theta
