"""Early rewards of a family given by `loglik`, whose divergence has a table (`model.rewards.low_rank`).

For one theta the table is reduced to functions of the state once; each reward then costs a few dozen multiplications in
place of an integral. What the fit adds is prepared, a row for each reward.
"""

from __future__ import annotations

import numpy as np

from rogue_bandits.belief.evidence import SLOPE_FIT, X_FIT, ArmEvidence, early_line
from rogue_bandits.belief.from_fit import Change, added, early_from_fit, is_prepared, prepared_early
from rogue_bandits.belief.local_fit import LocalFit
from rogue_bandits.belief.settled_numeric import place, rate_of_place
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.clipped_affine import state_on_line
from rogue_bandits.model.protocols import Model
from rogue_bandits.model.rewards.numeric import Numeric
from rogue_bandits.types import Floats

FEW = 4  # rewards are read one by one


@is_prepared.register(Numeric)
def has_factors(f: Model, s: ArmEvidence) -> bool:
    """Return whether there is a table of factors, and more than a few rewards."""
    return bool(s.factors.shape[2] > 0 and s.early.shape[0] > FEW)


@inlined
def x_place(s: ArmEvidence, x: float) -> float:
    """Return the place of a state among the nodes, in [−1, 1]."""
    return (x - s.x_middle) / s.x_half if s.x_half > 0.0 else 0.0


@inlined
def write_series(c: Floats, at: float, value: Floats) -> None:
    """Write Σ_i T_i(at)·c[i], a row each."""
    for k in range(value.size):
        value[k] = 0.0
    t, t_next = 1.0, at  # T_i and T_{i+1}
    for i in range(c.shape[0]):
        for k in range(value.size):
            value[k] += t * c[i, k]
        t, t_next = t_next, 2.0 * at * t_next - t


@inlined
def write_slopes(c: Floats, at: float, slope: Floats) -> None:
    """Write the derivative of the same by `at`."""
    for k in range(slope.size):
        slope[k] = 0.0
    t, t_next, d, d_next = 1.0, at, 0.0, 1.0  # and the derivatives of T_i and T_{i+1}
    for i in range(c.shape[0]):
        for k in range(slope.size):
            slope[k] += d * c[i, k]
        d, d_next = d_next, 2.0 * t_next + 2.0 * at * d_next - d
        t, t_next = t_next, 2.0 * at * t_next - t


@prepared_early.register(Numeric)
def prepared_factors(f: Model, s: ArmEvidence, c: LocalFit) -> Floats:
    """Return the second factor at the fit, with its derivatives by theta and by x, for each early reward."""
    return factors_at_fit(f, s, c)


@routine
def factors_at_fit(f: Model, s: ArmEvidence, c: LocalFit) -> Floats:
    """Return a row for each early reward: b, and its derivatives by theta and by x."""
    n, m, both = s.factors.shape
    value, slope, table = np.empty(m * both), np.empty(m * both), s.factors.reshape(n, m * both)
    write_series(table, place(f, s, c.theta), value)
    write_slopes(table, place(f, s, c.theta), slope)
    value_of_x, slope_of_x = value.reshape(m, both), slope.reshape(m, both)
    per_theta, per_x = rate_of_place(f, s, c.theta), 1.0 / s.x_half if s.x_half > 0.0 else 0.0
    at_state, by_theta, by_x = np.empty(both), np.empty(both), np.empty(both)
    terms, rows = both // 2, np.empty((s.early.shape[0], 3 * (both // 2)))
    for i in range(s.early.shape[0]):
        at = x_place(s, s.early[i, X_FIT])
        write_series(value_of_x, at, at_state)
        write_series(slope_of_x, at, by_theta)
        write_slopes(value_of_x, at, by_x)
        for k in range(terms):
            rows[i, k], rows[i, terms + k] = at_state[terms + k], per_theta * by_theta[terms + k]
            rows[i, 2 * terms + k] = per_x * by_x[terms + k]
    return rows


@early_from_fit.register(Numeric)
def early_by_factors(f: Model, s: ArmEvidence, prepared: Floats, c: LocalFit, theta: float, x0: float) -> Change:
    """Return the divergence from the factors; where they are not prepared, reward by reward."""
    if prepared.shape[0] == 0:
        return added(f, s, 0, s.early.shape[0], Change(0.0, 0.0, 0.0), c, theta, x0)
    return factors_from_fit(f, s, prepared, theta, x0)


@routine
def factors_from_fit(f: Model, s: ArmEvidence, prepared: Floats, theta: float, x0: float) -> Change:
    """Return Σ a(p)·(b(q) − b(p)) over the rewards, and its gradient Σ a(p)·b'(q)."""
    n, m, both = s.factors.shape
    value, at_state, terms = np.empty(m * both), np.empty(both), both // 2
    write_series(s.factors.reshape(n, m * both), place(f, s, theta), value)
    value_of_x = value.reshape(m, both)
    total = by_theta = by_x0 = 0.0
    for i in range(prepared.shape[0]):
        write_series(value_of_x, x_place(s, state_on_line(early_line(s, i), x0)), at_state)
        divergence, by_x, row = 0.0, 0.0, prepared[i]
        for k in range(terms):
            divergence += at_state[k] * (row[k] - at_state[terms + k])
            by_theta += at_state[k] * row[terms + k]
            by_x += at_state[k] * row[2 * terms + k]
        total += max(0.0, divergence)
        by_x0 += s.early[i, SLOPE_FIT] * by_x
    return Change(total, by_theta, by_x0)
