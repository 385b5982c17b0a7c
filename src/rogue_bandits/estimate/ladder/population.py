"""A population of people with the same kind of model, fitted by maximum marginal likelihood.

Person i has numbers u_i = (level, slope, covariates …, log noise), drawn from a normal distribution with means m and
variances `between`, 0 where a number is shared. They are integrated out by Laplace's method. With lik_i the likelihood
of the person's rewards, score s_i and expected information L_i at u_i, and T = diag(between):

    the mode           u_i = m + b_i,  b_i = T s_i
    information of m   A_i = (I + L_i T)^-1 L_i, M = sum of A_i
    log marginal       log lik_i − b_i' T^-1 b_i / 2 − log det(I + T L_i) / 2

m is updated by Newton's method, `between` by Fisher scoring on the restricted likelihood, which also allows for the
estimation of m, with a prior that keeps the variance of levels off 0. Nothing is divided by `between`: shared,
partially pooled and separate are one formula.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.estimate.ladder.laws import Agent, Gamma, Logit, Poisson, Terms, has_noise, terms
from rogue_bandits.types import Floats, Ints

MOST_STEPS, CONVERGED = 60, 1e-5
LONGEST_STEP = 2.0  # of a person's numbers in one iteration; rewards are in units of about 1
FIRST_VARIANCE = 0.1
TINY = 1e-12  # keeps matrices invertible
SMALLEST_VARIANCE, LARGEST_VARIANCE = 1e-7, 100.0
FARTHEST_LEVEL = 3.0  # prior standard deviation of mean log odds and log means: rewards may be all 0 or all 1
FEW, MANY = 2, 10  # people without, and with a prior of the variance of levels
NARROWEST = 0.35  # standard deviation of log half-lives between people: about that of the grid


class Design(NamedTuple):
    """Rewards and what explains them: [grid, numbers, rows], the level's column of 1 first."""

    reward: Floats
    columns: Floats
    person: Ints  # of each row, in order
    people: int  # of whom some may have no row

    @property
    def first_rows(self) -> Ints:
        """The first row of each person who has one."""
        return np.flatnonzero(np.append(self.person.size > 0, self.person[1:] != self.person[:-1]))


class Model(NamedTuple):
    """A law, the variances between people (nan: estimated), and whether people have half-lives of their own."""

    law: Any
    between: Floats
    own_half_life: bool = False
    precision: Floats | float = TINY  # of the prior of each mean around where a search starts: TINY is flat


class PopulationFit(NamedTuple):
    """A fitted model, for each half-life of the grid."""

    mean: Floats  # [grid, numbers]
    between: Floats  # [grid, numbers]
    mode: Floats  # [grid, people, numbers]
    covariance: Floats  # [grid, people, numbers, numbers] of a person's numbers, estimation of the means included
    personal: Floats  # the same given the means
    response: Floats  # [grid, people, numbers, numbers]: how a person's numbers follow the means
    mean_covariance: Floats  # [grid, numbers, numbers]
    certainty: Floats  # [grid, numbers]: degrees of freedom of the variances between people
    loglik: Floats  # [grid, people]: marginal
    weight: Floats  # [grid, people]: posterior probability of the half-life
    restricted: Floats  # [grid]: the log of the marginal likelihood, means integrated out; of all half-lives if own


def size_of(design: Design, law: Any) -> int:
    """Return how many numbers a person has."""
    return design.columns.shape[1] + int(has_noise(law))


class Start(NamedTuple):
    """Where a search starts: means and variances [grid, numbers], deviations of people [grid, people, numbers]."""

    mean: Floats
    between: Floats
    deviation: Floats


def start_at(fitted: PopulationFit, places: Ints) -> Start:
    """Return the start of a search at some of the half-lives of an earlier fit."""
    mean = fitted.mean[places]
    return Start(mean, fitted.between[places], fitted.mode[places] - mean[:, None])


def fit_population(design: Design, model: Model, start: Start | None = None) -> PopulationFit:
    """Fit the model by maximum marginal likelihood, from `start` if a fit nearby is known.

    >>> from rogue_bandits.estimate.ladder.laws import Normal
    >>> rewards, person = np.array([1.0, 1.2, 0.8, 3.0, 3.2, 2.8]), np.array([0, 0, 0, 1, 1, 1])
    >>> design = Design(rewards, np.ones((1, 1, 6)), person, people=2)
    >>> fitted = fit_population(design, Model(Normal(), np.array([np.nan, 0.0])))
    >>> fitted.mean[0, 0].round(3), fitted.between[0, 0].round(2)
    (np.float64(2.0), np.float64(1.99))
    """
    grid, people = design.columns.shape[0], design.people
    estimated = np.isnan(model.between)
    m, between, b = _first(design, model)
    at_first, pull_in = m[0].copy(), mean_prior(model, m.shape[1])
    if start is not None:
        m, between, b = start.mean, np.where(estimated, start.between, between), start.deviation
    share, log_prior = np.full((grid, people), 1.0 if not model.own_half_life else 1.0 / grid), _flat(grid)
    for step in range(MOST_STEPS):
        s, L = sums(design, model, m, b)
        A, score = marginal(s, L, b, between)
        M = np.einsum("gi,gijk->gjk", share, A)
        total = np.einsum("gi,gij->gj", share, score)
        if model.own_half_life:
            M, total = np.broadcast_to(M.sum(0), M.shape), np.broadcast_to(total.sum(0), total.shape)
        M, total = M + np.diag(pull_in), total - pull_in * (m - at_first)
        inverse = np.linalg.inv(M)
        delta = _limited(np.einsum("gjk,gk->gj", inverse, total))
        score = score - np.einsum("gijk,gk->gij", A, delta)
        b_new = between[:, None] * score
        moved = _limited(b_new - b)
        change = max(float(np.abs(delta).max()), float(np.abs(moved).max()))
        m, b = m + delta, b + moved
        if estimated.any():
            new = np.where(estimated, _new_variances(A, score, inverse, share, between, model.own_half_life), between)
            change = max(change, float(np.abs(new - between).max()))
            between = new
        if model.own_half_life and step % 3 == 2:
            share, log_prior = _shares(_loglik(design, model, m, b, between)[0], log_prior, bool(estimated[1:].any()))
        if change < CONVERGED:
            break
    return _result(design, model, m, b, between, log_prior)


def _new_variances(
    A: Floats, score: Floats, inverse: Floats, share: Floats, between: Floats, own_half_life: bool
) -> Floats:
    """Return the variances after a step of Fisher scoring on the restricted likelihood, at least 0.

    That of levels of `MANY` people or more has a prior in proportion to the standard deviation, which is never 0 then:
    people who seem to have the same level by chance would get intervals that are too short. A few people cannot bear
    such a prior.
    """
    A_kk = np.einsum("gijj->gij", A)
    reduced = A_kk - np.einsum("gijk,gkl,gilj->gij", A, inverse, A)
    gain, curvature = (score**2 - reduced) * share[..., None], A_kk**2 * share[..., None]
    if own_half_life:
        gain, curvature = gain.sum(0, keepdims=True), curvature.sum(0, keepdims=True)
    level = np.maximum(between[:, :1], SMALLEST_VARIANCE)
    many = min(max(A.shape[1] - FEW, 0) / (MANY - FEW), 1.0)
    boundary = np.concatenate([1.0 / level, np.zeros_like(between[:, 1:])], axis=1)  # twice the slope of log √variance
    change = (gain.sum(1) + many * boundary) / np.maximum(curvature.sum(1) + many * boundary**2, 1e-12)
    new = np.clip(between + change, 0.1 * between * (change < 0), 4.0 * between + 0.05)
    return np.minimum(np.where(new < SMALLEST_VARIANCE, 0.0, new), LARGEST_VARIANCE)


def by_person(values: Floats, design: Design) -> Floats:
    """Return the sums of values [..., rows] over the rows of each person."""
    start = design.first_rows
    total = np.zeros((*values.shape[:-1], design.people))
    if not start.size:
        return total
    total[..., design.person[start]] = np.add.reduceat(values, start, axis=-1)
    return total


def _first(design: Design, model: Model) -> tuple[Floats, Floats, Floats]:
    """Return where a search starts: no effects, and levels of people at their means where the law has noise.

    From one level for all, the distance of a person who is unlike the others would be taken for noise, and the search
    would end there.
    """
    grid, people, q = design.columns.shape[0], design.people, size_of(design, model.law)
    m, b = np.zeros((grid, q)), np.zeros((grid, people, q))
    level, noise = first_level(model.law, design.reward)
    m[:, 0] = level
    between = np.where(np.isnan(model.between), FIRST_VARIANCE, model.between)
    if has_noise(model.law):
        m[:, -1] = noise
        own = _own_levels(design, model.law) - level
        b[..., 0] = own if between[0] > 0.0 else 0.0
        if np.isnan(model.between[0]):
            between[0] = max(float(np.mean(own**2)), FIRST_VARIANCE)
    return m, np.broadcast_to(between, (grid, q)).copy(), b


def _own_levels(design: Design, law: Any) -> Floats:
    """Return the level of each person by their mean reward; that of all for people without rewards."""
    n = np.bincount(design.person, minlength=design.people)
    mean = np.bincount(design.person, weights=design.reward, minlength=design.people) / np.maximum(n, 1)
    mean = np.where(n > 0, mean, design.reward.sum() / max(design.reward.size, 1))
    return np.log(np.maximum(mean, 1e-3)) if isinstance(law, Gamma) else mean


def mean_prior(model: Model, numbers: int) -> Floats:
    """Return the prior precision of each mean: the model's, and a weak one of the level of 0/1 rewards and counts."""
    precision = np.zeros(numbers) + model.precision
    precision[0] += FARTHEST_LEVEL**-2 if isinstance(model.law, Logit | Poisson) else 0.0
    return precision


def first_level(law: Any, r: Floats) -> tuple[float, float]:
    """Return the level and the log noise of rewards from one distribution, about; the typical noise if it is known."""
    if not r.size:  # of a fold, or of rewards above 0
        return 0.0, math.log(law.typical) if has_noise(law) and law.typical > 0.0 else 0.0
    mean = float(r.mean())
    if isinstance(law, Logit):
        share = min(max(mean / law.trials, 1e-3), 1.0 - 1e-3)
        return float(np.log(share / (1.0 - share))), 0.0
    if isinstance(law, Poisson | Gamma):
        level, noise = np.log(max(mean, 1e-3)), min(max(float(r.std()) / max(mean, 1e-9), 0.02), 20.0)
    elif isinstance(law, Agent):
        level = np.median(r)
        noise = max(np.abs(r - level).mean(), 5e-3)
    else:
        level, noise = mean, max(float(r.std()), 1e-3)
    return float(level), float(np.log(law.typical if has_noise(law) and law.typical > 0.0 else noise))


def _limited(change: Floats) -> Floats:
    return np.clip(change, -LONGEST_STEP, LONGEST_STEP)


def _flat(grid: int) -> Floats:
    return np.full(grid, -np.log(grid))


def terms_at(design: Design, law: Any, u: Floats) -> Terms:
    """Return the terms of every row, at the numbers u [grid, people, numbers] of its person."""
    k = design.columns.shape[1]
    eta = np.zeros((design.columns.shape[0], design.person.size))
    for j in range(k):
        eta += design.columns[:, j] * u[:, design.person, j]
    s = u[:, design.person, -1] if has_noise(law) else np.zeros((1, 1))
    return terms(law, eta, s, design.reward)


def sums(design: Design, model: Model, m: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the score [grid, people, numbers] and the expected information of each person."""
    return _sums_of(terms_at(design, model.law, m[:, None] + b), design, model)


def _sums_of(found: Terms, design: Design, model: Model) -> tuple[Floats, Floats]:
    """Return the same from the terms of every row, all summed up at once: there may be few rows, and many calls."""
    X, noise = design.columns, has_noise(model.law)
    (grid, k, rows), q = X.shape, size_of(design, model.law)
    lower = [(i, j) for j in range(k) for i in range(j + 1)]
    values = np.empty((grid, k + len(lower) + 2 * noise, rows))
    values[:, :k] = found.slope[:, None] * X
    weighted = found.information[:, None] * X
    for place, (i, j) in enumerate(lower):
        np.multiply(weighted[:, j], X[:, i], out=values[:, k + place])
    if noise:
        values[:, -2], values[:, -1] = found.noise_slope, found.noise_information
    summed = np.swapaxes(by_person(values, design), 1, 2)
    s, L = np.zeros((grid, design.people, q)), np.zeros((grid, design.people, q, q))
    s[..., :k] = summed[..., :k]
    for place, (i, j) in enumerate(lower):
        L[..., i, j] = L[..., j, i] = summed[..., k + place]
    if noise:
        s[..., -1], L[..., -1, -1] = summed[..., -2], summed[..., -1]
    return s, L


def marginal(s: Floats, L: Floats, b: Floats, between: Floats) -> tuple[Floats, Floats]:
    """Return A_i and the score of m, both linearised at the present b."""
    working = s + np.einsum("gijk,gik->gij", L, b)
    both = np.concatenate([L, working[..., None]], axis=-1)
    solved = np.linalg.solve(np.eye(L.shape[-1]) + L * between[:, None, None, :], both)
    return solved[..., :-1], solved[..., -1]


def _loglik(design: Design, model: Model, m: Floats, b: Floats, between: Floats) -> tuple[Floats, Floats]:
    """Return the marginal log-likelihood [grid, people], and the information of each person."""
    found = terms_at(design, model.law, m[:, None] + b)
    L = _sums_of(found, design, model)[1]
    lik = by_person(found.loglik, design)
    T = between[:, None]
    penalty = np.where(T > 0.0, b * b / np.where(T > 0.0, T, 1.0), 0.0).sum(-1)
    determinant = np.linalg.slogdet(np.eye(L.shape[-1]) + T[..., None] * L)[1]
    return lik - 0.5 * penalty - 0.5 * determinant, L


def _shares(loglik: Floats, log_prior: Floats, pooled: bool) -> tuple[Floats, Floats]:
    """Return the posterior of each person's half-life, and its distribution in the population.

    A population's log half-lives are normal on the grid; separate people have a flat prior.
    """
    share = np.exp(loglik + log_prior[:, None] - _log_sum(loglik + log_prior[:, None]))
    if not pooled:
        return share, log_prior
    place = np.arange(log_prior.size, dtype=np.float64)
    middle = float((share.sum(1) * place).sum() / share.sum())
    spread = float((share.sum(1) * (place - middle) ** 2).sum() / share.sum())
    log_prior = -0.5 * (place - middle) ** 2 / max(spread, NARROWEST**2)
    return share, log_prior - _log_sum(log_prior[:, None])[0]


def _log_sum(x: Floats) -> Floats:
    """Return log Σ exp over the grid, [people]."""
    top = x.max(0)
    return top + np.log(np.exp(x - top).sum(0))


def _result(design: Design, model: Model, m: Floats, b: Floats, between: Floats, log_prior: Floats) -> PopulationFit:
    """Return the fit with covariances and posterior weights of the half-lives."""
    grid, people, q = b.shape
    loglik, L = _loglik(design, model, m, b, between)
    T = between[:, None]
    inside = np.linalg.inv(np.eye(q) + T[..., None] * L)
    A = L @ inside
    personal = inside * T[:, :, None, :]
    if model.own_half_life:
        posterior = loglik + log_prior[:, None]
        weight = np.exp(posterior - _log_sum(posterior))
        M = np.broadcast_to(np.einsum("gi,gijk->jk", weight, A), (grid, q, q))
        restricted = np.full(grid, float(_log_sum(posterior).sum()))
    else:
        M, restricted = A.sum(1), loglik.sum(1)
    prior = mean_prior(model, q)
    M = M + np.diag(prior)
    away = m - _first(design, model)[0]
    restricted = restricted - 0.5 * np.linalg.slogdet(M)[1] - 0.5 * (prior * away**2).sum(1)
    if not model.own_half_life:
        share = np.exp(restricted - _log_sum(restricted[:, None])[0])
        weight = np.broadcast_to(share[:, None], (grid, people))
    mean_covariance: Floats = np.linalg.inv(M).astype(np.float64)
    K = np.eye(q) - T[..., None] * A
    covariance = personal + K @ mean_covariance[:, None] @ np.swapaxes(K, -1, -2)
    certainty = between**2 * np.einsum("gijj,gijj->gj", A, A)
    mode = m[:, None] + b
    return PopulationFit(
        m, between, mode, covariance, personal, K, mean_covariance, certainty, loglik, weight, restricted
    )
