"""The posterior of the variances of crossed effects, on a grid: of people, of arms, and of arms within people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.ladder.crossed_levels import Levels, common_to, equations_of
from rogue_bandits.types import Floats, Ints

OWN_SPREAD = 0.5  # median of a standard deviation that is not 0, in standard deviations of the noise
MEAN_SPREAD = 0.2  # the same of means of arms: what trials of messages find
NO_MEANS = 0.2  # prior probability that means of arms do not differ
NO_OWN = 0.1  # the same of arms within people: with more, people who differ little have intervals that are too short
POINTS, FEWER_POINTS = 11, 6  # of grids of standard deviations above 0: of people, and of means and slopes of arms
SMALLEST = 1.0 / 60.0  # of these, in standard deviations of the noise
LARGEST = 20.0  # of those of means
NEGLIGIBLE = 1e-4  # weight of a cell, relative to the largest, that does not count in the range of a variance
UNLIKELY = 9.0  # of log-likelihood below the best: variances that are left out
MOST_NUMBERS = 4_000_000  # draws × people × arms that are held at once
AT_ONCE = 4_000  # pairs of cells whose matrices are held at once: they fit into a cache of the processor
Ends = tuple[float, float]


class Spreads(NamedTuple):
    """Variances: of people [cells], of arms within people, of means and of slopes of arms, [cells, arms]."""

    people: Floats
    own: Floats
    means: Floats
    slopes: Floats
    weight: Floats  # [cells]: posterior probability


def posterior_of_spreads(levels: Levels) -> Spreads:
    """Return the variances that are likely with their posterior probabilities, at the means over draws.

    The grid is made twice: over all that is possible, and over the ranges that turned out to be likely.
    """
    centre = levels.mean()
    seen = centre.precision[0] > 0.0
    top = levels.noise + 2.0 * float(np.sqrt(np.mean(centre.value[0][seen] ** 2)))
    ranges = [(SMALLEST * levels.noise, top)] * 3
    cells, _ = _priors(centre, ranges, top)
    rough = np.exp(_above(cells.log_prior + _marginal(centre, cells.variance).log))
    columns = cells.variance[:, 0], cells.variance[:, 1], cells.variance[:, -1]
    ranges = [_likely(np.sqrt(c), rough, ends) for c, ends in zip(columns, ranges, strict=True)]
    return _on_grid(centre, ranges, top)


def _above(log: Floats) -> Floats:
    return np.asarray(log - log.max())


def _likely(sd: Floats, weight: Floats, ends: Ends) -> Ends:
    """Return the range of standard deviations above 0 that have some weight, a step wider on both sides."""
    some = sd[(weight > NEGLIGIBLE * weight.max()) & (sd > 0.0)]
    if not some.size:
        return ends
    step = (ends[1] / ends[0]) ** (1.0 / (POINTS - 1))
    return max(float(some.min()) / step, ends[0]), min(float(some.max()) * step, ends[1])


def _on_grid(centre: Levels, ranges: Sequence[Ends], top: float) -> Spreads:
    own, means = _priors(centre, ranges, top)
    found, common = _marginal(centre, own.variance), common_to(centre.group)
    rough = _above(own.log_prior + found.log)
    likely = np.flatnonzero(rough > -UNLIKELY)
    log = rough[likely, None] + _log_means(found.at(likely), means, common)
    weight = np.exp(_above(log))
    k, j = np.nonzero(weight > np.exp(-UNLIKELY))
    kept, arms = own.variance[likely[k]], centre.group.size
    share = weight[k, j] / weight[k, j].sum()
    return Spreads(kept[:, 0], kept[:, 1:], means.variance[j, :arms], means.variance[j, arms:], share)


def _priors(levels: Levels, ranges: Sequence[Ends], top: float) -> tuple[_Grid, _Grid]:
    """Return the variances of people and of each arm within them, [cells, 1 + arms], and of means and slopes."""
    _, people, arms = levels.value.shape
    sent, none = arms - int(levels.silence), _Grid(np.zeros(1), np.zeros(1))
    of_people, of_arms, of_silence = (_grid(OWN_SPREAD * levels.noise, ends, NO_OWN) for ends in ranges)
    within = [of_arms if sent > 1 else none, of_silence if levels.silence else none]
    ends = SMALLEST * levels.noise, max(top, LARGEST * levels.noise)
    means = _grid(MEAN_SPREAD * levels.noise, ends, NO_MEANS, FEWER_POINTS)
    alike = np.bincount(levels.group, minlength=arms)[levels.group] > 1  # slopes that are one of several
    of_slopes = means if alike.any() else none
    if people == 1:  # what arms differ in is the same as what they differ in for this person
        return _crossed([none, *within], [1, sent, arms - sent]), _crossed([none], [2 * arms])
    everybody = _Grid(of_people.variance[1:], of_people.log_prior[1:])
    of_means = [means if sent > 1 else none, means if levels.silence else none, of_slopes]
    between = _crossed(of_means, [sent, arms - sent, arms])
    between.variance[:, arms:] *= alike / levels.reach**2
    return _crossed([everybody, *within], [1, sent, arms - sent]), between


class _Grid(NamedTuple):
    """Variances, [cells] or [cells, arms], with the logs of their prior probabilities."""

    variance: Floats
    log_prior: Floats


def _grid(middle: float, ends: Ends, null: float, points: int = POINTS) -> _Grid:
    """Return 0, and half-Cauchy standard deviations with that median at equal steps of the logarithm between the ends.

    >>> float(np.exp(_grid(1.0, (1e-6, 1e6), 0.5).log_prior).sum().round(4))
    1.0
    """
    sd = np.geomspace(*ends, points)
    step = math.sqrt(sd[1] / sd[0])
    below, above = (np.arctan(x / middle) for x in (sd / step, sd * step))
    prior = np.append(null, (1.0 - null) * (above - below) * 2.0 / math.pi)
    return _Grid(np.append(0.0, sd**2), np.log(prior))


def _crossed(grids: Sequence[_Grid], times: Sequence[int]) -> _Grid:
    """Return all combinations of variances, each repeated so many times: [cells, sum of times]."""
    places = np.indices([one.log_prior.size for one in grids]).reshape(len(grids), -1)
    variance = [one.variance[at] for one, at in zip(grids, places, strict=True)]
    log_prior = [one.log_prior[at] for one, at in zip(grids, places, strict=True)]
    return _Grid(np.repeat(np.stack(variance, axis=1), times, axis=1), np.sum(log_prior, axis=0))


class _Marginal(NamedTuple):
    """The likelihood of means and slopes of arms, people integrated out: its largest value, where, the covariance."""

    log: Floats  # [cells], with |P|^(−½), as means and slopes are integrated out
    mean: Floats  # [cells, 2 arms]
    covariance: Floats

    def at(self, cells: Ints) -> _Marginal:
        """Return some of the cells."""
        return _Marginal(*(column[cells] for column in self))


def _marginal(centre: Levels, variance: Floats) -> _Marginal:
    """Return the likelihood for variances of people and of each arm within them, [cells, 1 + arms]."""
    parts = np.array_split(variance, 1 + variance.shape[0] * centre.value.size // MOST_NUMBERS)
    every = [_marginal_of(centre, part) for part in parts]
    return _Marginal(*(np.concatenate(columns) for columns in zip(*every, strict=True)))


def _marginal_of(centre: Levels, variance: Floats) -> _Marginal:
    between = variance[:, :1]
    found = equations_of(centre, between, variance[:, None, 1:])
    covariance: Floats = np.linalg.inv(found.P).astype(np.float64)
    mean = np.einsum("ckl,cl->ck", covariance, found.h)
    seen = centre.precision[0] > 0.0
    log = np.log(found.weight[:, seen]).sum(1) - np.log1p(between * found.weight.sum(2)).sum(1)
    log = log - found.square + (found.h * mean).sum(1) - np.linalg.slogdet(found.P)[1]
    return _Marginal(0.5 * log, mean, covariance)


def _log_means(found: _Marginal, prior: _Grid, common: Floats) -> Floats:
    """Return the log of prior times likelihood of variances of means and slopes, [cells of found, cells of prior].

    What arms have in common has a flat prior. With C the covariance of the means m, eliminating C and then what is
    common from [[C, common, m], [commonᵀ, 0, 0], [mᵀ, 0, 0]] leaves minus the square of m in the metric of C, what is
    common projected out. The product of the pivots is |C| |commonᵀ C⁻¹ common|, up to its sign.
    """
    cells = np.arange(found.mean.shape[0])
    parts = np.array_split(cells, 1 + cells.size * prior.log_prior.size // AT_ONCE)
    every = [_eliminated(_bordered(found.mean[k], found.covariance[k], prior.variance, common)) for k in parts]
    return np.asarray(prior.log_prior - 0.5 * np.concatenate(every))


def _bordered(mean: Floats, covariance: Floats, variance: Floats, common: Floats) -> Floats:
    """Return [[C, common, m], [·, 0, 0], [·, ·, 0]] of all pairs of cells: [rows, columns, cells, cells].

    It is symmetric, and what is below its diagonal is not used.
    """
    n, shared = common.shape
    M = np.zeros((n + shared + 1, n + shared + 1, mean.shape[0], variance.shape[0]))
    M[:n, :n] = np.moveaxis(covariance, 0, -1)[..., None]
    M[np.arange(n), np.arange(n)] += variance.T[:, None]
    M[:n, n:-1] = common[..., None, None]
    M[:n, -1] = mean.T[..., None]
    return M


def _eliminated(M: Floats) -> Floats:
    """Return the sum of the logs of all pivots but the last, less the last; changes M, and reads its upper half.

    LAPACK takes ten times as long for so many small matrices, one after the other.
    """
    log = np.zeros(M.shape[2:])
    for i in range(M.shape[0] - 1):
        log += np.log(np.abs(M[i, i]))
        scaled = M[i] / M[i, i]
        for j in range(i + 1, M.shape[0]):
            M[j, j:] -= M[i, j] * scaled[j:]
    return np.asarray(log - M[-1, -1])
