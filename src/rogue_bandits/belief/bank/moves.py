"""Resample and move: hypotheses of negligible weight make room for others near those that explain the rewards.

Systematic resampling, then Metropolis–Hastings steps in the unit cube, where the prior is uniform: proposals with the
covariance of the bank, reflected at the faces. The likelihood of a proposal is that of all rewards, by replay.
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
from rogue_bandits.belief.bank.runs import fill_runs, order_by_cell
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.unknown import CUBE, KINDS, RECOVERY, Hypothesis, hypothesis_at, is_allowed
from rogue_bandits.model.problem import arm_of
from rogue_bandits.numerics.pcg64 import next_double
from rogue_bandits.types import Arm, Floats, Ints

STEPS = 2
SMALL, SMALL_SHARE = 0.3, 0.3  # some proposals are nearer: they are accepted where the bank is far wider than its mass
DIGITS = 65536.0  # 2¹⁶: a draw has 53 binary digits
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
def proposal_factor(cube: Any) -> Floats:
    """Return the Cholesky factor of the covariance of the points [CUBE, hypotheses]."""
    factor, size, centre = np.zeros((CUBE, CUBE)), cube.shape[1], np.zeros(CUBE)
    for i in range(size):
        for p in range(CUBE):
            centre[p] += cube[p, i]
    centre /= size
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
def nearly_normal(stream: Any) -> float:
    """Return a number of mean 0 and variance 1: twice the sum of three uniform ones, by which one draw is divided.

    Any symmetric law will do for proposals, and this one needs neither logarithm nor cosine.
    """
    first = DIGITS * next_double(stream)
    second = DIGITS * (first - math.floor(first))
    return 2.0 * ((math.floor(first) + math.floor(second) + 1.0) / DIGITS + (second - math.floor(second)) - 1.5)


@inlined
def reflected(u: float) -> float:
    """Return a number folded into [0, 1]."""
    u = abs(u)
    if u > 2.0:
        u -= 2.0 * math.floor(0.5 * u)
    return 2.0 - u if u > 1.0 else u


@inlined
def hypothesis_in(d: Any, kind: int, cube: Any, i: int) -> Hypothesis:
    """Return the hypothesis at point i of a cube [CUBE, points], whose coordinates are kept in 32 bits."""
    return hypothesis_at(
        d, kind, np.float64(cube[0, i]), np.float64(cube[1, i]), np.float64(cube[2, i]), np.float64(cube[3, i])
    )


@routine
def propose(d: Any, kind: int, stream: Any, factor: Floats, cube: Any, near: Any, numbers: Floats) -> None:
    """Write a proposal near every point: its place in the cube, and its numbers (decay, pull, drift, x0 or nan)."""
    z = np.empty(CUBE)
    for i in range(cube.shape[1]):
        scale = SMALL if next_double(stream) < SMALL_SHARE else 1.0
        for p in range(CUBE):
            z[p] = scale * nearly_normal(stream)
        for p in range(CUBE):
            shift = 0.0
            for q in range(p + 1):
                shift += factor[p, q] * z[q]
            near[p, i] = reflected(cube[p, i] + shift)
        h = hypothesis_in(d, kind, near, i)
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
    cube, numbers = np.empty((CUBE, kept.size), np.float32), np.empty((4, kept.size))
    sums, log_marginal = np.empty((p.sums.shape[2], kept.size)), np.empty(kept.size)
    for row in range(CUBE):
        gather(p.cube[person, k, row, part], kept, cube[row])
    for row, old in enumerate((p.decay, p.pull, p.drift, p.x)):
        gather(old[person, k, part], kept, numbers[row])
    for row in range(sums.shape[0]):
        gather(p.sums[person, k, row, part], kept, sums[row])
    gather(p.log_marginal[person, k, part], kept, log_marginal)
    for _ in range(STEPS):
        metropolis(shared, p, arm, person, k, kind, cube, numbers, sums, log_marginal)
    order = order_by_cell(cube) if kind == RECOVERY else np.arange(kept.size)
    for row in range(CUBE):
        gather(cube[row], order, p.cube[person, k, row, part])
    for row, new in enumerate((p.decay, p.pull, p.drift, p.x)):
        gather(numbers[row], order, new[person, k, part])
    for row in range(sums.shape[0]):
        gather(sums[row], order, p.sums[person, k, row, part])
    gather(log_marginal, order, p.log_marginal[person, k, part])
    log_weight[:] = mass - math.log(kept.size)
    fill_runs(shared.starts, p.cube[person, k], p.run[person, k])


@inlined
def gather(values: Any, at: Ints, out: Any) -> None:
    """Write the values at these places."""
    for i in range(at.size):
        out[i] = values[at[i]]


@routine
def metropolis(
    shared: BankShared, p: BankEvidence, arm: Arm, person: int, k: int, kind: int,
    cube: Any, numbers: Floats, sums: Floats, log_marginal: Floats,
) -> None:  # fmt: skip
    """Take one Metropolis step for every hypothesis."""
    size, n, stream = log_marginal.size, p.plays[person, k], p.stream[person]
    near, new, new_sums = np.empty((CUBE, size), np.float32), np.empty((4, size)), np.empty(sums.shape)
    new_marginal = np.empty(size)
    propose(arm.dynamics, kind, stream, proposal_factor(cube), cube, near, new)
    gap, reward, totals = p.gap[person, k, :n], p.reward[person, k, :n], p.totals[person, k]
    replay(arm, shared.theta, k, new[0], new[1], new[2], new[3], gap, reward, totals, new_sums)
    fill_log_marginals(arm.rewards, shared.theta, k, totals, new_sums, new_marginal)
    accepted = np.empty(size, np.bool_)
    for i in range(size):
        gain, u = new_marginal[i] - log_marginal[i], next_double(stream)
        is_likely = gain >= 0.0 or u < math.exp(gain)
        accepted[i] = is_likely and not np.isnan(near[0, i])
        if accepted[i]:
            log_marginal[i] = new_marginal[i]
    take(accepted, near, cube)
    take(accepted, new, numbers)
    take(accepted, new_sums, sums)


@routine
def take(accepted: NDArray[np.bool_], new: Any, old: Any) -> None:
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
            x[i] = hypothesis_in(d, kind, cube, i).x0


@inlined
def log_sum(values: Floats) -> float:
    """Return log Σ exp(values)."""
    top, total = values.max(), 0.0
    for i in range(values.size):
        total += math.exp(values[i] - top)
    return top + math.log(total)


@routine
def refresh(shared: BankShared, p: BankEvidence, person: int, k: int) -> None:
    """Replay all hypotheses about arm k: their theta windows are chosen anew, and rounding errors do not accumulate."""
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
