"""What the rewards of an arm say of the level of each person and of the slope, whatever the levels of others are.

The prior of levels between people is left out, so that another one can take its place: one that knows what the rewards
of a person's other arms say. Levels and the mean slope are correlated: what the data say best is the mean reward over
the sendings. Both are therefore open here, given the draws of everything else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.ladder.compare import CONSTANT, RECOVERY, CandidateFit, columns_of, model_of
from rogue_bandits.estimate.ladder.families import Component
from rogue_bandits.estimate.ladder.first_values import mean_prior
from rogue_bandits.estimate.ladder.laplace import Design, PopulationModel, marginal, sums
from rogue_bandits.estimate.ladder.laws import has_noise
from rogue_bandits.estimate.ladder.panel import Panel
from rogue_bandits.estimate.ladder.population import PopulationFit
from rogue_bandits.types import Floats, Ints

MOST_STEPS, LONGEST_STEP, SETTLED = 8, 1.0, 0.05  # of the search for a slope, in log odds or log means by its spread


class LevelEvidence(NamedTuple):
    """The likelihood of levels and of the mean slope, about normal: of level + tilt · slope, and of the slope alone.

    [draws, people] and [draws]; slopes are by one unit of what they multiply.
    """

    value: Floats  # of level + tilt · slope, where its likelihood is largest
    precision: Floats  # of that; 0 for somebody without rewards
    tilt: Floats
    information: Floats  # on the mean slope, levels being free
    score: Floats  # the slope of its log-likelihood at 0
    by_level: Floats  # by how much a person's slope changes with the level, and with the mean slope
    by_mean: Floats
    slope: Floats  # mean, as drawn by the fit of the arm
    reach: float  # standard deviation of what the slope multiplies; 0 for an arm without one


def level_evidence(
    fit: CandidateFit,
    part: Component,
    p: PopulationFit,
    panel: Panel,
    shift: Floats,
    own_place: Ints,
    level: Floats | None = None,
) -> LevelEvidence:
    """Return the likelihood at points of the grid; `shift` [draws, numbers] is how far means are off the mode.

    It is linearised at the modes of the fit, or at other levels [people] and the mean slope that is most likely with
    these: with the slope of the mode, far levels leave the likelihood where it is flat. With w the working score of a
    person, L the information and T the variances between people but for that of the level, which is 0:
    A = (I + LT)⁻¹L is the information on (level, means), the other numbers of the person integrated out, and
    (I + LT)⁻¹w the score.
    """
    columns, _ = columns_of(panel, fit.candidate.rung)
    design = Design(part.reward, columns[..., part.rows], panel.person[part.rows], panel.people)
    model, b, between = model_of(fit.candidate, part, panel), p.mode - p.mean[:, None], p.between.copy()
    between[:, 0] = 0.0
    has_slope = fit.candidate.rung != CONSTANT and bool(np.isfinite(fit.scale).all())
    if level is not None:
        b[..., 0] = level - p.mean[:, None, 0]
        if has_slope:
            b[..., 1] += _slope_at(design, model, p.mean, b, between)[:, None]
    s, L = sums(design, model, p.mean, b)
    A, score = marginal(s, L, b, between)
    index = own_place, np.arange(panel.people)[None]
    A, score = A[index], score[index]
    given = shift.copy()
    given[:, : 1 + has_slope] = 0.0
    score = score - np.einsum("dpij,dj->dpi", A, given)
    precision = A[..., 0, 0]
    known = np.where(precision > 0.0, precision, 1.0)
    value = p.mean[own_place, 0] + np.where(precision > 0.0, score[..., 0] / known, 0.0)
    if not has_slope:
        return _without_slope(value, precision, np.zeros_like(value))
    tilt = np.where(precision > 0.0, A[..., 0, 1] / known, 0.0)
    place = own_place[:, 0]  # people with half-lives of their own have one mean slope all the same
    scale, mode, prior = fit.scale[place], p.mean[place, 1], mean_prior(model, shift.shape[1])[1]
    left = degrees_left(p, part, fit)
    information = left * ((A[..., 1, 1] - tilt * A[..., 0, 1]).sum(1) + prior)
    at_mode = left * ((score[..., 1] - tilt * score[..., 0]).sum(1) - prior * mode)
    return LevelEvidence(
        value + tilt * mode[:, None],
        precision,
        tilt * scale[:, None],
        information * scale**2,
        (at_mode + information * mode) * scale,
        -between[own_place, 1] * A[..., 0, 1] / fit.scale[own_place],
        (1.0 - between[own_place, 1] * A[..., 1, 1]) * scale[:, None] / fit.scale[own_place],
        (mode + shift[:, 1]) / scale,
        float(np.mean(scale)),
    )


def _slope_at(design: Design, model: PopulationModel, mean: Floats, b: Floats, between: Floats) -> Floats:
    """Return by how much the mean slope that is most likely with the levels of b is above the mode: [grid]."""
    prior, by = mean_prior(model, mean.shape[1])[1], np.zeros(mean.shape[0])
    for _ in range(MOST_STEPS):
        moved = b.copy()
        moved[..., 1] += by[:, None]
        A, score = marginal(*sums(design, model, mean, moved), moved, between)
        left = score[..., 1] - A[..., 1, 0] * b[..., 0] - A[..., 1, 1] * by[:, None]
        step = (left.sum(1) - prior * (mean[:, 1] + by)) / (A[..., 1, 1].sum(1) + prior)
        step = np.clip(step, -LONGEST_STEP, LONGEST_STEP)
        by += step
        if np.abs(step).max() < SETTLED:
            break
    return by


def _without_slope(value: Floats, precision: Floats, by_level: Floats) -> LevelEvidence:
    flat, one = np.zeros_like(value), np.ones(value.shape[0])
    return LevelEvidence(value, precision, flat, one, 0.0 * one, by_level, flat, 0.0 * one, 0.0)


def degrees_left(p: PopulationFit, part: Component, fit: CandidateFit) -> float:
    """Return (n − k) / n for noise that is estimated beside k means from n rewards; 1 without noise."""
    if not has_noise(part.law):
        return 1.0
    n, k = float(part.reward.size), p.mean.shape[1] - 1 + int(fit.candidate.rung == RECOVERY)
    return max(n - k, 1.0) / n


def evidence_of_draws(level: Floats, slope: Floats) -> LevelEvidence:
    """Return the same from draws [draws, 1] of a person alone, whose level has a flat prior: slopes follow levels.

    >>> level = np.array([[1.0], [2.0], [3.0]])
    >>> found = evidence_of_draws(level, -2.0 * level)
    >>> [float(x[0, 0]) for x in (found.value, found.precision, found.by_level)]
    [2.0, 1.5, -2.0]
    """
    mean, variance = level.mean(0), np.maximum(level.var(0), 1e-30)
    follows = ((level - mean) * (slope - slope.mean(0))).mean(0) / variance
    return _without_slope(*(np.broadcast_to(x, level.shape) for x in (mean, 1.0 / variance, follows)))
