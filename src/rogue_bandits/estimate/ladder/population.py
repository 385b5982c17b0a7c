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

from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.ladder.first_values import first_values, mean_prior
from rogue_bandits.estimate.ladder.laplace import Design, PopulationModel, marginal, marginal_loglik, sums
from rogue_bandits.estimate.ladder.laws import Agent
from rogue_bandits.types import Floats, Ints

MOST_STEPS, CONVERGED = 100, 1e-5
DAMPED_FROM = 40  # steps: variances of rare 0/1 rewards may go to and fro between two values for ever
UNSETTLED_STEPS = 60  # where no number of steps settles
LONGEST_STEP = 2.0  # of a person's numbers in one iteration; rewards are in units of about 1
SMALLEST_VARIANCE, LARGEST_VARIANCE = 1e-7, 100.0
FEW, MANY = 2, 10  # people without, and with a prior of the variance of levels
NARROWEST = 0.35  # standard deviation of log half-lives between people: about that of the grid


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


class Start(NamedTuple):
    """Where a search starts: means and variances [grid, numbers], deviations of people [grid, people, numbers]."""

    mean: Floats
    between: Floats
    deviation: Floats


def start_at(fitted: PopulationFit, places: Ints) -> Start:
    """Return the start of a search at some of the half-lives of an earlier fit."""
    mean = fitted.mean[places]
    return Start(mean, fitted.between[places], fitted.mode[places] - mean[:, None])


def fit_population(design: Design, model: PopulationModel, start: Start | None = None) -> PopulationFit:
    """Fit the model by maximum marginal likelihood, from `start` if a fit nearby is known.

    >>> from rogue_bandits.estimate.ladder.laws import Normal
    >>> rewards, person = np.array([1.0, 1.2, 0.8, 3.0, 3.2, 2.8]), np.array([0, 0, 0, 1, 1, 1])
    >>> design = Design(rewards, np.ones((1, 1, 6)), person, people=2)
    >>> fitted = fit_population(design, PopulationModel(Normal(), np.array([np.nan, 0.0])))
    >>> fitted.mean[0, 0].round(3), fitted.between[0, 0].round(2)
    (np.float64(2.0), np.float64(1.99))
    """
    grid, people = design.columns.shape[0], design.people
    estimated = np.isnan(model.between)
    m, between, b = first_values(design, model)
    at_first, pull_in = m[0].copy(), mean_prior(model, m.shape[1])
    if start is not None:
        m, between, b = start.mean, np.where(estimated, start.between, between), start.deviation
    share, log_prior = np.full((grid, people), 1.0 if not model.own_half_life else 1.0 / grid), _flat(grid)
    damping, last = np.ones_like(between), np.zeros_like(between)
    settles = _settles(model)
    for step in range(MOST_STEPS if settles else UNSETTLED_STEPS):
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
            towards = new - between
            change = max(change, float(np.abs(towards).max()))
            if settles and step >= DAMPED_FROM:
                damping = np.where(towards * last < 0.0, 0.5 * damping, np.minimum(1.25 * damping, 1.0))
            between, last = np.where(damping < 1.0, between + damping * towards, new), towards
        if model.own_half_life and step % 3 == 2:
            share, log_prior = _shares(
                marginal_loglik(design, model, m, b, between)[0], log_prior, bool(estimated[1:].any())
            )
        if change < CONVERGED:
            break
    return _result(design, model, m, b, between, log_prior)


def _settles(model: PopulationModel) -> bool:
    """Return whether a search ends by itself.

    The distribution of people's own half-lives moves as slowly as in EM. The likelihood of agents has kinks, about
    which means and modes of people go to and fro by a hundredth.
    """
    return not (model.own_half_life or isinstance(model.law, Agent))


def _new_variances(
    A: Floats, score: Floats, inverse: Floats, share: Floats, between: Floats, own_half_life: bool
) -> Floats:
    """Return the variances after a step of Fisher scoring on the restricted likelihood, at least 0.

    That of levels of `MANY` people or more has a prior in proportion to the standard deviation, which is never 0 then:
    people who seem to have the same level by chance would get intervals that are too short. A few people cannot bear
    such a prior.
    """
    A_kk = np.einsum("gijj->gij", A)
    reduced = A_kk - np.einsum("gijk,gikj->gij", A @ inverse[:, None], A)
    gain, curvature = (score**2 - reduced) * share[..., None], A_kk**2 * share[..., None]
    if own_half_life:
        gain, curvature = gain.sum(0, keepdims=True), curvature.sum(0, keepdims=True)
    level = np.maximum(between[:, :1], SMALLEST_VARIANCE)
    many = min(max(A.shape[1] - FEW, 0) / (MANY - FEW), 1.0)
    boundary = np.concatenate([1.0 / level, np.zeros_like(between[:, 1:])], axis=1)  # twice the slope of log √variance
    change = (gain.sum(1) + many * boundary) / np.maximum(curvature.sum(1) + many * boundary**2, 1e-12)
    new = np.clip(between + change, 0.1 * between * (change < 0), 4.0 * between + 0.05)
    return np.minimum(np.where(new < SMALLEST_VARIANCE, 0.0, new), LARGEST_VARIANCE)


def _limited(change: Floats) -> Floats:
    return np.clip(change, -LONGEST_STEP, LONGEST_STEP)


def _flat(grid: int) -> Floats:
    return np.full(grid, -np.log(grid))


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


def _result(
    design: Design, model: PopulationModel, m: Floats, b: Floats, between: Floats, log_prior: Floats
) -> PopulationFit:
    """Return the fit with covariances and posterior weights of the half-lives."""
    grid, people, q = b.shape
    loglik, L = marginal_loglik(design, model, m, b, between)
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
    away = m - first_values(design, model)[0]
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
