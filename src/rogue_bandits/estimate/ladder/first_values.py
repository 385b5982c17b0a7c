"""Where the search for means and variances of a population starts, and the weak prior of means around it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rogue_bandits.estimate.ladder.laplace import Design, PopulationModel, size_of
from rogue_bandits.estimate.ladder.laws import Agent, Gamma, Logit, Poisson, has_noise
from rogue_bandits.types import Floats

FIRST_VARIANCE = 0.1
FARTHEST_LEVEL = 3.0  # prior standard deviation of mean log odds and log means: rewards may be all 0 or all 1


def first_values(design: Design, model: PopulationModel) -> tuple[Floats, Floats, Floats]:
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


def mean_prior(model: PopulationModel, numbers: int) -> Floats:
    """Return the prior precision of each mean: the model's, and a weak one of the level of 0/1 rewards and counts."""
    precision = np.zeros(numbers) + model.precision
    precision[0] += FARTHEST_LEVEL**-2 if isinstance(model.law, Logit | Poisson) else 0.0
    return precision
