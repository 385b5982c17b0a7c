"""Pooling over the arms of a person, whose levels and losses are dependent in the prior.

The prior of every arm is the one that was given; what is added is dependence. A person has two latent numbers, one for
the fresh level and one for the loss. Given z, uniform on 0 … G − 1, the coordinate u of each arm in the unit cube has
the density of Beta(z + 1, G − z), independently. Averaged over z that is uniform (a Bernstein copula: A. Sancetta and
S. Satchell, 2004). With T_i(z) the product of the two densities at hypothesis i, w_i the weights of the hypotheses with
recovery about arm k and R_k(z) = Σ_i w_i T_i(z), the rewards of the other arms multiply w_i by

    Σ_z P(z | other arms) T_i(z),    P(z | other arms) ∝ Π_{j ≠ k} R_j(z).

So it is learned from all arms together that nothing wears out, or that all does. Kinds (`kinds.py`) are pooled with it:
for a person of kind c, A_k(c, z) = Σ_j P(j | c) E_kj (R_k(z) if j is wear-out with recovery, else 1) takes the place
of R_k(z), and P(c, z) ∝ prior(c) Π_k A_k(c, z).

Densities are constant on pairs of cells, so that runs of hypotheses (`runs.py`) are weighed, not single ones.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.bank.kinds import fill_kinds_given
from rogue_bandits.belief.bank.runs import CELLS, FRESH, LOSS, cell_of, first_recovering, is_bound, mass_of
from rogue_bandits.compile.laws import inlined, overwrite, routine
from rogue_bandits.model.dynamics.unknown import KINDS, RECOVERY
from rogue_bandits.numerics.exponential import exp_below
from rogue_bandits.types import Floats

FRESH_LATENTS, LOSS_LATENTS = 8, 16
LEAST = 1e-300
NEGLIGIBLE = 1e-12  # a weight of latent numbers, relative to the largest


class Coupling(NamedTuple):
    """Densities of the two coordinates given the latent numbers."""

    fresh: Floats  # [CELLS, FRESH_LATENTS]
    loss: Floats  # [LOSS_LATENTS, CELLS]
    loss_of_cell: Floats  # [CELLS, LOSS_LATENTS]


def coupling() -> Coupling:
    """Return the tables that all people share."""
    of_cell = mean_densities(LOSS_LATENTS)
    return Coupling(mean_densities(FRESH_LATENTS), np.ascontiguousarray(of_cell.T), of_cell)


def mean_densities(latents: int) -> Floats:
    """Return the mean of every Beta density over every cell, [CELLS, latents].

    >>> T = mean_densities(4)
    >>> np.allclose(T.mean(axis=0), 1.0), np.allclose(T.mean(axis=1), 1.0)
    (True, True)
    """
    x, j = np.linspace(0.0, 1.0, CELLS + 1)[:, None], np.arange(latents + 1)
    binomial = np.array([math.comb(latents, n) for n in j]) * x**j * (1.0 - x) ** (latents - j)
    below = 1.0 - np.cumsum(binomial, axis=1)[:, :latents]  # P(Beta(z + 1, G − z) ≤ x) = P(Binomial(G, x) > z)
    return np.asarray(CELLS * np.diff(below, axis=0))


@routine
def fill_log_ratios(b: Any, person: int, k: int, out: Floats) -> None:
    """Write log R_k(z) for every z, [FRESH_LATENTS, LOSS_LATENTS], after a reward; before the first it is 0."""
    fresh, loss, of_row = b.shared.coupling.fresh, b.shared.coupling.loss_of_cell, np.zeros(LOSS_LATENTS)
    cube, cdf, runs = b.personal.cube[person, k], b.personal.cdf[person, k], b.personal.run[person, k]
    start, size = b.shared.starts[RECOVERY], b.shared.starts[KINDS]
    run, begin = first_recovering(b.shared.starts, runs), start
    out[:] = 0.0
    while begin < size:
        row, column, mass = (
            cell_of(cube[FRESH, begin]),
            cell_of(cube[LOSS, begin]),
            mass_of(cdf, begin, runs[run], start),
        )
        for z in range(LOSS_LATENTS):
            of_row[z] += mass * loss[column, z]
        begin = runs[run]
        run += 1
        if begin == size or cell_of(cube[FRESH, begin]) != row:
            for y in range(FRESH_LATENTS):
                for z in range(LOSS_LATENTS):
                    out[y, z] += fresh[row, y] * of_row[z]
            of_row[:] = 0.0
    for y in range(FRESH_LATENTS):
        for z in range(LOSS_LATENTS):
            out[y, z] = math.log(max(out[y, z], LEAST))


@routine
def fill_log_factors(b: Any, person: int, kind_of_person: int, out: Floats) -> None:
    """Write log A_k(c, z) for a person of kind c: [arms, FRESH_LATENTS, LOSS_LATENTS]."""
    log_ratio, kinds, tilted = b.personal.log_ratio[person], np.empty(KINDS), np.empty(KINDS)
    if b.shared.prior[RECOVERY] == 1.0:
        overwrite(out.reshape(-1), log_ratio.reshape(-1))
        return
    for k in range(out.shape[0]):
        for y in range(FRESH_LATENTS):
            for z in range(LOSS_LATENTS):
                overwrite(tilted, b.personal.evidence[person, k])
                tilted[RECOVERY] += log_ratio[k, y, z]
                out[k, y, z] = fill_kinds_given(b.shared.prior, tilted, kind_of_person, kinds)


@inlined
def normalise(factors: Floats, left_out: int, out: Floats) -> float:
    """Write P(z | all arms but one) for every z; return the logarithm of what it was divided by."""
    out[:] = 0.0
    for k in range(factors.shape[0]):
        if k != left_out:
            out += factors[k]
    top, total = out.max(), 0.0
    for y in range(FRESH_LATENTS):
        for z in range(LOSS_LATENTS):
            out[y, z] = exp_below(out[y, z] - top)
    for y in range(FRESH_LATENTS):
        for z in range(LOSS_LATENTS):
            total += out[y, z]
    out /= total
    return top + math.log(total)


@routine
def fill_kinds_of_person(b: Any, person: int, out: Floats) -> None:
    """Write the probability that the person is of each kind."""
    shape, prior = (b.personal.plays.shape[1], FRESH_LATENTS, LOSS_LATENTS), b.shared.prior
    factors, of_latent = np.empty(shape), np.empty((FRESH_LATENTS, LOSS_LATENTS))
    for c in range(KINDS):
        out[c] = 1.0 if prior[c] == 1.0 else 0.0
    if out.max() == 1.0:
        return
    for c in range(KINDS):
        out[c] = -np.inf
        if prior[c] > 0.0:
            fill_log_factors(b, person, c, factors)
            out[c] = math.log(prior[c]) + normalise(factors, -1, of_latent)
    top, total = out.max(), 0.0
    for c in range(KINDS):
        out[c] = math.exp(out[c] - top)
        total += out[c]
    for c in range(KINDS):
        out[c] /= total


@routine
def fill_run_cdfs(b: Any, person: int, kind_of_person: int, out: Floats) -> None:
    """Write the distribution function of the runs of every arm, [arms, runs], of a person of a kind."""
    shape = (out.shape[0], FRESH_LATENTS, LOSS_LATENTS)
    factors, of_latent = np.empty(shape), np.empty((FRESH_LATENTS, LOSS_LATENTS))
    fill_log_factors(b, person, kind_of_person, factors)
    for k in range(out.shape[0]):
        normalise(factors, k, of_latent)
        ratio = max(fill_tilted(b, person, k, of_latent, out[k]), LEAST)
        accumulate(b, person, k, kind_of_person, ratio, out[k])


@routine
def fill_tilted(b: Any, person: int, k: int, of_latent: Floats, out: Floats) -> float:
    """Write the weights of the runs with recovery, times Σ_z P(z | other arms) T(z); return their sum."""
    cube, cdf, runs = b.personal.cube[person, k], b.personal.cdf[person, k], b.personal.run[person, k]
    start, size = b.shared.starts[RECOVERY], b.shared.starts[KINDS]
    of_cell, given, filled, total = np.empty(CELLS), np.empty(LOSS_LATENTS), -1, 0.0
    run, begin = first_recovering(b.shared.starts, runs), start
    while begin < size:
        row, end = cell_of(cube[FRESH, begin]), runs[run]
        if row != filled:
            fill_cells(b.shared.coupling, of_latent, row, given, of_cell)
            filled = row
        out[run] = mass_of(cdf, begin, end, start) * of_cell[cell_of(cube[LOSS, begin])]
        total += out[run]
        begin, run = end, run + 1
    return total


@inlined
def accumulate(b: Any, person: int, k: int, kind_of_person: int, ratio: float, out: Floats) -> None:
    """Turn weights of runs with recovery, which sum up to `ratio`, into the distribution function of all runs."""
    starts, runs, kinds, evidence = b.shared.starts, b.personal.run[person, k], np.empty(KINDS), np.empty(KINDS)
    for kind in range(KINDS):
        evidence[kind] = b.personal.evidence[person, k, kind]
    evidence[RECOVERY] += math.log(ratio)
    fill_kinds_given(b.shared.prior, evidence, kind_of_person, kinds)
    kind, below, total, size, share = 0, 0, 0.0, starts[KINDS], kinds[RECOVERY] / ratio
    for run in range(out.size):
        if below < size:
            while below >= starts[kind + 1]:
                kind += 1
            total += share * out[run] if kind == RECOVERY else kinds[kind]
            below = runs[run]
        out[run] = total


@routine
def fill_posterior(b: Any, person: int, kind_of_person: int, out: Floats) -> None:
    """Write the distribution function of the hypotheses about every arm, [arms, hypotheses], of a person of a kind."""
    of_runs, starts = np.empty((out.shape[0], b.personal.run.shape[2])), b.shared.starts
    fill_run_cdfs(b, person, kind_of_person, of_runs)
    for k in range(out.shape[0]):
        cdf, runs, begin, below = b.personal.cdf[person, k], b.personal.run[person, k], 0, 0.0
        for run in range(runs.size):
            end, before = runs[run], 0.0 if is_bound(starts, begin) else cdf[begin - 1]
            mass = cdf[end - 1] - before
            for i in range(begin, end):
                out[k, i] = below + ((of_runs[k, run] - below) * (cdf[i] - before) / mass if mass > 0.0 else 0.0)
            begin, below = end, of_runs[k, run]


@routine
def fill_cells(t: Coupling, of_latent: Floats, row: int, given: Floats, out: Floats) -> None:
    """Write Σ_z P(z | other arms) T(z) for a row of pairs of cells; `given` is scratch."""
    for z in range(given.size):
        given[z] = 0.0
    for y in range(FRESH_LATENTS):
        for z in range(given.size):
            given[z] += of_latent[y, z] * t.fresh[row, y]
    for column in range(out.size):
        out[column] = 0.0
    least = NEGLIGIBLE * given.max()  # arms that contradict each other leave little to all
    for z in range(given.size):
        if given[z] > least:
            for column in range(out.size):
                out[column] += given[z] * t.loss[z, column]
