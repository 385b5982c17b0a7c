"""What the rewards of an arm say of the level of each person, whatever the levels of others are.

The prior of levels between people is left out, so that another one can take its place: one that knows what the rewards
of a person's other arms say.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.ladder.compare import CONSTANT, Fit, columns_of, model_of
from rogue_bandits.estimate.ladder.families import Component
from rogue_bandits.estimate.ladder.panel import Panel
from rogue_bandits.estimate.ladder.population import Design, Population, marginal, sums
from rogue_bandits.types import Floats, Ints


class LevelEvidence(NamedTuple):
    """The likelihood of a person's level, about normal, for each draw of what people share: [draws, people]."""

    value: Floats  # where it is largest
    precision: Floats  # 0 for somebody without rewards
    slope: Floats  # by how much the person's slope changes with the level


def level_evidence(
    fit: Fit, part: Component, p: Population, panel: Panel, shift: Floats, own_place: Ints
) -> LevelEvidence:
    """Return the likelihood of levels at points of the grid; `shift` is how far draws of the means are off the mode.

    With w the working score of a person, L the information and T the variances between people but for that of the
    level, which is 0: A = (I + LT)⁻¹L is the information on (level, means), the other numbers of the person integrated
    out, and (I + LT)⁻¹w the score.
    """
    columns, _ = columns_of(panel, fit.candidate.rung)
    design = Design(part.reward, columns[..., part.rows], panel.person[part.rows], panel.people)
    model, b, between = model_of(fit.candidate, part, panel), p.mode - p.mean[:, None], p.between.copy()
    between[:, 0] = 0.0
    s, L = sums(design, model, p.mean, b)
    A, score = marginal(s, L, b, between)
    index = own_place, np.arange(panel.people)[None]
    row, precision = A[..., 0, :][index], A[..., 0, 0][index]
    toward = score[..., 0][index] - np.einsum("dpj,dj->dp", row[..., 1:], shift[:, 1:])
    value = p.mean[own_place, 0] + np.where(precision > 0.0, toward / np.where(precision > 0.0, precision, 1.0), 0.0)
    slope = np.zeros_like(value)
    if fit.candidate.rung != CONSTANT:
        slope = -between[own_place, 1] * row[..., 1] / fit.scale[own_place]
    return LevelEvidence(value, precision, slope)


def evidence_of_draws(level: Floats, slope: Floats) -> LevelEvidence:
    """Return the same from draws [draws, 1] of a person alone, whose level has a flat prior.

    >>> level = np.array([[1.0], [2.0], [3.0]])
    >>> [float(x[0, 0]) for x in evidence_of_draws(level, -2.0 * level)]
    [2.0, 1.5, -2.0]
    """
    mean, variance = level.mean(0), np.maximum(level.var(0), 1e-30)
    follows = ((level - mean) * (slope - slope.mean(0))).mean(0) / variance
    return LevelEvidence(*(np.broadcast_to(x, level.shape) for x in (mean, 1.0 / variance, follows)))
