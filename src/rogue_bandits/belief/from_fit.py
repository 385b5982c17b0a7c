"""The divergence from the fit, which decides whether a (theta, x0) is inside the confidence region.  [Alg. 3]"""

from __future__ import annotations

from typing import Any, NamedTuple

from rogue_bandits.belief.blocks import BLOCK, OF_FIT, blocks_of, node_of, nodes_at
from rogue_bandits.belief.evidence import SLOPE_FIT, X_FIT, ArmEvidence, early_line, settled_from_fit
from rogue_bandits.belief.local_fit import LocalFit
from rogue_bandits.belief.pool import AT_FIT, clipped_x0
from rogue_bandits.belief.pool_laws import pooled_kl, surface_for_kl
from rogue_bandits.belief.surfaces import Surface
from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.model.dynamics.clipped_affine import state_on_line
from rogue_bandits.model.protocols import Model
from rogue_bandits.types import Floats, coordinate, kl_and_slopes


class DivergenceFromFit(NamedTuple):
    """The divergence from the fit, the quadratic form n²S of its gradient at the fit, and that gradient by theta."""

    divergence: float
    spread: float
    by_theta: float


class Change(NamedTuple):
    """The divergence of some rewards from the fit, and its gradient by the fitted theta and x0."""

    divergence: float
    by_theta: float
    by_x0: float


@law
def is_prepared(f: Any, s: ArmEvidence) -> bool:
    """Return whether a search that evaluates the early rewards many times should have rows of numbers made first."""


@law
def prepared_early(f: Any, s: ArmEvidence, c: LocalFit) -> Floats:
    """Return the rows of numbers with which `early_from_fit` is fast wherever it is evaluated."""


@law
def early_from_fit(f: Any, s: ArmEvidence, prepared: Floats, c: LocalFit, theta: float, x0: float) -> Change:
    """Return the divergence of the early rewards from the fit; `prepared` has no rows, or those of `prepared_early`."""


@is_prepared.register(tuple)
def has_blocks(f: Model, s: ArmEvidence) -> bool:
    """Return whether there are enough early rewards for a block."""
    return bool(s.early.shape[0] >= BLOCK)


@prepared_early.register(tuple)
def prepared_blocks(f: Model, s: ArmEvidence, c: LocalFit) -> Floats:
    """Return blocks of early rewards whose states are parallel lines."""
    return blocks_of(s)


@early_from_fit.register(tuple)
def early_by_blocks(f: Model, s: ArmEvidence, prepared: Floats, c: LocalFit, theta: float, x0: float) -> Change:
    """Sum over the weighted states of blocks, and over the rewards that are in none."""
    at, i = Change(0.0, 0.0, 0.0), 0
    if prepared.shape[0] > 0:
        at, i = blocks_from_fit(f, s, prepared, c, theta, x0), BLOCK * prepared.shape[0]
    return added(f, s, i, s.early.shape[0], at, c, theta, x0)


@routine
def blocks_from_fit(f: Model, s: ArmEvidence, blocks: Floats, c: LocalFit, theta: float, x0: float) -> Change:
    """Return the divergence of the rewards of all blocks."""
    total = Change(0.0, 0.0, 0.0)
    for b in range(blocks.shape[0]):
        row = blocks[b]
        count = nodes_at(row, x0)
        for q in range(count):
            x, x_fit, weight = node_of(row, count, q, x0, c.x0)
            divergence, g_theta, g_x = kl_and_slopes(f, theta, x, c.theta, x_fit)
            total = Change(
                total.divergence + weight * divergence,
                total.by_theta + weight * g_theta,
                total.by_x0 + weight * row[OF_FIT] * g_x,
            )
        if count == 0:
            total = added(f, s, b * BLOCK, (b + 1) * BLOCK, total, c, theta, x0)
    return total


@inlined
def added(f: Model, s: ArmEvidence, first: int, end: int, to: Change, c: LocalFit, theta: float, x0: float) -> Change:
    """Add the divergence of early rewards from the first to that before the end, one by one."""
    total, by_theta, by_x0 = to.divergence, to.by_theta, to.by_x0
    for i in range(first, end):
        x = state_on_line(early_line(s, i), x0)
        divergence, g_theta, g_x = kl_and_slopes(f, theta, x, c.theta, s.early[i, X_FIT])
        total += divergence
        by_theta += g_theta
        by_x0 += s.early[i, SLOPE_FIT] * g_x
    return Change(total, by_theta, by_x0)


@inlined
def divergence_from_fit(
    f: Model, s: ArmEvidence, prepared: Floats, c: LocalFit, theta: float, x0: float
) -> DivergenceFromFit:
    """Return how far (theta, x0) is from the fit.  [Alg. 3]"""
    total, by_theta = settled_from_fit(f, s, theta, c.theta, c.w)
    by_x0 = 0.0
    if s.early.shape[0] > 0:
        early = early_from_fit(f, s, prepared, c, theta, x0)
        total, by_theta, by_x0 = total + early.divergence, by_theta + early.by_theta, early.by_x0
    for j in range(s.pools.shape[0]):
        pool, line = s.pools[j], clipped_x0(s.pools[j])
        c1, c2 = state_on_line(line, x0), state_on_line(line, c.x0)
        at = surface_for_kl(f, pool, s.pool_shape, (coordinate(f, theta) - s.middle) / s.half, s.half, c1)
        at2 = Surface(pool[AT_FIT], pool[AT_FIT + 1], pool[AT_FIT + 2], 0.0, 0.0, 0.0)
        divergence, g_theta, g_c = pooled_kl(f, theta, c1, at, c.theta, c2, at2, pool)
        total += divergence
        by_theta += g_theta
        by_x0 += pool[AT_FIT + 3] * g_c
    beside = by_x0 - c.tilt * by_theta
    return DivergenceFromFit(total, by_theta * by_theta * c.per_theta + beside * beside * c.per_x0, by_theta)
