"""All that an arm's rewards say about (theta, x0): once it has settled, a few hundred bytes whatever their number.

Rewards that came while the state still depended on x0 are *early* and are kept one by one. Once the state has settled
it is a known number, and only sums remain of a reward: its `statistics`, and W(theta) = Σ potential(theta, x_t), a
smooth function held by its Chebyshev coefficients.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from rogue_bandits.belief.nodes import NodeTables, pool_shape
from rogue_bandits.belief.pool import COUNT, FIRST_CAPACITY, PoolShape, clipped_x0, pool_size, pools_for
from rogue_bandits.belief.pool_laws import pooled_kl
from rogue_bandits.belief.surfaces import Surface, pooled_loglik, surface_at
from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.model.dynamics.clipped_affine import line_before_first, state_on_line
from rogue_bandits.model.protocols import Model
from rogue_bandits.numerics.chebyshev import clenshaw
from rogue_bandits.types import (
    Arm,
    Floats,
    Ints,
    Line,
    Potential,
    coordinate,
    kl,
    loglik,
    potential,
    settled_kl,
    settled_loglik,
    statistics,
)

NARROWER = 0.25  # than a pool is a block: where 12 nodes hold a function to 2e-15, 6 hold a quarter of it to 1e-11
X_FIT, SLOPE_FIT = 5, 6  # columns of `early`: the state at the fit, and d state / d x0 there


class LineEvidence(NamedTuple):
    """The evidence on every arm (second axis) of every person (first axis), and the fits to it."""

    line: Floats  # [people, arms, 4]: the state now, as a function of x0
    sums: Floats  # [people, arms, 4]: the number of settled rewards, and their three statistics
    w: Floats  # [people, arms, numbers]: the coefficients of W; of a family given by `loglik`, see `settled_numeric.py`
    early: Floats  # [people, arms, capacity, 7]: the line then, the reward, and X_FIT and SLOPE_FIT
    early_n: Ints  # [people, arms]
    kinks: (
        Floats  # [people, arms, 2·(capacity + pools + 1)]: the x0 at which the clip of an early reward begins, sorted
    )
    kinks_n: Ints  # [people, arms]
    pools: Floats  # [people, arms, pools, numbers]: sums of early rewards, see `pool.py`
    pools_n: Ints  # [people, arms]
    local_fit: Floats  # [people, arms, numbers]: see `local_fit.py`
    plays: Ints  # [people, arms]


class ArmEvidence(NamedTuple):
    """The evidence on one arm of one person: views into `LineEvidence`."""

    sums: Floats
    w: Floats
    early: Floats
    kinks: Floats
    pools: Floats
    middle: float
    half: float
    quotients: Floats  # of the arm: see `NodeTables`
    factors: Floats  # likewise
    x_middle: float  # of the states of the arm
    x_half: float
    block_spread: float  # the largest range of offsets of a block, see `blocks.py`
    pool_shape: PoolShape


def no_line_evidence(arms: Sequence[Arm], people: int, nodes: NodeTables, fit_size: int) -> LineEvidence:
    """Return the evidence before the first decision; the fits are the middle theta and the least x0."""
    shape, pools = (people, len(arms)), pools_for(FIRST_CAPACITY - 1)
    kinks, local_fit = np.zeros((*shape, 2 * (FIRST_CAPACITY + pools + 1))), np.zeros((*shape, fit_size))
    kinks[:, :, 0] = [a.dynamics.lo for a in arms]
    kinks[:, :, 1] = [a.dynamics.hi for a in arms]
    local_fit[:, :, 0] = [0.5 * (a.theta_lo + a.theta_hi) for a in arms]
    local_fit[:, :, 1] = [a.dynamics.lo if a.x0 is None else a.x0 for a in arms]
    return LineEvidence(
        line=np.tile(np.array([line_before_first(a) for a in arms], dtype=np.float64), (people, 1, 1)),
        sums=np.zeros((*shape, 4)),
        w=np.zeros((*shape, settled_size(nodes))),
        early=np.zeros((*shape, FIRST_CAPACITY, 7)),
        early_n=np.zeros(shape, dtype=np.int64),
        kinks=kinks,
        kinks_n=np.full(shape, 2, dtype=np.int64),
        pools=np.zeros((*shape, pools, pool_size(pool_shape(nodes)))),
        pools_n=np.zeros(shape, dtype=np.int64),
        local_fit=local_fit,
        plays=np.zeros(shape, dtype=np.int64),
    )


def with_capacity(e: LineEvidence, capacity: int) -> LineEvidence:
    """Return the same evidence with room for `capacity` early rewards an arm: where a state never settles, all are."""
    missing = capacity - e.early.shape[2]
    if missing <= 0:
        return e
    room = ((0, 0), (0, 0))
    more_pools = pools_for(capacity - 1) - e.pools.shape[2]
    early, pools = (np.pad(a, (*room, (0, m), (0, 0))) for a, m in ((e.early, missing), (e.pools, more_pools)))
    return e._replace(early=early, kinks=np.pad(e.kinks, (*room, (0, 2 * (missing + more_pools)))), pools=pools)


@inlined
def arm_evidence(nodes: NodeTables, e: LineEvidence, person: int, k: int) -> ArmEvidence:
    """Return the evidence on arm k of one person."""
    return ArmEvidence(
        e.sums[person, k],
        e.w[person, k],
        e.early[person, k, : e.early_n[person, k]],
        e.kinks[person, k, : e.kinks_n[person, k]],
        e.pools[person, k, : e.pools_n[person, k]],
        nodes.middle[k],
        nodes.half[k],
        nodes.quotients[k],
        nodes.factors[k],
        nodes.x_middle[k],
        nodes.x_half[k],
        NARROWER * nodes.pool_spread[k],
        pool_shape(nodes),
    )


class HasLine(Protocol):
    """Personal arrays with the state of every arm as a function of x0."""

    @property
    def line(self) -> Floats:
        """The clipped lines, [people, arms, 4]."""


@inlined
def line_now(e: HasLine, person: int, k: int) -> Line:
    """Return the state of arm k now."""
    row = e.line[person, k]
    return Line(row[0], row[1], row[2], row[3])


@inlined
def early_line(s: ArmEvidence, i: int) -> Line:
    """Return the state at the i-th early reward, as a function of x0."""
    return Line(s.early[i, 0], s.early[i, 1], s.early[i, 2], s.early[i, 3])


@inlined
def count(s: ArmEvidence) -> float:
    """Return n, the number of observed rewards."""
    n: float = s.sums[0] + s.early.shape[0]
    for j in range(s.pools.shape[0]):
        n += s.pools[j, COUNT]
    return n


# ---- settled rewards -------------------------------------------------------------------------------------------------
@law
def add_settled(f: Any, nodes: NodeTables, sums: Floats, w: Floats, k: int, x: float, r: float) -> bool:
    """Add a reward at the known state x to the sums of arm k; return False if it has to be kept instead."""


@law
def potential_at(f: Any, s: ArmEvidence, theta: float) -> Potential:
    """Return W at theta, with its derivatives by the coordinate of theta."""


@law
def settled_from(f: Any, s: ArmEvidence, theta: float, theta2: float, at2: Potential) -> tuple[float, float, float]:
    """Return `settled_kl` of the summed rewards from theta to theta2, where W is known."""


@law
def settled_from_fit(f: Any, s: ArmEvidence, theta: float, theta2: float, at2: Potential) -> tuple[float, float]:
    """Return the first two numbers of `settled_from`, to the theta2 of the last call of `prepare_fit`."""


@law
def prepare_fit(f: Any, s: ArmEvidence, theta: float, at: Potential) -> tuple[float, float]:
    """Return the information of the settled rewards about theta, the fit, and their least `curvature_ratio`."""


@settled_from_fit.register(tuple)
def summed_from_fit(f: Model, s: ArmEvidence, theta: float, theta2: float, at2: Potential) -> tuple[float, float]:
    """Return the divergence from the fit, as from any theta2."""
    divergence, by_theta2, _ = settled_from(f, s, theta, theta2, at2)
    return divergence, by_theta2


@prepare_fit.register(tuple)
def summed_prepare_fit(f: Model, s: ArmEvidence, theta: float, at: Potential) -> tuple[float, float]:
    """Return the information and infinity; nothing is prepared, as the sums depend on theta alone."""
    return settled_kl(f, theta, at, theta, at)[2], np.inf


@add_settled.register(tuple)
def summed_add_settled(f: Model, nodes: NodeTables, sums: Floats, w: Floats, k: int, x: float, r: float) -> bool:
    """Add a settled reward to the sufficient statistics."""
    add_sums(nodes, sums, w, f, k, x, r)
    return True


@settled_from.register(tuple)
def summed_from(f: Model, s: ArmEvidence, theta: float, theta2: float, at2: Potential) -> tuple[float, float, float]:
    """Return the divergence from W at both thetas."""
    return settled_kl(f, theta, potential_at(f, s, theta), theta2, at2)


def settled_size(nodes: NodeTables) -> int:
    """Return how many numbers `LineEvidence.w` has of each arm."""
    m, n = int(nodes.quotients.shape[1]), int(nodes.to_w.shape[0])
    return n if m == 0 else 3 * n + m


@routine
def add_sums(nodes: NodeTables, sums: Floats, w: Floats, f: Model, k: int, x: float, r: float) -> None:
    """Add a reward at the known state x to the sums of arm k."""
    s1, s2, s3 = statistics(f, x, r)
    n = nodes.to_w.shape[0]
    sums[0] += 1.0
    sums[1] += s1
    sums[2] += s2
    sums[3] += s3
    for j in range(n):
        value = potential(f, nodes.theta[k, j], x)
        for i in range(n):
            w[i] += nodes.to_w[j, i] * value


@potential_at.register(tuple)
def summed_potential_at(f: Model, s: ArmEvidence, theta: float) -> Potential:
    """Return W from its Chebyshev coefficients."""
    if s.sums[0] == 0.0:  # an arm that is hardly played is asked about at every decision
        return Potential(0.0, 0.0, 0.0)
    value, slope, curvature = clenshaw(s.w, (coordinate(f, theta) - s.middle) / s.half)
    return Potential(value, slope / s.half, curvature / (s.half * s.half))


@routine
def loglik_of(f: Model, s: ArmEvidence, theta: float, x0: float) -> float:
    """Return the log-likelihood of all observed rewards."""
    return settled_loglik_of(f, s, theta) + early_loglik(f, s, theta, x0)


@inlined
def settled_loglik_of(f: Model, s: ArmEvidence, theta: float) -> float:
    """Return the log-likelihood of the settled rewards, which does not depend on x0."""
    return settled_loglik(f, theta, s.sums[1], s.sums[2], s.sums[3], potential_at(f, s, theta).value)


@inlined
def early_loglik(f: Model, s: ArmEvidence, theta: float, x0: float) -> float:
    """Return the log-likelihood of the early rewards: the part that depends on x0."""
    total = 0.0
    for i in range(s.early.shape[0]):
        total += loglik(f, theta, state_on_line(early_line(s, i), x0), s.early[i, 4])
    for j in range(s.pools.shape[0]):
        c = state_on_line(clipped_x0(s.pools[j]), x0)
        total += pooled_loglik(f, s.pools[j], theta, c, pool_surface(f, s, j, theta, c))
    return total


@inlined
def pool_surface(f: Model, s: ArmEvidence, j: int, theta: float, c: float) -> Surface:
    """Return the summed potential of the j-th pool."""
    return surface_at(s.pools[j], s.pool_shape, (coordinate(f, theta) - s.middle) / s.half, s.half, c)


@routine
def divergence_of(f: Model, s: ArmEvidence, theta: float, x0: float, theta2: float, x02: float) -> float:
    """Return the trajectory divergence of (theta, x0) from (theta2, x02), summed over observed rewards.  [Def. 1]"""
    total = settled_from(f, s, theta, theta2, potential_at(f, s, theta2))[0]
    for i in range(s.early.shape[0]):
        line = early_line(s, i)
        total += kl(f, theta, state_on_line(line, x0), theta2, state_on_line(line, x02))
    for j in range(s.pools.shape[0]):
        line = clipped_x0(s.pools[j])
        c, c2 = state_on_line(line, x0), state_on_line(line, x02)
        at, at2 = pool_surface(f, s, j, theta, c), pool_surface(f, s, j, theta2, c2)
        total += pooled_kl(f, theta, c, at, theta2, c2, at2, s.pools[j])[0]
    return total
