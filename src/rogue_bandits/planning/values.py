"""Relaxed values: an arm by itself, charged a multiplier λ for every play, in the long run.

With the constraint "one arm a decision" relaxed by λ, arms are independent. Of each arm, the average-reward problem

    g + h(x) = max(mean(x) − λ + h(x after play), h(x after rest))

has a gain g and a bias h. They are tabulated over theta × λ (× state) once, for all people. The relaxed optimum of all
arms is the least λ + Σ_k g_k(theta_k, λ) over λ; Σ_k h_k(theta_k, x_k, λ) values states beyond a lookahead.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined, kernel, overwrite, pick, remembered, routine, stack
from rogue_bandits.model.problem import arm_table, types_in
from rogue_bandits.planning.cells import PLAY, REST
from rogue_bandits.planning.grid import Grid, Place, box_grid, grid_fault, node_means, place, state_place
from rogue_bandits.types import Arm, Floats, Ints, coordinate, next_state, signal

THETAS, STATES, MULTIPLIERS = 9, 101, 60
BELOW, ABOVE = 0.5, 0.05  # of the range of means: how far the multipliers reach beyond it
DAMPING = 0.7
TOLERANCE = 1e-6  # of the range of means, for the span of Th − h
MOST_SWEEPS = 2_000
NEARLY_LEAST = 1e-4  # of the range of λ + Σ g: nodes this near to the least count as equal


class Values(NamedTuple):
    """Gain and bias of every arm at nodes of theta, λ and the state: immutable, shared by all people.

    A row is that of an `ArmTable`: one for all people, or one for each where their dynamics differ.
    """

    grid: Grid
    multiplier: Floats  # λ [multipliers], even and rising
    gain: Floats  # g [rows, arms, thetas, multipliers]
    bias: Floats  # h [rows, arms, thetas, multipliers, states]


def relaxed_values(people: list[list[Arm]]) -> Values:
    """Solve every arm at every node; `people` has one list of arms for all, or one for each (`model.problem.rows_of`).

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.0, pull=-1.0, drift=1.0), rb.BernoulliLogit(0.0, 50.0))
    >>> found = relaxed_values([[arm]])
    >>> j = int(np.searchsorted(found.multiplier, 0.2))  # played at every second decision, when its mean is 1
    >>> bool(abs(found.gain[0, 0, 0, j] - (1.0 - found.multiplier[j]) / 2.0) < 1e-6)
    True
    """
    rows = tuple(tuple(arms) for arms in people)
    return _relaxed_values(types_in(rows), rows)


@remembered(32)
def _relaxed_values(types: tuple[Any, ...], people: tuple[tuple[Arm, ...], ...]) -> Values:
    """Solve once for each problem; `types` distinguishes problems of equal numbers."""
    if (wrong := grid_fault(people[0])) is not None:
        raise ValueError(wrong)
    arms, grid = arm_table([list(one) for one in people]).arms, box_grid(people[0], THETAS, STATES)
    means = node_means(pick(arms, 0), grid)
    return solved(arms, grid, means, multipliers(means))


def values_at(arms: Arm, theta: Floats) -> tuple[Values, float]:
    """Solve stacked arms at one theta each; return the values near the least λ + Σ g, and that λ."""
    d, k = arms.dynamics, theta.size
    y = np.array([coordinate(pick(arms, j).rewards, theta[j]) for j in range(k)])
    grid = Grid(y, np.zeros(k), 1, d.lo, (d.hi - d.lo) / (STATES - 1), STATES)
    means, row, first = node_means(arms, grid), stack([arms]), np.zeros(k)
    nodes = multipliers(means)
    for _ in range(2):  # from the range of means to two steps of its nodes
        values = solved(row, grid, means, nodes)
        least = least_multiplier(values, 0, first, first, np.empty(MULTIPLIERS))
        step = nodes[1] - nodes[0]
        nodes = np.linspace(least - step, least + step, MULTIPLIERS)
    return values, least


def multipliers(means: Floats) -> Floats:
    """Return even multipliers over the range of means and somewhat beyond."""
    lo, hi = float(means.min()), float(means.max())
    width = hi - lo or 1.0
    return np.linspace(lo - BELOW * width, hi + ABOVE * width, MULTIPLIERS)


def solved(arms: Arm, grid: Grid, means: Floats, multiplier: Floats) -> Values:
    """Solve arms [rows, arms] at every node."""
    rows, k = arms.dynamics.lo.shape
    gain, tolerance = np.empty((rows, k, grid.thetas, multiplier.size)), TOLERANCE * (float(np.ptp(means)) or 1.0)
    values = Values(grid, multiplier, gain, np.zeros((*gain.shape, grid.states)))
    for row in range(rows):
        iterate(pick(arms, row), means, row, tolerance, values)
    return values


@kernel
def iterate(arms: Arm, means: Floats, row: int, tolerance: float, values: Values) -> None:
    """Fill in gain and bias of a row, by damped relative value iteration from the bias at the multiplier before."""
    at, weight = np.empty((2, values.grid.states), dtype=np.int64), np.empty((2, values.grid.states))
    for k in range(means.shape[0]):
        d = pick(arms, k).dynamics
        steps(values.grid, d, k, signal(d, k, -1), at[REST], weight[REST])
        steps(values.grid, d, k, signal(d, k, k), at[PLAY], weight[PLAY])
        for i in range(means.shape[1]):
            for j in range(values.multiplier.size):
                h = values.bias[row, k, i, j]
                if j > 0:
                    overwrite(h, values.bias[row, k, i, j - 1])
                values.gain[row, k, i, j] = solve_arm(means[k, i], values.multiplier[j], at, weight, tolerance, h)


@inlined
def steps(grid: Grid, d: Any, k: int, played_t: float, at: Ints, weight: Floats) -> None:
    """Fill in the place of the next state of each node of arm k."""
    for i in range(grid.states):
        x = grid.state_lo[k] + i * grid.state_step[k]
        at[i], weight[i] = state_place(grid, k, next_state(d, x, played_t))


@routine
def solve_arm(means: Floats, multiplier: float, at: Ints, weight: Floats, tolerance: float, h: Floats) -> float:
    """Improve h until span(Th − h) is below the tolerance; return the gain. h is 0 at the top state."""
    ahead, top = np.empty(h.size), h.size - 1
    least, most = 0.0, 0.0
    for _ in range(MOST_SWEEPS):
        least, most = np.inf, -np.inf
        for x in range(h.size):
            play = means[x] - multiplier + lerp(h, at[PLAY, x], weight[PLAY, x])
            ahead[x] = max(play, lerp(h, at[REST, x], weight[REST, x])) - h[x]
            least, most = min(least, ahead[x]), max(most, ahead[x])
        shift = h[top] + DAMPING * ahead[top]
        for x in range(h.size):
            h[x] += DAMPING * ahead[x] - shift
        if most - least < tolerance:
            break
    return 0.5 * (least + most)


@inlined
def lerp(h: Floats, i: int, weight: float) -> float:
    """Interpolate h between nodes i and i + 1; there is a node i + 1 at every place."""
    value: float = h[i] + weight * (h[i + 1] - h[i])
    return value


@inlined
def least_multiplier(values: Values, row: int, node: Floats, weight: Floats, cost: Floats) -> float:
    """Return the λ with the least λ + Σ_k g_k(theta_k, λ); theta_k is at (node[k], weight[k]); `cost` is filled in.

    Where several adjacent nodes are nearly least the minimum is flat, and their middle is returned; else the vertex of
    the parabola through the least node and its neighbours.
    """
    overwrite(cost, values.multiplier)
    for k in range(node.size):
        i, w = int(node[k]), weight[k]
        low, high = values.gain[row, k, i], values.gain[row, k, min(i + 1, values.grid.thetas - 1)]
        for j in range(cost.size):
            cost[j] += low[j] + w * (high[j] - low[j])
    least = 0
    for j in range(1, cost.size):
        if cost[j] < cost[least]:
            least = j
    # The sum is convex in λ, so that it is largest at an end, and nearly least on an interval.
    near = cost[least] + NEARLY_LEAST * (max(cost[0], cost[cost.size - 1]) - cost[least])
    first, last = least, least
    while first > 0 and cost[first - 1] <= near:
        first -= 1
    while last < cost.size - 1 and cost[last + 1] <= near:
        last += 1
    middle = 0.5 * (first + last)
    if first == last and 0 < least < cost.size - 1:
        before, after = cost[least - 1] - cost[least], cost[least + 1] - cost[least]
        middle += 0.5 * (before - after) / (before + after)
    middle_multiplier: float = values.multiplier[0] + middle * (values.multiplier[1] - values.multiplier[0])
    return middle_multiplier


@inlined
def multiplier_place(values: Values, multiplier: float) -> Place:
    """Locate a multiplier among the nodes."""
    nodes = values.multiplier
    return place(multiplier, nodes[0], nodes[1] - nodes[0], nodes.size)
