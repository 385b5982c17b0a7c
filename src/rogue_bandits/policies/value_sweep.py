"""The probability of each arm to have the largest value where values have hundreds of kinks and states are uncertain.

Distribution functions are worked out at many levels v at once. For given theta (a point of the quadrature) the value is
linear in x0 between breakpoints, so that one sweep along x0 passes every level once; the distribution function of x0 is
known in closed form. Where the state is at a bound, or known, the value depends on theta alone: then the levels are
passed along theta, and the mass of x0 there is integrated as a polynomial between the points of the quadrature. With
F_j at levels v_0 < v_1 < …,

    P(k) = ∫ Π_{j≠k} F_j dF_k     by the trapezoidal rule in F_k,

whose error falls with the square of the number of levels, kinks or not. Levels are laid where the F_j rise.
"""

from __future__ import annotations

import numpy as np

from rogue_bandits.belief.marginal import X0_NODES
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.policies.rogue import PosteriorState
from rogue_bandits.policies.value_law import (
    NODES,
    POINTS,
    WEIGHTS,
    ValueLaw,
    log_linear_share,
    table_cdf,
    value_law,
    value_range,
)
from rogue_bandits.policies.winning import LEAST
from rogue_bandits.types import Bools, Floats

COARSE, FINE = 129, 2_049  # levels: to find where the distribution functions rise, and to integrate
MARGIN = 1e-6  # of the range of values: the first level is below the least value, which may have positive probability
EVEN = 0.1  # of the weight of one arm: levels that are laid evenly


def partial_integrals() -> Floats:
    """Return c [POINTS, POINTS + 1]: Σ_i c[q, i]·t^i integrates Lagrange's polynomial of node q from −1 to t."""
    rows = []
    for q in range(POINTS):
        others = np.delete(NODES, q)
        polynomial = np.polynomial.Polynomial.fromroots(others) / np.prod(NODES[q] - others)
        integral = polynomial.integ()
        rows.append((integral - integral(-1.0)).coef)
    return np.array(rows)


PARTIAL = partial_integrals()


@routine
def fill_winning_by_sweeps(state: PosteriorState, person: int, available: Bools, out: Floats) -> None:
    """Write the probability of each available arm to have the largest value at a draw from the posteriors."""
    arms = available.size
    least, most = -np.inf, -np.inf
    coarse, fine = np.empty((arms, COARSE)), np.empty((arms, FINE))
    for k in range(arms):
        if available[k]:
            low, high = value_range(state, person, k)
            least, most = max(least, low), max(most, high)
    levels = np.linspace(least - MARGIN * (most - least), most, COARSE)
    for k in range(arms):
        if available[k]:
            fill_by_sweeps(value_law(state, person, k), levels, coarse[k])
    levels = levels_where_they_rise(coarse, available, levels)
    for k in range(arms):
        if available[k]:
            fill_by_sweeps(value_law(state, person, k), levels, fine[k])
    integrate_levels(fine, available, out)


@inlined
def levels_where_they_rise(coarse: Floats, available: Bools, levels: Floats) -> Floats:
    """Return levels between which the sum of the distribution functions rises by equal amounts."""
    height = np.linspace(0.0, EVEN, levels.size)
    for k in range(available.size):
        if available[k]:
            for i in range(levels.size):
                height[i] += coarse[k, i]
    return np.interp(np.linspace(height[0], height[-1], FINE), height, levels)


@inlined
def integrate_levels(cdf: Floats, available: Bools, out: Floats) -> None:
    """Write the integrals, which sum to 1."""
    arms = available.size
    total = 0.0
    for k in range(arms):
        out[k] = 0.0
        if available[k]:
            before = product_without(cdf, available, k, 0)
            for i in range(1, cdf.shape[1]):
                after = product_without(cdf, available, k, i)
                out[k] += 0.5 * (before + after) * (cdf[k, i] - cdf[k, i - 1])
                before = after
            out[k] = max(out[k], LEAST if cdf[k, 0] < 1.0 else 0.0)
            total += out[k]
    for k in range(arms):
        out[k] /= total


@inlined
def product_without(cdf: Floats, available: Bools, k: int, i: int) -> float:
    """Return Π_{j≠k} F_j at level i."""
    product = 1.0
    for j in range(available.size):
        if available[j] and j != k:
            product *= cdf[j, i]
    return product


@routine
def fill_by_sweeps(of: ValueLaw, levels: Floats, out: Floats) -> None:
    """Write the distribution function of a value at the levels, which are in order."""
    steps = np.zeros(levels.size + 1)  # what is added at a level and at all above
    out[:] = 0.0
    if of.settled:
        add_along_theta(of, 0, np.ones(1), levels, out, steps)
    else:
        bound_mass = np.zeros((2, of.weight.size))
        at_node = np.empty(of.x0.size)
        for i in range(of.weight.size):
            for c in range(of.x0.size):
                share = (of.x0[c] - of.x0[0]) / (of.x0[-1] - of.x0[0]) * (X0_NODES - 1)
                at_node[c] = table_cdf(of.log_density[i], of.cdf[i], share)
            first, last = flat_ends(of.at_point[i])
            bound_mass[0, i], bound_mass[1, i] = at_node[first], 1.0 - at_node[last]
            add_along_x0(of, i, first, last, at_node, levels, out, steps)
        for end in range(2):
            add_along_theta(of, end, bound_mass[end], levels, out, steps)
    total = 0.0
    for i in range(levels.size):
        total += steps[i]
        out[i] = min(out[i] + total, 1.0)


@inlined
def flat_ends(values: Floats) -> tuple[int, int]:
    """Return the last breakpoint with the value of the first one, and the first with that of the last one."""
    first, last = 0, values.size - 1
    while first < last and values[first + 1] == values[0]:
        first += 1
    while last > first and values[last - 1] == values[values.size - 1]:
        last -= 1
    return first, last


@inlined
def add_along_x0(
    of: ValueLaw, i: int, first: int, last: int, at_node: Floats, levels: Floats, out: Floats, steps: Floats
) -> None:
    """Add what quadrature point i of theta contributes between two breakpoints of x0."""
    values, weight, near = of.at_point[i], of.weight[i], 0
    scale = (X0_NODES - 1) / (of.x0[-1] - of.x0[0])
    for c in range(first, last):
        mass = weight * (at_node[c + 1] - at_node[c])
        low, high = min(values[c], values[c + 1]), max(values[c], values[c + 1])
        while near > 0 and levels[near - 1] >= low:
            near -= 1
        while near < levels.size and levels[near] < low:
            near += 1
        if near < levels.size and levels[near] < high:
            cell = min(int((0.5 * (of.x0[c] + of.x0[c + 1]) - of.x0[0]) * scale), X0_NODES - 2)
            rise = (of.log_density[i, cell + 1] - of.log_density[i, cell]) * (of.x0[c + 1] - of.x0[c]) * scale
            rising, width = values[c + 1] > values[c], values[c + 1] - values[c]
            while near < levels.size and levels[near] < high:
                share = log_linear_share(rise, (levels[near] - values[c]) / width)
                out[near] += mass * (share if rising else 1.0 - share)
                near += 1
        steps[near] += mass


@inlined
def add_along_theta(of: ValueLaw, end: int, inside: Floats, levels: Floats, out: Floats, steps: Floats) -> None:
    """Add the mass of an end of x0 (0: the first, 1: the last), whose value depends on theta alone.

    `inside` has the mass at every quadrature point, or one number where the state is known and all of it is there.
    """
    density = np.empty(POINTS)
    near, column = 0, -end
    for j in range(of.mass.size):
        mass = of.mass[j]
        if not of.settled:
            mass = 0.0
            for q in range(POINTS):
                density[q] = of.weight[j * POINTS + q] * inside[j * POINTS + q]
                mass += density[q]
        begin, after = of.at_edge[j, column], of.at_edge[j + 1, column]
        low, high = min(begin, after), max(begin, after)
        while near > 0 and levels[near - 1] >= low:
            near -= 1
        while near < levels.size and levels[near] < low:
            near += 1
        while near < levels.size and levels[near] < high:
            t = 2.0 * (levels[near] - begin) / (after - begin) - 1.0
            part = part_below(of, j, density, t)
            out[near] += part if after > begin else mass - part
            near += 1
        steps[near] += mass


@inlined
def part_below(of: ValueLaw, j: int, density: Floats, t: float) -> float:
    """Return the mass of interval j of theta up to t, which runs from −1 to 1."""
    if of.settled:
        return float(of.mass[j] * log_linear_share(of.rise[j], 0.5 * (t + 1.0)))
    total = 0.0
    for q in range(POINTS):
        integral = 0.0
        for i in range(POINTS, -1, -1):
            integral = integral * t + PARTIAL[q, i]
        total += density[q] / WEIGHTS[q] * integral
    return total
