"""The likelihood of an exponential family under many hypotheses: Σ A(eta) as a function of theta.

eta is linear in theta and x, so that the polynomial in eta that stands for A is one in theta and x. Of all rewards a
replay needs Σ T_m(x) only, T_m the Chebyshev polynomials.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rogue_bandits.belief.bank.check import log_predicted
from rogue_bandits.belief.bank.likelihood import (
    BLOCK,
    ThetaTables,
    add_to_replay,
    add_to_sums,
    condense,
    fill_log_marginals,
    fill_theta_quantiles,
    has_left_window,
    quantile_at_nodes,
    replay_rows,
    theta_quantile,
)
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.rewards.exponential import Exponential, dispersion, log_partition, natural, sufficient
from rogue_bandits.numerics.exponential import exp_below
from rogue_bandits.types import Floats, Ints, statistics, theta_at

WINDOW = 12  # nodes of theta of a hypothesis …
DEEPEST = 9.0  # … where the log-likelihood is at most so much below its largest: four standard deviations
FILLED = 9  # a window is narrowed while fewer of its nodes are inside these
BEGIN, STEP, FIRST = 0, 1, 2  # rows of the sums: the window, and at its nodes Σ A less what does not depend on theta
# Trapezoidal, with Gregory's weights at the ends.
WEIGHTS = (0.375, 7 / 6, 23 / 24, *(1.0,) * (WINDOW - 6), 23 / 24, 7 / 6, 0.375)
NARROWINGS = 12
HALVINGS = 30  # of the range of eta
NEAR_TOP = 3.0  # an end of a window must be further below its top
TOGETHER = 4  # polynomials, between two stores of what their recurrence needs
TWICE, BEFORE, LATEST, OTHER, MOMENTS = range(0, 5 * BLOCK, BLOCK)  # rows of a replay
PLACE, ODD, EVEN = range(0, 3 * BLOCK, BLOCK)  # rows of Clenshaw's recurrence

replay_rows.register(Exponential)(lambda f, tables: MOMENTS // BLOCK + tables.joint.shape[2] - 1)


@add_to_replay.register(Exponential)
def exponential_add_to_replay(f: Any, tables: ThetaTables, k: int, x: Floats, r: float, values: Floats) -> None:
    """Add T_1(x), T_2(x), …, and the part that does not depend on theta."""
    _, at_rest, _ = statistics(f, 0.0, r)
    _, at_one, _ = statistics(f, 1.0, r)
    middle, half = tables.states[k, 0], tables.states[k, 1]
    for i in range(x.size):
        s = (x[i] - middle) / half
        values[OTHER + i] += (at_one - at_rest) * x[i]
        values[TWICE + i], values[BEFORE + i], values[LATEST + i] = 2.0 * s, 1.0, s
    for row in range(MOMENTS, values.size, TOGETHER * BLOCK):
        moments = values[row : row + TOGETHER * BLOCK]
        for i in range(x.size):
            twice, t1 = values[TWICE + i], values[LATEST + i]
            t2 = twice * t1 - values[BEFORE + i]
            t3 = twice * t2 - t1
            t4 = twice * t3 - t2
            moments[i] += t1
            moments[BLOCK + i] += t2
            moments[2 * BLOCK + i] += t3
            moments[3 * BLOCK + i] += t4
            values[BEFORE + i], values[LATEST + i] = t4, twice * t4 - t3


@condense.register(Exponential)
def exponential_condense(
    f: Any, tables: ThetaTables, k: int, totals: Floats, values: Floats, sums: Floats, first: int
) -> None:
    """Narrow the window of each hypothesis to where its likelihood is not negligible."""
    size, ends = min(BLOCK, sums.shape[1] - first), tables.ends[k]
    c, at, begin, end = (
        np.empty(tables.joint.shape[1] * BLOCK),
        np.empty(WINDOW * BLOCK),
        np.empty(size),
        np.empty(size),
    )
    fill_series(tables.joint[k], totals[2], values, size, c)
    for i in range(size):
        begin[i], end[i] = ends[0], ends[1]
    fill_nodes(ends, totals[0], c, begin, end, at)
    for _ in range(NARROWINGS):
        if not narrow(at, begin, end):
            break
        fill_nodes(ends, totals[0], c, begin, end, at)
    for i in range(size):
        step = (end[i] - begin[i]) / (WINDOW - 1)
        sums[BEGIN, first + i], sums[STEP, first + i] = begin[i], step
        for q in range(WINDOW):
            sums[FIRST + q, first + i] = totals[0] * (begin[i] + q * step) - at[q * BLOCK + i] - values[OTHER + i]


@inlined
def fill_series(joint: Floats, rewards: float, values: Floats, size: int, c: Floats) -> None:
    """Write the Chebyshev coefficients of Σ A as a function of theta, a row for each degree."""
    for degree in range(joint.shape[0]):
        row = c[degree * BLOCK : (degree + 1) * BLOCK]
        for i in range(size):
            row[i] = joint[degree, 0] * rewards
        for m in range(1, joint.shape[1]):
            factor, moment = joint[degree, m], values[MOMENTS + (m - 1) * BLOCK : MOMENTS + m * BLOCK]
            if factor != 0.0:
                for i in range(size):
                    row[i] += factor * moment[i]


@routine
def fill_nodes(ends: Floats, total: float, c: Floats, begin: Floats, end: Floats, at: Floats) -> None:
    """Write the log-likelihood at the nodes of the windows of a block: its Chebyshev series, by Clenshaw's recurrence.

    The number of coefficients is odd.
    """
    work = np.empty(3 * BLOCK)
    middle, scale = 0.5 * (ends[0] + ends[1]), 2.0 / (ends[1] - ends[0])
    for q in range(WINDOW):
        along, node = q / (WINDOW - 1.0), at[q * BLOCK : (q + 1) * BLOCK]
        for i in range(begin.size):
            theta = begin[i] + along * (end[i] - begin[i])
            node[i] = total * theta
            work[PLACE + i], work[ODD + i], work[EVEN + i] = (theta - middle) * scale, 0.0, 0.0
        for row in range(c.size - 2 * BLOCK, 0, -2 * BLOCK):
            pair = c[row : row + 2 * BLOCK]
            for i in range(begin.size):
                twice = 2.0 * work[PLACE + i]
                even = pair[BLOCK + i] - work[EVEN + i] + twice * work[ODD + i]
                work[ODD + i] = pair[i] - work[ODD + i] + twice * even
                work[EVEN + i] = even
        for i in range(begin.size):
            node[i] -= c[i] + work[PLACE + i] * work[ODD + i] - work[EVEN + i]


@routine
def narrow(at: Floats, begin: Floats, end: Floats) -> bool:
    """Move the ends of the windows of a block to the nodes next to those that count; return whether one has moved."""
    has_moved = False
    for i in range(begin.size):
        top = at[i]
        for q in range(1, WINDOW):
            top = max(top, at[q * BLOCK + i])
        first, last, least, step = 0, WINDOW - 1, top - DEEPEST, (end[i] - begin[i]) / (WINDOW - 1)
        while at[first * BLOCK + i] < least:
            first += 1
        while at[last * BLOCK + i] < least:
            last -= 1
        if last - first < FILLED - 1:
            has_moved = True
            begin[i], end[i] = max(begin[i], begin[i] + (first - 1) * step), min(end[i], begin[i] + (last + 1) * step)
    return has_moved


@add_to_sums.register(Exponential)
def exponential_add_to_sums(f: Any, tables: ThetaTables, k: int, x: Floats, r: float, sums: Floats) -> None:
    """Add A at the nodes of each hypothesis, without the part that does not depend on theta."""
    _, at_rest, _ = statistics(f, 0.0, r)
    _, at_one, _ = statistics(f, 1.0, r)
    slope = at_one - at_rest
    for first in range(0, x.size, BLOCK):
        end = min(first + BLOCK, x.size)
        for q in range(WINDOW):
            add_to_node(
                f, tables, k, q, x[first:end], slope,
                sums[BEGIN, first:end], sums[STEP, first:end], sums[FIRST + q, first:end],
            )  # fmt: skip


@routine
def add_to_node(
    f: Any, tables: ThetaTables, k: int, q: int, x: Floats, slope: float, begin: Floats, step: Floats, node: Floats
) -> None:
    """Add A at node q of the hypotheses of a block, by Clenshaw's recurrence; the number of coefficients is odd."""
    c, work = tables.partition[k], np.empty(3 * BLOCK)
    middle, scale = tables.etas[k, 0], 1.0 / tables.etas[k, 1] if tables.etas[k, 1] > 0.0 else 0.0
    for i in range(x.size):
        eta = natural(f, begin[i] + q * step[i], x[i])
        work[PLACE + i], work[ODD + i], work[EVEN + i] = (eta - middle) * scale, 0.0, 0.0
    for degree in range(c.size - 1, 0, -2):
        first, second = c[degree], c[degree - 1]
        for i in range(x.size):
            twice = 2.0 * work[PLACE + i]
            even = first - work[EVEN + i] + twice * work[ODD + i]
            work[ODD + i] = second - work[ODD + i] + twice * even
            work[EVEN + i] = even
    for i in range(x.size):
        node[i] += c[0] + work[PLACE + i] * work[ODD + i] - work[EVEN + i] - slope * x[i]


@inlined
def fill_window(totals: Floats, sums: Floats, i: int, values: Floats) -> None:
    """Write the log-likelihood at the nodes of hypothesis i."""
    for q in range(WINDOW):
        values[q] = at_node(totals, sums, i, q)


@inlined
def at_node(totals: Floats, sums: Floats, i: int, q: int) -> float:
    """Return the log-likelihood at node q of hypothesis i."""
    return totals[0] * (sums[BEGIN, i] + q * sums[STEP, i]) - sums[FIRST + q, i]


@fill_log_marginals.register(Exponential)
def exponential_fill_log_marginals(
    f: Any, tables: ThetaTables, k: int, totals: Floats, sums: Floats, out: Floats
) -> None:
    """Write the logarithm of the likelihood integrated over the window of each hypothesis."""
    width = math.log(tables.ends[k, 1] - tables.ends[k, 0])
    for first in range(0, out.size, BLOCK):
        end = min(first + BLOCK, out.size)
        fill_log_integrals(totals[0], sums, first, out[first:end])
    for i in range(out.size):
        out[i] -= width


@routine
def fill_log_integrals(total: float, sums: Floats, first: int, out: Floats) -> None:
    """Write the logarithm of the integral of the likelihood over the window of each hypothesis of a block."""
    end, at, integral = first + out.size, np.empty(WINDOW * BLOCK), np.empty(BLOCK)
    begin, step = sums[BEGIN, first:end], sums[STEP, first:end]
    for i in range(out.size):
        out[i], integral[i] = -np.inf, 0.0
    for q in range(WINDOW):
        likelihood, node = at[q * BLOCK : (q + 1) * BLOCK], sums[FIRST + q, first:end]
        for i in range(out.size):
            likelihood[i] = total * (begin[i] + q * step[i]) - node[i]
            out[i] = max(out[i], likelihood[i])
    for q in range(WINDOW):
        weight, likelihood = WEIGHTS[q], at[q * BLOCK : (q + 1) * BLOCK]
        for i in range(out.size):
            integral[i] += weight * exp_below(likelihood[i] - out[i])
    for i in range(out.size):
        out[i] += math.log(integral[i] * step[i])


@has_left_window.register(Exponential)
def exponential_has_left_window(f: Any, tables: ThetaTables, k: int, totals: Floats, sums: Floats, i: int) -> bool:
    """Return whether later rewards have moved the likelihood to an inner end of the window."""
    near, end = 1e-9 * (tables.ends[k, 1] - tables.ends[k, 0]), sums[BEGIN, i] + (WINDOW - 1) * sums[STEP, i]
    is_inner_low, is_inner_high = sums[BEGIN, i] > tables.ends[k, 0] + near, end < tables.ends[k, 1] - near
    most = -np.inf  # at the inner ends
    if is_inner_low:
        most = max(most, at_node(totals, sums, i, 0))
    if is_inner_high:
        most = max(most, at_node(totals, sums, i, WINDOW - 1))
    if most <= at_node(totals, sums, i, WINDOW // 2) - NEAR_TOP:
        return False
    top = most
    for q in range(WINDOW):
        top = max(top, at_node(totals, sums, i, q))
    return bool(most > top - NEAR_TOP)


@log_predicted.register(Exponential)
def exponential_log_predicted(f: Any, tables: ThetaTables, k: int, mean: float, spread: float, r: float) -> float:
    """Return the log-density at the natural parameter whose mean is the recent mean, found by bisection."""
    low, high = tables.etas[k, 0] - tables.etas[k, 1], tables.etas[k, 0] + tables.etas[k, 1]
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
    """Return the quantile from the distribution function at the nodes of the window."""
    values = np.empty(WINDOW)
    fill_window(totals, sums, i, values)
    theta = quantile_at_nodes(values, sums[BEGIN, i], sums[STEP, i], u)
    return theta_at(f, min(max(theta, tables.ends[k, 0]), tables.ends[k, 1]))


@fill_theta_quantiles.register(Exponential)
def exponential_fill_theta_quantiles(
    f: Any, tables: ThetaTables, k: int, totals: Floats, sums: Floats, at: Ints, u: Floats, out: Floats
) -> None:
    """Write the quantiles one by one, as the windows differ."""
    for j in range(at.size):
        out[j] = theta_quantile(f, tables, k, totals, sums, at[j], u[j])
