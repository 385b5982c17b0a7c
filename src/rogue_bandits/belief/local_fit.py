"""The fit, with the numbers from which the confidence region around it is computed."""

from __future__ import annotations

from typing import NamedTuple

from rogue_bandits.belief.evidence import (
    SLOPE_FIT,
    X_FIT,
    ArmEvidence,
    early_line,
    pool_surface,
    potential_at,
    prepare_fit,
)
from rogue_bandits.belief.pool import AT_FIT, clipped_x0, states_at
from rogue_bandits.belief.pool_laws import pooled_information
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.clipped_affine import slope_at, state_on_line
from rogue_bandits.model.protocols import Model
from rogue_bandits.types import Arm, Floats, Potential, curvature_ratio, information

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
def local_fit_at(f: Model, arm: Arm, s: ArmEvidence, theta: float, x0: float) -> LocalFit:
    """Return the local fit at (theta, x0); early states and pools at the fit are written to their columns."""
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
        for x in states_at(pool, s.pool_shape, c):  # between two states the ratio is least at one of them
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
    """Write a local fit to its row of numbers."""
    row[0], row[1], row[2], row[3], row[4] = c.theta, c.x0, c.w.value, c.w.slope, c.w.curvature
    row[5], row[6], row[7], row[8] = c.curvature_ratio, c.per_theta, c.tilt, c.per_x0


@inlined
def read_local_fit(row: Floats) -> LocalFit:
    """Read a local fit from its row of numbers."""
    return LocalFit(row[0], row[1], Potential(row[2], row[3], row[4]), row[5], row[6], row[7], row[8])
