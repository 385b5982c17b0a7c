"""Tables of the divergence of a family given by `loglik`, at one state, from which settled rewards are summed up.

At a known state x the quotient kl(theta, x, theta2, x) / (theta − theta2)² is a smooth function of x, theta and theta2:
half the information where both thetas are equal. It is held by its Chebyshev coefficients. A sum over rewards is then
linear in Σ T_k(x_t): only these few sums of the states are needed, and the divergence has the same relative error close
to the fit and far from it. See docs/decisions/0034-sums-of-families-by-loglik.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from rogue_bandits.compile.laws import kernel, remembered
from rogue_bandits.model.protocols import Model
from rogue_bandits.numerics.chebyshev import degree_needed, nodes, tail, transform, values
from rogue_bandits.types import Arm, Floats, coordinate, draw, information, kl, loglik, theta_at

THETA_NODES = (16, 24, 32, 48, 64)
STATE_NODES = (8, 16, 24, 32, 48)
TOLERANCE = 1e-10  # of a quotient, relative to the largest
LIKELIHOOD_TOLERANCE = 1e-12  # of a log-likelihood, likewise: its slope decides the fit
TAIL = 3  # coefficients that are to be below the tolerance
BETWEEN = (-0.83, -0.21, 0.47)  # between nodes, where quotients are checked
RAISED = (ArithmeticError, ValueError, RuntimeError)  # by a law outside of its domain


@kernel
def fill_quotients(f: Model, theta: Floats, theta2: Floats, x: Floats, out: Floats) -> None:
    """Write the quotient at all states (first axis) and pairs of thetas."""
    for k in range(x.size):
        for i in range(theta.size):
            for j in range(theta2.size):
                apart = theta[i] - theta2[j]
                if apart == 0.0:
                    out[k, i, j] = 0.5 * information(f, theta[i], x[k])[0]
                else:
                    out[k, i, j] = kl(f, theta[i], x[k], theta2[j], x[k]) / (apart * apart)


def box_of(arm: Arm) -> tuple[Any, float, float, float, float]:
    """Return the family of an arm, with the bounds of theta and of the state."""
    return arm.rewards, arm.theta_lo, arm.theta_hi, arm.dynamics.lo, arm.dynamics.hi


def is_tabulated(arm: Arm) -> bool:
    """Return whether nodes hold the log-likelihood and the divergence of an arm."""
    return likelihood_nodes(*box_of(arm)) is not None and quotients(*box_of(arm)) is not None


@remembered(256, typed=True)
def quotients(f: Model, theta_lo: float, theta_hi: float, lo: float, hi: float) -> Floats | None:
    """Return the coefficients [x, theta, theta2] of the quotient; None if it is not smooth enough for the nodes.

    `typed`: NamedTuples of two families with the same numbers are equal.
    """
    theta, state, m, n = (theta_lo, theta_hi), (lo, hi), STATE_NODES[0], THETA_NODES[0]
    try:
        with np.errstate(all="ignore"):
            while m and n:
                c = _coefficients(f, theta, state, m, n)
                along = [tail(np.moveaxis(c, axis, 0), TAIL) for axis in range(3)]
                if max(along) <= TOLERANCE:
                    return c if _holds_between(f, theta, state, c) else None
                m = m if along[0] <= TOLERANCE else _next(STATE_NODES, m)
                n = n if max(along[1:]) <= TOLERANCE else _next(THETA_NODES, n)
    except RAISED:
        pass
    return None


def _next(sizes: tuple[int, ...], size: int) -> int:
    """Return the next larger size; 0 if there is none."""
    return min((larger for larger in sizes if larger > size), default=0)


def thetas_at(f: Model, theta: tuple[float, float], s: Floats) -> Floats:
    """Return the thetas at places s in [−1, 1] of their coordinate."""
    a, b = coordinate(f, theta[0]), coordinate(f, theta[1])
    return np.array([theta_at(f, 0.5 * (a + b) + 0.5 * (b - a) * s_k) for s_k in s.tolist()])


def _coefficients(f: Model, theta: tuple[float, float], state: tuple[float, float], m: int, n: int) -> Floats:
    at, x, out = thetas_at(f, theta, nodes(n)), states_at(state, nodes(m)), np.empty((m, n, n))
    fill_quotients(f, at, at, x, out)
    to_x, to_theta = transform(m), transform(n)
    c: Floats = np.einsum("ak,bi,cj,kij->abc", to_x, to_theta, to_theta, out, optimize=True)
    return np.ascontiguousarray(c)


def states_at(state: tuple[float, float], s: Floats) -> Floats:
    """Return the states at places s in [−1, 1]."""
    x: Floats = 0.5 * (state[0] + state[1]) + 0.5 * (state[1] - state[0]) * s
    return x


def _holds_between(f: Model, theta: tuple[float, float], state: tuple[float, float], c: Floats) -> bool:
    """Return whether the coefficients give the quotient between nodes and at the ends too."""
    s, s2 = np.array([-1.0, *BETWEEN, 1.0]), np.array([-0.59, 0.07, 0.91])
    exact = np.empty((s.size, s.size, s2.size))
    fill_quotients(f, thetas_at(f, theta, s), thetas_at(f, theta, s2), states_at(state, s), exact)
    m, n, _ = c.shape
    found = np.einsum("ak,bi,cj,abc->kij", values(m, s), values(n, s), values(n, s2), c, optimize=True)
    return bool(np.abs(found - exact).max() <= 10.0 * TOLERANCE * np.abs(c).max())


@remembered(256, typed=True)
def likelihood_nodes(f: Model, theta_lo: float, theta_hi: float, lo: float, hi: float) -> int | None:
    """Return how many nodes of theta hold the log-likelihood of some rewards; None if too many are needed."""
    ends = theta_lo, theta_hi

    def along_theta(x: float, r: float) -> Callable[[Floats], Floats]:
        return lambda s: np.array([loglik(f, theta, x, r) for theta in thetas_at(f, ends, s).tolist()])

    try:
        functions = [along_theta(x, r) for x, r in _some_rewards(f, ends, (lo, hi))]
        with np.errstate(all="ignore"):
            needed = degree_needed(functions, LIKELIHOOD_TOLERANCE, THETA_NODES[-1])
    except RAISED:
        return None
    fitting = [n for n in THETA_NODES if needed is not None and n >= needed + TAIL]
    return fitting[0] if fitting else None


def _some_rewards(f: Model, theta: tuple[float, float], state: tuple[float, float]) -> Iterator[tuple[float, float]]:
    """Yield states with rewards: usual ones and seldom ones."""
    for at, x, u in product(theta, states_at(state, np.array([-1.0, 0.1, 1.0])).tolist(), (0.01, 0.6, 0.99)):
        r = float(draw(f, at, x, u))
        if math.isfinite(r):
            yield x, r
