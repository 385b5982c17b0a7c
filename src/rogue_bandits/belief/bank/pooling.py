"""What the arms of a person say about each other: their levels and losses go together.

The prior of every arm is the one that was given; what is added is dependence. A person has two latent numbers, one for
the fresh level and one for the loss. Given z, uniform on 0 … G − 1, the coordinate u of each arm in the unit cube has
the density of Beta(z + 1, G − z), independently. Averaged over z that is uniform (a Bernstein copula: A. Sancetta and
S. Satchell, 2004). With T_i(z) the product of the two densities at hypothesis i, w_i the weights of the hypotheses with
recovery about arm k and R_k(z) = Σ_i w_i T_i(z), the rewards of the other arms multiply w_i by

    Σ_z P(z | other arms) T_i(z),    P(z | other arms) ∝ Π_{j ≠ k} R_j(z).

So it is learned from all arms together that nothing wears out, or that all does. Kinds (`kinds.py`) are pooled with it:
for a person of kind c, A_k(c, z) = Σ_j P(j | c) E_kj (R_k(z) if j is wear-out with recovery, else 1) takes the place
of R_k(z), and P(c, z) ∝ prior(c) Π_k A_k(c, z).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.bank.kinds import fill_kinds_given
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.unknown import KINDS, RECOVERY
from rogue_bandits.types import Floats

FRESH, LOSS = 0, 1  # coordinates of the unit cube
FRESH_LATENTS, LOSS_LATENTS = 8, 16
LATENTS = FRESH_LATENTS * LOSS_LATENTS
CELLS = 32  # of the unit interval, on which densities are constant
LEAST = 1e-300
NEGLIGIBLE = 1e-12  # a weight of latent numbers, relative to the largest


class Coupling(NamedTuple):
    """Densities of the two coordinates given the latent numbers."""

    fresh: Floats  # [CELLS, FRESH_LATENTS]
    loss: Floats  # [LOSS_LATENTS, CELLS]


def coupling() -> Coupling:
    """Return the tables that all people share."""
    return Coupling(mean_densities(FRESH_LATENTS), np.ascontiguousarray(mean_densities(LOSS_LATENTS).T))


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


@inlined
def cell_of(u: float) -> int:
    """Return the cell of a coordinate."""
    return min(int(u * CELLS), CELLS - 1)


@inlined
def fill_masses(b: Any, person: int, k: int, out: Floats) -> None:
    """Write the weight of the hypotheses with recovery in every pair of cells."""
    cube, cdf, below = b.personal.cube[person, k], b.personal.cdf[person, k], 0.0
    out[:] = 0.0
    for i in range(b.shared.starts[RECOVERY], b.shared.starts[RECOVERY + 1]):
        out[cell_of(cube[FRESH, i]), cell_of(cube[LOSS, i])] += cdf[i] - below
        below = cdf[i]


@routine
def fill_log_ratios(b: Any, person: int, k: int, out: Floats) -> None:
    """Write log R_k(z) for every z, [FRESH_LATENTS, LOSS_LATENTS], after a reward; before the first it is 0."""
    fresh, loss, of_row = b.shared.coupling.fresh, b.shared.coupling.loss, np.empty(LOSS_LATENTS)
    mass = np.empty((CELLS, CELLS))
    fill_masses(b, person, k, mass)
    out[:] = 0.0
    for row in range(CELLS):
        of_row[:] = 0.0
        for column in range(CELLS):
            if mass[row, column] > 0.0:
                for z in range(LOSS_LATENTS):
                    of_row[z] += mass[row, column] * loss[z, column]
        if of_row[0] + of_row[LOSS_LATENTS - 1] > 0.0:
            for y in range(FRESH_LATENTS):
                for z in range(LOSS_LATENTS):
                    out[y, z] += fresh[row, y] * of_row[z]
    for y in range(FRESH_LATENTS):
        for z in range(LOSS_LATENTS):
            out[y, z] = math.log(max(out[y, z], LEAST))


@routine
def fill_log_factors(b: Any, person: int, kind_of_person: int, out: Floats) -> None:
    """Write log A_k(c, z) for a person of kind c: [arms, FRESH_LATENTS, LOSS_LATENTS]."""
    log_ratio, kinds, tilted = b.personal.log_ratio[person], np.empty(KINDS), np.empty(KINDS)
    if b.shared.prior[RECOVERY] == 1.0:
        out[:] = log_ratio
        return
    for k in range(out.shape[0]):
        for y in range(FRESH_LATENTS):
            for z in range(LOSS_LATENTS):
                tilted[:] = b.personal.evidence[person, k]
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
            out[y, z] = math.exp(out[y, z] - top)
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
def fill_posterior(b: Any, person: int, kind_of_person: int, out: Floats) -> None:
    """Write the distribution function of the hypotheses about every arm, [arms, hypotheses], of a person of a kind."""
    shape = (out.shape[0], FRESH_LATENTS, LOSS_LATENTS)
    factors, of_latent = np.empty(shape), np.empty((FRESH_LATENTS, LOSS_LATENTS))
    kinds = np.empty(KINDS)
    fill_log_factors(b, person, kind_of_person, factors)
    for k in range(out.shape[0]):
        normalise(factors, k, of_latent)
        evidence, ratio = b.personal.evidence[person, k].copy(), 0.0
        for y in range(FRESH_LATENTS):
            for z in range(LOSS_LATENTS):
                ratio += of_latent[y, z] * math.exp(b.personal.log_ratio[person, k, y, z])
        evidence[RECOVERY] += math.log(max(ratio, LEAST))
        fill_kinds_given(b.shared.prior, evidence, kind_of_person, kinds)
        fill_cdf_of_arm(b, person, k, kinds, of_latent, max(ratio, LEAST), out[k])


@inlined
def fill_cdf_of_arm(b: Any, person: int, k: int, kinds: Floats, of_latent: Floats, ratio: float, out: Floats) -> None:
    """Write the distribution function of the hypotheses about arm k, kind after kind."""
    starts, cdf, total = b.shared.starts, b.personal.cdf[person, k], 0.0
    fresh, loss = b.personal.cube[person, k, FRESH], b.personal.cube[person, k, LOSS]
    of_cell, is_filled, given = np.empty((CELLS, CELLS)), np.zeros(CELLS, np.bool_), np.empty(LOSS_LATENTS)
    for kind in range(KINDS):
        below, share = 0.0, kinds[kind] / ratio if kind == RECOVERY else kinds[kind]
        for i in range(starts[kind], starts[kind + 1]):
            weight = share * (cdf[i] - below)
            if kind == RECOVERY:
                row = cell_of(fresh[i])
                if not is_filled[row]:  # soon hypotheses are in few of them
                    fill_cells(b.shared.coupling, of_latent, row, given, of_cell[row])
                    is_filled[row] = True
                weight *= of_cell[row, cell_of(loss[i])]
            below = cdf[i]
            total += weight
            out[i] = total


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


@inlined
def hypothesis_at_quantile(cdf: Floats, u: float) -> int:
    """Return the hypothesis at the quantile u; one of no weight is never returned."""
    low, high, at = 0, cdf.size - 1, u * cdf[cdf.size - 1]
    while low < high:
        middle = (low + high) // 2
        if cdf[middle] <= at:
            low = middle + 1
        else:
            high = middle
    while low > 0 and cdf[low] == cdf[low - 1]:  # u was rounded to the end
        low -= 1
    return low
