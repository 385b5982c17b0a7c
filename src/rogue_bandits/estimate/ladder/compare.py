"""The rungs of the ladder, and which of them predicts held-out rewards best.

A rung is chosen over a simpler one if it predicts clearly better: if the difference of held-out log-likelihoods is more
than `CLEAR` standard errors above 0. The differences of people are the sample, as rewards of one person are dependent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.ladder.families import Component
from rogue_bandits.estimate.ladder.laplace import TINY, Design, PopulationModel
from rogue_bandits.estimate.ladder.laws import Logit, Poisson, has_noise
from rogue_bandits.estimate.ladder.panel import FOLDS, Panel, folds_of, within_person_scale
from rogue_bandits.estimate.ladder.population import LARGEST_VARIANCE, PopulationFit, Start, fit_population
from rogue_bandits.estimate.ladder.predict import predictive
from rogue_bandits.numerics.student import student_from_normal
from rogue_bandits.types import Bools, Floats, Ints

CONSTANT, FADE, WEAR_OUT, RECOVERY = "constant", "fade", "wear-out", "recovery"
RUNGS = CONSTANT, FADE, WEAR_OUT, RECOVERY
SHARED, PARTIAL, OWN = "shared", "partial", "own"
POOLS = SHARED, PARTIAL, OWN
CLEAR = 2.0  # standard errors
ROUNDING = 1e-9  # of log-likelihoods a reward: less is no difference between models
FEW_PEOPLE = 10  # below, blocks of rewards are the sample
EFFECT = 2.0  # prior standard deviation of a covariate's: an arm may have been sent at one value of it only
FARTHEST_SLOPE = 2.0  # the same of a slope in log odds and log means, by a standard deviation of what it multiplies
FARTHEST_NOISE = 2.0  # the same of mean log noise around the typical, or of a person alone around the spread of rewards
OWN_NOISE = 1.0  # variance of log noise between people who share nothing


class Candidate(NamedTuple):
    """A rung, and what people share of its slope and half-life."""

    rung: str
    pool: str = SHARED


CANDIDATES = [Candidate(CONSTANT), *(Candidate(rung, pool) for rung in RUNGS[1:] for pool in POOLS)]


class CandidateFit(NamedTuple):
    """A candidate fitted to a panel: a population for each component, and what the slope's column was divided by."""

    candidate: Candidate
    parts: list[Component]
    populations: list[PopulationFit]
    scale: Floats  # [grid]


class Difference(NamedTuple):
    """A difference of held-out log-likelihoods a reward, and its standard error."""

    by: float
    error: float
    needed: float = CLEAR  # standard errors; more where few people or blocks are the sample

    @property
    def clear(self) -> bool:
        """Return whether the difference is clearly above 0."""
        return self.by > max(self.needed * self.error, ROUNDING)


def feature(panel: Panel, rung: str) -> Floats:
    """Return what the slope of a rung multiplies, [grid, rows]; 0 for the constant."""
    none = np.zeros((1, panel.person.size))
    return {CONSTANT: none, FADE: panel.time[None], WEAR_OUT: panel.sendings[None], RECOVERY: panel.loads}[rung]


def columns_of(panel: Panel, rung: str) -> tuple[Floats, Floats]:
    """Return the columns [grid, numbers, rows] of level, slope and covariates, and the scale of the slope's."""
    x = feature(panel, rung)
    scale = np.ones(1) if rung == CONSTANT else within_person_scale(x, panel)
    ones = np.ones((scale.size, panel.person.size))
    columns = [ones] if rung == CONSTANT else [ones, x / scale[:, None]]
    columns += [np.broadcast_to(c, ones.shape) for c in panel.covariates.T]
    return np.stack(columns, axis=1), scale


def model_of(candidate: Candidate, part: Component, panel: Panel) -> PopulationModel:
    """Return what varies between people."""
    alone, own = panel.people == 1, candidate.pool == OWN
    level = 0.0 if alone else LARGEST_VARIANCE if own else math.nan
    slope = {SHARED: 0.0, PARTIAL: 0.0 if alone else math.nan, OWN: 0.0 if alone else LARGEST_VARIANCE}[candidate.pool]
    between = [level] if candidate.rung == CONSTANT else [level, slope]
    precision = [TINY, FARTHEST_SLOPE**-2 if isinstance(part.law, Logit | Poisson) else TINY][: len(between)]
    precision += [EFFECT**-2] * panel.covariates.shape[1]
    between += [0.0] * panel.covariates.shape[1]
    if has_noise(part.law):
        between.append(0.0 if alone else OWN_NOISE if own else math.nan)
        precision.append(FARTHEST_NOISE**-2)
    own_half_life = candidate.rung == RECOVERY and candidate.pool != SHARED and not alone
    return PopulationModel(part.law, np.array(between), own_half_life, np.array(precision))


def fit_candidate(
    candidate: Candidate,
    panel: Panel,
    parts: list[Component],
    rows: Bools | None = None,
    starts: Sequence[Start] | None = None,
) -> CandidateFit:
    """Fit a candidate to some of the rows, from starts of each component if fits nearby are known."""
    columns, scale = columns_of(panel, candidate.rung)
    found = []
    for k, part in enumerate(parts):
        used = part.rows if rows is None else part.rows & rows
        inside = np.ones(part.reward.size, dtype=np.bool_) if rows is None else rows[part.rows]
        design = Design(part.reward[inside], columns[..., used], panel.person[used], panel.people)
        start = None if starts is None else starts[k]
        found.append(fit_population(design, model_of(candidate, part, panel), start))
    return CandidateFit(candidate, parts, together(found), scale)


def together(populations: list[PopulationFit]) -> list[PopulationFit]:
    """Return the populations of components with the posterior of half-lives that follows from all of them."""
    if len(populations) == 1:
        return populations
    weight = np.prod([p.weight for p in populations], axis=0)
    weight = weight / np.maximum(weight.sum(0), 1e-300)
    return [p._replace(weight=weight) for p in populations]


def held_out(candidate: Candidate, panel: Panel, parts: list[Component]) -> Floats:
    """Return the log predictive probability of each reward, from a fit without its fold.

    A density times the unit of rounding is a probability as far as the density varies little within the unit: a product
    above 1, of rewards that are all equal, is 1.
    """
    columns, _ = columns_of(panel, candidate.rung)
    fold, total = folds_of(panel), np.zeros(panel.person.size)
    for k in range(FOLDS):
        if not (fold == k).any():
            continue
        fitted = fit_candidate(candidate, panel, parts, fold != k)
        for part, population in zip(parts, fitted.populations, strict=True):
            rows, inside = part.rows & (fold == k), (fold == k)[part.rows]
            if rows.any():
                design = Design(part.reward[inside], columns[..., rows], panel.person[rows], panel.people)
                total[rows] += np.minimum(predictive(population, part.law, design) + part.constant[inside], 0.0)
    return total


def difference(better: Floats, simpler: Floats, panel: Panel) -> Difference:
    """Return the mean difference a reward, and its standard error over people, or over blocks if these are few."""
    d, unit = better - simpler, units_of(panel)
    sums = np.bincount(unit, weights=d, minlength=unit.max() + 1)
    n = sums.size
    if n < 2:
        return Difference(float(d.mean()), math.inf)
    return Difference(
        float(d.mean()), float(math.sqrt(n) * sums.std(ddof=1) / d.size), student_from_normal(CLEAR, n - 1.0)
    )


def units_of(panel: Panel) -> Ints:
    """Return the unit of the sample that each reward belongs to: its person, or its block."""
    if panel.people >= FEW_PEOPLE:
        return panel.person
    return np.unique(panel.person * FOLDS + folds_of(panel), return_inverse=True)[1]


class Ladder(NamedTuple):
    """Held-out log-likelihoods of every candidate, and the choices."""

    held_out: dict[Candidate, Floats]
    pools: dict[str, Candidate]  # the candidate of each rung
    chosen: Candidate


def choose(held: dict[Candidate, Floats], panel: Panel) -> Ladder:
    """Return the chosen pooling of each rung and the chosen rung: the simplest that nothing clearly beats."""
    pools = {}
    for rung in RUNGS:
        among = [candidate for candidate in held if candidate.rung == rung]
        if among:
            pools[rung] = climb(among, held, panel)
    if not varies(panel):
        return Ladder(held, pools, pools[CONSTANT])
    return Ladder(held, pools, climb(list(pools.values()), held, panel))


def varies(panel: Panel) -> bool:
    """Return whether rewards vary within people: those that never do are constant."""
    return bool(np.isfinite(within_person_scale(panel.reward, panel)))


def climb(among: list[Candidate], held: dict[Candidate, Floats], panel: Panel) -> Candidate:
    """Return the last of these, in order of complexity, that clearly beats the one chosen before."""
    best = among[0]
    for candidate in among[1:]:
        if difference(held[candidate], held[best], panel).clear:
            best = candidate
    return best
