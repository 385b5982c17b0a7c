"""The posterior of (theta, x0), held by tables from which it is drawn by inverse transform.

The prior is uniform in x0 and in the coordinate of theta: theta itself, or its logarithm for the agent. Rewards at
settled states have the likelihood of their sums. Those that depend on x0 are summed at evenly spaced nodes of x0, as
coefficients of functions of theta, so that

    early(theta, x0_i) = Σ_c basis_c(theta)·early[c, i]
    p(theta) ∝ exp(settled(theta)) · ∫ exp(early(theta, x0)) dx0        (trapezoidal rule)

The marginal of theta is tabulated where it is not negligible, on evenly spaced nodes, and its logarithm is taken to be
linear between them. x0 is drawn given theta, its density linear between the nodes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.evidence import ArmEvidence, NodeTables, potential_at
from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.model.dynamics.clipped_affine import state_at
from rogue_bandits.model.rewards.exponential import Exponential
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.types import Arm, Floats, Ints, Line, loglik, settled_loglik, statistics, theta_at

X0_NODES = 33
THETA_NODES = 33
NEGLIGIBLE = 12.5  # below the largest log-density: five standard deviations
WELL_FILLED = 24  # of the nodes of theta are where the density is not negligible


class PosteriorTables(NamedTuple):
    """The posterior of every arm (second axis) of every person (first axis)."""

    early: Floats  # [people, arms, basis, X0_NODES]: coefficients of the rewards that depend on x0
    early_n: Ints  # [people, arms]: the number of these rewards
    window: Floats  # [people, arms, 2]: coordinates of the first and the last node of theta
    log_density: Floats  # [people, arms, THETA_NODES]: at the nodes, up to a constant
    cdf: Floats  # [people, arms, THETA_NODES]


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
    """By the values at the nodes that hold the potential: what else there is of theta is linear."""
    for j in range(column.size):
        value = loglik(f, nodes.theta[k, j], x, r)
        for c in range(column.size):
            column[c] += nodes.to_w[j, c] * value


@fill_basis.register(LaplaceAgent)
def laplace_agent_fill_basis(f: LaplaceAgent, nodes: NodeTables, k: int, y: float, basis: Floats) -> None:
    """−log theta and −1/theta."""
    basis[0], basis[1] = -y, -math.exp(-y)


@add_coefficients.register(LaplaceAgent)
def laplace_agent_add_coefficients(
    f: LaplaceAgent, nodes: NodeTables, k: int, x: float, r: float, column: Floats
) -> None:
    """Whether the reward is inside, and its distance."""
    inside, _, distance = statistics(f, x, r)
    column[0] += inside
    column[1] += distance


def has_posterior(arm: Arm) -> bool:
    """Return whether the family has the laws of this page, for a theta that is a number."""
    return isinstance(arm.rewards, Exponential | LaplaceAgent) and not isinstance(arm.theta_lo, tuple)


# ---- updating --------------------------------------------------------------------------------------------------------
def prior_tables(arms: Sequence[Arm], people: int, nodes: NodeTables) -> PosteriorTables:
    """Return the tables before the first reward."""
    shape = people, len(arms)
    basis = 2 if isinstance(arms[0].rewards, LaplaceAgent) else nodes.theta.shape[1]
    window = np.stack([nodes.middle - nodes.half, nodes.middle + nodes.half], axis=1)
    return PosteriorTables(
        early=np.zeros((*shape, basis, X0_NODES)),
        early_n=np.zeros(shape, dtype=np.int64),
        window=np.tile(window, (people, 1, 1)),
        log_density=np.zeros((*shape, THETA_NODES)),
        cdf=np.tile(np.linspace(0.0, 1.0, THETA_NODES), (*shape, 1)),
    )


@routine
def add_early(t: PosteriorTables, nodes: NodeTables, arm: Any, person: int, k: int, line: Line, r: float) -> None:
    """Add a reward that came at the state `line`, at every node of x0."""
    early, lo, hi = t.early[person, k], arm.dynamics.lo, arm.dynamics.hi
    column = np.empty(early.shape[0])
    for i in range(X0_NODES):
        column[:] = early[:, i]
        add_coefficients(arm.rewards, nodes, k, state_at(line, x0_node(lo, hi, i)), r, column)
        early[:, i] = column
    t.early_n[person, k] += 1


@inlined
def x0_node(lo: float, hi: float, i: int) -> float:
    """Return the i-th node of x0."""
    return lo + (hi - lo) * i / (X0_NODES - 1)


@routine
def tabulate(t: PosteriorTables, nodes: NodeTables, f: Any, s: ArmEvidence, person: int, k: int) -> None:
    """Tabulate the marginal of theta anew: on the window of the last time, enlarged or narrowed to where the mass is."""
    log_density, window = t.log_density[person, k], t.window[person, k]
    lowest, highest = nodes.middle[k] - nodes.half[k], nodes.middle[k] + nodes.half[k]
    for _ in range(60):
        step = (window[1] - window[0]) / (THETA_NODES - 1)
        fill_log_density(t, nodes, f, s, person, k, step)
        top, first, last = log_density.max(), 0, THETA_NODES - 1
        while log_density[first] < top - NEGLIGIBLE:
            first += 1
        while log_density[last] < top - NEGLIGIBLE:
            last -= 1
        wider_below, wider_above = first == 0 and window[0] > lowest, last == THETA_NODES - 1 and window[1] < highest
        if wider_below or wider_above:
            width = window[1] - window[0]
            if wider_below:
                window[0] = max(lowest, window[0] - width)
            if wider_above:
                window[1] = min(highest, window[1] + width)
        elif last - first + 1 < WELL_FILLED:
            start, first, last = window[0], max(first - 1, 0), min(last + 1, THETA_NODES - 1)
            window[0], window[1] = start + first * step, start + last * step
        else:
            break
    fill_cdf(log_density, t.cdf[person, k])


@inlined
def fill_log_density(
    t: PosteriorTables, nodes: NodeTables, f: Any, s: ArmEvidence, person: int, k: int, step: float
) -> None:
    """Write the logarithm of the marginal density of theta at the nodes."""
    log_density, early = t.log_density[person, k], t.early[person, k]
    basis, weights = np.empty(early.shape[0]), np.empty(X0_NODES)
    for j in range(THETA_NODES):
        y = t.window[person, k, 0] + j * step
        theta = theta_at(f, y)
        w = potential_at(f, s, theta).value
        log_density[j] = settled_loglik(f, theta, s.sums[1], s.sums[2], s.sums[3], w)
        if t.early_n[person, k] > 0:
            fill_basis(f, nodes, k, y, basis)
            top = fill_weights(early, basis, weights)
            log_density[j] += top + math.log(weights.sum() - 0.5 * (weights[0] + weights[-1]))


@inlined
def fill_weights(early: Floats, basis: Floats, weights: Floats) -> float:
    """Write exp(early − its maximum) at the nodes of x0, and return the maximum."""
    weights[:] = 0.0
    for c in range(basis.size):
        for i in range(weights.size):
            weights[i] += basis[c] * early[c, i]
    top = weights.max()
    for i in range(weights.size):
        weights[i] = math.exp(weights[i] - top)
    return top


@inlined
def fill_cdf(log_density: Floats, cdf: Floats) -> None:
    """Write the distribution function of a density whose logarithm is linear between the nodes."""
    top = log_density.max()
    cdf[0] = 0.0
    for j in range(1, cdf.size):
        rise = log_density[j] - log_density[j - 1]
        cdf[j] = cdf[j - 1] + math.exp(log_density[j - 1] - top) * growth(rise)
    for j in range(cdf.size):
        cdf[j] /= cdf[-1]


@inlined
def growth(rise: float) -> float:
    """Return ∫ exp(rise·s) ds for s from 0 to 1."""
    return math.expm1(rise) / rise if abs(rise) > 1e-8 else 1.0 + 0.5 * rise


# ---- drawing ---------------------------------------------------------------------------------------------------------
@inlined
def theta_quantile(t: PosteriorTables, f: Any, person: int, k: int, u: float) -> float:
    """Return the theta at the quantile u of its marginal."""
    cdf, window = t.cdf[person, k], t.window[person, k]
    j = min(max(np.searchsorted(cdf, u), 1), cdf.size - 1)
    rise = t.log_density[person, k, j] - t.log_density[person, k, j - 1]
    share = (u - cdf[j - 1]) / (cdf[j] - cdf[j - 1]) if cdf[j] > cdf[j - 1] else 0.0
    along = math.log1p(share * math.expm1(rise)) / rise if abs(rise) > 1e-8 else share
    step = (window[1] - window[0]) / (cdf.size - 1)
    return theta_at(f, window[0] + (j - 1 + along) * step)


@inlined
def x0_quantile(t: PosteriorTables, nodes: NodeTables, arm: Any, person: int, k: int, y: float, u: float) -> float:
    """Return the x0 at the quantile u of its distribution, given the coordinate y of theta."""
    lo, hi = arm.dynamics.lo, arm.dynamics.hi
    if t.early_n[person, k] == 0:
        return lo + u * (hi - lo)
    early = t.early[person, k]
    basis, weights = np.empty(early.shape[0]), np.empty(X0_NODES)
    fill_basis(arm.rewards, nodes, k, y, basis)
    fill_weights(early, basis, weights)
    left = u * (weights.sum() - 0.5 * (weights[0] + weights[-1]))
    i = 0
    while i < X0_NODES - 2 and left > 0.5 * (weights[i] + weights[i + 1]):
        left -= 0.5 * (weights[i] + weights[i + 1])
        i += 1
    a, b = weights[i], weights[i + 1]
    # a·s + (b − a)·s²/2 = left
    root = math.sqrt(max(a * a + 2.0 * (b - a) * left, 0.0))
    along = min(max(2.0 * left / (a + root), 0.0), 1.0) if a + root > 0.0 else 0.0
    return x0_node(lo, hi, i) + along * (hi - lo) / (X0_NODES - 1)
