"""Resample and move: hypotheses of negligible weight make room for others near those that explain the rewards.

Systematic resampling, then Metropolis–Hastings steps in the unit cube, where the prior is uniform: normal proposals
with the covariance of the bank, reflected at the faces. The likelihood of a proposal is that of all rewards, by replay.
C. Andrieu, A. Doucet, R. Holenstein (2010) and N. Chopin (2002) have the theory of such moves.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.belief.bank.evidence import BankEvidence, BankShared
from rogue_bandits.belief.bank.likelihood import fill_log_marginals
from rogue_bandits.belief.bank.replay import replay
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.unknown import CUBE, KINDS, hypothesis_at, is_allowed
from rogue_bandits.model.problem import arm_of
from rogue_bandits.numerics.pcg64 import next_double
from rogue_bandits.types import Arm, Floats, Ints

STEPS = 2
SMALL, SMALL_SHARE = 0.3, 0.3  # some proposals are nearer: they are accepted where the bank is far wider than its mass
JITTER = 1e-8  # of the covariance: a bank may be flat in a direction


@routine
def resample(log_weight: Floats, u: float) -> Ints:
    """Return which hypotheses are kept, in order, each about as often as its weight says; u in [0, 1) is the offset."""
    size = log_weight.size
    kept, weight = np.empty(size, dtype=np.int64), np.exp(log_weight - log_weight.max())
    total, below, j = weight.sum(), weight[0], 0
    for i in range(size):
        while j < size - 1 and below <= (i + u) / size * total:
            j += 1
            below += weight[j]
        kept[i] = j
    return kept


@routine
def proposal_factor(cube: Floats) -> Floats:
    """Return the Cholesky factor of the covariance of the points [CUBE, hypotheses]."""
    factor, size, centre = np.zeros((CUBE, CUBE)), cube.shape[1], np.empty(CUBE)
    for p in range(CUBE):
        centre[p] = cube[p].mean()
    for i in range(size):  # not one sum after another: ten sums at a time do not wait for each other
        for p in range(CUBE):
            for q in range(p + 1):
                factor[p, q] += (cube[p, i] - centre[p]) * (cube[q, i] - centre[q])
    for p in range(CUBE):
        for q in range(p + 1):
            total = factor[p, q] / size + (JITTER if p == q else 0.0)
            for m in range(q):
                total -= factor[p, m] * factor[q, m]
            factor[p, q] = math.sqrt(max(total, JITTER)) if p == q else total / factor[q, q]
    return factor


@inlined
def normals(stream: Any, scale: float) -> tuple[float, float]:
    """Return two normal numbers of this standard deviation, by Box and Muller."""
    radius, angle = scale * math.sqrt(-2.0 * math.log(1.0 - next_double(stream))), 2.0 * math.pi * next_double(stream)
    return radius * math.cos(angle), radius * math.sin(angle)


@inlined
def reflected(u: float) -> float:
    """Return a number folded into [0, 1]."""
    u = abs(u) % 2.0
    return 2.0 - u if u > 1.0 else u


@routine
def propose(d: Any, kind: int, stream: Any, factor: Floats, cube: Floats, near: Floats, numbers: Floats) -> None:
    """Write a proposal near every point: its place in the cube, and its numbers (decay, pull, drift, x0 or nan)."""
    z = np.empty(CUBE)
    for i in range(cube.shape[1]):
        scale = SMALL if next_double(stream) < SMALL_SHARE else 1.0
        for p in range(0, CUBE, 2):
            z[p], z[p + 1] = normals(stream, scale)
        for p in range(CUBE):
            shift = 0.0
            for q in range(p + 1):
                shift += factor[p, q] * z[q]
            near[p, i] = reflected(cube[p, i] + shift)
        h = hypothesis_at(d, kind, near[0, i], near[1, i], near[2, i], near[3, i])
        numbers[0, i], numbers[1, i], numbers[2, i] = h.decay, h.pull, h.drift
        numbers[3, i] = h.x0
        if not is_allowed(d, kind, h):
            near[0, i] = np.nan


@routine
def renew(shared: BankShared, p: BankEvidence, person: int, k: int, kind: int) -> None:
    """Resample the hypotheses of a kind about arm k, and move them."""
    part, arm = slice(shared.starts[kind], shared.starts[kind + 1]), arm_of(shared.table, person, k)
    stream, log_weight = p.stream[person], p.log_weight[person, k, part]
    mass = log_sum(log_weight)
    kept = resample(log_weight, next_double(stream))
    cube = p.cube[person, k, :, part][:, kept].copy()
    numbers = np.empty((4, kept.size))
    for row, old in enumerate((p.decay, p.pull, p.drift, p.x)):
        numbers[row] = old[person, k, part][kept]
    sums, log_marginal = p.sums[person, k, :, part][:, kept].copy(), p.log_marginal[person, k, part][kept]
    for _ in range(STEPS):
        metropolis(shared, p, arm, person, k, kind, cube, numbers, sums, log_marginal)
    p.cube[person, k, :, part], p.sums[person, k, :, part] = cube, sums
    p.decay[person, k, part], p.pull[person, k, part] = numbers[0], numbers[1]
    p.drift[person, k, part], p.x[person, k, part] = numbers[2], numbers[3]
    p.log_marginal[person, k, part] = log_marginal
    log_weight[:] = mass - math.log(kept.size)


@routine
def metropolis(
    shared: BankShared, p: BankEvidence, arm: Arm, person: int, k: int, kind: int,
    cube: Floats, numbers: Floats, sums: Floats, log_marginal: Floats,
) -> None:  # fmt: skip
    """One step of every hypothesis."""
    size, n, stream = log_marginal.size, p.plays[person, k], p.stream[person]
    near, new, new_sums = np.empty((CUBE, size)), np.empty((4, size)), np.empty(sums.shape)
    new_marginal = np.empty(size)
    propose(arm.dynamics, kind, stream, proposal_factor(cube), cube, near, new)
    gap, reward, totals = p.gap[person, k, :n], p.reward[person, k, :n], p.totals[person, k]
    replay(arm, shared.theta, k, new[0], new[1], new[2], new[3], gap, reward, totals, new_sums)
    fill_log_marginals(arm.rewards, shared.theta, k, totals, new_sums, new_marginal)
    accepted = np.empty(size, np.bool_)
    for i in range(size):
        is_likely = math.log(1.0 - next_double(stream)) < new_marginal[i] - log_marginal[i]
        accepted[i] = is_likely and not np.isnan(near[0, i])
        if accepted[i]:
            log_marginal[i] = new_marginal[i]
    take(accepted, near, cube)
    take(accepted, new, numbers)
    take(accepted, new_sums, sums)


@routine
def take(accepted: NDArray[np.bool_], new: Floats, old: Floats) -> None:
    """Overwrite columns of `old` by those of `new`, row by row."""
    for row in range(old.shape[0]):
        for i in range(accepted.size):
            old[row, i] = new[row, i] if accepted[i] else old[row, i]


@inlined
def fill_first_states(shared: BankShared, p: BankEvidence, person: int, k: int, x: Floats) -> None:
    """Write x0 of every hypothesis about arm k."""
    d, cube = arm_of(shared.table, person, k).dynamics, p.cube[person, k]
    for kind in range(KINDS):
        for i in range(shared.starts[kind], shared.starts[kind + 1]):
            x[i] = hypothesis_at(d, kind, cube[0, i], cube[1, i], cube[2, i], cube[3, i]).x0


@inlined
def log_sum(values: Floats) -> float:
    """Return log Σ exp(values)."""
    top, total = values.max(), 0.0
    for i in range(values.size):
        total += math.exp(values[i] - top)
    return top + math.log(total)


@routine
def refresh(shared: BankShared, p: BankEvidence, person: int, k: int) -> None:
    """Replay all hypotheses about arm k: windows of theta are laid anew, and rounding does not accumulate."""
    arm, n = arm_of(shared.table, person, k), p.plays[person, k]
    x = p.x[person, k]
    fill_first_states(shared, p, person, k, x)
    replay(
        arm, shared.theta, k, p.decay[person, k], p.pull[person, k], p.drift[person, k], x,
        p.gap[person, k, :n], p.reward[person, k, :n], p.totals[person, k], p.sums[person, k],
    )  # fmt: skip
    old = p.log_marginal[person, k].copy()
    fill_log_marginals(arm.rewards, shared.theta, k, p.totals[person, k], p.sums[person, k], p.log_marginal[person, k])
    for i in range(x.size):
        p.log_weight[person, k, i] += p.log_marginal[person, k, i] - old[i]
    p.rewards[person, k, 1] = p.rewards[person, k, 0]
