"""The ladder of one arm, from its records to what is reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.ladder.compare import (
    CANDIDATES,
    CONSTANT,
    FADE,
    OWN,
    PARTIAL,
    RECOVERY,
    RUNGS,
    WEAR_OUT,
    Candidate,
    Fit,
    Ladder,
    choose,
    difference,
    fit_candidate,
    held_out,
)
from rogue_bandits.estimate.ladder.families import Component, draw_reward, family_of, mean_reward
from rogue_bandits.estimate.ladder.laws import Normal
from rogue_bandits.estimate.ladder.panel import LONGEST, Panel, loads_at, panel_of
from rogue_bandits.estimate.ladder.posterior import SEED, Posterior, draw_posterior, own_rewards, rung_probabilities
from rogue_bandits.estimate.ladder.priors import population_of
from rogue_bandits.estimate.ladder.result import QUANTILES, ArmLadder, Check, Compared, PersonLadder
from rogue_bandits.types import Floats

NOW = np.linspace(0.025, 0.975, 21)
REPLICATES, BINS = 100, 24
REFINEMENTS, LIKELY = 3, 8.0  # of the grid, and how far below the best its points may be
MEAN_OFF, SPREAD_OFF = 0.1, 0.2  # of the standard deviation, up to which a model reproduces mean and spread
MOST_DRAWN = 30  # decisions of a course
ENDLESS = 0.8  # of the longest half-life of the grid
FARTHEST_QUANTILE = 0.99  # of the loads that were seen: what is called worn


class Task(NamedTuple):
    """The data of an arm, of people by name."""

    records: Mapping[str, Record]
    family: str
    trials: float = 0.0
    covariates: Mapping[str, Floats] | None = None
    candidates: Sequence[Candidate] = CANDIDATES
    scale: float = 1.0  # what rewards were divided by
    seed: int = 0  # of the draws: arms must not share theirs


class Fitted(NamedTuple):
    """An arm with everything that was computed: for comparisons with other arms."""

    ladder: ArmLadder
    average_worn: Floats  # [draws]
    average_fresh: Floats


def refined(task: Task) -> tuple[Panel, list[Component]]:
    """Return the panel with half-lives where they are likely, and the components of the family."""
    panel = panel_of(task.records, task.covariates)
    parts = family_of(task.family).components(panel.reward, task.trials)
    if not any(candidate.rung == RECOVERY for candidate in task.candidates):
        return panel, parts
    for _ in range(REFINEMENTS):
        fit = fit_candidate(Candidate(RECOVERY), panel, parts)
        log = sum(p.restricted for p in fit.populations)
        inside = np.flatnonzero(log > np.max(log) - LIKELY)
        low, high = max(int(inside[0]) - 1, 0), min(int(inside[-1]) + 1, log.size - 1)
        if high - low > 0.6 * log.size:
            break
        grid = np.geomspace(panel.half_lives[low], panel.half_lives[high], panel.half_lives.size)
        panel = panel_of(task.records, task.covariates, grid)
    return panel, parts


def fit_arm(task: Task, progress: Callable[[int], None] = lambda n: None) -> Fitted:
    """Fit the ladder of an arm; `progress` is called with the number of candidates just compared."""
    panel, parts = refined(task)
    held = {}
    for candidate in task.candidates:
        held[candidate] = held_out(candidate, panel, parts)
        progress(1)
    ladder = choose(held, panel)
    fits = {rung: fit_candidate(candidate, panel, parts) for rung, candidate in ladder.pools.items()}
    posterior = draw_posterior(fits[ladder.chosen.rung], panel, task.seed)
    fade = difference(held[ladder.chosen], held[ladder.pools[FADE]], panel) if FADE in ladder.pools else None
    if RECOVERY in fits:
        pooled = {r: f if f.candidate.pool != OWN else fit_candidate(Candidate(r, PARTIAL), panel, parts)
                  for r, f in fits.items()}  # fmt: skip
        probability = rung_probabilities(pooled)
        population = population_of(pooled[RECOVERY], panel, probability, task)
    else:
        probability, population = {}, {}
    fresh, worn, after_one, now = rewards_at(posterior, panel, task)
    result = ArmLadder(
        panel.people,
        panel.person.size,
        compared(ladder, panel),
        {rung: candidate.pool for rung, candidate in ladder.pools.items()},
        ladder.chosen.rung,
        ladder.chosen.pool,
        [fade.by, fade.error] if fade is not None and fade.clear else [],
        probability,
        quantiles(fresh.mean(1)),
        quantiles(worn.mean(1)),
        quantiles((fresh - after_one).mean(1)),
        half_lives(posterior.half_life[:, None], task)[0] if ladder.chosen.rung == RECOVERY else [],
        np.quantile(now.mean(1), NOW).tolist(),
        course_of(posterior, panel, task),
        check_of(posterior, panel, task.scale),
        population,
        people_of(posterior, panel, task, fresh, worn, fresh - after_one, now),
    )
    return Fitted(result, worn.mean(1), fresh.mean(1))


def compared(ladder: Ladder, panel: Panel) -> list[Compared]:
    """Return the table of candidates."""
    constant = ladder.held_out[Candidate(CONSTANT)]
    rows = []
    for candidate, values in ladder.held_out.items():
        d = difference(values, constant, panel)
        rows.append(Compared(candidate.rung, candidate.pool, float(values.mean()), d.by, d.error))
    return rows


def quantiles(draws: Floats) -> list[float]:
    """Return the median between the ends of the credible interval."""
    return [float(x) for x in np.quantile(draws, QUANTILES)]


def rewards_at(posterior: Posterior, panel: Panel, task: Task) -> tuple[Floats, Floats, Floats, Floats]:
    """Return mean rewards [draws, people]: fresh, worn, after one sending, and at the next decision."""
    shape = posterior.own_half_life.shape
    rung, place = posterior.fit.candidate.rung, posterior.own_place
    x = {CONSTANT: np.zeros((1, 1)), FADE: panel.time[None], WEAR_OUT: panel.count[None], RECOVERY: panel.loads}[rung]
    farthest = np.quantile(x, FARTHEST_QUANTILE, axis=1)[place]
    one = 0.0 if rung in (CONSTANT, FADE) else 1.0
    next_x = next_features(panel, task, rung)[place, np.arange(shape[1])[None]]
    each = (np.zeros(shape), farthest, np.full(shape, one), next_x)
    fresh, worn, after_one, now = (task.scale * own_rewards(posterior, load) for load in each)
    return fresh, worn, after_one, now


def next_features(panel: Panel, task: Task, rung: str) -> Floats:
    """Return what the slope multiplies at the decision after the last, [grid, people]."""
    records = list(task.records.values())
    longest = max(record.played.size for record in records)
    if rung == FADE:
        return np.array([[record.played.size / max(longest - 1, 1) for record in records]])
    if rung == WEAR_OUT:
        return np.array([[record.played.sum() for record in records]])
    if rung == RECOVERY:
        decay = 0.5 ** (1.0 / panel.half_lives)
        return np.concatenate([loads_at(record.played, [record.played.size], decay) for record in records], axis=1)
    return np.zeros((1, len(records)))


def half_lives(draws: Floats, task: Task) -> list[list[float]]:
    """Return median and interval of half-lives [draws, people]; what reaches the longest of the grid may be endless."""
    longest = LONGEST * max(record.played.size for record in task.records.values())
    found = np.quantile(draws, QUANTILES, axis=0).T
    return [[float(x) for x in row] for row in np.where(found > ENDLESS * longest, np.inf, found)]


def people_of(
    posterior: Posterior, panel: Panel, task: Task, fresh: Floats, worn: Floats, drop: Floats, now: Floats
) -> dict[str, PersonLadder]:
    """Return the numbers of each person."""
    n = np.bincount(panel.person, minlength=panel.people)
    recovers = posterior.fit.candidate.rung == RECOVERY
    ends = [np.quantile(x, QUANTILES, axis=0).T.tolist() for x in (fresh, worn, drop)]
    ends.append(half_lives(posterior.own_half_life, task) if recovers else [])
    steps = np.quantile(now, NOW, axis=0).T.tolist()
    main, part = posterior.components[-1], posterior.fit.parts[-1]
    unit = part.scale if isinstance(part.law, Normal) else 1.0
    middle = {
        "level": part.shift + unit * np.median(main.own_level, 0), "slope": unit * np.median(main.own_slope, 0),
        "log_noise": np.log(unit) + np.median(main.own_noise, 0),
        "next": next_features(panel, task, posterior.fit.candidate.rung)[0],
    }  # fmt: skip
    means = task.scale * fitted_rewards(posterior, panel)
    rows = [[float(f"{x:.4g}") for x in each] for each in np.split(means, np.cumsum(n)[:-1])]
    return {
        name: PersonLadder(
            int(n[i]), ends[0][i], ends[1][i], ends[2][i], ends[3][i] if recovers else [], steps[i], rows[i],
            {key: float(values[i]) for key, values in middle.items()},
        )
        for i, name in enumerate(panel.names)
    }  # fmt: skip


def fitted_rewards(posterior: Posterior, panel: Panel) -> Floats:
    """Return the mean reward of every row at the posterior medians of its person's numbers."""
    x, fit = _feature_rows(posterior.fit, panel), posterior.fit
    best = np.argmax(fit.populations[0].weight, axis=0)[panel.person] if x.shape[0] > 1 else np.zeros(1, dtype=np.int64)
    load = x[best, np.arange(x.shape[1])]
    eta = [np.median(c.own_level, 0)[panel.person] + np.median(c.own_slope, 0)[panel.person] * load
           for c in posterior.components]  # fmt: skip
    return mean_reward(fit.parts, eta, [np.median(c.own_noise, 0)[panel.person] for c in posterior.components])


def course_of(posterior: Posterior, panel: Panel, task: Task) -> dict[str, list[list[float]]]:
    """Return quantiles of the mean reward of the average person, sent at every decision and then never.

    As far as the data go: no more sendings in a row, and no longer rests, than were seen.
    """
    rung = posterior.fit.candidate.rung
    if rung not in (WEAR_OUT, RECOVERY):
        return {}
    sendings, rests = longest_runs(task.records.values())
    decay = np.ones(1) if rung == WEAR_OUT else 0.5 ** (1.0 / panel.half_lives)
    load, loads = np.zeros(decay.size), []
    for t in range(sendings + rests + 1):
        loads.append(load)
        load = decay * load + float(t < sendings)
    every = [np.quantile((task.scale * own_rewards(posterior, at[posterior.own_place])).mean(1), QUANTILES).tolist()
             for at in loads]  # fmt: skip
    return {"sendings": every[: sendings + 1], "rests": every[sendings:]}


def longest_runs(records: Iterable[Record]) -> tuple[int, int]:
    """Return the most sendings in a row, and the longest rest between two sendings, of anybody; at most 30."""
    sendings = rests = 1
    for record in records:
        at = np.flatnonzero(record.played)
        gaps = np.diff(at)
        rests = max(rests, int(gaps.max(initial=1)) - 1)
        runs = np.split(at, np.flatnonzero(gaps > 1) + 1)
        sendings = max(sendings, *(run.size for run in runs))
    return min(sendings, MOST_DRAWN), min(rests, MOST_DRAWN)


def check_of(posterior: Posterior, panel: Panel, scale: float) -> Check:
    """Draw rewards from the model at the decisions of the data, and compare mean, spread and histogram."""
    rng = np.random.default_rng(SEED)
    x = _feature_rows(posterior.fit, panel)
    r = panel.reward
    edges = bins_of(r)
    drawn = []
    for d in range(REPLICATES):
        index = posterior.own_place[d][panel.person] if x.shape[0] > 1 else np.zeros(r.size, dtype=np.int64)
        load = x[index, np.arange(r.size)]
        eta = [c.own_level[d][panel.person] + c.own_slope[d][panel.person] * load for c in posterior.components]
        noise = [c.own_noise[d][panel.person] for c in posterior.components]
        drawn.append(draw_reward(posterior.fit.parts, eta, noise, rng))
    replicate = np.array(drawn)
    means, sds = replicate.mean(1), replicate.std(1)
    sd = float(r.std())
    holds = abs(r.mean() - means.mean()) <= max(MEAN_OFF * sd, 3.0 * means.std()) and abs(
        sd - np.median(sds)
    ) <= max(SPREAD_OFF * sd, 3.0 * sds.std())
    shares = np.array([np.histogram(np.clip(one, edges[0], edges[-1]), edges)[0] / r.size for one in replicate])
    low, high = np.quantile(shares, [0.025, 0.975], axis=0)
    return Check(
        scale * float(r.mean()), scale * float(means.mean()), scale * sd, scale * float(np.median(sds)),
        (scale * edges).tolist(), (np.histogram(r, edges)[0] / r.size).tolist(),
        [low.tolist(), shares.mean(0).tolist(), high.tolist()], bool(holds),
    )  # fmt: skip


def bins_of(r: Floats) -> Floats:
    """Return the edges of a histogram: around each value if these are few, else even up to the 99.5 % quantile."""
    values = np.unique(r)
    if values.size <= BINS:
        middles = 0.5 * (values[1:] + values[:-1])
        half = 0.5 * float(np.diff(values).min()) if values.size > 1 else 0.5
        return np.concatenate([[values[0] - half], middles, [values[-1] + half]])
    top = float(np.quantile(r, 0.995))
    return np.linspace(float(values[0]), top if top > values[0] else float(values[-1]), BINS + 1)


def _feature_rows(fit: Fit, panel: Panel) -> Floats:
    """Return the feature of every row, [grid, rows], and 0 for the constant."""
    return {
        CONSTANT: np.zeros((1, panel.person.size)), FADE: panel.time[None], WEAR_OUT: panel.count[None],
        RECOVERY: panel.loads,
    }[fit.candidate.rung]  # fmt: skip


def family_scores(task: Task, families: Sequence[str]) -> dict[str, float]:
    """Return the held-out log-likelihood of all rewards under each family: that of its better rung of two."""
    scores: dict[str, float] = {}
    for name in families:
        one = task._replace(family=name)
        panel = panel_of(one.records, one.covariates)
        parts: list[Any] = family_of(name).components(panel.reward, one.trials)
        scores[name] = max(float(held_out(Candidate(rung), panel, parts).sum()) for rung in (CONSTANT, RECOVERY))
    return scores


__all__ = ["RUNGS", "Fitted", "Task", "family_scores", "fit_arm"]
