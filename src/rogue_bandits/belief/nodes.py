"""Chebyshev nodes on which sums of potentials are represented, for each arm (docs/decisions/0003 and 0018)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.pool import PoolShape, nodes_and_spread, segments_needed
from rogue_bandits.compile.laws import inlined, remembered
from rogue_bandits.model.compiling import named_laws
from rogue_bandits.model.dynamics.forgetting import forgets_soon
from rogue_bandits.model.dynamics.projected import ProjectedDynamics
from rogue_bandits.model.protocols import LinearPredictor, Model
from rogue_bandits.model.rewards.exponential import Exponential, steepest
from rogue_bandits.model.rewards.low_rank import low_rank_divergence
from rogue_bandits.model.rewards.numeric import is_by_quadrature
from rogue_bandits.model.rewards.quotients import box_of, likelihood_nodes, quotients
from rogue_bandits.numerics.chebyshev import MOST_NODES, degree_needed, transform
from rogue_bandits.numerics.chebyshev import nodes as chebyshev_nodes
from rogue_bandits.types import Arm, Bools, Floats, coordinate, is_summable, potential, theta_at


class NodeTables(NamedTuple):
    """Chebyshev nodes in theta, and in the clipped x0 of pools, shared by all people."""

    theta: Floats  # [arms, nodes]
    to_w: Floats  # [nodes, nodes]: what a value at a node (first axis) adds to the coefficients (second)
    middle: Floats  # [arms]: of the coordinate of theta
    half: Floats  # [arms]: half its range
    c: Floats  # [nodes of pools]
    to_c: Floats  # [nodes of pools, nodes of pools]: as `to_w`
    pool_spread: Floats  # [arms]: the largest spread of a state that a block of coefficients of a pool holds
    segments: int  # of a pool's part for wider states; 0 if no arm needs it
    # Of families given by `loglik`, where their rewards are summed up (`quotients.py`):
    is_summed: Bools  # [arms]
    x_middle: Floats  # [arms]: of the states
    x_half: Floats  # [arms]: half their range
    quotients: Floats  # [arms, nodes of x, nodes, nodes]: coefficients of the divergence over (theta − theta2)²
    factors: Floats  # [arms, nodes, nodes of x, 2·terms]: of the divergence between two states (`low_rank.py`)


def node_tables(arms: Sequence[Arm]) -> NodeTables:
    """Return the nodes of each arm; of a family given by `loglik` nothing is summed up."""
    return tables_of(arms, nodes_needed(arms), [None] * len(arms), no_factors(arms))


def summing_tables(arms: Sequence[Arm]) -> NodeTables:
    """Return the nodes of each arm, with tables to sum up a family given by `loglik`, where it is smooth enough."""
    if is_summable(arms[0].rewards):
        return node_tables(arms)
    boxes = [box_of(arm) for arm in arms]
    sizes = [likelihood_nodes(*box) for box in boxes]
    with named_laws(arms):
        tables = [quotients(*box) if size is not None else None for box, size in zip(boxes, sizes, strict=True)]
        factors = factors_of(arms)
    made = [table for table in tables if table is not None]
    if not made:
        return node_tables(arms)._replace(factors=factors)
    n = max(*(size or 0 for size in sizes), *(table.shape[1] for table in made))
    return tables_of(arms, n, tables, factors)


def tables_of(arms: Sequence[Arm], n: int, tables: Sequence[Floats | None], factors: Floats) -> NodeTables:
    """Return n nodes of theta of each arm, and its table of quotients if it has one."""
    ends = np.array([[coordinate(a.rewards, a.theta_lo), coordinate(a.rewards, a.theta_hi)] for a in arms])
    middle, half = ends.mean(axis=1), np.diff(ends, axis=1)[:, 0] / 2
    y = middle[:, None] + half[:, None] * chebyshev_nodes(n)
    theta = [[theta_at(a.rewards, y_k) for y_k in row] for a, row in zip(arms, y, strict=True)]
    in_pool = [held_by_a_pool(a) for a in arms]
    m = max(needed for needed, _ in in_pool)
    segments = max(
        segments_needed(a.rewards, spread, a.dynamics.hi - a.dynamics.lo)
        for a, (_, spread) in zip(arms, in_pool, strict=True)
    )
    return NodeTables(
        np.array(theta), to_coefficients(n), middle, half,
        chebyshev_nodes(m), to_coefficients(m), np.array([spread for _, spread in in_pool]),
        segments,
        *padded(arms, n, tables), factors,
    )  # fmt: skip


@inlined
def pool_shape(nodes: NodeTables) -> PoolShape:
    """Return the sizes of pools."""
    return PoolShape(nodes.to_w.shape[0], nodes.c.size, nodes.segments)


def no_factors(arms: Sequence[Arm]) -> Floats:
    """Return factors without terms."""
    return np.zeros((len(arms), 0, 0, 0))


def factors_of(arms: Sequence[Arm]) -> Floats:
    """Return the factors of the divergence of arms that are slow to evaluate; none if one arm has none."""
    needed = [needs_factors(arm) for arm in arms]
    tables = [low_rank_divergence(*box_of(arm)) for arm in arms] if any(needed) else []
    made = [table for table in tables if table is not None]
    if not tables or len(made) < len(arms):
        return no_factors(arms)
    n, m, functions = np.max([table.shape for table in made], axis=0)
    together = np.zeros((len(arms), n, m, 2, functions // 2))
    for k, table in enumerate(made):
        parts = table.reshape(*table.shape[:2], 2, -1)
        together[k, : parts.shape[0], : parts.shape[1], :, : parts.shape[3]] = parts
    return together.reshape(len(arms), n, m, functions)


def needs_factors(arm: Arm) -> bool:
    """Return whether an arm may have many early rewards and a divergence that is computed by quadrature."""
    if is_summable(arm.rewards) or not is_by_quadrature(arm.rewards) or isinstance(arm.dynamics, ProjectedDynamics):
        return False
    return arm.x0 is None and not forgets_soon(arm.dynamics)


def padded(arms: Sequence[Arm], n: int, tables: Sequence[Floats | None]) -> tuple[Bools, Floats, Floats, Floats]:
    """Return `is_summed`, `x_middle`, `x_half` and `quotients`: coefficients that are missing are 0."""
    made = [table for table in tables if table is not None]
    m, n = max((table.shape[0] for table in made), default=0), n if made else 0
    together = np.zeros((len(arms), m, n, n))
    for k, table in enumerate(tables):
        if table is not None:
            together[k, : table.shape[0], : table.shape[1], : table.shape[2]] = table
    state = np.array([[a.dynamics.lo, a.dynamics.hi] for a in arms], dtype=np.float64)
    return np.array([t is not None for t in tables]), state.mean(axis=1), np.diff(state, axis=1)[:, 0] / 2, together


def to_coefficients(n: int) -> Floats:
    """Return what a value at a node (first axis) adds to the coefficients (second)."""
    return np.ascontiguousarray(transform(n).T)


def held_by_a_pool(arm: Arm) -> tuple[int, float]:
    """Return the number of nodes of a pool of this arm, and the largest spread of a state in it; 0 for no pool."""
    if not is_summable(arm.rewards) or isinstance(arm.dynamics, ProjectedDynamics):
        return 1, 0.0
    return nodes_and_spread(arm.rewards, arm.theta_lo, arm.theta_hi, tuple(telling_states(arm.rewards, arm)))


def nodes_needed(arms: Sequence[Arm]) -> int:
    """Return how many Chebyshev coefficients represent the potential of each arm at each state to rounding error."""
    most = 0
    for k, arm in enumerate(arms):
        n = nodes_at(arm.rewards, arm.theta_lo, arm.theta_hi, tuple(telling_states(arm.rewards, arm)))
        if n is None:
            raise ValueError(
                f"arm {arm.name or k!r}, {arm.rewards} with theta from {arm.theta_lo} to {arm.theta_hi} is too steep: "
                f"{MOST_NODES} nodes do not hold it. Narrow the bounds of theta, or rescale it."
            )
        most = max(most, n)
    return most


# Cached, as a bandit is often made for each of many people. Typed: NamedTuples of two families with the same numbers
# are equal.
@remembered(256, typed=True)
def nodes_at(f: Model, theta_lo: float, theta_hi: float, states: tuple[float, ...]) -> int | None:
    """Return the same for one family at these states; None if MOST_NODES do not suffice."""
    lo, hi = coordinate(f, theta_lo), coordinate(f, theta_hi)

    def along_theta(x: float) -> Callable[[Floats], Floats]:
        def values(s: Floats) -> Floats:
            y = 0.5 * (lo + hi) + 0.5 * (hi - lo) * s
            return np.array([potential(f, theta_at(f, y_k), x) for y_k in y])

        return values

    return degree_needed([along_theta(x) for x in states])


@singledispatch
def telling_states(f: Any, arm: Arm) -> list[float]:
    """Return states that include, nearly, the one that needs the most nodes: evenly spaced, denser at the ends."""
    lo, hi = arm.dynamics.lo, arm.dynamics.hi
    near = (hi - lo) * 0.5 ** np.arange(2, 16)
    return [*np.linspace(lo, hi, 9), *(lo + near), *(hi - near)]


@telling_states.register(Exponential)
def exponential_telling_states(f: LinearPredictor, arm: Arm) -> list[float]:
    """Return the ends and the state where the middle theta is closest to the maximum of A'': only eta matters."""
    lo, hi = arm.dynamics.lo, arm.dynamics.hi
    if f.state_weight == 0.0:
        return [lo]
    top = (steepest(f) - f.theta_weight * 0.5 * (arm.theta_lo + arm.theta_hi)) / f.state_weight
    return [lo, min(max(top, lo), hi), hi]
