"""The distribution function of an arm's value under its posterior of (theta, x0).

For given theta, values at the breakpoints of x0 say where the value crosses a level v, and the distribution function
of x0 there is known in closed form: between nodes its log-density is linear, as in a draw (`belief.marginal`). What
is left is an integral over theta,

    F(v) = ∫ p(theta) P(value ≤ v | theta) dtheta,

by Gauss-Legendre quadrature between breakpoints of theta. States at a bound have positive probability given theta, so
that the integrand jumps where the value at an end of x0 is v: the interval is split there.
"""

from __future__ import annotations

import numpy as np

from rogue_bandits.belief.marginal import X0_NODES, fill_cdf
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.policies.rogue import PosteriorState, belief_in
from rogue_bandits.policies.value_law import (
    NODES,
    POINTS,
    WEIGHTS,
    ValueLaw,
    table_cdf,
    theta_cdf,
    theta_density,
    value_at,
)
from rogue_bandits.types import Floats, Line

MOST_STEPS = 60  # of a search for a root; a few do
EXACT = 1e-9  # of an interval, for a root


@routine
def fill_value_cdf(state: PosteriorState, person: int, k: int, of: ValueLaw, levels: Floats, out: Floats) -> None:
    """Write F(v), the probability that the value of arm k is at most v, for several levels v.

    They are worked out together, as they need the same rows of the tables.
    """
    out[:] = 0.0
    for j in range(of.mass.size):
        for c in range(levels.size):
            v = levels[c]
            if of.most[j] <= v:
                out[c] += of.mass[j]
            elif of.least[j] <= v:
                out[c] += part_of_cdf(state, person, k, of, j, v)


@inlined
def part_of_cdf(state: PosteriorState, person: int, k: int, of: ValueLaw, j: int, v: float) -> float:
    """Return the part of F(v) in interval j of theta, where some values are below v and some above."""
    first = (of.at_edge[j, 0] <= v) != (of.at_edge[j + 1, 0] <= v)
    last = (of.at_edge[j, -1] <= v) != (of.at_edge[j + 1, -1] <= v)
    if of.settled or first or last:
        return split_interval(state, person, k, of, j, v, first, last)
    total = 0.0
    for i in range(j * POINTS, (j + 1) * POINTS):
        at = of.y[j] + 0.5 * (1.0 + NODES[i - j * POINTS]) * (of.y[j + 1] - of.y[j])
        total += of.weight[i] * below_given_theta(state, person, k, of, at, i, v)
    return total


@inlined
def below_given_theta(state: PosteriorState, person: int, k: int, of: ValueLaw, y: float, i: int, v: float) -> float:
    """Return P(value ≤ v | theta) at quadrature point i, where the coordinate of theta is y."""
    values, log_density, cdf, last = of.at_point[i], of.log_density[i], of.cdf[i], of.x0.size - 1
    begins_below = values[0] <= v
    if of.order[i] != 0:
        if begins_below == (values[last] <= v):
            return 1.0 if begins_below else 0.0
        low, high = 0, last
        while high - low > 1:
            middle = (low + high) // 2
            if (values[middle] <= v) == begins_below:
                low = middle
            else:
                high = middle
        at = crossing_of_x0(state, person, k, of, y, low, values[low] - v, values[high] - v, v)
        share = x0_cdf(of, log_density, cdf, at)
        return share if begins_below else 1.0 - share
    total = 1.0 if values[last] <= v else 0.0
    for c in range(last):
        if (values[c] <= v) != (values[c + 1] <= v):
            at = crossing_of_x0(state, person, k, of, y, c, values[c] - v, values[c + 1] - v, v)
            share = x0_cdf(of, log_density, cdf, at)
            total += share if values[c] <= v else -share
    return total


@inlined
def x0_cdf(of: ValueLaw, log_density: Floats, cdf: Floats, at: float) -> float:
    """Return the probability of an x0 of at most `at`, given theta."""
    return table_cdf(log_density, cdf, (at - of.x0[0]) / (of.x0[-1] - of.x0[0]) * (X0_NODES - 1))


@inlined
def crossing_of_x0(
    state: PosteriorState,
    person: int,
    k: int,
    of: ValueLaw,
    y: float,
    i: int,
    ahead: float,
    ahead_next: float,
    v: float,
) -> float:
    """Return the x0 between breakpoints i and i + 1 where the value is v; at them it is ahead of v by so much."""
    begin, end = of.x0[i], of.x0[i + 1]
    if ahead == 0.0 or ahead_next == 0.0:
        return float(begin if ahead == 0.0 else end)
    return float(begin + crossing(state, person, k, of.line, y, y, begin, end, ahead, ahead_next, v) * (end - begin))


@routine
def crossing(
    state: PosteriorState, person: int, k: int, line: Line, y: float, y_end: float, x0: float, x0_end: float,
    ahead: float, ahead_end: float, v: float,
) -> float:  # fmt: skip
    """Return where from (y, x0) to (y_end, x0_end), as a share, the value is v; `ahead` is by how much it is above.

    The signs of the two differ. Regula falsi with the Illinois rule.
    """
    a, b, at_a, at_b, last = 0.0, 1.0, ahead, ahead_end, 0
    for _ in range(MOST_STEPS):
        t = a - at_a * (b - a) / (at_b - at_a)
        now = value_at(state, person, k, line, y + t * (y_end - y), x0 + t * (x0_end - x0)) - v
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


# ---- intervals of theta in which the integrand jumps -----------------------------------------------------------------
@inlined
def split_interval(
    state: PosteriorState, person: int, k: int, of: ValueLaw, j: int, v: float, first: bool, last: bool
) -> float:
    """Return the part of F(v) in interval j, which is split where the values at the ends of x0 cross v."""
    cuts, n = np.empty(4), 1
    cuts[0] = of.y[j]
    for c in range(1 if of.settled else 2):
        if first if c == 0 else last:
            x0, y, y_end = of.x0[0] if c == 0 else of.x0[-1], of.y[j], of.y[j + 1]
            ahead, ahead_end = of.at_edge[j, -c] - v, of.at_edge[j + 1, -c] - v
            share = 0.0 if ahead == 0.0 else 1.0
            if ahead * ahead_end < 0.0:
                share = crossing(state, person, k, of.line, y, y_end, x0, x0, ahead, ahead_end, v)
            cuts[n] = y + share * (y_end - y)
            n += 1
    cuts[n] = of.y[j + 1]
    if n == 3 and cuts[1] > cuts[2]:
        cuts[1], cuts[2] = cuts[2], cuts[1]
    total = 0.0
    for i in range(n):
        if cuts[i + 1] > cuts[i]:
            total += part_of_interval(state, person, k, of, j, cuts[i], cuts[i + 1], v)
    return total


@inlined
def part_of_interval(
    state: PosteriorState, person: int, k: int, of: ValueLaw, j: int, y_lo: float, y_hi: float, v: float
) -> float:
    """Return the part of F(v) for theta between two coordinates in interval j, where the integrand does not jump."""
    p = belief_in(state).personal
    if of.settled:
        if value_at(state, person, k, of.line, 0.5 * (y_lo + y_hi), of.x0[0]) > v:
            return 0.0
        return theta_cdf(p, person, k, y_hi) - theta_cdf(p, person, k, y_lo)
    log_density, cdf, total = np.empty(X0_NODES), np.empty(X0_NODES), 0.0
    for q in range(POINTS):
        at = y_lo + 0.5 * (1.0 + NODES[q]) * (y_hi - y_lo)
        weight = 0.5 * WEIGHTS[q] * (y_hi - y_lo) * theta_density(p, person, k, at)
        total += weight * below_between_points(state, person, k, of, j, at, log_density, cdf, v)
    return total


@inlined
def below_between_points(
    state: PosteriorState,
    person: int,
    k: int,
    of: ValueLaw,
    j: int,
    y: float,
    log_density: Floats,
    cdf: Floats,
    v: float,
) -> float:
    """Return P(value ≤ v | theta) at a coordinate y of interval j, which need not be a quadrature point.

    Values are worked out where the search for a crossing needs them. The log-density of x0, a smooth function of
    theta, is interpolated between the points of the interval.
    """
    last = of.x0.size - 1
    begin, end = value_at(state, person, k, of.line, y, of.x0[0]), value_at(state, person, k, of.line, y, of.x0[last])
    orders = of.order[j * POINTS : (j + 1) * POINTS]
    monotone = (orders == 1).all() or (orders == -1).all()
    begins_below = begin <= v
    if monotone and begins_below == (end <= v):
        return 1.0 if begins_below else 0.0
    interpolate(of, j, y, log_density)
    fill_cdf(log_density, cdf)
    if monotone:
        low, high, at_low, at_high = 0, last, begin, end
        while high - low > 1:
            middle = (low + high) // 2
            value = value_at(state, person, k, of.line, y, of.x0[middle])
            if (value <= v) == begins_below:
                low, at_low = middle, value
            else:
                high, at_high = middle, value
        at = crossing_of_x0(state, person, k, of, y, low, at_low - v, at_high - v, v)
        share = x0_cdf(of, log_density, cdf, at)
        return share if begins_below else 1.0 - share
    total, value = 1.0 if end <= v else 0.0, begin
    for c in range(last):
        ahead = value_at(state, person, k, of.line, y, of.x0[c + 1])
        if (value <= v) != (ahead <= v):
            at = crossing_of_x0(state, person, k, of, y, c, value - v, ahead - v, v)
            share = x0_cdf(of, log_density, cdf, at)
            total += share if value <= v else -share
        value = ahead
    return total


@inlined
def interpolate(of: ValueLaw, j: int, y: float, log_density: Floats) -> None:
    """Write the log-density of x0 at a coordinate y of interval j: Lagrange's polynomial through its points."""
    t = 2.0 * (y - of.y[j]) / (of.y[j + 1] - of.y[j]) - 1.0
    for c in range(log_density.size):
        log_density[c] = 0.0
    for q in range(POINTS):
        weight = 1.0
        for r in range(POINTS):
            if r != q:
                weight *= (t - NODES[r]) / (NODES[q] - NODES[r])
        row = of.log_density[j * POINTS + q]
        for c in range(log_density.size):
            log_density[c] += weight * row[c]
