"""The likelihood of theta under many hypotheses at once: sums over rewards, with theta integrated out.

Of an agent's rewards only S = Σ|r − x| depends on the hypothesis. Of an exponential family's, Σ A(eta) is a function of
theta: it is replayed at Chebyshev nodes, which hold it to rounding error, and then followed, reward by reward, at
`WINDOW` nodes around where the likelihood of that hypothesis is not negligible. Integrals use the trapezoidal rule, of
high accuracy while the standard deviation exceeds 0.7 of the distance of two nodes: a bank is replayed when the number
of rewards has doubled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.marginal import fill_cdf, log_linear_quantile
from rogue_bandits.belief.nodes import nodes_needed
from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.exponential import Exponential, dispersion, etas_of, log_partition, natural
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.numerics.chebyshev import nodes as chebyshev_nodes
from rogue_bandits.numerics.chebyshev import transform
from rogue_bandits.types import Arm, Floats, coordinate, statistics, theta_at

WINDOW = 12  # nodes of theta of a hypothesis …
DEEPEST = 9.0  # … where the log-likelihood is at most so much below its largest: four standard deviations
SCALE_NODES = 33  # of the scale of an agent
DISTANCES = 33  # values of S between which integrals are interpolated
SMALLEST_DISTANCE = 1e-6
ETAS = 513  # nodes of the table of A
OTHER, BEGIN, STEP, FIRST = 0, 1, 2, 3  # rows of the sums of an exponential family
NARROWINGS = 12


class ThetaTables(NamedTuple):
    """Tables that all people share."""

    ends: Floats  # [arms, 2]: bounds of the coordinate of theta
    node: Floats  # [arms, nodes]: Chebyshev nodes of theta
    to_coefficients: Floats  # [nodes, nodes]
    eta: Floats  # [arms, 2]: the least natural parameter, and the distance of two nodes
    value: Floats  # [arms, ETAS]: A(eta) over the dispersion
    slope: Floats  # [arms, ETAS]: and its derivative


def theta_tables(arms: Sequence[Arm]) -> ThetaTables:
    """Return the tables of each arm."""
    ends = np.array([[coordinate(a.rewards, a.theta_lo), coordinate(a.rewards, a.theta_hi)] for a in arms])
    if isinstance(arms[0].rewards, LaplaceAgent):
        none = np.zeros((len(arms), 1))
        return ThetaTables(ends, none, np.zeros((1, 1)), none, none, none)
    known = [a._replace(dynamics=ClippedAffine(1.0, 0.0, 0.0, a.dynamics.lo, a.dynamics.hi)) for a in arms]
    n = max(nodes_needed(known), WINDOW)
    node = ends.mean(axis=1)[:, None] + np.diff(ends, axis=1) / 2 * chebyshev_nodes(n)
    eta, value, slope = np.zeros((len(arms), 2)), np.zeros((len(arms), ETAS)), np.zeros((len(arms), ETAS))
    for k, arm in enumerate(known):
        least, *_, most = etas_of(arm.rewards, arm)
        eta[k] = least, (most - least) / (ETAS - 1)
        for j in range(ETAS):
            a, b, _ = log_partition(arm.rewards, least + j * eta[k, 1])
            value[k, j], slope[k, j] = a / dispersion(arm.rewards), b / dispersion(arm.rewards)
    return ThetaTables(ends, node, np.ascontiguousarray(transform(n).T), eta, value, slope)


@singledispatch
def rows_of_sums(f: Any) -> int:
    """Return the number of sums that each hypothesis has."""
    return FIRST + WINDOW


rows_of_sums.register(LaplaceAgent)(lambda f: 1)


def start_sums(f: Any, tables: ThetaTables, k: int, sums: Floats) -> None:
    """Set the sums of all hypotheses about arm k before the first reward: windows are all of theta."""
    if not isinstance(f, LaplaceAgent):
        sums[BEGIN] = tables.ends[k, 0]
        sums[STEP] = (tables.ends[k, 1] - tables.ends[k, 0]) / (WINDOW - 1)


# ---- what a family gives ---------------------------------------------------------------------------------------------
@law
def replay_rows(f: Any, tables: ThetaTables) -> int:
    """Return the number of rows that a replay fills."""


@law
def add_to_replay(f: Any, tables: ThetaTables, k: int, x: Floats, r: float, values: Floats) -> None:
    """Add a reward at the states x of all hypotheses to the rows of a replay."""


@law
def condense(f: Any, tables: ThetaTables, k: int, totals: Floats, values: Floats, sums: Floats) -> None:
    """Write the sums that the rows of a replay amount to."""


@law
def add_to_sums(f: Any, tables: ThetaTables, k: int, x: Floats, r: float, sums: Floats) -> None:
    """Add a reward at the states x of all hypotheses."""


@law
def fill_log_marginals(f: Any, tables: ThetaTables, k: int, totals: Floats, sums: Floats, out: Floats) -> None:
    """Write the log-likelihood of every hypothesis, with theta integrated out; terms that all share are left out."""


@law
def theta_quantile(f: Any, tables: ThetaTables, k: int, totals: Floats, sums: Floats, i: int, u: float) -> float:
    """Return the theta at the quantile u of its posterior under hypothesis i."""


@inlined
def add_totals(f: Any, r: float, totals: Floats) -> None:
    """Add what the sums of all hypotheses share; a state of 0 leaves that of an exponential family."""
    one, two, _ = statistics(f, 0.0, r)
    totals[0] += one
    totals[1] += two
    totals[2] += 1.0


# ---- agents ----------------------------------------------------------------------------------------------------------
replay_rows.register(LaplaceAgent)(lambda f, tables: 1)


@add_to_replay.register(LaplaceAgent)
def agent_add_to_replay(f: LaplaceAgent, tables: ThetaTables, k: int, x: Floats, r: float, values: Floats) -> None:
    """|r − x|."""
    for i in range(x.size):
        values[0, i] += abs(r - x[i])


@condense.register(LaplaceAgent)
def agent_condense(f: LaplaceAgent, tables: ThetaTables, k: int, totals: Floats, values: Floats, sums: Floats) -> None:
    """S itself."""
    for i in range(values.shape[1]):
        sums[0, i] = values[0, i]


@add_to_sums.register(LaplaceAgent)
def agent_add_to_sums(f: LaplaceAgent, tables: ThetaTables, k: int, x: Floats, r: float, sums: Floats) -> None:
    """|r − x|."""
    for i in range(x.size):
        sums[0, i] += abs(r - x[i])


@inlined
def fill_scales(ends: Floats, inside: float, distance: float, values: Floats) -> tuple[float, float]:
    """Write the log-density of log theta at even nodes where it is not negligible; return the first and the step.

    The density is theta^(−inside)·exp(−S/theta), of inverse-gamma type.
    """
    begin, end = ends[0], ends[1]
    if inside > 0.0:
        root = 7.0 / math.sqrt(inside)
        middle = min(max(math.log(distance / inside), begin), end)
        begin, end = max(begin, middle - root), min(end, middle + root + 13.0 / inside)
    step = (end - begin) / (values.size - 1)
    for q in range(values.size):
        y = begin + q * step
        values[q] = -inside * y - distance * math.exp(-y)
    return begin, step


@inlined
def log_integral(values: Floats, step: float) -> float:
    """Return the logarithm of the integral of exp(values): trapezoidal, with Gregory's weights at the ends."""
    top, total, last = values.max(), 0.0, values.size - 1
    for q in range(values.size):
        end = min(q, last - q)
        total += math.exp(values[q] - top) * (
            0.375 if end == 0 else 7 / 6 if end == 1 else 23 / 24 if end == 2 else 1.0
        )
    return top + math.log(total * step)


@fill_log_marginals.register(LaplaceAgent)
def agent_fill_log_marginals(
    f: LaplaceAgent, tables: ThetaTables, k: int, totals: Floats, sums: Floats, out: Floats
) -> None:
    """As a function of log S, worked out at few values and interpolated by cubics: it is nearly linear."""
    least = math.log(max(sums[0].min(), SMALLEST_DISTANCE))
    step = max((math.log(max(sums[0].max(), SMALLEST_DISTANCE)) - least) / (DISTANCES - 1), 1e-12)
    table, values, width = np.empty(DISTANCES), np.empty(SCALE_NODES), math.log(tables.ends[k, 1] - tables.ends[k, 0])
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


@theta_quantile.register(LaplaceAgent)
def agent_theta_quantile(
    f: LaplaceAgent, tables: ThetaTables, k: int, totals: Floats, sums: Floats, i: int, u: float
) -> float:
    """By the distribution function at the nodes of the scale."""
    values = np.empty(SCALE_NODES)
    begin, step = fill_scales(tables.ends[k], totals[0], max(sums[0, i], SMALLEST_DISTANCE), values)
    return math.exp(quantile_at_nodes(values, begin, step, u))


@routine
def quantile_at_nodes(log_density: Floats, begin: float, step: float, u: float) -> float:
    """Return the quantile u of a density whose logarithm is linear between even nodes."""
    cdf = np.empty(log_density.size)
    fill_cdf(log_density, cdf)
    q = 0
    while q < cdf.size - 2 and cdf[q + 1] <= u:
        q += 1
    mass = cdf[q + 1] - cdf[q]
    along = log_linear_quantile(log_density[q + 1] - log_density[q], (u - cdf[q]) / mass) if mass > 0.0 else 0.0
    return begin + (q + along) * step


# ---- exponential families --------------------------------------------------------------------------------------------
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


@theta_quantile.register(Exponential)
def exponential_theta_quantile(
    f: Any, tables: ThetaTables, k: int, totals: Floats, sums: Floats, i: int, u: float
) -> float:
    """By the distribution function at the nodes of the window."""
    values = np.empty(WINDOW)
    fill_window(totals, sums, i, values)
    theta = quantile_at_nodes(values, sums[BEGIN, i], sums[STEP, i], u)
    return theta_at(f, min(max(theta, tables.ends[k, 0]), tables.ends[k, 1]))
