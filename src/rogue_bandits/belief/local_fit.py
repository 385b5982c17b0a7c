"""The fit, with all that the confidence region around it needs to know of it."""

from __future__ import annotations

from typing import Any, NamedTuple

from rogue_bandits.belief.blocks import BLOCK, block_at, node_of
from rogue_bandits.belief.evidence import (
    SLOPE_FIT,
    X_FIT,
    ArmEvidence,
    early_line,
    pool_surface,
    potential_at,
    prepare_fit,
    settled_from_fit,
)
from rogue_bandits.belief.pool import (
    AT_FIT,
    LARGEST,
    LEAST,
    Surface,
    clipped_x0,
    pooled_information,
    pooled_kl,
    surface_for_kl,
)
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.clipped_affine import slope_at, state_on_line
from rogue_bandits.types import Floats, Potential, coordinate, curvature_ratio, information, kl_and_slopes

LOCAL_FIT_SIZE = 9


class LocalFit(NamedTuple):
    """The fit, W there, and the pseudoinverse of the information about (theta, x0), by Gram–Schmidt."""

    theta: float
    x0: float
    w: Potential
    curvature_ratio: float  # the least divergence of an early reward for each unit that it adds to the quadratic form
    per_theta: float  # 1 / information about theta; 0 where there is none
    tilt: float  # what a unit of theta says about x0
    per_x0: float  # 1 / information about x0 given theta; 0 where there is none


@routine
def local_fit_at(f: Any, arm: Any, s: ArmEvidence, theta: float, x0: float) -> LocalFit:
    """The centre of the confidence region of a fit; early states and pools at the fit are written to their columns."""
    w = potential_at(f, s, theta)
    tt, cheapest = prepare_fit(f, s, theta, w)
    tx = xx = 0.0
    for i in range(s.early.shape[0]):
        line = early_line(s, i)
        x, along = state_on_line(line, x0), slope_at(line, x0, s.kinks[0], s.kinks[-1])
        s.early[i, X_FIT], s.early[i, SLOPE_FIT] = x, along
        i_tt, i_tx, i_xx = information(f, theta, x)
        tt += i_tt
        tx += along * i_tx
        xx += along * along * i_xx
        cheapest = min(cheapest, curvature_ratio(f, arm, theta, x))
    for j in range(s.pools.shape[0]):
        pool, line = s.pools[j], clipped_x0(s.pools[j])
        c, along = state_on_line(line, x0), slope_at(line, x0, s.kinks[0], s.kinks[-1])
        at = pool_surface(f, s, j, theta, c)
        pool[AT_FIT], pool[AT_FIT + 1], pool[AT_FIT + 2], pool[AT_FIT + 3] = at.value, at.by_theta, at.by_c, along
        i_tt, i_tc, i_cc = pooled_information(f, theta, at, pool)
        tt += i_tt
        tx += along * i_tc
        xx += along * along * i_cc
        for x in (pool[LEAST], pool[LARGEST]):  # between two states the ratio is least at one of them
            cheapest = min(cheapest, curvature_ratio(f, arm, theta, x))
    tilt = tx / tt if tt > 0.0 else 0.0
    rest = xx - tilt * tx
    # What theta explains of x0 up to 1e-6 of its length is explained: the pseudoinverse drops the rest. [Errata 7]
    return LocalFit(
        theta, x0, w, cheapest,
        1.0 / tt if tt > 0.0 else 0.0, tilt, 1.0 / rest if rest > 1e-12 * xx else 0.0,
    )  # fmt: skip


@inlined
def write_local_fit(row: Floats, c: LocalFit) -> None:
    """Write a centre to its row of numbers."""
    row[0], row[1], row[2], row[3], row[4] = c.theta, c.x0, c.w.value, c.w.slope, c.w.curvature
    row[5], row[6], row[7], row[8] = c.curvature_ratio, c.per_theta, c.tilt, c.per_x0


@inlined
def read_local_fit(row: Floats) -> LocalFit:
    """Read a centre from its row of numbers."""
    return LocalFit(row[0], row[1], Potential(row[2], row[3], row[4]), row[5], row[6], row[7], row[8])


class DivergenceFromFit(NamedTuple):
    """The divergence from the fit, the quadratic form n²S of its gradient at the fit, and that gradient by theta."""

    divergence: float
    spread: float
    by_theta: float


@routine
def blocks_from_fit(
    f: Any, s: ArmEvidence, c: LocalFit, theta: float, x0: float, total: float, by_theta: float
) -> tuple[float, float, float, int]:
    """Add what the blocks of early rewards add; return also the part by x0, and how many rewards they are."""
    by_x0, i = 0.0, 0
    while i + BLOCK <= s.early.shape[0]:
        block = block_at(s, i, x0)
        for q in range(block.nodes if block.nodes > 0 else BLOCK):
            if block.nodes > 0:
                x, x_fit, weight = node_of(block, q, x0, c.x0)
                along = block.slope_fit
            else:
                x, x_fit = state_on_line(early_line(s, i + q), x0), s.early[i + q, X_FIT]
                weight, along = 1.0, s.early[i + q, SLOPE_FIT]
            divergence, g_theta, g_x = kl_and_slopes(f, theta, x, c.theta, x_fit)
            total += weight * divergence
            by_theta += weight * g_theta
            by_x0 += weight * along * g_x
        i += BLOCK
    return total, by_theta, by_x0, i


@inlined
def divergence_from_fit(f: Any, s: ArmEvidence, c: LocalFit, theta: float, x0: float) -> DivergenceFromFit:
    """How far (theta, x0) is from the fit.  [Alg. 3]"""
    total, by_theta = settled_from_fit(f, s, theta, c.theta, c.w)
    by_x0, i = 0.0, 0
    if s.early.shape[0] >= BLOCK:
        total, by_theta, by_x0, i = blocks_from_fit(f, s, c, theta, x0, total, by_theta)
    while i < s.early.shape[0]:
        x = state_on_line(early_line(s, i), x0)
        divergence, g_theta, g_x = kl_and_slopes(f, theta, x, c.theta, s.early[i, X_FIT])
        total += divergence
        by_theta += g_theta
        by_x0 += s.early[i, SLOPE_FIT] * g_x
        i += 1
    for j in range(s.pools.shape[0]):
        pool, line = s.pools[j], clipped_x0(s.pools[j])
        c1, c2 = state_on_line(line, x0), state_on_line(line, c.x0)
        at = surface_for_kl(f, pool, s.w.size, (coordinate(f, theta) - s.middle) / s.half, s.half, c1)
        at2 = Surface(pool[AT_FIT], pool[AT_FIT + 1], pool[AT_FIT + 2], 0.0, 0.0, 0.0)
        divergence, g_theta, g_c = pooled_kl(f, theta, c1, at, c.theta, c2, at2, pool)
        total += divergence
        by_theta += g_theta
        by_x0 += pool[AT_FIT + 3] * g_c
    beside = by_x0 - c.tilt * by_theta
    return DivergenceFromFit(total, by_theta * by_theta * c.per_theta + beside * beside * c.per_x0, by_theta)
