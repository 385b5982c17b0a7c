"""The log-likelihood of a reward as a function of theta: a sum of a few known functions, with coefficients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rogue_bandits.belief.nodes import NodeTables
from rogue_bandits.compile.laws import law
from rogue_bandits.model.protocols import LinearPredictor
from rogue_bandits.model.rewards.exponential import Exponential
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.types import Floats, loglik, statistics


@law
def fill_basis(f: Any, nodes: NodeTables, k: int, y: float, basis: Floats) -> None:
    """Write the functions of theta that `add_coefficients` refers to, at the coordinate y."""


@law
def add_series(f: Any, nodes: NodeTables, k: int, window: Floats, coefficients: Floats, out: Floats) -> None:
    """Add Σ_c basis_c(theta)·coefficients[c] at the nodes of theta in a window, term by term in the order of c."""


@law
def add_coefficients(f: Any, nodes: NodeTables, k: int, x: float, r: float, column: Floats) -> None:
    """Add the log-likelihood of reward r at state x, as a function of theta, to its coefficients."""


@fill_basis.register(Exponential)
def exponential_fill_basis(f: LinearPredictor, nodes: NodeTables, k: int, y: float, basis: Floats) -> None:
    """Write Chebyshev polynomials."""
    s = (y - nodes.middle[k]) / nodes.half[k]
    basis[0], basis[1] = 1.0, s
    for c in range(2, basis.size):
        basis[c] = 2.0 * s * basis[c - 1] - basis[c - 2]


@add_coefficients.register(Exponential)
def exponential_add_coefficients(
    f: LinearPredictor, nodes: NodeTables, k: int, x: float, r: float, column: Floats
) -> None:
    """Add the log-likelihood, interpolated at the nodes of the potential: the rest of it is linear in theta."""
    for j in range(column.size):
        value = loglik(f, nodes.theta[k, j], x, r)
        for c in range(column.size):
            column[c] += nodes.to_w[j, c] * value


@add_series.register(Exponential)
def exponential_add_series(
    f: LinearPredictor, nodes: NodeTables, k: int, window: Floats, coefficients: Floats, out: Floats
) -> None:
    """Add the series, all nodes for each polynomial in turn: the compiler then uses vector instructions."""
    step, room = (window[1] - window[0]) / (out.size - 1), np.empty((3, out.size))
    s, before, now = room[0], room[1], room[2]
    for j in range(out.size):
        s[j] = (window[0] + j * step - nodes.middle[k]) / nodes.half[k]
        before[j], now[j] = 1.0, s[j]
        out[j] = out[j] + coefficients[0] + s[j] * coefficients[1]
    for c in range(2, coefficients.size):
        for j in range(out.size):
            after = 2.0 * s[j] * now[j] - before[j]
            before[j], now[j] = now[j], after
            out[j] += after * coefficients[c]


@fill_basis.register(LaplaceAgent)
def laplace_agent_fill_basis(f: LaplaceAgent, nodes: NodeTables, k: int, y: float, basis: Floats) -> None:
    """Write −log theta, −1/theta and a constant."""
    basis[0], basis[1], basis[2] = -y, -math.exp(-y), -math.log(2.0)


@add_coefficients.register(LaplaceAgent)
def laplace_agent_add_coefficients(
    f: LaplaceAgent, nodes: NodeTables, k: int, x: float, r: float, column: Floats
) -> None:
    """Add 1 if the reward is inside (0, 1), its distance |r − x|, and 1 for the constant."""
    inside, _, distance = statistics(f, x, r)
    column[0] += inside
    column[1] += distance
    column[2] += 1.0


@add_series.register(LaplaceAgent)
def laplace_agent_add_series(
    f: LaplaceAgent, nodes: NodeTables, k: int, window: Floats, coefficients: Floats, out: Floats
) -> None:
    """Add the series, node by node."""
    step, basis = (window[1] - window[0]) / (out.size - 1), np.empty(coefficients.size)
    for j in range(out.size):
        fill_basis(f, nodes, k, window[0] + j * step, basis)
        for c in range(basis.size):
            out[j] += basis[c] * coefficients[c]
