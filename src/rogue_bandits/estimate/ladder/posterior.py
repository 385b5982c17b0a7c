"""Draws from the posterior of an arm: half-lives, means of the population, and numbers of people."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.estimate.ladder.compare import CONSTANT, OWN, PARTIAL, RECOVERY, CandidateFit, feature
from rogue_bandits.estimate.ladder.families import Component, at_an_edge, mean_reward
from rogue_bandits.estimate.ladder.half_lives import NEVER, drawn_half_lives
from rogue_bandits.estimate.ladder.importance import log_weight, resampled
from rogue_bandits.estimate.ladder.laws import Logit, Poisson, has_noise, log_noise, mean_of
from rogue_bandits.estimate.ladder.level_shift import level_shift
from rogue_bandits.estimate.ladder.levels import LevelEvidence, degrees_left, evidence_of_draws, level_evidence
from rogue_bandits.estimate.ladder.panel import Panel
from rogue_bandits.estimate.ladder.population import PopulationFit
from rogue_bandits.types import Floats, Ints

DRAWS = 1_000
SEED = 20_260_117
FEWEST_DEGREES = 3.0
SHIFTED_CELLS = 2_000_000  # draws × rewards that shifts of levels rest on, at most: all draws unless rewards are many
PROPOSED = 8  # draws that each draw of a single person's posterior is resampled from


class Draws(NamedTuple):
    """Draws of one component, on the scale of its predictor: [draws] and [draws, people]."""

    level: Floats  # mean of the population
    slope: Floats  # by one unit of time share, of sendings or of load
    noise: Floats
    own_level: Floats
    own_slope: Floats
    own_noise: Floats
    new_level: Floats  # of a person who is not in the data
    new_slope: Floats
    effects: Floats  # [draws, covariates], which people share


class Posterior(NamedTuple):
    """Draws of a fitted rung: half-lives (nan where there is none), and those of each component."""

    fit: CandidateFit
    half_life: Floats
    own_half_life: Floats  # [draws, people]
    components: list[Draws]
    place: Ints  # [draws]: the grid point that each draw rests on
    own_place: Ints  # [draws, people]
    levels: list[LevelEvidence]  # of each component
    shifts: list[Floats]  # [draws, numbers] of each component: how far draws of the means are off the mode


def draw_posterior(fit: CandidateFit, panel: Panel, seed: int = 0, draws: int = DRAWS) -> Posterior:
    """Draw from the posterior of a fit: Student's t for the means, normal for people given the means."""
    rng = np.random.default_rng([SEED, seed])
    if panel.people == 1:
        return _alone(fit, panel, draws, rng)
    found = _approximate(fit, panel, draws, rng)[0]
    for part, one in enumerate(fit.parts):
        found = recentred(found, panel, part, float(one.reward.sum()))
    return found


def _alone(fit: CandidateFit, panel: Panel, draws: int, rng: np.random.Generator) -> Posterior:
    """Draw from the posterior of a single person, by importance weights."""
    many, log = _approximate(fit, panel, PROPOSED * draws, rng)
    kept = resampled(log, draws, rng)
    components = [Draws(*(x[kept] for x in one)) for one in many.components]
    return many._replace(
        half_life=many.half_life[kept], own_half_life=many.own_half_life[kept], place=many.place[kept],
        own_place=many.own_place[kept], components=components,
        levels=[evidence_of_draws(one.own_level, one.own_slope) for one in components],
    )  # fmt: skip


def _approximate(fit: CandidateFit, panel: Panel, draws: int, rng: np.random.Generator) -> tuple[Posterior, Floats]:
    """Return draws from the approximation, and the logs of their importance weights, 0 unless a person is alone."""
    first = fit.populations[0]
    recovers = fit.candidate.rung == RECOVERY
    if recovers:
        before = 0.0 if fit.candidate.pool == PARTIAL else NEVER  # a population's half-lives are normal on the grid
        half_life, place = drawn_half_lives(panel, first.weight.mean(1), draws, rng, before)
    else:
        half_life, place = np.full(draws, math.nan), np.zeros(draws, dtype=np.int64)
    own, own_place = np.repeat(half_life[:, None], panel.people, 1), np.repeat(place[:, None], panel.people, 1)
    if recovers and bool(np.ptp(first.weight, axis=1).any()):
        for i in range(panel.people):
            own[:, i], own_place[:, i] = drawn_half_lives(panel, first.weight[:, i], draws, rng, before)
    found, levels, shifts, log = list[Draws](), list[LevelEvidence](), list[Floats](), np.zeros(draws)
    for part, population in zip(fit.parts, fit.populations, strict=True):
        p = with_lost_degrees(population, part, fit, panel)
        means = _drawn_means(p, place, degrees_of_freedom(population, panel), rng)
        levels.append(level_evidence(fit, part, p, panel, means.shift, own_place))
        shifts.append(means.shift)
        found.append(_component(p, fit, place, own_place, means, levels[-1].by_level, rng, part.law))
        if panel.people == 1:
            log += log_weight(fit, part, population, panel, means.values, place, means.log_density)
    return Posterior(fit, half_life, own, found, place, own_place, levels, shifts), log


def with_lost_degrees(p: PopulationFit, part: Component, fit: CandidateFit, panel: Panel) -> PopulationFit:
    """Return the population with covariances for noise that is estimated from n − k degrees of freedom, not n.

    k numbers of the means are fitted to the n rewards; of people who share nothing, to the rewards of each.
    """
    if not has_noise(part.law):
        return p
    k = p.mean.shape[1] - 1 + int(fit.candidate.rung == RECOVERY)
    p = p._replace(mean_covariance=p.mean_covariance / degrees_left(p, part, fit))
    if fit.candidate.pool == OWN:
        each = np.bincount(panel.person[part.rows], minlength=panel.people).astype(np.float64)
        p = p._replace(personal=p.personal * (each / np.maximum(each - k, 1.0))[None, :, None, None])
    return p


def degrees_of_freedom(population: PopulationFit, panel: Panel) -> Floats:
    """Return those of each mean: of the rewards if people share the number, else of the people."""
    of_rewards = float(panel.person.size - panel.people - population.mean.shape[1] + 1)
    differ = population.between[0] > 0.0
    return np.maximum(np.where(differ, min(of_rewards, panel.people - 1.0), of_rewards), FEWEST_DEGREES)


class _Means(NamedTuple):
    """Draws of the means of the population: the values, how far off the mode, and the log density up to a constant."""

    values: Floats
    shift: Floats
    log_density: Floats


def _drawn_means(p: PopulationFit, place: Ints, degrees: Floats, rng: np.random.Generator) -> _Means:
    """Draw the means from Student's t distributions."""
    draws, q = place.size, p.mean.shape[1]
    z = rng.standard_normal((draws, q)) * np.sqrt(degrees / rng.chisquare(degrees, (draws, q)))
    shift = np.einsum("dij,dj->di", roots(p.mean_covariance)[place], z)
    log = -0.5 * ((degrees + 1.0) * np.log1p(z * z / degrees)).sum(1)
    log = log - 0.5 * np.linalg.slogdet(p.mean_covariance)[1][place]
    return _Means(p.mean[place] + shift, shift, log)


def _component(
    p: PopulationFit, fit: CandidateFit, place: Ints, own_place: Ints, drawn: _Means, slope_by_level: Floats,
    rng: np.random.Generator, law: Any,
) -> Draws:  # fmt: skip
    draws, people, q = place.size, p.mode.shape[1], p.mean.shape[1]
    means, shift = drawn.values, drawn.shift
    new = means + np.sqrt(p.between[place]) * rng.standard_normal((draws, q))
    index = own_place, np.arange(people)[None]
    own = p.mode[index] + np.einsum("dpij,dj->dpi", p.response[index], shift)
    apart = np.einsum("dpij,dpj->dpi", roots(p.personal)[index], rng.standard_normal((draws, people, q)))
    closer, wider = _other_variance(p, place, rng)
    moved = (closer - 1.0) * (p.mode[..., 0] - p.mean[:, None, 0])[index] + (wider - 1.0) * apart[..., 0]
    own += apart
    own[..., 0] += moved
    noisy, flat, sloped = has_noise(law), fit.candidate.rung == CONSTANT, fit.scale
    none, nobody = np.zeros(draws), np.zeros((draws, people))
    return Draws(
        means[:, 0],
        none if flat else means[:, 1] / sloped[place],
        log_noise(law, means[:, -1]) if noisy else none,
        own[..., 0],
        nobody if flat else own[..., 1] / sloped[own_place] + slope_by_level * moved,
        log_noise(law, own[..., -1]) if noisy else nobody,
        new[:, 0],
        none if flat else new[:, 1] / sloped[place],
        means[:, (1 if flat else 2) : q - int(noisy)],
    )


def _other_variance(p: PopulationFit, place: Ints, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return by how much a person's level is pulled less to the mean, and is less certain, at drawn variances.

    The variance of levels between people is itself uncertain: without these factors people's intervals are too short.
    """
    T, v = p.between[place, 0][:, None], p.personal[place][..., 0, 0]
    degrees = np.maximum(p.certainty[place, 0], FEWEST_DEGREES)
    drawn = T * (degrees / rng.chisquare(degrees))[:, None]
    alone = v * T / np.maximum(T - v, 1e-9 * (T + 1e-30))  # variance of the level from the person's rewards only
    positive = T > 0.0
    before = np.where(positive, T / np.where(positive, T + alone, 1.0), 1.0)
    after = np.where(positive, drawn / np.where(positive, drawn + alone, 1.0), 1.0)
    ratio = after / np.maximum(before, 1e-12)
    return ratio, np.sqrt(ratio)


def roots(covariance: Floats) -> Floats:
    """Return a square root of each matrix; rounding may have made an eigenvalue negative."""
    values, vectors = np.linalg.eigh(covariance)
    return vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]


def own_rewards(posterior: Posterior, load: Floats, covariate: int | None = None) -> Floats:
    """Return mean rewards [draws, people] at a load (or time share, or count) [draws, people] of each person.

    Covariates are 0, their mean over the cohort, but for one that is 1.
    """
    eta = [d.own_level + d.own_slope * load for d in posterior.components]
    if covariate is not None:
        eta = [e + d.effects[:, covariate, None] for e, d in zip(eta, posterior.components, strict=True)]
    return mean_reward(posterior.fit.parts, eta, [d.own_noise for d in posterior.components])


def with_levels(posterior: Posterior, levels: list[Floats], slopes: list[Floats]) -> Posterior:
    """Return the posterior with other levels [draws, people] and mean slopes [draws] of each component.

    People's slopes follow both.
    """
    moved = []
    for draws, level, slope, found in zip(posterior.components, levels, slopes, posterior.levels, strict=True):
        by = found.by_level * (level - draws.own_level) + found.by_mean * (slope - found.slope)[:, None]
        moved.append(draws._replace(own_level=level, own_slope=draws.own_slope + by))
    return posterior._replace(components=moved)


def recentred(posterior: Posterior, panel: Panel, part: int, total: float) -> Posterior:
    """Return the posterior with levels of a component shifted to a total of its means, if of log odds or log means.

    `level_shift` says why. A person alone has importance weights, which do the same. Of rewards that are all failures,
    or all successes, no level is the most likely.
    """
    law, draws = posterior.fit.parts[part].law, posterior.components[part]
    if not isinstance(law, Logit | Poisson) or panel.people == 1 or at_an_edge(posterior.fit.parts[part]):
        return posterior
    by = level_shift(law, _predictors(posterior, panel, part), total)
    moved = draws._replace(level=draws.level + by, own_level=draws.own_level + by, new_level=draws.new_level + by)
    return posterior._replace(components=[*posterior.components[:part], moved, *posterior.components[part + 1 :]])


def total_at_centre(posterior: Posterior, panel: Panel, part: int) -> float:
    """Return the total of the means of a component at the means of its drawn predictors."""
    eta = _predictors(posterior, panel, part).mean(0)
    return float(mean_of(posterior.fit.parts[part].law, eta, np.zeros(1)).sum())


def _predictors(posterior: Posterior, panel: Panel, part: int) -> Floats:
    """Return the predictor of some draws at every reward of a component: [draws, rows]."""
    rows, draws = np.flatnonzero(posterior.fit.parts[part].rows), posterior.half_life.size
    many = min(max(SHIFTED_CELLS // max(rows.size, 1), 1), draws)
    return predictors_at(posterior, panel, part, np.linspace(0, draws - 1, many).astype(np.int64), rows)


def predictors_at(posterior: Posterior, panel: Panel, part: int, draws: Ints, rows: Ints) -> Floats:
    """Return the predictor of a component in these draws at rows of the panel: [draws, rows]."""
    of, x = posterior.components[part], feature(panel, posterior.fit.candidate.rung)
    each = draws[:, None], panel.person[rows]
    load = x[posterior.own_place[each] if x.shape[0] > 1 else 0, rows]
    return np.asarray(of.own_level[each] + of.effects[draws] @ panel.covariates[rows].T + of.own_slope[each] * load)
