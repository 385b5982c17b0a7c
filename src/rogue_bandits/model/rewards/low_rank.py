"""Tables of the divergence between two states of a family given by `loglik`, where quadrature would be slow.

With p = (theta, x), kl(p ‖ q) is linear in the function log p(r | q) of r, and these functions span few dimensions: two
for a normal reward, as many as there are rewards where these are whole numbers. So kl(p ‖ q) = Σ_k a_k(p)·b_k(q), with
few terms, and it is 0 at q = p. Hence

    kl(p ‖ q) = Σ_k a_k(p)·(b_k(q) − b_k(p)),

which keeps its digits where p and q are close. Both factors are held by Chebyshev coefficients in (theta, x). See
docs/decisions/0034-sums-of-families-by-loglik.md.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from rogue_bandits.compile.laws import kernel, remembered
from rogue_bandits.model.protocols import Model
from rogue_bandits.model.rewards.quotients import RAISED, states_at, thetas_at
from rogue_bandits.numerics.chebyshev import nodes, transform, values
from rogue_bandits.types import Floats, kl

PIVOTS = (9, 7)  # places in theta and in x, from which the factors are made
MOST_TERMS = 16
NEGLIGIBLE = 1e-12  # a singular value, relative to the largest
SIZES = ((16, 12), (24, 16), (32, 24), (48, 32))  # nodes of theta and of x
TOLERANCE = 1e-10  # of a divergence, relative to the largest
BETWEEN = ((-1.0, -0.77, -0.29, 0.13, 0.61, 1.0), (-1.0, -0.53, 0.09, 0.71, 1.0))  # where it is checked
CLOSE = 1e-3  # and at points this far from these, with the same error relative to that distance

Box = tuple[tuple[float, float], tuple[float, float]]  # the bounds of theta, and of the state


@kernel
def fill_divergences(f: Model, p: Floats, q: Floats, out: Floats) -> None:
    """Write kl from each p to each q, rows of theta and x."""
    for i in range(p.shape[0]):
        for j in range(q.shape[0]):
            out[i, j] = kl(f, p[i, 0], p[i, 1], q[j, 0], q[j, 1])


def _divergences(f: Model, p: Floats, q: Floats) -> Floats:
    out = np.empty((len(p), len(q)))
    fill_divergences(f, p, q, out)
    return out


def _points(f: Model, box: Box, s: Floats, s_x: Floats) -> Floats:
    """Return all (theta, x) at places in [−1, 1] of both."""
    return np.array([*product(thetas_at(f, box[0], s).tolist(), states_at(box[1], s_x).tolist())])


@remembered(256, typed=True)
def low_rank_divergence(f: Model, theta_lo: float, theta_hi: float, lo: float, hi: float) -> Floats | None:
    """Return the coefficients [theta, x, term] of all a, then all b; None if the divergence is not smooth enough."""
    box = (theta_lo, theta_hi), (lo, hi)
    try:
        with np.errstate(all="ignore"):
            pivots = _points(f, box, *(np.append(nodes(n - 2), [-1.0, 1.0]) for n in PIVOTS))
            left, size, right = np.linalg.svd(_divergences(f, pivots, pivots))
            terms = int((size > NEGLIGIBLE * size[0]).sum())
            if terms > MOST_TERMS or not size[0] > 0.0:
                return None
            root = np.sqrt(size[:terms])
            for n, m in SIZES:
                at = _points(f, box, nodes(n), nodes(m))
                a = _combined(_divergences(f, at, pivots), right[:terms].T / root)
                b = _combined(_divergences(f, pivots, at).T, left[:, :terms] / root)
                table = _coefficients(np.concatenate([a, b], axis=1), n, m)
                if _holds(f, box, table, size[0]):
                    return table
    except (*RAISED, np.linalg.LinAlgError):
        pass
    return None


def _combined(of_pivots: Floats, weights: Floats) -> Floats:
    """Return the factors at points (first axis) from their divergences to or from the pivots."""
    return np.asarray(of_pivots @ weights)


def _coefficients(at_nodes: Floats, n: int, m: int) -> Floats:
    """Return the coefficients [theta, x, function] of functions from their values at all nodes."""
    c = np.einsum("ai,bj,ijk->abk", transform(n), transform(m), at_nodes.reshape(n, m, -1), optimize=True)
    return np.ascontiguousarray(c)


def _holds(f: Model, box: Box, table: Floats, size: float) -> bool:
    """Return whether a table gives the divergence between nodes, at the ends, and of points that are close together."""
    places = [np.array(s) for s in BETWEEN]
    nearby = [np.where(s > 0.0, s - CLOSE, s + CLOSE) for s in places]
    p, q = _points(f, box, *places), _points(f, box, *nearby)
    at_p, at_q = _values(table, *places), _values(table, *nearby)
    error = np.abs(_of_factors(at_p, at_p) - _divergences(f, p, p))
    close = np.abs(_of_factors(at_p, at_q) - _divergences(f, p, q)).diagonal()
    return bool(error.max() <= TOLERANCE * size and close.max() <= CLOSE * TOLERANCE * size)


def _values(table: Floats, s: Floats, s_x: Floats) -> Floats:
    """Return all a and all b (last axis) at all pairs of places."""
    n, m, functions = table.shape
    at = np.einsum("ai,bj,abk->ijk", values(n, s), values(m, s_x), table, optimize=True)
    return np.asarray(at.reshape(-1, functions))


def _of_factors(at_p: Floats, at_q: Floats) -> Floats:
    """Return the divergences from each p (first axis) to each q."""
    terms = at_p.shape[1] // 2
    a, b_p, b_q = at_p[:, :terms], at_p[:, terms:], at_q[:, terms:]
    return np.asarray(a @ b_q.T - (a * b_p).sum(axis=1)[:, None])
