"""Tables of theta that all people share, and the sums before the first reward."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from rogue_bandits.belief.bank import agent_likelihood as agent_likelihood  # registers the laws of agents
from rogue_bandits.belief.bank.exponential_likelihood import BEGIN, FIRST, STEP, TOGETHER, WINDOW
from rogue_bandits.belief.bank.likelihood import ThetaTables
from rogue_bandits.model.rewards.exponential import dispersion, eta_range, log_partition
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.numerics.chebyshev import MOST_NODES, degree_needed, nodes, transform
from rogue_bandits.types import Arm, Floats, coordinate

TOLERANCE = 1e-11  # of A, relative to its largest coefficient: small beside what a reward tells


def theta_tables(arms: Sequence[Arm]) -> ThetaTables:
    """Return the tables of each arm."""
    ends = np.array([[coordinate(a.rewards, a.theta_lo), coordinate(a.rewards, a.theta_hi)] for a in arms])
    states = np.array([middle_and_half(a.dynamics.lo, a.dynamics.hi) for a in arms])
    if isinstance(arms[0].rewards, LaplaceAgent):
        none = np.zeros((len(arms), 1, 1))
        return ThetaTables(ends, states, none[:, 0], none[:, 0], none)
    etas = np.array([middle_and_half(*eta_range(a.rewards, a)) for a in arms])
    degree = max(degree_of(arm, k, *etas[k]) for k, arm in enumerate(arms))
    partition, joint = zip(*(series_of(arm, degree, *etas[k]) for k, arm in enumerate(arms)), strict=True)
    return ThetaTables(ends, states, etas, np.array(partition), trimmed(np.array(joint)))


def middle_and_half(lo: float, hi: float) -> tuple[float, float]:
    """Return the middle of an interval and half its length."""
    return 0.5 * (lo + hi), 0.5 * (hi - lo)


def degree_of(arm: Arm, k: int, middle: float, half: float) -> int:
    """Return the degree, an even number, of a polynomial that is as good as A on the range of natural parameters."""
    n = degree_needed([lambda s: potentials(arm, middle + half * s)], TOLERANCE)
    if n is None:
        raise ValueError(
            f"arm {arm.name or k!r}, {arm.rewards} with theta from {arm.theta_lo} to {arm.theta_hi} is too steep: "
            f"{MOST_NODES} nodes do not hold it. Narrow the bounds of theta or of the state, or rescale them."
        )
    return n - 1 + (n - 1) % 2


def series_of(arm: Arm, degree: int, middle: float, half: float) -> tuple[Floats, Floats]:
    """Return the Chebyshev coefficients of A as a function of eta, and as one of theta and x."""
    s, to_coefficients = nodes(degree + 1), transform(degree + 1)
    theta = 0.5 * (arm.theta_lo + arm.theta_hi) + 0.5 * (arm.theta_hi - arm.theta_lo) * s
    x = 0.5 * (arm.dynamics.lo + arm.dynamics.hi) + 0.5 * (arm.dynamics.hi - arm.dynamics.lo) * s
    eta = arm.rewards.theta_weight * theta[:, None] + arm.rewards.state_weight * x
    of_both = to_coefficients @ potentials(arm, eta.ravel()).reshape(eta.shape) @ to_coefficients.T
    return to_coefficients @ potentials(arm, middle + half * s), of_both


def potentials(arm: Arm, etas: Floats) -> Floats:
    """Return A over the dispersion at natural parameters."""
    return np.array([log_partition(arm.rewards, eta)[0] for eta in etas]) / dispersion(arm.rewards)


def trimmed(joint: Floats) -> Floats:
    """Return the series without coefficients that are negligible: [arms, odd number, 1 + multiple of TOGETHER]."""
    least = 0.01 * TOLERANCE * np.maximum(1.0, np.abs(joint).max(axis=(1, 2), keepdims=True))  # of each arm
    counts = np.argwhere(np.abs(joint) > least).max(axis=0, initial=0)
    rows, columns = counts[1] + counts[1] % 2, -(-counts[2] // TOGETHER) * TOGETHER
    room = np.zeros((len(joint), max(rows, 2) + 1, max(columns, TOGETHER) + 1))
    kept = np.where(np.abs(joint) > least, joint, 0.0)[:, : room.shape[1], : room.shape[2]]
    room[:, : kept.shape[1], : kept.shape[2]] = kept
    return room


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
