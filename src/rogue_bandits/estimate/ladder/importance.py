"""Importance weights: from draws of an approximation to draws of the posterior, for a person who is fitted alone.

Nothing is integrated out then: the posterior is the likelihood times a prior, and can be computed at every draw. Normal
approximations are too narrow for few rewards of 0 and 1, whose likelihood is skewed.
"""

from __future__ import annotations

import numpy as np

from rogue_bandits.estimate.ladder.compare import CandidateFit, columns_of, model_of
from rogue_bandits.estimate.ladder.families import Component
from rogue_bandits.estimate.ladder.first_values import first_level, mean_prior
from rogue_bandits.estimate.ladder.laws import has_noise
from rogue_bandits.estimate.ladder.logliks import loglik_of
from rogue_bandits.estimate.ladder.panel import Panel
from rogue_bandits.estimate.ladder.population import PopulationFit
from rogue_bandits.types import Floats, Ints

MOST_NUMBERS = 2_000_000  # draws × rewards that are held at once
LARGEST_SHARE = 0.02  # of the weight that a single draw may have: more would be an accident of the draws


def log_weight(
    fit: CandidateFit, part: Component, p: PopulationFit, panel: Panel, means: Floats, place: Ints, log_proposal: Floats
) -> Floats:
    """Return the log of posterior over proposal for draws of the means [draws, numbers] at points of the grid.

    `log_proposal` is the density of a draw given its half-life, which was drawn in proportion to exp(p.restricted).
    """
    model, columns = model_of(fit.candidate, part, panel), columns_of(panel, fit.candidate.rung)[0][..., part.rows]
    loglik = np.zeros(place.size)
    for g in np.unique(place).tolist():
        mine = np.flatnonzero(place == g)
        for some in np.array_split(mine, 1 + mine.size * part.reward.size // MOST_NUMBERS):
            eta = means[some, : columns.shape[1]] @ columns[g]
            s = means[some, -1:] if has_noise(part.law) else np.zeros((1, 1))
            loglik[some] = loglik_of(part.law, eta, s, part.reward).sum(1)
    first = np.zeros(means.shape[1])
    first[0], noise = first_level(part.law, part.reward)
    if has_noise(part.law):
        first[-1] = noise
    prior = -0.5 * (mean_prior(model, means.shape[1]) * (means - first) ** 2).sum(1)
    return loglik + prior - p.restricted[place] - log_proposal


def resampled(log: Floats, draws: int, rng: np.random.Generator) -> Ints:
    """Return which draws to keep, with probabilities in proportion to their weights.

    >>> resampled(np.array([0.0, -1000.0]), 3, np.random.default_rng(1)).tolist()
    [0, 0, 0]
    """
    weight = np.exp(log - log.max())
    weight = np.minimum(weight, LARGEST_SHARE * weight.sum()) if weight.size > 2.0 / LARGEST_SHARE else weight
    ends = np.cumsum(weight) / weight.sum()
    at = (np.arange(draws) + rng.random()) / draws  # systematic: the least added noise
    return np.minimum(np.searchsorted(ends, at), log.size - 1)
