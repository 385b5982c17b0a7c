"""Laplace's method: the numbers of each person integrated out, given means and variances of the population.

The formulas, and what the letters mean, are in `population`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.estimate.ladder.laws import Terms, has_noise, terms
from rogue_bandits.estimate.ladder.logliks import loglik_of
from rogue_bandits.types import Floats, Ints

TINY = 1e-12  # keeps matrices invertible


@dataclass(frozen=True)
class Design:
    """Rewards and what explains them: [grid, numbers, rows], the level's column of 1 first."""

    reward: Floats
    columns: Floats
    person: Ints  # of each row, in order
    people: int  # of whom some may have no row

    @cached_property
    def first_rows(self) -> Ints:
        """The first row of each person who has one."""
        return np.flatnonzero(np.append(self.person.size > 0, self.person[1:] != self.person[:-1]))


class PopulationModel(NamedTuple):
    """A law, the variances between people (nan: estimated), and whether people have half-lives of their own."""

    law: Any
    between: Floats
    own_half_life: bool = False
    precision: Floats | float = TINY  # of the prior of each mean around where a search starts: TINY is flat


def size_of(design: Design, law: Any) -> int:
    """Return how many numbers a person has."""
    return design.columns.shape[1] + int(has_noise(law))


def by_person(values: Floats, design: Design) -> Floats:
    """Return the sums of values [..., rows] over the rows of each person."""
    start = design.first_rows
    if start.size == design.people:
        return np.add.reduceat(values, start, axis=-1)
    total = np.zeros((*values.shape[:-1], design.people))
    if not start.size:
        return total
    total[..., design.person[start]] = np.add.reduceat(values, start, axis=-1)
    return total


def predictors(design: Design, law: Any, u: Floats) -> tuple[Floats, Floats]:
    """Return the predictor and the noise of every row, at the numbers u [grid, people, numbers] of its person."""
    k = design.columns.shape[1]
    eta = np.zeros((design.columns.shape[0], design.person.size))
    for j in range(k):
        eta += design.columns[:, j] * u[:, design.person, j]
    return eta, u[:, design.person, -1] if has_noise(law) else np.zeros((1, 1))


def sums(design: Design, model: PopulationModel, m: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the score [grid, people, numbers] and the expected information of each person."""
    at = predictors(design, model.law, m[:, None] + b)
    return _sums_of(terms(model.law, *at, design.reward), design, model)


def _sums_of(found: Terms, design: Design, model: PopulationModel) -> tuple[Floats, Floats]:
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


def marginal_loglik(
    design: Design, model: PopulationModel, m: Floats, b: Floats, between: Floats
) -> tuple[Floats, Floats]:
    """Return the marginal log-likelihood [grid, people], and the information of each person."""
    at = predictors(design, model.law, m[:, None] + b)
    L = _sums_of(terms(model.law, *at, design.reward), design, model)[1]
    lik = by_person(loglik_of(model.law, *at, design.reward), design)
    T = between[:, None]
    penalty = np.where(T > 0.0, b * b / np.where(T > 0.0, T, 1.0), 0.0).sum(-1)
    determinant = np.linalg.slogdet(np.eye(L.shape[-1]) + T[..., None] * L)[1]
    return lik - 0.5 * penalty - 0.5 * determinant, L
