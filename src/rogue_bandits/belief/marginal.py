"""The posterior of (theta, x0) of an arm: coefficients of the log-likelihood, the marginal of theta, and quantiles.

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
from typing import NamedTuple

import numpy as np

from rogue_bandits.belief.basis import add_coefficients, add_series, fill_basis
from rogue_bandits.belief.nodes import NodeTables
from rogue_bandits.compile.laws import inlined, overwrite, routine
from rogue_bandits.model.dynamics.clipped_affine import state_on_line
from rogue_bandits.model.protocols import Model, ScalarDynamics
from rogue_bandits.types import (
    Arm,
    Floats,
    Ints,
    Line,
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


@inlined
def does_not_depend(d: ScalarDynamics, line: Line) -> bool:
    """Return whether the state is a number, whatever x0 was."""
    settled: bool = abs(state_on_line(line, d.hi) - state_on_line(line, d.lo)) <= SETTLED * (d.hi - d.lo)
    return settled


@inlined
def x0_node(d: ScalarDynamics, i: int) -> float:
    """Return the i-th node of x0."""
    node: float = d.lo + (d.hi - d.lo) * i / (X0_NODES - 1)
    return node


@routine
def add_early(arm: Arm, nodes: NodeTables, k: int, line: Line, r: float, early: Floats) -> None:
    """Add a reward at every node of x0."""
    column = np.empty(early.shape[0])
    for i in range(X0_NODES):
        column[:] = 0.0
        add_coefficients(arm.rewards, nodes, k, state_on_line(line, x0_node(arm.dynamics, i)), r, column)
        for c in range(column.size):
            early[c, i] += column[c]


@routine
def tabulate(f: Model, nodes: NodeTables, p: PosteriorEvidence, person: int, k: int, x0_moved: bool) -> None:
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
    fill_cdf_below(log_density, top, p.cdf[person, k])


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
def fill_log_density(f: Model, nodes: NodeTables, p: PosteriorEvidence, person: int, k: int, x0_moved: bool) -> None:
    """Write the logarithm of the marginal density of theta at its nodes; the integral over x0 only where it changed."""
    settled, early, window = p.settled[person, k], p.early[person, k], p.window[person, k]
    if x0_moved and p.rewards[person, k, 1] > 0:
        basis, weights = np.empty(settled.size), np.empty(X0_NODES)
        step = (window[1] - window[0]) / (THETA_NODES - 1)
        for j in range(THETA_NODES):
            fill_basis(f, nodes, k, window[0] + j * step, basis)
            top = fill_weights(early, basis, weights)
            p.x0_best[person, k, j] = top
            p.x0_integral[person, k, j] = top + math.log(weights.sum() - 0.5 * (weights[0] + weights[-1]))
    log_density = p.log_density[person, k]
    overwrite(log_density, p.x0_integral[person, k])
    add_series(f, nodes, k, window, settled, log_density)


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
    top: float = weights.max()
    for i in range(weights.size):
        less = weights[i] - top
        weights[i] = math.exp(less) if less > -40.0 else 0.0
    return top


@inlined
def fill_cdf(log_density: Floats, cdf: Floats) -> None:
    """Write the distribution function of a density whose logarithm is linear between the nodes."""
    fill_cdf_below(log_density, log_density.max(), cdf)


@inlined
def fill_cdf_below(log_density: Floats, top: float, cdf: Floats) -> None:
    """Write the same where the largest logarithm is known."""
    before = math.exp(log_density[0] - top)
    cdf[0] = 0.0
    for j in range(1, cdf.size):
        rise, now = log_density[j] - log_density[j - 1], math.exp(log_density[j] - top)
        cdf[j] = cdf[j - 1] + ((now - before) / rise if abs(rise) > 1e-4 else 0.5 * (before + now))
        before = now
    total = cdf[-1]
    for j in range(1, cdf.size):
        cdf[j] /= total


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
    y: float = window[0] + (below + along) * (window[1] - window[0]) / (cdf.size - 1)
    return y


@routine
def x0_quantile(arm: Arm, nodes: NodeTables, p: PosteriorEvidence, person: int, k: int, y: float, u: float) -> float:
    """Return the x0 at the quantile u of its distribution, given the coordinate y of theta."""
    d = arm.dynamics
    if p.rewards[person, k, 1] == 0:
        x0: float = d.lo + u * (d.hi - d.lo)
        return x0
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
    x0 = x0_node(d, i) + along * (d.hi - d.lo) / (X0_NODES - 1)
    return x0


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
