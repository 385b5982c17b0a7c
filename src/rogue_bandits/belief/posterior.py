"""The Belief contract as a posterior of (theta, x0), of constant size, from which policies draw by inverse transform.

The prior is uniform in x0 and in the coordinate of theta: theta itself, or its logarithm for the agent. As a function
of theta the log-likelihood of a reward is a sum of a few known functions. Their coefficients are summed over rewards,
for those that depend on x0 at evenly spaced nodes of it:

    log-likelihood(theta, x0_i) = Σ_c basis_c(theta)·(settled[c] + early[c, i])
    p(theta) ∝ exp(Σ_c basis_c(theta)·settled[c]) · ∫ exp(Σ_c basis_c(theta)·early[c, i]) dx0     (trapezoidal rule)

The marginal of theta is tabulated where it is not negligible, on evenly spaced nodes. x0 is drawn given theta. The
logarithms of both densities are taken to be linear between nodes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.contract import (
    Shared,
    add_reward,
    advance,
    belief_of,
    capacity,
    has_place,
    log_likelihood,
    posterior_draw,
    refit,
    rewards_count,
    shared_by,
    state_at,
    ticket,
    with_places,
)
from rogue_bandits.belief.nodes import NodeTables
from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.model.dynamics.clipped_affine import first_line, state_on_line
from rogue_bandits.model.dynamics.projected import ProjectedDynamics
from rogue_bandits.model.problem import arm_of, types_in
from rogue_bandits.model.rewards.exponential import Exponential
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.model.rewards.weighted import projected_arm
from rogue_bandits.types import (
    Arm,
    Floats,
    Ints,
    Line,
    Problem,
    Ticket,
    coordinate,
    loglik,
    next_line,
    statistics,
    theta_at,
)

X0_NODES = 33
THETA_NODES = 33
NEGLIGIBLE = 12.5  # below the largest log-density: five standard deviations
MARGIN = 2.0  # a window is narrowed to where it is clearly negligible, and so not enlarged again
WELL_FILLED = 24  # nodes of theta, at least, where the density is not negligible
NARROWEST = 1e-12  # distance of two nodes of theta, of its range
SETTLED = 1e-7  # of the range of states: with less spread the state is a number


class PosteriorEvidence(NamedTuple):
    """The posterior of every arm (second axis) of every person (first axis)."""

    line: Floats  # [people, arms, 4]: the state now, as a function of x0
    settled: Floats  # [people, arms, basis]: coefficients of the rewards that do not depend on x0
    early: Floats  # [people, arms, basis, X0_NODES]: of those that do
    rewards: Ints  # [people, arms, 2]: the number of either
    window: Floats  # [people, arms, 2]: the coordinates of the first and the last node of theta
    x0_best: Floats  # [people, arms, THETA_NODES]: the largest log-likelihood of early rewards over x0
    x0_integral: Floats  # [people, arms, THETA_NODES]: the logarithm of the integral of their likelihood over x0
    log_density: Floats  # [people, arms, THETA_NODES]: of theta, up to a constant
    cdf: Floats  # [people, arms, THETA_NODES]
    plays: Ints  # [people, arms]


class PosteriorBelief(NamedTuple):
    """The belief as a posterior."""

    shared: Shared
    personal: PosteriorEvidence


# ---- laws of a family ------------------------------------------------------------------------------------------------
@law
def fill_basis(f: Any, nodes: NodeTables, k: int, y: float, basis: Floats) -> None:
    """Write the functions of theta that `add_coefficients` refers to, at the coordinate y."""


@law
def add_coefficients(f: Any, nodes: NodeTables, k: int, x: float, r: float, column: Floats) -> None:
    """Add the log-likelihood of reward r at state x, as a function of theta, to its coefficients."""


@fill_basis.register(Exponential)
def exponential_fill_basis(f: Any, nodes: NodeTables, k: int, y: float, basis: Floats) -> None:
    """Chebyshev polynomials."""
    s = (y - nodes.middle[k]) / nodes.half[k]
    basis[0], basis[1] = 1.0, s
    for c in range(2, basis.size):
        basis[c] = 2.0 * s * basis[c - 1] - basis[c - 2]


@add_coefficients.register(Exponential)
def exponential_add_coefficients(f: Any, nodes: NodeTables, k: int, x: float, r: float, column: Floats) -> None:
    """By the values at the nodes that hold the potential: the rest is linear in theta."""
    for j in range(column.size):
        value = loglik(f, nodes.theta[k, j], x, r)
        for c in range(column.size):
            column[c] += nodes.to_w[j, c] * value


@fill_basis.register(LaplaceAgent)
def laplace_agent_fill_basis(f: LaplaceAgent, nodes: NodeTables, k: int, y: float, basis: Floats) -> None:
    """−log theta and −1/theta, and a constant."""
    basis[0], basis[1], basis[2] = -y, -math.exp(-y), -math.log(2.0)


@add_coefficients.register(LaplaceAgent)
def laplace_agent_add_coefficients(
    f: LaplaceAgent, nodes: NodeTables, k: int, x: float, r: float, column: Floats
) -> None:
    """Whether the reward is inside, its distance, and one reward more."""
    inside, _, distance = statistics(f, x, r)
    column[0] += inside
    column[1] += distance
    column[2] += 1.0


# ---- making one ------------------------------------------------------------------------------------------------------
def prior(policy: str, problem: Problem, people: int) -> PosteriorBelief:
    """Return the belief before the first decision; `policy` is named where there is none."""
    for k, arm in enumerate(problem.arms):
        if (wrong := posterior_fault(arm)) is not None:
            raise ValueError(f"{policy}, arm {arm.name or k!r}: {wrong}")
    shared = shared_by(types_in(problem.arms), problem, 0)
    return PosteriorBelief(shared, prior_evidence(problem.arms, people, shared.nodes))


def posterior_fault(arm: Arm) -> str | None:
    """Say why an arm has no posterior here."""
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
    lines = np.array([first_line(arm.dynamics) for arm in arms], dtype=np.float64)
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


@belief_of.register(PosteriorEvidence)
def posterior_belief_of(personal: PosteriorEvidence, shared: Shared) -> PosteriorBelief:
    """A posterior."""
    return PosteriorBelief(shared, personal)


# ---- updating --------------------------------------------------------------------------------------------------------
@ticket.register(PosteriorBelief)
def posterior_ticket(b: PosteriorBelief, person: int, k: int) -> Ticket:
    """The state now, as a line."""
    row = b.personal.line[person, k]
    return Ticket(row[0], row[1], row[2], row[3])


@advance.register(PosteriorBelief)
def posterior_advance(b: PosteriorBelief, person: int, k: int, signal_t: float) -> None:
    """A step of a line is a line."""
    row = b.personal.line[person, k]
    line = next_line(arm_of(b.shared.table, person, k).dynamics, line_now(b.personal, person, k), signal_t)
    row[0], row[1], row[2], row[3] = line.slope, line.offset, line.lo, line.hi


@inlined
def line_now(p: PosteriorEvidence, person: int, k: int) -> Line:
    """Return the state of arm k now."""
    row = p.line[person, k]
    return Line(row[0], row[1], row[2], row[3])


@inlined
def does_not_depend(d: Any, line: Line) -> bool:
    """Return whether the state is a number, whatever x0 was."""
    return abs(state_on_line(line, d.hi) - state_on_line(line, d.lo)) <= SETTLED * (d.hi - d.lo)


@inlined
def x0_node(d: Any, i: int) -> float:
    """Return the i-th node of x0."""
    return d.lo + (d.hi - d.lo) * i / (X0_NODES - 1)


@add_reward.register(PosteriorBelief)
def posterior_add_reward(b: PosteriorBelief, person: int, k: int, token: Ticket, r: float) -> bool:
    """At the line of the ticket: once if it does not depend on x0, else at every node of x0."""
    arm, line, p = arm_of(b.shared.table, person, k), Line(token.a, token.b, token.c, token.d), b.personal
    if does_not_depend(arm.dynamics, line):
        x = state_on_line(line, 0.5 * (arm.dynamics.lo + arm.dynamics.hi))
        add_coefficients(arm.rewards, b.shared.nodes, k, x, r, p.settled[person, k])
        p.rewards[person, k, 0] += 1
        return False
    add_early(arm, b.shared.nodes, k, line, r, p.early[person, k])
    p.rewards[person, k, 1] += 1
    return True


@routine
def add_early(arm: Any, nodes: NodeTables, k: int, line: Line, r: float, early: Floats) -> None:
    """Add a reward at every node of x0."""
    column = np.empty(early.shape[0])
    for i in range(X0_NODES):
        column[:] = 0.0
        add_coefficients(arm.rewards, nodes, k, state_on_line(line, x0_node(arm.dynamics, i)), r, column)
        for c in range(column.size):
            early[c, i] += column[c]


@refit.register(PosteriorBelief)
def posterior_refit(b: PosteriorBelief, person: int, k: int, x0_moved: bool) -> None:
    """Tabulate the marginal of theta."""
    tabulate(arm_of(b.shared.table, person, k).rewards, b.shared.nodes, b.personal, person, k, x0_moved)


@routine
def tabulate(f: Any, nodes: NodeTables, p: PosteriorEvidence, person: int, k: int, x0_moved: bool) -> None:
    """Tabulate the marginal of theta on the window of the last time, enlarged or narrowed to where the mass is."""
    log_density, window = p.log_density[person, k], p.window[person, k]
    lowest, highest = nodes.middle[k] - nodes.half[k], nodes.middle[k] + nodes.half[k]
    while True:
        fill_log_density(f, nodes, p, person, k, x0_moved)
        begin, end = window[0], window[1]
        step, top = (end - begin) / (THETA_NODES - 1), log_density.max()
        wider_below = begin > lowest and log_density[0] > top - NEGLIGIBLE
        wider_above = end < highest and log_density[-1] > top - NEGLIGIBLE
        first, last = first_and_last(log_density, top - NEGLIGIBLE - MARGIN)
        if wider_below or wider_above:
            window[0] = max(lowest, begin - (end - begin)) if wider_below else begin
            window[1] = min(highest, end + (end - begin)) if wider_above else end
        elif last - first + 1 < WELL_FILLED and step > NARROWEST * (highest - lowest):
            window[0], window[1] = max(lowest, begin + (first - 1) * step), min(highest, begin + (last + 1) * step)
        else:
            break
        x0_moved = True
    fill_cdf(log_density, p.cdf[person, k])


@inlined
def first_and_last(values: Floats, least: float) -> tuple[int, int]:
    """Return the first and the last place where the values are not below `least`."""
    first, last = 0, values.size - 1
    while values[first] < least:
        first += 1
    while values[last] < least:
        last -= 1
    return first, last


@inlined
def fill_log_density(f: Any, nodes: NodeTables, p: PosteriorEvidence, person: int, k: int, x0_moved: bool) -> None:
    """Write the logarithm of the marginal density of theta at its nodes; the integral over x0 only where it changed."""
    settled, early, window = p.settled[person, k], p.early[person, k], p.window[person, k]
    basis, weights = np.empty(settled.size), np.empty(X0_NODES)
    step = (window[1] - window[0]) / (THETA_NODES - 1)
    for j in range(THETA_NODES):
        fill_basis(f, nodes, k, window[0] + j * step, basis)
        if x0_moved and p.rewards[person, k, 1] > 0:
            top = fill_weights(early, basis, weights)
            p.x0_best[person, k, j] = top
            p.x0_integral[person, k, j] = top + math.log(weights.sum() - 0.5 * (weights[0] + weights[-1]))
        total = p.x0_integral[person, k, j]
        for c in range(basis.size):
            total += basis[c] * settled[c]
        p.log_density[person, k, j] = total


@inlined
def fill_early(early: Floats, basis: Floats, values: Floats) -> None:
    """Write the log-likelihood of early rewards at the nodes of x0."""
    values[:] = 0.0
    for c in range(basis.size):
        for i in range(values.size):
            values[i] += basis[c] * early[c, i]


@inlined
def fill_weights(early: Floats, basis: Floats, weights: Floats) -> float:
    """Write exp(early − its maximum) at the nodes of x0, and return the maximum."""
    fill_early(early, basis, weights)
    top = weights.max()
    for i in range(weights.size):
        less = weights[i] - top
        weights[i] = math.exp(less) if less > -40.0 else 0.0
    return top


@inlined
def fill_cdf(log_density: Floats, cdf: Floats) -> None:
    """Write the distribution function of a density whose logarithm is linear between the nodes."""
    top = log_density.max()
    before = math.exp(log_density[0] - top)
    cdf[0] = 0.0
    for j in range(1, cdf.size):
        rise, now = log_density[j] - log_density[j - 1], math.exp(log_density[j] - top)
        cdf[j] = cdf[j - 1] + ((now - before) / rise if abs(rise) > 1e-4 else 0.5 * (before + now))
        before = now
    for j in range(1, cdf.size):
        cdf[j] /= cdf[-1]


# ---- questions -------------------------------------------------------------------------------------------------------
@rewards_count.register(PosteriorBelief)
def posterior_rewards_count(b: PosteriorBelief, person: int, k: int) -> float:
    """Of either kind."""
    return float(b.personal.rewards[person, k, 0] + b.personal.rewards[person, k, 1])


@state_at.register(PosteriorBelief)
def posterior_state_at(b: PosteriorBelief, person: int, k: int, x0: Floats) -> float:
    """On the line of now."""
    return state_on_line(line_now(b.personal, person, k), x0[0])


@log_likelihood.register(PosteriorBelief)
def posterior_log_likelihood(b: PosteriorBelief, person: int, k: int, theta: float, x0: Floats) -> float:
    """Linear between the nodes of x0."""
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


@has_place.register(PosteriorBelief)
def posterior_has_place(b: PosteriorBelief, person: int) -> bool:
    """Its size is constant."""
    return True


@with_places.register
def posterior_with_places(personal: PosteriorEvidence, places: int) -> PosteriorEvidence:
    """Its size is constant."""
    return personal


@capacity.register
def posterior_capacity(personal: PosteriorEvidence) -> int:
    """No reward is kept one by one."""
    return 0


# ---- drawing ---------------------------------------------------------------------------------------------------------
@posterior_draw.register(PosteriorBelief)
def draw_of_posterior(b: PosteriorBelief, person: int, k: int, u_theta: float, u_x0: float) -> tuple[float, float]:
    """The quantile of theta, and of x0 given theta."""
    arm, p = arm_of(b.shared.table, person, k), b.personal
    y = coordinate_quantile(p, person, k, u_theta)
    theta = min(max(theta_at(arm.rewards, y), arm.theta_lo), arm.theta_hi)
    if does_not_depend(arm.dynamics, line_now(p, person, k)):
        return theta, arm.dynamics.lo
    return theta, x0_quantile(arm, b.shared.nodes, p, person, k, y, u_x0)


@inlined
def drawn_state(b: PosteriorBelief, person: int, k: int, u_theta: float, u_x0: float) -> tuple[float, float]:
    """Return a draw of theta and of the state now."""
    theta, x0 = posterior_draw(b, person, k, u_theta, u_x0)
    return theta, state_on_line(line_now(b.personal, person, k), x0)


@inlined
def coordinate_quantile(p: PosteriorEvidence, person: int, k: int, u: float) -> float:
    """Return the coordinate of theta at the quantile u of its marginal."""
    cdf, log_density, window = p.cdf[person, k], p.log_density[person, k], p.window[person, k]
    below, above = 0, cdf.size - 1
    while above - below > 1:
        middle = (below + above) // 2
        if cdf[middle] <= u:
            below = middle
        else:
            above = middle
    mass, rise = cdf[above] - cdf[below], log_density[above] - log_density[below]
    share = (u - cdf[below]) / mass if mass > 0.0 else 0.0
    along = log_linear_quantile(rise, share)
    return window[0] + (below + along) * (window[1] - window[0]) / (cdf.size - 1)


@routine
def x0_quantile(arm: Any, nodes: NodeTables, p: PosteriorEvidence, person: int, k: int, y: float, u: float) -> float:
    """Return the x0 at the quantile u of its distribution, given the coordinate y of theta."""
    d = arm.dynamics
    if p.rewards[person, k, 1] == 0:
        return d.lo + u * (d.hi - d.lo)
    early = p.early[person, k]
    basis, log_density, cdf = np.empty(early.shape[0]), np.empty(X0_NODES), np.empty(X0_NODES)
    fill_basis(arm.rewards, nodes, k, y, basis)
    fill_early(early, basis, log_density)
    fill_cdf(log_density, cdf)
    i = 0
    while i < X0_NODES - 2 and cdf[i + 1] <= u:
        i += 1
    mass = cdf[i + 1] - cdf[i]
    along = log_linear_quantile(log_density[i + 1] - log_density[i], (u - cdf[i]) / mass) if mass > 0.0 else 0.0
    return x0_node(d, i) + along * (d.hi - d.lo) / (X0_NODES - 1)


@inlined
def log_linear_quantile(rise: float, share: float) -> float:
    """Return the quantile `share` on (0, 1) of a density whose logarithm is linear and rises by `rise`."""
    if abs(rise) < 1e-4:
        return share
    if rise > 0.0:
        along = 1.0 + math.log(max(share + (1.0 - share) * math.exp(-rise), 1e-300)) / rise
    else:
        along = math.log(max(1.0 - share + share * math.exp(rise), 1e-300)) / rise
    return min(max(along, 0.0), 1.0)


# ---- likely points ---------------------------------------------------------------------------------------------------
@routine
def likely_points(b: PosteriorBelief, person: int, k: int, deepest: float) -> Floats:
    """Return points (theta, x0) on the edge of where the log-likelihood is at most `deepest` below its largest.

    They are the least and the largest theta of the window, at every node of x0; at one x0 where the state now does not
    depend on it, and then for the likeliest x0. More than `NEGLIGIBLE` below is not looked at. A value that is monotone
    in theta is largest at one of them.
    """
    arm, p = arm_of(b.shared.table, person, k), b.personal
    window, settled, early = p.window[person, k], p.settled[person, k], p.early[person, k]
    settled_now = does_not_depend(arm.dynamics, line_now(p, person, k))
    columns = 1 if settled_now else X0_NODES
    value, basis = np.zeros((THETA_NODES, columns)), np.empty(settled.size)
    step = (window[1] - window[0]) / (THETA_NODES - 1)
    for j in range(THETA_NODES):
        fill_basis(arm.rewards, b.shared.nodes, k, window[0] + j * step, basis)
        if settled_now:
            value[j, 0] = p.x0_best[person, k, j]
        for c in range(basis.size):
            for i in range(columns):
                value[j, i] += basis[c] * (settled[c] if settled_now else settled[c] + early[c, i])
    least, points, found = value.max() - min(deepest, NEGLIGIBLE), np.empty((2 * columns, 2)), 0
    for i in range(columns):
        low, high = edges(value[:, i], least)
        if low <= high:
            for edge in (low, high):
                theta = min(max(theta_at(arm.rewards, window[0] + edge * step), arm.theta_lo), arm.theta_hi)
                points[found, 0], points[found, 1] = theta, x0_node(arm.dynamics, i)
                found += 1
    return points[:found]


@inlined
def edges(values: Floats, least: float) -> tuple[float, float]:
    """Return the first and the last place, between nodes too, where values are at least `least`; (1, 0) if none is."""
    if values.max() < least:
        return 1.0, 0.0
    first, last = first_and_last(values, least)
    low, high = 1.0 * first, 1.0 * last
    if first > 0:
        low -= (values[first] - least) / (values[first] - values[first - 1])
    if last < values.size - 1:
        high += (values[last] - least) / (values[last] - values[last + 1])
    return low, high
