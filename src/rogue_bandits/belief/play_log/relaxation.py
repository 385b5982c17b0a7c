"""What a box of (theta, x0) can hold of the confidence region: bounds of divergence and radius that are linear in it.

Write p = c + u, c being any point of the box, and eta_i for the natural parameter of reward i. On the box A'' of
reward i lies between m_i and M_i, and eta_i moves by at most r_i from c. As kl_i' = A''(eta)·(eta − fitted eta) over
the dispersion,

    kl_i ≥ kl_i(c) + k_i·(eta_i − eta_i(c)) − (M_i − m_i)·(|eta_i(c) − fitted| + r_i)·r_i / dispersion,
    A'(eta_i) = A'(c) + A''(c)·(eta_i − eta_i(c)) ± (M_i − m_i)·r_i,

with k_i that derivative at c. The first sums up to a linear bound of the divergence D from below. The second makes the
gradient at the fit linear in u, and |root·gradient| = √Q, the square root of the spread, at most

    q + (root·gradient)'(root·H·u)/q + (Σ_j |root·H_j|·far_j)²/2q + margin.

Inside the region D ≤ cap and D ≤ b·√Q. As D ≥ ρ·Q with the curvature ratio ρ (decision 0005), the latter implies
D ≤ b²/ρ. So the points of the region in the box satisfy linear inequalities, and the largest present eta under one has
a closed form.
Errors are of second order in the size of the box, so that boxes around the top do not pile up. Where D is convex, the
inequality at c = the top is exact for any box: c begins as the point of the box that is nearest to the best one known.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.belief.evidence import (
    potential_at,
    settled_from,
)
from rogue_bandits.belief.play_log.evidence import SLOPE, STATE, PlayLog
from rogue_bandits.belief.play_log.local_fit import PlayLogRegion
from rogue_bandits.belief.play_log.trajectory import BY_X0, MARGIN, MIDDLE
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.rewards.exponential import bregman, dispersion, eta_range, log_partition, natural, steepest
from rogue_bandits.types import Floats, settled_kl


class RegionConstants(NamedTuple):
    """Constants of a region that are the same for all boxes."""

    eta: Floats  # [rewards, 4]: the fitted eta, with A, A' and A'' there
    eta_lo: float  # the range of eta on the arm
    eta_hi: float
    bend: float  # a bound of |W'''|


class Linear(NamedTuple):
    """Bounds on a box: constants in `at`, and slopes by p."""

    at: Floats  # [AT]: see below
    divergence: Floats
    spread: Floats
    now: Floats  # of the eta of the next reward
    slack: Floats  # of the bound of the divergence, by the dimensions of p
    gradient: Floats  # room
    moves: Floats  # room: H, [1 + n, 1 + n]
    weight: Floats  # room


LEAST, DIVERGENCE, ROOT, ROOT_FAR, NOW, NOW_MARGIN, CURVATURE_RATIO, AT = range(8)


@routine
def fitted(g: PlayLogRegion) -> RegionConstants:
    """Return the natural parameters at the fit, and a bound of |W'''|."""
    f, s, c = g.arm.rewards, g.seen, g.local_fit
    eta = np.empty((s.early.shape[0], 4))
    for i in range(s.early.shape[0]):
        eta[i, 0] = natural(f, c.theta, s.early[i, STATE])
        eta[i, 1], eta[i, 2], eta[i, 3] = log_partition(f, eta[i, 0])
    lo, hi = eta_range(f, g.arm)
    return RegionConstants(eta, lo, hi, third_derivative(s))


@inlined
def third_derivative(s: PlayLog) -> float:
    """Return a bound of |W'''|: T_k''' is largest at 1, where it is k²(k² − 1)(k² − 4)/15."""
    total, w = 0.0, s.sums.w
    if s.sums.sums[0] > 0.0:
        for k in range(3, w.size):
            square = 1.0 * k * k
            total += abs(w[k]) * square * (square - 1.0) * (square - 4.0) / 15.0
    return total / s.sums.half**3


def new_linear(n: int) -> Linear:
    """Return room for the bounds of a box, n being the dimensions of p."""
    return Linear(
        np.zeros(AT), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros((n, n)), np.zeros(n)
    )


new_linear = inlined(new_linear)


@routine
def bound_box(
    g: PlayLogRegion, k: RegionConstants, rows: Floats, lo: Floats, hi: Floats, c: Floats, of: Linear
) -> None:
    """Write the bounds around c for the box from lo to hi; `rows` are from `trajectory_box`."""
    n = lo.size
    of.at[:], of.divergence[:], of.slack[:], of.gradient[:], of.moves[:, :] = 0.0, 0.0, 0.0, 0.0, 0.0
    of.at[CURVATURE_RATIO] = math.inf
    margin = np.zeros(n)
    add_settled(g, k, lo, hi, c, of, margin)
    for i in range(g.seen.early.shape[0]):
        add_early(g, k, i, rows[i], lo, hi, c, of, margin)
    f, now = g.arm.rewards, rows[g.seen.early.shape[0]]
    of.at[NOW] = natural(f, c[0], state_of(now, lo, hi, c))
    of.at[NOW_MARGIN] = abs(f.state_weight) * now[MARGIN]
    of.now[0] = f.theta_weight
    for j in range(1, n):
        of.now[j] = f.state_weight * now[BY_X0 + j - 1]
    bound_spread(g.local_fit.root, lo, hi, c, of, margin)


@inlined
def state_of(row: Floats, lo: Floats, hi: Floats, c: Floats) -> float:
    """Return the state of a row at c, whose components after the first are x0."""
    x: float = row[MIDDLE]
    for j in range(1, c.size):
        x += row[BY_X0 + j - 1] * (c[j] - 0.5 * (lo[j] + hi[j]))
    return x


@inlined
def reach_from(lo: Floats, hi: Floats, c: Floats, j: int) -> float:
    """Return the largest distance of component j in the box from c."""
    farther: float = max(hi[j] - c[j], c[j] - lo[j])
    return farther


@inlined
def add_settled(
    g: PlayLogRegion, k: RegionConstants, lo: Floats, hi: Floats, c: Floats, of: Linear, margin: Floats
) -> None:
    """Add the settled rewards: as an early reward, with W for A; they depend on theta alone."""
    f, fit, s = g.arm.rewards, g.local_fit, g.seen.sums
    if s.sums[0] == 0.0:
        return
    theta, far = c[0], reach_from(lo, hi, c, 0)
    w, away = potential_at(f, s, theta), theta - fit.theta
    near = min(max(fit.theta, lo[0]), hi[0])
    of.at[LEAST] += settled_from(f, s, near, fit.theta, fit.w)[0]
    lost = k.bend * far * (abs(away) + far) * far
    of.at[DIVERGENCE] += settled_kl(f, theta, w, fit.theta, fit.w)[0] - lost
    of.divergence[0] += w.curvature * away
    of.slack[0] += lost
    of.gradient[0] += fit.w.slope - w.slope
    of.moves[0, 0] -= w.curvature
    margin[0] += 0.5 * k.bend * far * far
    steepest_w = fit.w.curvature + k.bend * max(abs(lo[0] - fit.theta), abs(hi[0] - fit.theta))
    of.at[CURVATURE_RATIO] = min(
        of.at[CURVATURE_RATIO], 0.5 * fit.w.curvature / steepest_w if steepest_w > 0.0 else 0.0
    )


@inlined
def add_early(
    g: PlayLogRegion,
    k: RegionConstants,
    i: int,
    row: Floats,
    lo: Floats,
    hi: Floats,
    c: Floats,
    of: Linear,
    margin: Floats,
) -> None:
    """Add one early reward."""
    f, n, phi = g.arm.rewards, lo.size, dispersion(g.arm.rewards)
    loose = abs(f.state_weight) * row[MARGIN]
    of.weight[0] = f.theta_weight
    far = abs(f.theta_weight) * reach_from(lo, hi, c, 0)
    for j in range(1, n):
        of.weight[j] = f.state_weight * row[BY_X0 + j - 1]
        far += abs(of.weight[j]) * reach_from(lo, hi, c, j)
    at = natural(f, c[0], state_of(row, lo, hi, c))
    eta = min(max(at, k.eta_lo), k.eta_hi)
    loose += abs(at - eta)
    far += loose
    least, most = max(eta - far, k.eta_lo), min(eta + far, k.eta_hi)
    a, a1, a2 = log_partition(f, eta)
    flat = min(log_partition(f, least)[2], log_partition(f, most)[2])
    steep = log_partition(f, min(max(steepest(f), least), most))[2]
    fit, away = k.eta[i, 0], eta - k.eta[i, 0]
    near = min(max(fit, least), most)
    near_a, near_a1, _ = log_partition(f, near)
    steep_way = log_partition(f, min(max(steepest(f), min(least, fit)), max(most, fit)))[2]
    of.at[CURVATURE_RATIO] = min(of.at[CURVATURE_RATIO], 0.5 * k.eta[i, 3] / steep_way if steep_way > 0.0 else 0.0)
    of.at[LEAST] += bregman(near, near_a, near_a1, fit, k.eta[i, 1]) / phi
    curved = (steep - flat) * far / phi
    lost = curved * (abs(away) + far)
    slope = a2 * away / phi
    of.at[DIVERGENCE] += bregman(eta, a, a1, fit, k.eta[i, 1]) / phi - lost - abs(slope) * loose
    shift, turn = (k.eta[i, 2] - a1) / phi, a2 / phi
    off = turn * loose + curved
    for j in range(n):
        of.divergence[j] += slope * of.weight[j]
        of.slack[j] += lost * abs(of.weight[j]) * reach_from(lo, hi, c, j) / far if far > 0.0 else 0.0
        along = f.theta_weight if j == 0 else f.state_weight * g.seen.early[i, SLOPE + j - 1]
        of.gradient[j] += along * shift
        margin[j] += abs(along) * off
        for m in range(n):
            of.moves[j, m] -= along * turn * of.weight[m]


@inlined
def bound_spread(root: Floats, lo: Floats, hi: Floats, c: Floats, of: Linear, margin: Floats) -> None:
    """Write an upper bound of |root·gradient|: its value at c and its slopes, plus curvature and margins."""
    n = lo.size
    square = far = off = 0.0
    along = np.empty(n)
    for j in range(n):
        along[j] = length = 0.0
        for m in range(n):
            along[j] += root[j, m] * of.gradient[m]
            length += root[m, j] * root[m, j]
        square += along[j] * along[j]
        off += math.sqrt(length) * margin[j]
    q = math.sqrt(square)
    for m in range(n):
        length = turn = 0.0
        for j in range(n):
            moved = 0.0
            for i in range(n):
                moved += root[j, i] * of.moves[i, m]
            length += moved * moved
            turn += along[j] * moved
        far += math.sqrt(length) * reach_from(lo, hi, c, m)
        of.spread[m] = turn / q if q > 0.0 else 0.0
    of.at[ROOT_FAR] = q + far + off
    of.at[ROOT] = q + off + (0.5 * far * far / q if q > 0.0 else far)
