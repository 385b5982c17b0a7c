"""Settled rewards of a family given by `loglik`: their number, and sums that are functions of theta.

A row of `LineEvidence.w` has, with n nodes of theta and m of x:
    n numbers   the coefficients of Σ loglik(theta, x_t, r_t),
    m numbers   Σ T_k(x_t), from which `model.rewards.quotients` gives the divergence of any two thetas,
    2n numbers  that divergence from the fit: the coefficients of its quotient by theta, and of the quotient's slope by
                the fitted theta.
"""

from __future__ import annotations

import numpy as np

from rogue_bandits.belief.evidence import (
    ArmEvidence,
    add_settled,
    potential_at,
    prepare_fit,
    settled_from,
    settled_from_fit,
)
from rogue_bandits.belief.nodes import NodeTables
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.protocols import Model
from rogue_bandits.model.rewards.numeric import STEP, UNPROVEN, Numeric
from rogue_bandits.model.rewards.quotients import LIKELIHOOD_TOLERANCE, TAIL
from rogue_bandits.numerics.chebyshev import chebyshev_sum, clenshaw
from rogue_bandits.types import Floats, Potential, coordinate, loglik, theta_at

SLACK = 10.0  # times the tolerance: what is left open of a reward that needs more nodes than those tried


@add_settled.register(Numeric)
def numeric_add_settled(f: Model, nodes: NodeTables, sums: Floats, w: Floats, k: int, x: float, r: float) -> bool:
    """Add the reward if the nodes hold its log-likelihood and there are rows (old snapshots have none)."""
    n, m = nodes.to_w.shape[0], nodes.quotients.shape[1]
    return nodes.is_summed[k] and w.size == 3 * n + m and add_if_held(f, nodes, sums, w, k, x, r)


@routine
def add_if_held(f: Model, nodes: NodeTables, sums: Floats, w: Floats, k: int, x: float, r: float) -> bool:
    """Add a reward at state x; return False, and add nothing, if the nodes do not hold its log-likelihood."""
    n, m, half = nodes.to_w.shape[0], nodes.quotients.shape[1], nodes.x_half[k]
    c = np.zeros(n)
    for j in range(n):
        value = loglik(f, nodes.theta[k, j], x, r)
        for i in range(n):
            c[i] += nodes.to_w[j, i] * value
    lo, hi = theta_at(f, nodes.middle[k] - nodes.half[k]), theta_at(f, nodes.middle[k] + nodes.half[k])
    if not is_held(c, loglik(f, lo, x, r), loglik(f, hi, x, r)):
        return False
    sums[0] += 1.0
    for i in range(n):
        w[i] += c[i]
    s = (x - nodes.x_middle[k]) / half if half > 0.0 else 0.0
    t, t_next = 1.0, s
    for i in range(m):
        w[n + i] += t
        t, t_next = t_next, 2.0 * s * t_next - t
    return True


@inlined
def is_held(c: Floats, at_lo: float, at_hi: float) -> bool:
    """Return whether the last coefficients have vanished and the sum is right at the ends, where no node is."""
    size, sign, from_lo, from_hi = 1.0, 1.0, 0.0, 0.0
    for i in range(c.size):
        size = max(size, abs(c[i]))
        from_lo += sign * c[i]
        from_hi += c[i]
        sign = -sign
    close = SLACK * LIKELIHOOD_TOLERANCE * size
    for i in range(c.size - TAIL, c.size):
        if not abs(c[i]) <= close:
            return False
    return abs(from_lo - at_lo) <= SLACK * close and abs(from_hi - at_hi) <= SLACK * close


@inlined
def place(f: Model, s: ArmEvidence, theta: float) -> float:
    """Return the place of theta among the nodes, in [−1, 1]."""
    return (coordinate(f, theta) - s.middle) / s.half


@inlined
def rate_of_place(f: Model, s: ArmEvidence, theta: float) -> float:
    """Return the derivative of `place` by theta."""
    step = 0.1 * STEP * max(abs(theta), 1e-2)
    return (place(f, s, theta + step) - place(f, s, theta - step)) / (2.0 * step)


@potential_at.register(Numeric)
def numeric_potential_at(f: Model, s: ArmEvidence, theta: float) -> Potential:
    """Return the summed log-likelihood; its derivatives are not used, and are 0."""
    if s.sums[0] == 0.0:
        return Potential(0.0, 0.0, 0.0)
    return Potential(chebyshev_sum(s.w[: s.quotients.shape[1]], place(f, s, theta)), 0.0, 0.0)


@routine
def divergence_to(f: Model, s: ArmEvidence, theta2: float, out: Floats) -> None:
    """Write the coefficients, in theta, of the summed quotient to theta2 and of its slope by theta2."""
    m, n = s.quotients.shape[0], s.quotients.shape[1]
    at, rate = place(f, s, theta2), rate_of_place(f, s, theta2)
    for i in range(n):
        c = np.zeros(n)
        for k in range(m):
            for j in range(n):
                c[j] += s.w[n + k] * s.quotients[k, i, j]
        value, slope, _ = clenshaw(c, at)
        out[i], out[n + i] = value, rate * slope


@inlined
def divergence_by(f: Model, s: ArmEvidence, held: Floats, theta: float, theta2: float) -> tuple[float, float]:
    """Return the divergence from theta to theta2, and its slope by theta2, from what `divergence_to` wrote."""
    n, at, apart = s.quotients.shape[1], place(f, s, theta), theta - theta2
    value, slope = chebyshev_sum(held[:n], at), chebyshev_sum(held[n:], at)
    return max(0.0, apart * apart * value), apart * (apart * slope - 2.0 * value)


@settled_from.register(Numeric)
def numeric_settled_from(
    f: Model, s: ArmEvidence, theta: float, theta2: float, at2: Potential
) -> tuple[float, float, float]:
    """Return the divergence from sums over states."""
    if s.sums[0] == 0.0:
        return 0.0, 0.0, 0.0
    n = s.quotients.shape[1]
    held = np.empty(2 * n)
    divergence_to(f, s, theta2, held)
    divergence, slope = divergence_by(f, s, held, theta, theta2)
    return divergence, slope, 2.0 * chebyshev_sum(held[:n], place(f, s, theta2))


@settled_from_fit.register(Numeric)
def numeric_settled_from_fit(
    f: Model, s: ArmEvidence, theta: float, theta2: float, at2: Potential
) -> tuple[float, float]:
    """Return the divergence from the coefficients that `prepare_fit` wrote."""
    if s.sums[0] == 0.0:
        return 0.0, 0.0
    n, m = s.quotients.shape[1], s.quotients.shape[0]
    return divergence_by(f, s, s.w[n + m :], theta, theta2)


@prepare_fit.register(Numeric)
def numeric_prepare_fit(f: Model, s: ArmEvidence, theta: float, at: Potential) -> tuple[float, float]:
    """Write the divergence from the fit; its curvature there is the information, and nothing is proven beyond."""
    if s.sums[0] == 0.0:
        return 0.0, np.inf
    n, m = s.quotients.shape[1], s.quotients.shape[0]
    held = s.w[n + m :]
    divergence_to(f, s, theta, held)
    return 2.0 * chebyshev_sum(held[:n], place(f, s, theta)), UNPROVEN
