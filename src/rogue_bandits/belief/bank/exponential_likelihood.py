"""The likelihood of an exponential family under many hypotheses: Σ A(eta) as a function of theta."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rogue_bandits.belief.bank.check import log_predicted
from rogue_bandits.belief.bank.likelihood import (
    ThetaTables,
    add_to_replay,
    add_to_sums,
    condense,
    fill_log_marginals,
    fill_theta_quantiles,
    has_left_window,
    log_integral,
    quantile_at_nodes,
    replay_rows,
    theta_quantile,
)
from rogue_bandits.compile.laws import inlined
from rogue_bandits.model.rewards.exponential import Exponential, dispersion, log_partition, natural, sufficient
from rogue_bandits.types import Floats, Ints, statistics, theta_at

WINDOW = 12  # nodes of theta of a hypothesis …
DEEPEST = 9.0  # … where the log-likelihood is at most so much below its largest: four standard deviations
ETAS = 513  # nodes of the table of A
OTHER, BEGIN, STEP, FIRST = 0, 1, 2, 3  # rows of the sums
NARROWINGS = 12
HALVINGS = 30  # of the range of eta
NEAR_TOP = 3.0  # an end of a window must be further below its top

replay_rows.register(Exponential)(lambda f, tables: 1 + tables.node.shape[1])


@inlined
def tabulated_partition(tables: ThetaTables, k: int, eta: float) -> float:
    """Return A(eta) over the dispersion: cubic between nodes, by values and slopes."""
    at = (eta - tables.eta[k, 0]) / tables.eta[k, 1] if tables.eta[k, 1] > 0.0 else 0.0
    j = min(max(int(at), 0), ETAS - 2)
    w = at - j
    low, high = tables.value[k, j], tables.value[k, j + 1]
    rise, before, after = high - low, tables.slope[k, j] * tables.eta[k, 1], tables.slope[k, j + 1] * tables.eta[k, 1]
    return low + w * (rise + (1.0 - w) * ((1.0 - w) * (before - rise) - w * (after - rise)))


@add_to_replay.register(Exponential)
def exponential_add_to_replay(f: Any, tables: ThetaTables, k: int, x: Floats, r: float, values: Floats) -> None:
    """A at the Chebyshev nodes, and what does not depend on theta."""
    _, at_rest, _ = statistics(f, 0.0, r)
    _, at_one, _ = statistics(f, 1.0, r)
    for i in range(x.size):
        values[0, i] += (at_one - at_rest) * x[i]
        for j in range(values.shape[0] - 1):
            values[j + 1, i] += tabulated_partition(tables, k, natural(f, tables.node[k, j], x[i]))


@add_to_sums.register(Exponential)
def exponential_add_to_sums(f: Any, tables: ThetaTables, k: int, x: Floats, r: float, sums: Floats) -> None:
    """A at the nodes of each hypothesis, and what does not depend on theta."""
    _, at_rest, _ = statistics(f, 0.0, r)
    _, at_one, _ = statistics(f, 1.0, r)
    for i in range(x.size):
        sums[OTHER, i] += (at_one - at_rest) * x[i]
        for q in range(WINDOW):
            theta = sums[BEGIN, i] + q * sums[STEP, i]
            sums[FIRST + q, i] += tabulated_partition(tables, k, natural(f, theta, x[i]))


@condense.register(Exponential)
def exponential_condense(f: Any, tables: ThetaTables, k: int, totals: Floats, values: Floats, sums: Floats) -> None:
    """Narrow the window of each hypothesis to where its likelihood is not negligible."""
    n = tables.node.shape[1]
    c, at = np.empty(n), np.empty(WINDOW)
    for i in range(values.shape[1]):
        for m in range(n):
            c[m] = 0.0
            for j in range(n):
                c[m] += tables.to_coefficients[j, m] * values[j + 1, i]
        begin, end = tables.ends[k, 0], tables.ends[k, 1]
        for _ in range(NARROWINGS):
            step = (end - begin) / (WINDOW - 1)
            for q in range(WINDOW):
                theta = begin + q * step
                at[q] = totals[0] * theta - chebyshev_sum(c, scaled(tables.ends[k], theta))
            first, last, least = 0, WINDOW - 1, at.max() - DEEPEST
            while at[first] < least:
                first += 1
            while at[last] < least:
                last -= 1
            if last - first >= WINDOW - 4:
                break
            begin, end = max(begin, begin + (first - 1) * step), min(end, begin + (last + 1) * step)
        step = (end - begin) / (WINDOW - 1)
        sums[OTHER, i], sums[BEGIN, i], sums[STEP, i] = values[0, i], begin, step
        for q in range(WINDOW):
            sums[FIRST + q, i] = chebyshev_sum(c, scaled(tables.ends[k], begin + q * step))


@inlined
def scaled(ends: Floats, y: float) -> float:
    """Return a coordinate on the scale of Chebyshev polynomials, −1 to 1."""
    return (2.0 * y - ends[0] - ends[1]) / (ends[1] - ends[0])


@inlined
def chebyshev_sum(c: Floats, s: float) -> float:
    """Return Σ c_m T_m(s), by Clenshaw's recurrence."""
    b1 = b2 = 0.0
    for m in range(c.size - 1, 0, -1):
        b1, b2 = c[m] - b2 + 2.0 * s * b1, b1
    return c[0] + s * b1 - b2


@inlined
def fill_window(totals: Floats, sums: Floats, i: int, values: Floats) -> None:
    """Write the log-likelihood at the nodes of hypothesis i."""
    for q in range(WINDOW):
        theta = sums[BEGIN, i] + q * sums[STEP, i]
        values[q] = totals[0] * theta + sums[OTHER, i] - sums[FIRST + q, i]


@fill_log_marginals.register(Exponential)
def exponential_fill_log_marginals(
    f: Any, tables: ThetaTables, k: int, totals: Floats, sums: Floats, out: Floats
) -> None:
    """The integral over the window of each hypothesis."""
    values, width = np.empty(WINDOW), math.log(tables.ends[k, 1] - tables.ends[k, 0])
    for i in range(out.size):
        fill_window(totals, sums, i, values)
        out[i] = log_integral(values, sums[STEP, i]) - width


@has_left_window.register(Exponential)
def exponential_has_left_window(f: Any, tables: ThetaTables, k: int, totals: Floats, sums: Floats, i: int) -> bool:
    """Later rewards may disagree with those by which the window was laid."""
    values, near = np.empty(WINDOW), 1e-9 * (tables.ends[k, 1] - tables.ends[k, 0])
    fill_window(totals, sums, i, values)
    least, end = values.max() - NEAR_TOP, sums[BEGIN, i] + (WINDOW - 1) * sums[STEP, i]
    below = values[0] > least and sums[BEGIN, i] > tables.ends[k, 0] + near
    above = values[WINDOW - 1] > least and end < tables.ends[k, 1] - near
    return below or above


@log_predicted.register(Exponential)
def exponential_log_predicted(f: Any, tables: ThetaTables, k: int, mean: float, spread: float, r: float) -> float:
    """The natural parameter whose mean is the recent one, found by bisection."""
    low, high = tables.eta[k, 0], tables.eta[k, 0] + (ETAS - 1) * tables.eta[k, 1]
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if log_partition(f, middle)[1] < mean:
            low = middle
        else:
            high = middle
    eta = 0.5 * (low + high)
    return (sufficient(f, r) * eta - log_partition(f, eta)[0]) / dispersion(f)


@theta_quantile.register(Exponential)
def exponential_theta_quantile(
    f: Any, tables: ThetaTables, k: int, totals: Floats, sums: Floats, i: int, u: float
) -> float:
    """By the distribution function at the nodes of the window."""
    values = np.empty(WINDOW)
    fill_window(totals, sums, i, values)
    theta = quantile_at_nodes(values, sums[BEGIN, i], sums[STEP, i], u)
    return theta_at(f, min(max(theta, tables.ends[k, 0]), tables.ends[k, 1]))


@fill_theta_quantiles.register(Exponential)
def exponential_fill_theta_quantiles(
    f: Any, tables: ThetaTables, k: int, totals: Floats, sums: Floats, at: Ints, u: Floats, out: Floats
) -> None:
    """One by one: their windows differ."""
    for j in range(at.size):
        out[j] = theta_quantile(f, tables, k, totals, sums, at[j], u[j])
