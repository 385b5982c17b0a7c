"""Tables of theta that all people share, and the sums before the first reward."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from rogue_bandits.belief.bank import agent_likelihood as agent_likelihood  # registers the laws of agents
from rogue_bandits.belief.bank.exponential_likelihood import BEGIN, ETAS, FIRST, STEP, WINDOW
from rogue_bandits.belief.bank.likelihood import ThetaTables
from rogue_bandits.belief.nodes import nodes_needed
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.exponential import dispersion, etas_of, log_partition
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.numerics.chebyshev import nodes as chebyshev_nodes
from rogue_bandits.numerics.chebyshev import transform
from rogue_bandits.types import Arm, Floats, coordinate


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
