"""The probability of each arm to have the largest of independent values, from their distribution functions.

    P(k) = ∫ Π_{j≠k} F_j(v) dF_k(v)

Each F is a piecewise Chebyshev polynomial on panels that are halved until their last coefficients are small, and point
masses, where ties are broken evenly: with mass a_j at v and b_j below, arm k wins there with probability
a_k ∫₀¹ Π_{j≠k} (b_j + a_j t) dt.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.numerics.chebyshev import clenshaw, nodes, transform
from rogue_bandits.policies.rogue import PosteriorState
from rogue_bandits.policies.value_cdf import fill_value_cdf
from rogue_bandits.policies.value_law import ValueLaw, table_cdf, value_law
from rogue_bandits.types import Bools, Floats, Ints

DEGREE = 8  # coefficients of a panel
TOLERANCE = 1e-6  # of the last two coefficients: the error is smaller by far
MOST_PANELS = 200
NARROWEST = 1e-7  # of the range of values of an arm
CHEBYSHEV, TO_COEFFICIENTS = nodes(DEGREE), transform(DEGREE)
GAUSS, GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(DEGREE)
SPARSE = 4  # every so many breakpoints of theta are the first edges of panels
ALONG_X0 = 8  # about as many of those of x0 are
LEAST = 1e-12  # probability of an arm that can win: it may be the one that was drawn


class QuadraturePanels(NamedTuple):
    """The distribution functions of all arms."""

    used: Ints  # [arms] how many panels
    edges: Floats  # [arms, MOST_PANELS + 1]
    coefficients: Floats  # [arms, MOST_PANELS, DEGREE]
    mass_at: Floats  # [arms, 2] where point masses are, inf if there is none
    mass: Floats  # [arms, 2]


@routine
def fill_winning(state: PosteriorState, person: int, available: Bools, out: Floats) -> None:
    """Write the probability of each available arm to have the largest value at a draw from the posteriors."""
    arms = available.size
    panels = QuadraturePanels(
        np.zeros(arms, dtype=np.int64), np.empty((arms, MOST_PANELS + 1)), np.empty((arms, MOST_PANELS, DEGREE)),
        np.full((arms, 2), np.inf), np.zeros((arms, 2)),
    )  # fmt: skip
    out[:] = 0.0
    lowest = -np.inf  # below the least value of an arm the others need not be known, as they cannot win
    for k in range(arms):
        if available[k]:
            of = value_law(state, person, k)
            lowest = max(lowest, of.least.min())
            fill_panels(state, person, k, of, lowest, panels)
    integrate(panels, available, out)


@routine
def fill_panels(
    state: PosteriorState, person: int, k: int, of: ValueLaw, lowest: float, panels: QuadraturePanels
) -> None:
    """Write the distribution function of arm k, from `lowest` on."""
    fill_masses(of, panels.mass_at[k], panels.mass[k])
    first = first_edges(of)
    edges, narrowest = panels.edges[k], NARROWEST * (first[-1] - first[0])
    for i in range(first.size - 1):
        first[i] = min(max(first[i], lowest), first[-1])
    waiting, left = np.empty((MOST_PANELS, 2)), 0
    for i in range(first.size - 2, -1, -1):
        if first[i + 1] > first[i]:
            waiting[left, 0], waiting[left, 1] = first[i], first[i + 1]
            left += 1
    edges[0], n, levels, values = first[0], 0, np.empty(DEGREE), np.empty(DEGREE)
    while left > 0:
        left -= 1
        lo, hi = waiting[left, 0], waiting[left, 1]
        middle, half = 0.5 * (lo + hi), 0.5 * (hi - lo)
        for i in range(DEGREE):
            levels[i] = middle + half * CHEBYSHEV[i]
        fill_value_cdf(state, person, k, of, levels, values)
        for i in range(DEGREE):
            values[i] -= mass_below(panels, k, levels[i])
        c = panels.coefficients[k, n]
        for i in range(DEGREE):
            c[i] = 0.0
            for j in range(DEGREE):
                c[i] += TO_COEFFICIENTS[i, j] * values[j]
        if abs(c[DEGREE - 1]) + abs(c[DEGREE - 2]) < TOLERANCE or hi - lo < narrowest or n + left >= MOST_PANELS - 2:
            n += 1
            edges[n] = hi
        else:
            waiting[left, 0], waiting[left, 1] = middle, hi
            waiting[left + 1, 0], waiting[left + 1, 1] = lo, middle
            left += 2
    panels.used[k] = n


@inlined
def first_edges(of: ValueLaw) -> Floats:
    """Return values at breakpoints, in order: all of them along theta if the state is known, else some along each."""
    if of.settled:
        return np.sort(of.at_edge[:, 0])
    n, m = of.at_edge.shape
    return np.sort(
        np.concatenate((
            of.at_edge[::SPARSE, 0], of.at_edge[::SPARSE, m - 1], of.at_edge[n - 1, :1], of.at_edge[n - 1, m - 1 :],
            of.at_edge[n // 2, :: max(SPARSE, m // ALONG_X0)], np.array([of.least.min(), of.most.max()]),
        ))
    )  # fmt: skip


@inlined
def fill_masses(of: ValueLaw, at: Floats, mass: Floats) -> None:
    """Write the point masses: values that do not depend on theta, of a known state or of x0 at an end of its range."""
    last = of.x0.size - 1
    for end in range(2):
        column = last if end == 1 else 0
        value = of.at_edge[0, column]
        if (of.at_edge[:, column] != value).any() or value == at[0]:
            continue
        total = 1.0 if of.settled else 0.0
        for i in range(of.weight.size):
            values, cdf = of.at_point[i], of.cdf[i]
            total += of.weight[i] * flat_mass(of.x0, values, of.log_density[i], cdf, column)
        if total > 0.0:
            at[end], mass[end] = value, total


@inlined
def flat_mass(x0: Floats, values: Floats, log_density: Floats, cdf: Floats, column: int) -> float:
    """Return the probability of the x0 next to an end of its range at which the value is the same as there."""
    i, step = column, 1 if column == 0 else -1
    while 0 <= i + step < values.size and values[i + step] == values[column]:
        i += step
    share = table_cdf(log_density, cdf, (x0[i] - x0[0]) / (x0[-1] - x0[0]) * (cdf.size - 1))
    return share if column == 0 else 1.0 - share


@inlined
def mass_below(panels: QuadraturePanels, k: int, v: float) -> float:
    """Return the point masses of arm k at v and below."""
    return (panels.mass[k, 0] if panels.mass_at[k, 0] <= v else 0.0) + (
        panels.mass[k, 1] if panels.mass_at[k, 1] <= v else 0.0
    )


@routine
def integrate(panels: QuadraturePanels, available: Bools, out: Floats) -> None:
    """Add to `out` the integrals over all values and point masses; the result sums to 1."""
    arms = available.size
    values, slopes, at = np.empty(arms), np.empty(arms), np.zeros(arms, dtype=np.int64)
    edges = all_edges(panels, available)
    lowest = largest_start(panels, available)
    for e in range(edges.size):
        v = edges[e]
        if v < lowest:
            continue
        if e == 0 or edges[e - 1] < v:
            add_point(panels, available, v, at, values, slopes, out)
        if e + 1 < edges.size and edges[e + 1] > v:
            half = 0.5 * (edges[e + 1] - v)
            for q in range(DEGREE):
                fill_functions(panels, available, v + half * (1.0 + GAUSS[q]), at, values, slopes)
                add_products(available, values, slopes, half * GAUSS_WEIGHTS[q], out)
    total = 0.0
    for k in range(arms):
        if available[k]:
            can_win = panels.edges[k, panels.used[k]] >= lowest
            out[k] = max(out[k], LEAST if can_win else 0.0)
            total += out[k]
    for k in range(arms):
        out[k] /= total


@inlined
def all_edges(panels: QuadraturePanels, available: Bools) -> Floats:
    """Return the edges of the panels of all arms, and where their point masses are, in order."""
    found, n = np.empty(available.size * (MOST_PANELS + 3)), 0
    for k in range(available.size):
        if available[k]:
            for i in range(panels.used[k] + 1):
                found[n] = panels.edges[k, i]
                n += 1
            for i in range(2):
                if panels.mass[k, i] > 0.0:
                    found[n] = panels.mass_at[k, i]
                    n += 1
    return np.sort(found[:n])


@inlined
def largest_start(panels: QuadraturePanels, available: Bools) -> float:
    """Return the largest of the least values of the arms: below, an arm is sure to be exceeded."""
    largest = -np.inf
    for k in range(available.size):
        if available[k]:
            largest = max(largest, panels.edges[k, 0])
    return largest


@inlined
def fill_functions(
    panels: QuadraturePanels, available: Bools, v: float, at: Ints, values: Floats, slopes: Floats
) -> None:
    """Write F and dF/dv of each arm at v, without point masses at v itself; `at` is the panel of the last v, below."""
    for k in range(available.size):
        if not available[k]:
            continue
        edges, count = panels.edges[k], panels.used[k]
        while at[k] < count and edges[at[k] + 1] < v:
            at[k] += 1
        continuous = 1.0 - panels.mass[k, 0] - panels.mass[k, 1]
        if v < edges[0] or at[k] >= count:
            values[k], slopes[k] = 0.0 if v < edges[0] else continuous, 0.0
        else:
            half = 0.5 * (edges[at[k] + 1] - edges[at[k]])
            f, slope, _ = clenshaw(panels.coefficients[k, at[k]], (v - edges[at[k]]) / half - 1.0)
            values[k], slopes[k] = f, slope / half
        for i in range(2):
            if panels.mass_at[k, i] < v:
                values[k] += panels.mass[k, i]


@inlined
def add_products(available: Bools, values: Floats, slopes: Floats, weight: float, out: Floats) -> None:
    """Add weight · slope_k Π_{j≠k} value_j to each arm."""
    for k in range(available.size):
        if available[k] and slopes[k] != 0.0:
            product = weight * slopes[k]
            for j in range(available.size):
                if available[j] and j != k:
                    product *= values[j]
            out[k] += product


@inlined
def add_point(
    panels: QuadraturePanels, available: Bools, v: float, at: Ints, values: Floats, slopes: Floats, out: Floats
) -> None:
    """Add the probability of each arm to win at a point mass at v, ties broken evenly."""
    if not ((panels.mass_at == v) & (panels.mass > 0.0)).any():
        return
    below, rising = np.empty(available.size), np.zeros(available.size)
    fill_functions(panels, available, v, at, below, slopes)
    for k in range(available.size):
        for i in range(2):
            if panels.mass_at[k, i] == v:
                rising[k] += panels.mass[k, i]
    for q in range(DEGREE):
        for k in range(available.size):
            values[k] = below[k] + 0.5 * (1.0 + GAUSS[q]) * rising[k]
        add_products(available, values, rising, 0.5 * GAUSS_WEIGHTS[q], out)
