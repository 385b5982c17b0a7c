"""The value of an arm under its posterior of (theta, x0), tabulated so that its distribution function follows.

Values are tabulated at breakpoints of theta and x0, and at the points of a Gauss-Legendre quadrature between the
breakpoints of theta, with the density of x0 given theta. Between breakpoints the value must be monotone in theta, and
in x0; policies say where their values have kinks (`value_kinks`). `value_cdf.py` works out the distribution function.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.basis import fill_basis
from rogue_bandits.belief.evidence import line_now
from rogue_bandits.belief.marginal import (
    THETA_NODES,
    X0_NODES,
    PosteriorEvidence,
    does_not_depend,
    fill_cdf,
    fill_early,
)
from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.model.dynamics.clipped_affine import state_on_line
from rogue_bandits.model.problem import arm_of
from rogue_bandits.policies.rogue import PosteriorState, belief_in
from rogue_bandits.types import Floats, Ints, Line, theta_at

POINTS = 8  # of the quadrature, in each interval of theta: probabilities of index-ts are then exact to 1e-6
NODES, WEIGHTS = np.polynomial.legendre.leggauss(POINTS)


class Kinks(NamedTuple):
    """Even nodes between which a value is linear, of the coordinate of theta and of the state.

    Counts of 0 stand for a value that is smooth, and not linear.
    """

    theta_lo: float
    theta_step: float
    thetas: int
    state_lo: float
    state_step: float
    states: int


@law
def arm_value(state: Any, person: int, k: int, theta: float, x: float) -> float:
    """Return the value of arm k, were theta and its state x the true ones."""


@law
def value_kinks(state: Any, k: int) -> Kinks:
    """Return where `arm_value` of arm k has kinks."""


@inlined
def has_kinks_now(state: PosteriorState, person: int, k: int) -> bool:
    """Return whether the value of arm k has kinks between the states that it may have now."""
    belief = belief_in(state)
    line, d = line_now(belief.personal, person, k), arm_of(belief.shared.table, person, k).dynamics
    return value_kinks(state, k).states > 0 and not does_not_depend(d, line)


class ValueLaw(NamedTuple):
    """Values of one arm of one person at breakpoints and quadrature points, from which F follows."""

    settled: bool  # the state is a number
    line: Line
    y: Floats  # [intervals + 1] breakpoints of the coordinate of theta
    x0: Floats  # [breakpoints], of one number if `settled`
    at_edge: Floats  # [intervals + 1, breakpoints] values
    least: Floats  # [intervals] the least value
    most: Floats  # [intervals]
    mass: Floats  # [intervals]
    rise: Floats  # [intervals] of the log-density of theta, from end to end
    weight: Floats  # [intervals · POINTS] of the points
    at_point: Floats  # [intervals · POINTS, breakpoints] values
    order: Ints  # [intervals · POINTS] 1 if they never fall along x0, −1 if they never rise, else 0
    log_density: Floats  # [intervals · POINTS, X0_NODES] of x0 given theta
    cdf: Floats  # [intervals · POINTS, X0_NODES] likewise


@routine
def value_law(state: PosteriorState, person: int, k: int) -> ValueLaw:
    """Return the law of the value of arm k."""
    belief = belief_in(state)
    p, arm, nodes = belief.personal, arm_of(belief.shared.table, person, k), belief.shared.nodes
    line, d, kinks = line_now(p, person, k), arm.dynamics, value_kinks(state, k)
    settled = does_not_depend(d, line)
    y = theta_breakpoints(p.window[person, k], kinks)
    x0 = np.full(1, d.lo) if settled else x0_breakpoints(d.lo, d.hi, line, kinks)
    n, m = y.size - 1, x0.size
    points = 0 if settled else n * POINTS
    out = ValueLaw(
        settled, line, y, x0,
        np.empty((n + 1, m)), np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(points),
        np.empty((points, m)), np.empty(points, dtype=np.int64), np.empty((points, X0_NODES)),
        np.empty((points, X0_NODES)),
    )  # fmt: skip
    basis = np.empty(p.settled.shape[2])
    for j in range(n + 1):
        fill_values(state, person, k, out, y[j], out.at_edge[j])
    for j in range(n):
        out.least[j] = min(out.at_edge[j].min(), out.at_edge[j + 1].min())
        out.most[j] = max(out.at_edge[j].max(), out.at_edge[j + 1].max())
        out.mass[j] = theta_cdf(p, person, k, y[j + 1]) - theta_cdf(p, person, k, y[j])
        out.rise[j] = theta_rise(p, person, k, y[j], y[j + 1])
        for q in range(POINTS if not settled else 0):
            i, at = j * POINTS + q, y[j] + 0.5 * (1.0 + NODES[q]) * (y[j + 1] - y[j])
            out.weight[i] = 0.5 * WEIGHTS[q] * (y[j + 1] - y[j]) * theta_density(p, person, k, at)
            fill_values(state, person, k, out, at, out.at_point[i])
            out.order[i] = order_of(out.at_point[i])
            fill_basis(arm.rewards, nodes, k, at, basis)
            fill_early(p.early[person, k], basis, out.log_density[i])
            fill_cdf(out.log_density[i], out.cdf[i])
    return out


@inlined
def theta_breakpoints(window: Floats, kinks: Kinks) -> Floats:
    """Return the nodes of the marginal of theta, and kinks between them, in order."""
    inner = np.empty(THETA_NODES + kinks.thetas)
    step, n = (window[1] - window[0]) / (THETA_NODES - 1), 0
    for j in range(THETA_NODES):
        inner[n] = window[0] + j * step if j < THETA_NODES - 1 else window[1]
        n += 1
    for i in range(kinks.thetas):
        at = kinks.theta_lo + i * kinks.theta_step
        near = round((at - window[0]) / step)
        if window[0] < at < window[1] and abs(at - (window[0] + near * step)) > 1e-9 * step:
            inner[n] = at
            n += 1
    return np.sort(inner[:n])


@inlined
def x0_breakpoints(lo: float, hi: float, line: Line, kinks: Kinks) -> Floats:
    """Return the nodes of x0, where the line meets its bounds, and where the state is at a kink, in order."""
    inner, n = np.empty(X0_NODES + 2 + kinks.states), X0_NODES
    for i in range(X0_NODES):
        inner[i] = lo + (hi - lo) * i / (X0_NODES - 1)
    for i in range(kinks.states + 2):
        x = line.lo if i == 0 else line.hi if i == 1 else kinks.state_lo + (i - 2) * kinks.state_step
        at = (x - line.offset) / line.slope if line.slope != 0.0 else lo
        if lo < at < hi:
            inner[n] = at
            n += 1
    return np.sort(inner[:n])


@inlined
def value_at(state: PosteriorState, person: int, k: int, line: Line, y: float, x0: float) -> float:
    """Return the value at a coordinate of theta and an x0."""
    arm = arm_of(state.shared.belief.table, person, k)
    theta = min(max(theta_at(arm.rewards, y), arm.theta_lo), arm.theta_hi)
    return arm_value(state, person, k, theta, state_on_line(line, x0))


@inlined
def fill_values(state: PosteriorState, person: int, k: int, of: ValueLaw, y: float, values: Floats) -> None:
    """Write the values at the breakpoints of x0."""
    for i in range(values.size):
        values[i] = value_at(state, person, k, of.line, y, of.x0[i])


@inlined
def order_of(values: Floats) -> int:
    """Return 1 if values never fall, −1 if they never rise, else 0."""
    falls = rises = False
    for i in range(values.size - 1):
        falls |= values[i + 1] < values[i]
        rises |= values[i + 1] > values[i]
    return 1 if not falls else -1 if not rises else 0


@inlined
def log_linear_share(rise: float, along: float) -> float:
    """Return the mass on (0, along), of that on (0, 1), of a density whose logarithm is linear and rises by `rise`."""
    if abs(rise) < 1e-4:
        return along * (1.0 + 0.5 * rise * (along - 1.0))
    return math.expm1(rise * along) / math.expm1(rise) if rise < 0.0 else (
        (math.exp(rise * (along - 1.0)) - math.exp(-rise)) / -math.expm1(-rise)
    )  # fmt: skip


@inlined
def table_cdf(log_density: Floats, cdf: Floats, share: float) -> float:
    """Return the distribution function of a table, at this number of nodes from the first."""
    i = min(max(int(share), 0), cdf.size - 2)
    mass = cdf[i + 1] - cdf[i]
    return float(cdf[i] + mass * log_linear_share(log_density[i + 1] - log_density[i], share - i))


@inlined
def theta_cdf(p: PosteriorEvidence, person: int, k: int, y: float) -> float:
    """Return the distribution function of the coordinate of theta."""
    window, cdf = p.window[person, k], p.cdf[person, k]
    return table_cdf(p.log_density[person, k], cdf, (y - window[0]) / (window[1] - window[0]) * (cdf.size - 1))


@inlined
def theta_rise(p: PosteriorEvidence, person: int, k: int, y: float, y_end: float) -> float:
    """Return by how much the log-density of theta rises between two coordinates with no node between them."""
    window, log_density = p.window[person, k], p.log_density[person, k]
    step = (window[1] - window[0]) / (log_density.size - 1)
    i = min(max(int((0.5 * (y + y_end) - window[0]) / step), 0), log_density.size - 2)
    return float((log_density[i + 1] - log_density[i]) * (y_end - y) / step)


@routine
def value_range(state: PosteriorState, person: int, k: int) -> tuple[float, float]:
    """Return the least and the largest value of arm k."""
    belief, kinks = belief_in(state), value_kinks(state, k)
    line, d = line_now(belief.personal, person, k), arm_of(belief.shared.table, person, k).dynamics
    y = theta_breakpoints(belief.personal.window[person, k], kinks)
    x0 = np.full(1, d.lo) if does_not_depend(d, line) else x0_breakpoints(d.lo, d.hi, line, kinks)
    least, most = np.inf, -np.inf
    for j in range(y.size):
        for i in range(x0.size):
            value = value_at(state, person, k, line, y[j], x0[i])
            least, most = min(least, value), max(most, value)
    return least, most


@inlined
def theta_density(p: PosteriorEvidence, person: int, k: int, y: float) -> float:
    """Return the density of the coordinate of theta."""
    window, cdf, log_density = p.window[person, k], p.cdf[person, k], p.log_density[person, k]
    step = (window[1] - window[0]) / (cdf.size - 1)
    share = (y - window[0]) / step
    i = min(max(int(share), 0), cdf.size - 2)
    mass, rise, along = cdf[i + 1] - cdf[i], log_density[i + 1] - log_density[i], share - i
    if abs(rise) < 1e-4:
        return float(mass / step * (1.0 + rise * (along - 0.5)))
    return float(mass / step * rise * math.exp(rise * (along - 1.0)) / -math.expm1(-rise))
