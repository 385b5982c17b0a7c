"""The distribution function of an arm's value under its posterior of (theta, x0).

For given theta, values at the breakpoints of x0 say where the value crosses a level v, and the distribution function
of x0 there is known in closed form: between nodes its log-density is linear, as in a draw (`belief.marginal`). What
is left is an integral over theta,

    F(v) = ∫ p(theta) P(value ≤ v | theta) dtheta,

by Gauss-Legendre quadrature between breakpoints of theta. States at a bound have positive probability given theta, so
that the integrand jumps where the value at an end of x0 is v: the interval is split there. Between breakpoints the
value must be monotone in theta, and in x0; policies say where their values have kinks (`value_kinks`).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.marginal import (
    THETA_NODES,
    X0_NODES,
    PosteriorEvidence,
    does_not_depend,
    fill_basis,
    fill_cdf,
    fill_early,
    line_now,
)
from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.model.dynamics.clipped_affine import state_on_line
from rogue_bandits.model.problem import arm_of
from rogue_bandits.policies.rogue import belief_in
from rogue_bandits.types import Floats, Line, theta_at

POINTS = 4  # of the quadrature, in each interval of theta
NODES, WEIGHTS = np.polynomial.legendre.leggauss(POINTS)
MOST_STEPS = 60  # of a search for a root; a few do
EXACT = 1e-9  # of an interval, for a root


class Kinks(NamedTuple):
    """Even nodes between which a value is smooth, of the coordinate of theta and of the state; counts may be 0."""

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
def kinks_of_state(state: Any, person: int, k: int) -> float:
    """Return how many kinks the value of arm k has between the least and the largest state that it may have now."""
    belief, kinks = belief_in(state), value_kinks(state, k)
    if kinks.states == 0:
        return 0.0
    line, d = line_now(belief.personal, person, k), arm_of(belief.shared.table, person, k).dynamics
    return abs(state_on_line(line, d.hi) - state_on_line(line, d.lo)) / max(kinks.state_step, 1e-300)


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
    weight: Floats  # [intervals · POINTS] of the points
    at_point: Floats  # [intervals · POINTS, breakpoints] values
    log_density: Floats  # [intervals · POINTS, X0_NODES] of x0 given theta
    cdf: Floats  # [intervals · POINTS, X0_NODES] likewise


@routine
def value_law(state: Any, person: int, k: int) -> ValueLaw:
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
        settled, line, y, x0, np.empty((n + 1, m)), np.empty(n), np.empty(n), np.empty(n), np.empty(points),
        np.empty((points, m)), np.empty((points, X0_NODES)), np.empty((points, X0_NODES)),
    )  # fmt: skip
    basis = np.empty(p.settled.shape[2])
    for j in range(n + 1):
        fill_values(state, person, k, out, y[j], out.at_edge[j])
    for j in range(n):
        out.least[j] = min(out.at_edge[j].min(), out.at_edge[j + 1].min())
        out.most[j] = max(out.at_edge[j].max(), out.at_edge[j + 1].max())
        out.mass[j] = theta_cdf(p, person, k, y[j + 1]) - theta_cdf(p, person, k, y[j])
        for q in range(POINTS if not settled else 0):
            i, at = j * POINTS + q, y[j] + 0.5 * (1.0 + NODES[q]) * (y[j + 1] - y[j])
            out.weight[i] = 0.5 * WEIGHTS[q] * (y[j + 1] - y[j]) * theta_density(p, person, k, at)
            fill_values(state, person, k, out, at, out.at_point[i])
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
def value_at(state: Any, person: int, k: int, line: Line, y: float, x0: float) -> float:
    """Return the value at a coordinate of theta and an x0."""
    arm = arm_of(state.shared.belief.table, person, k)
    theta = min(max(theta_at(arm.rewards, y), arm.theta_lo), arm.theta_hi)
    return arm_value(state, person, k, theta, state_on_line(line, x0))


@inlined
def fill_values(state: Any, person: int, k: int, of: ValueLaw, y: float, values: Floats) -> None:
    """Write the values at the breakpoints of x0."""
    for i in range(values.size):
        values[i] = value_at(state, person, k, of.line, y, of.x0[i])


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


@routine
def crossing(state: Any, person: int, k: int, line: Line, y: Floats, x0: Floats, ahead: Floats, v: float) -> float:
    """Return where from (y[0], x0[0]) to (y[1], x0[1]), as a share, the value is v; `ahead` is by how much it is above.

    The signs of `ahead` differ. Regula falsi with the Illinois rule.
    """
    a, b, at_a, at_b, last = 0.0, 1.0, ahead[0], ahead[1], 0
    for _ in range(MOST_STEPS):
        t = a - at_a * (b - a) / (at_b - at_a)
        now = value_at(state, person, k, line, y[0] + t * (y[1] - y[0]), x0[0] + t * (x0[1] - x0[0])) - v
        if now == 0.0:
            return float(t)
        if (now > 0.0) == (at_a > 0.0):
            moved = t - a
            a, at_a = t, now
            at_b *= 0.5 if last == 1 else 1.0
            last = 1
        else:
            moved = b - t
            b, at_b = t, now
            at_a *= 0.5 if last == 2 else 1.0
            last = 2
        if b - a < EXACT or abs(moved) < EXACT:
            break
    return float(t)


@routine
def below_given_theta(
    state: Any, person: int, k: int, of: ValueLaw, y: float, values: Floats, log_density: Floats, cdf: Floats, v: float
) -> float:
    """Return P(value ≤ v | theta), by the distribution function of x0 where the value crosses v."""
    x0, total = of.x0, 0.0
    lo, width = x0[0], x0[-1] - x0[0]
    ys, ends, ahead = np.full(2, y), np.empty(2), np.empty(2)
    for i in range(values.size - 1):
        if (values[i] <= v) != (values[i + 1] <= v):
            ends[0], ends[1], ahead[0], ahead[1] = x0[i], x0[i + 1], values[i] - v, values[i + 1] - v
            at = x0[i]
            if ahead[0] != 0.0 and ahead[1] != 0.0:
                at += crossing(state, person, k, of.line, ys, ends, ahead, v) * (x0[i + 1] - x0[i])
            elif ahead[1] == 0.0:
                at = x0[i + 1]
            share = table_cdf(log_density, cdf, (at - lo) / width * (X0_NODES - 1))
            total += share if values[i] <= v else -share
    return total + (1.0 if values[-1] <= v else 0.0)


@routine
def value_cdf(state: Any, person: int, k: int, of: ValueLaw, v: float) -> float:
    """Return F(v), the probability that the value of arm k is at most v."""
    total = 0.0
    for j in range(of.mass.size):
        if of.most[j] <= v:
            total += of.mass[j]
        elif of.least[j] <= v:
            first = (of.at_edge[j, 0] <= v) != (of.at_edge[j + 1, 0] <= v)
            last = (of.at_edge[j, -1] <= v) != (of.at_edge[j + 1, -1] <= v)
            if of.settled or first or last:
                total += split_interval(state, person, k, of, j, v, first, last)
            else:
                for i in range(j * POINTS, (j + 1) * POINTS):
                    at = of.y[j] + 0.5 * (1.0 + NODES[i - j * POINTS]) * (of.y[j + 1] - of.y[j])
                    total += of.weight[i] * below_given_theta(
                        state, person, k, of, at, of.at_point[i], of.log_density[i], of.cdf[i], v
                    )
    return total


@routine
def split_interval(state: Any, person: int, k: int, of: ValueLaw, j: int, v: float, first: bool, last: bool) -> float:
    """Return the part of F(v) in interval j, which is split where the values at the ends of x0 cross v."""
    cuts, n = np.empty(4), 1
    cuts[0] = of.y[j]
    ys, ends, ahead = of.y[j : j + 2], np.empty(2), np.empty(2)
    for c in range(1 if of.settled else 2):
        if first if c == 0 else last:
            ends[:] = of.x0[0] if c == 0 else of.x0[-1]
            ahead[0], ahead[1] = of.at_edge[j, -c] - v, of.at_edge[j + 1, -c] - v
            share = crossing(state, person, k, of.line, ys, ends, ahead, v) if ahead[0] * ahead[1] < 0.0 else (
                0.0 if ahead[0] == 0.0 else 1.0
            )  # fmt: skip
            cuts[n] = ys[0] + share * (ys[1] - ys[0])
            n += 1
    cuts[n] = of.y[j + 1]
    if n == 3 and cuts[1] > cuts[2]:
        cuts[1], cuts[2] = cuts[2], cuts[1]
    total = 0.0
    for i in range(n):
        if cuts[i + 1] > cuts[i]:
            total += part_of_interval(state, person, k, of, cuts[i], cuts[i + 1], v)
    return total


@routine
def part_of_interval(state: Any, person: int, k: int, of: ValueLaw, y_lo: float, y_hi: float, v: float) -> float:
    """Return the part of F(v) for theta between two coordinates, inside which the integrand does not jump."""
    belief = belief_in(state)
    p, arm = belief.personal, arm_of(belief.shared.table, person, k)
    if of.settled:
        if value_at(state, person, k, of.line, 0.5 * (y_lo + y_hi), of.x0[0]) > v:
            return 0.0
        return theta_cdf(p, person, k, y_hi) - theta_cdf(p, person, k, y_lo)
    basis, values = np.empty(p.settled.shape[2]), np.empty(of.x0.size)
    log_density, cdf, total = np.empty(X0_NODES), np.empty(X0_NODES), 0.0
    for q in range(POINTS):
        at = y_lo + 0.5 * (1.0 + NODES[q]) * (y_hi - y_lo)
        fill_basis(arm.rewards, belief.shared.nodes, k, at, basis)
        fill_early(p.early[person, k], basis, log_density)
        fill_cdf(log_density, cdf)
        fill_values(state, person, k, of, at, values)
        weight = 0.5 * WEIGHTS[q] * (y_hi - y_lo) * theta_density(p, person, k, at)
        total += weight * below_given_theta(state, person, k, of, at, values, log_density, cdf, v)
    return total
