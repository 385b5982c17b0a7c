"""The likelihood of an agent's rewards under many hypotheses: of them only S = Σ|r − x| depends on the hypothesis."""

from __future__ import annotations

import math

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
    log_integral,
    quantile_at_nodes,
    quantile_of_cdf,
    replay_rows,
    theta_quantile,
)
from rogue_bandits.belief.marginal import fill_cdf
from rogue_bandits.compile.laws import inlined
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.types import Floats, Ints, loglik

SCALE_NODES = 33  # of the scale of an agent
DISTANCES = 33  # values of S between which integrals are interpolated
SMALLEST_DISTANCE = 1e-6

replay_rows.register(LaplaceAgent)(lambda f, tables: 1)
has_left_window.register(LaplaceAgent)(lambda f, tables, k, totals, sums, i: False)  # there is none


@add_to_replay.register(LaplaceAgent)
def agent_add_to_replay(f: LaplaceAgent, tables: ThetaTables, k: int, x: Floats, r: float, values: Floats) -> None:
    """Add |r − x|."""
    for i in range(x.size):
        values[i] += abs(r - x[i])


@condense.register(LaplaceAgent)
def agent_condense(
    f: LaplaceAgent, tables: ThetaTables, k: int, totals: Floats, values: Floats, sums: Floats, first: int
) -> None:
    """Write S, which is the replayed sum itself."""
    for i in range(min(BLOCK, sums.shape[1] - first)):
        sums[0, first + i] = values[i]


@add_to_sums.register(LaplaceAgent)
def agent_add_to_sums(f: LaplaceAgent, tables: ThetaTables, k: int, x: Floats, r: float, sums: Floats) -> None:
    """Add |r − x|."""
    for i in range(x.size):
        sums[0, i] += abs(r - x[i])


@inlined
def reach(inside: float) -> tuple[float, float]:
    """Return how far the density of log theta extends below and above its mode before it is negligible."""
    root = 7.0 / math.sqrt(inside)
    return root, root + 13.0 / inside


@inlined
def is_inside(ends: Floats, inside: float, log_distance: float) -> bool:
    """Return whether the bounds of theta leave the density of log theta whole: it then depends on log(theta/S) only."""
    if inside == 0.0:
        return False
    (below, above), mode = reach(inside), log_distance - math.log(inside)
    return bool(mode - below >= ends[0] and mode + above <= ends[1])


@inlined
def fill_scales(ends: Floats, inside: float, distance: float, values: Floats) -> tuple[float, float]:
    """Write the log-density of log theta at even nodes where it is not negligible; return the first and the step.

    The density is theta^(−inside)·exp(−S/theta), of inverse-gamma type.
    """
    begin, end = ends[0], ends[1]
    if inside > 0.0:
        below, above = reach(inside)
        middle = min(max(math.log(distance / inside), begin), end)
        begin, end = max(begin, middle - below), min(end, middle + above)
    step = (end - begin) / (values.size - 1)
    for q in range(values.size):
        y = begin + q * step
        values[q] = -inside * y - distance * math.exp(-y)
    return begin, step


@fill_log_marginals.register(LaplaceAgent)
def agent_fill_log_marginals(
    f: LaplaceAgent, tables: ThetaTables, k: int, totals: Floats, sums: Floats, out: Floats
) -> None:
    """Write the log marginals as a function of log S, which is nearly linear: computed at few values, then by cubics.

    Where the bounds of theta leave the densities whole, it is linear: the integral is that at S = 1 times S^(−inside).
    """
    least, most = math.log(max(sums[0].min(), SMALLEST_DISTANCE)), math.log(max(sums[0].max(), SMALLEST_DISTANCE))
    table, values, width = np.empty(DISTANCES), np.empty(SCALE_NODES), math.log(tables.ends[k, 1] - tables.ends[k, 0])
    if is_inside(tables.ends[k], totals[0], least) and is_inside(tables.ends[k], totals[0], most):
        _, h = fill_scales(tables.ends[k], totals[0], math.exp(least), values)
        at_least = log_integral(values, h) - width
        for i in range(out.size):
            out[i] = at_least - totals[0] * (math.log(max(sums[0, i], SMALLEST_DISTANCE)) - least)
        return
    step = max((most - least) / (DISTANCES - 1), 1e-12)
    for j in range(DISTANCES):
        _, h = fill_scales(tables.ends[k], totals[0], math.exp(least + j * step), values)
        table[j] = log_integral(values, h) - width
    for i in range(out.size):
        at = (math.log(max(sums[0, i], SMALLEST_DISTANCE)) - least) / step
        j = min(max(int(at), 1), DISTANCES - 3)
        out[i] = cubic(table[j - 1], table[j], table[j + 1], table[j + 2], at - j)


@inlined
def cubic(a: float, b: float, c: float, d: float, w: float) -> float:
    """Return the cubic through (−1, a), (0, b), (1, c), (2, d) at w."""
    outer = w * (w - 1.0)
    inner = (w + 1.0) * (w - 2.0)
    return (d * (w + 1.0) - a * (w - 2.0)) * outer / 6.0 + (b * (w - 1.0) - c * w) * inner / 2.0


@log_predicted.register(LaplaceAgent)
def agent_log_predicted(f: LaplaceAgent, tables: ThetaTables, k: int, mean: float, spread: float, r: float) -> float:
    """Return the log-density of an agent in the state of the recent mean, without the factor ½ of all its densities."""
    theta = min(max(spread, math.exp(tables.ends[k, 0])), math.exp(tables.ends[k, 1]))
    return loglik(f, theta, min(max(mean, 0.0), 1.0), r) + math.log(2.0)


@theta_quantile.register(LaplaceAgent)
def agent_theta_quantile(
    f: LaplaceAgent, tables: ThetaTables, k: int, totals: Floats, sums: Floats, i: int, u: float
) -> float:
    """Return the quantile from the distribution function at the nodes of the scale."""
    values = np.empty(SCALE_NODES)
    begin, step = fill_scales(tables.ends[k], totals[0], max(sums[0, i], SMALLEST_DISTANCE), values)
    return math.exp(quantile_at_nodes(values, begin, step, u))


@fill_theta_quantiles.register(LaplaceAgent)
def agent_fill_theta_quantiles(
    f: LaplaceAgent, tables: ThetaTables, k: int, totals: Floats, sums: Floats, at: Ints, u: Floats, out: Floats
) -> None:
    """Write quantiles by one distribution function of log(theta/S) where the bounds of theta cut off no density."""
    values, cdf, first, begin, step = np.empty(SCALE_NODES), np.empty(SCALE_NODES), 0.0, 0.0, 0.0
    for j in range(at.size):
        log_distance = math.log(max(sums[0, at[j]], SMALLEST_DISTANCE))
        if not is_inside(tables.ends[k], totals[0], log_distance):
            out[j] = theta_quantile(f, tables, k, totals, sums, at[j], u[j])
            continue
        if step == 0.0:
            first = log_distance
            begin, step = fill_scales(tables.ends[k], totals[0], math.exp(first), values)
            fill_cdf(values, cdf)
        out[j] = math.exp(quantile_of_cdf(values, cdf, begin, step, u[j]) + log_distance - first)
