"""Levels of the arms of a person, estimated together: crossed effects of people and arms.

Fitted one by one, arms that are all alike seem to differ, as the error of each level is its own. Here the level of
person i on arm k is μ_k + u_i + e_ik: people differ, arms differ, and arms may differ in another way for each person.
Silence, what follows a rest, is one more arm with variances of its own. The variance of the means μ_k is 0 with
probability 0.2 before the data: that arms are alike on average is what the data have to speak against.

The mean slope of each arm is estimated with the levels, as the data say best what both make together. Given the
variances everything is normal. These are few numbers, and are drawn from a grid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

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
RIDGE = 1e-11  # relative: people who are 10⁵ noises apart leave nothing of the precision of a common mean
MOST_NUMBERS = 4_000_000  # draws × people × arms that are held at once
Ends = tuple[float, float]


class Levels(NamedTuple):
    """What rewards say of levels and of mean slopes, on one scale: [draws, people, arms] and [draws, arms].

    `value` is where the likelihood of level + tilt · slope is largest. Arms of one group have slopes of one kind, which
    may be alike; an arm by itself has a slope that is like no other's.
    """

    value: Floats
    precision: Floats  # 0 where somebody has no rewards
    tilt: Floats
    information: Floats  # on the mean slope, levels being free
    score: Floats  # the slope of its log-likelihood at 0
    noise: float  # typical standard deviation of a reward
    silence: bool  # whether the last arm is silence
    group: Ints  # [arms]: the first arm whose slope is of the same kind
    reach: Floats  # [arms]: standard deviation of what the slope multiplies

    def some(self, draws: Ints) -> Levels:
        """Return some of the draws."""
        return self._replace(**{name: getattr(self, name)[draws] for name in self._fields[:5]})

    def mean(self) -> Levels:
        """Return the means over draws, as the only draw."""
        return self._replace(**{name: getattr(self, name).mean(0, keepdims=True) for name in self._fields[:5]})


class Drawn(NamedTuple):
    """Levels [draws, people, arms], and mean slopes [draws, arms]."""

    level: Floats
    slope: Floats


class Spreads(NamedTuple):
    """Variances: of people [cells], of arms within people, of means and of slopes of arms, [cells, arms]."""

    people: Floats
    own: Floats
    means: Floats
    slopes: Floats
    weight: Floats  # [cells]: posterior probability


def draw_levels(levels: Levels, rng: np.random.Generator, noise: Floats | None = None) -> Drawn:
    """Draw the levels of all arms together, one for each draw of what people share.

    `noise` has standard normal numbers [draws, people, arms] for what is left of the level of each arm, as of draws
    from a likelihood that is not normal.

    >>> rng = np.random.default_rng(1)
    >>> value = np.broadcast_to([[1.0, 1.1], [3.0, 2.9]], (500, 2, 2))
    >>> tilt, present, each = np.zeros((500, 2, 2)), np.ones((500, 2)), np.ones(2)
    >>> levels = Levels(value, tilt + 25.0, tilt, present, 0.0 * present, 1.0, False, np.arange(2), each)
    >>> drawn = draw_levels(levels, rng)
    >>> float(drawn.level.std(0).mean().round(2))  # 0.2 is that of each arm by itself
    0.17
    """
    seen = levels.precision > 0.0
    centre = float(np.average(levels.value[seen], weights=levels.precision[seen]))
    levels = levels._replace(value=np.where(seen, levels.value - centre, 0.0))
    spreads = posterior_of_spreads(levels)
    draws, people, arms = levels.value.shape
    cells = rng.choice(np.arange(spreads.weight.size), size=draws, p=spreads.weight)
    found, slope = np.empty(levels.value.shape), np.empty((draws, arms))
    for some in np.array_split(np.arange(draws), 1 + draws * people * arms // MOST_NUMBERS):
        rest = rng.standard_normal((some.size, people, arms)) if noise is None else noise[some]
        found[some], slope[some] = _drawn(levels.some(some), spreads, cells[some], rest, rng)
    return Drawn(centre + found, slope)


def _drawn(levels: Levels, spreads: Spreads, cells: Ints, rest: Floats, rng: np.random.Generator) -> Drawn:
    """Draw means of arms, then people, then arms of people, for one cell of the variances each draw."""
    between, own = spreads.people[cells][:, None], spreads.own[cells][:, None]
    equations = _equations(levels, between, own)
    mu, slope = _drawn_means(equations, spreads.means[cells], spreads.slopes[cells], levels.group, rng)
    value, precision = levels.value - levels.tilt * slope[:, None], levels.precision
    weight, shrunk = equations.weight, equations.shrunk
    u = shrunk * (weight * (value - mu[:, None])).sum(2) + np.sqrt(shrunk) * rng.standard_normal(shrunk.shape)
    centre = mu[:, None] + u[..., None]
    kept = own * precision / (1.0 + own * precision)
    level = centre + kept * (value - centre) + np.sqrt(own / (1.0 + own * precision)) * rest
    return Drawn(np.asarray(level), slope)


class _Equations(NamedTuple):
    """Normal equations of means and slopes of arms, people integrated out: P · (means, slopes) = h."""

    P: Floats  # [draws, 2 arms, 2 arms]
    h: Floats  # [draws, 2 arms]
    square: Floats  # [draws]: of the values, in the metric of their covariance
    weight: Floats  # [draws, people, arms]: of values, given the person
    shrunk: Floats  # [draws, people]: variance of a person's effect given the values


def _equations(levels: Levels, between: Floats, own: Floats) -> _Equations:
    """Return the equations for variances of people [draws, 1] and of arms within them [draws, 1, arms]."""
    value, tilt, arms = levels.value, levels.tilt, np.arange(levels.value.shape[2])
    weight = levels.precision / (1.0 + own * levels.precision)
    shrunk = between / (1.0 + between * weight.sum(2))
    k, tilted, sums = arms.size, weight * tilt, (weight * value).sum(2)
    rest = value - (shrunk * sums)[..., None]
    h = np.concatenate([(weight * rest).sum(1), (tilted * rest).sum(1)], axis=1)
    rows = np.sqrt(shrunk)[..., None] * np.concatenate([weight, tilted], axis=2)
    P = -(np.swapaxes(rows, 1, 2) @ rows)
    P[:, arms, arms] += (1.0 + RIDGE) * weight.sum(1)
    P[:, arms, k + arms] += tilted.sum(1)
    P[:, k + arms, arms] += tilted.sum(1)
    P[:, k + arms, k + arms] += (tilted * tilt).sum(1) + levels.information
    h[:, k:] += levels.score
    square = (weight * value * value).sum((1, 2)) - (shrunk * sums**2).sum(1)
    return _Equations(P, h, square, weight, shrunk)


def _drawn_means(
    equations: _Equations, means: Floats, slopes: Floats, group: Ints, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw means and slopes of arms: a common one with a flat prior, and what arms differ in."""
    draws, arms = means.shape
    common = _common_to(group)
    B = np.zeros((draws, 2 * arms, common.shape[1] + 2 * arms))
    B[:, :, : common.shape[1]] = common
    B[:, :, common.shape[1] :] = np.sqrt(np.concatenate([means, slopes], axis=1))[:, :, None] * np.eye(2 * arms)
    prior = np.diag([*np.zeros(common.shape[1]), *np.ones(2 * arms)])
    precision = np.swapaxes(B, 1, 2) @ equations.P @ B + prior
    mean = np.linalg.solve(precision, np.einsum("dka,dk->da", B, equations.h)[..., None])[..., 0]
    root = np.linalg.cholesky(precision)
    z = rng.standard_normal((*mean.shape, 1))
    found = np.einsum("dka,da->dk", B, mean + np.linalg.solve(np.swapaxes(root, 1, 2), z)[..., 0])
    return found[:, :arms], found[:, arms:]


def _common_to(group: Ints) -> Floats:
    """Return what means and slopes of arms have in common: 1 for all means, and 1 for the slopes of each group.

    >>> _common_to(np.array([0, 0, 2])).astype(int).tolist()
    [[1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]]
    """
    kinds = np.unique(group)
    means = np.concatenate([np.ones((group.size, 1)), np.zeros((group.size, kinds.size))], axis=1)
    return np.concatenate([means, np.concatenate([np.zeros((group.size, 1)), group[:, None] == kinds], axis=1)])


# ---- the posterior of the variances ----------------------------------------------------------------------------------
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
    found, common = _marginal(centre, own.variance), _common_to(centre.group)
    rough = _above(own.log_prior + found.log)
    likely = np.flatnonzero(rough > -UNLIKELY)
    log = np.array([rough[k] + _log_means(found.mean[k], found.covariance[k], means, common) for k in likely])
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
    cells = list(product(*(zip(one.variance, one.log_prior, strict=True) for one in grids)))
    variance = [np.repeat([value for value, _ in cell], times) for cell in cells]
    return _Grid(np.array(variance), np.array([sum(log for _, log in cell) for cell in cells]))


class _Marginal(NamedTuple):
    """The likelihood of means and slopes of arms, people integrated out: its largest value, where, the covariance."""

    log: Floats  # [cells], with |P|^(−½), as means and slopes are integrated out
    mean: Floats  # [cells, 2 arms]
    covariance: Floats


def _marginal(centre: Levels, variance: Floats) -> _Marginal:
    """Return the likelihood for variances of people and of each arm within them, [cells, 1 + arms]."""
    parts = np.array_split(variance, 1 + variance.shape[0] * centre.value.size // MOST_NUMBERS)
    every = [_marginal_of(centre, part) for part in parts]
    return _Marginal(*(np.concatenate(columns) for columns in zip(*every, strict=True)))


def _marginal_of(centre: Levels, variance: Floats) -> _Marginal:
    between = variance[:, :1]
    found = _equations(centre, between, variance[:, None, 1:])
    covariance: Floats = np.linalg.inv(found.P).astype(np.float64)
    mean = np.einsum("ckl,cl->ck", covariance, found.h)
    seen = centre.precision[0] > 0.0
    log = np.log(found.weight[:, seen]).sum(1) - np.log1p(between * found.weight.sum(2)).sum(1)
    log = log - found.square + (found.h * mean).sum(1) - np.linalg.slogdet(found.P)[1]
    return _Marginal(0.5 * log, mean, covariance)


def _log_means(mean: Floats, covariance: Floats, prior: _Grid, common: Floats) -> Floats:
    """Return the log of prior times likelihood of variances of means and slopes, [cells]; what is common is flat."""
    C = covariance + prior.variance[:, :, None] * np.eye(mean.size)
    both = np.column_stack([common, mean])
    solved = np.linalg.solve(C, np.broadcast_to(both, (C.shape[0], *both.shape)))
    inner, toward = common.T @ solved[:, :, :-1], common.T @ solved[:, :, -1:]
    square = solved[:, :, -1] @ mean - (toward * np.linalg.solve(inner, toward)).sum((1, 2))
    return np.asarray(prior.log_prior - 0.5 * (np.linalg.slogdet(C)[1] + np.linalg.slogdet(inner)[1] + square))
