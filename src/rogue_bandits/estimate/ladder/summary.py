"""What a posterior means for rewards: of the average person and of each, fresh, worn, next, and over time."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.ladder.compare import CONSTANT, FADE, RECOVERY, SHARED, WEAR_OUT, feature
from rogue_bandits.estimate.ladder.families import mean_reward
from rogue_bandits.estimate.ladder.half_lives import half_life_interval
from rogue_bandits.estimate.ladder.laws import Normal
from rogue_bandits.estimate.ladder.panel import NO_CAP, Panel, loads_of, next_load
from rogue_bandits.estimate.ladder.people_draws import NUMBERS, PeopleDraws
from rogue_bandits.estimate.ladder.posterior import Posterior, own_rewards
from rogue_bandits.estimate.ladder.result import QUANTILES, PersonLadder
from rogue_bandits.estimate.ladder.task import ArmTask
from rogue_bandits.types import Floats

NOW = np.linspace(0.025, 0.975, 21)
MOST_DRAWN = 30  # decisions of a course
FARTHEST_QUANTILE = 0.99  # of the loads that were seen: what is called worn


def quantiles(draws: Floats) -> list[float]:
    """Return the median between the ends of the credible interval."""
    return [float(x) for x in np.quantile(draws, QUANTILES)]


def rewards_at(posterior: Posterior, panel: Panel, task: ArmTask) -> tuple[Floats, Floats, Floats, Floats]:
    """Return mean rewards [draws, people]: fresh, worn, after one sending, and at the next decision."""
    shape = posterior.own_half_life.shape
    rung, place = posterior.fit.candidate.rung, posterior.own_place
    farthest = np.quantile(feature(panel, rung), FARTHEST_QUANTILE, axis=1)[place]
    one = 0.0 if rung in (CONSTANT, FADE) else 1.0
    next_x = next_features(panel, task, rung)[place, np.arange(shape[1])[None]]
    each = (np.zeros(shape), farthest, np.full(shape, one), next_x)
    fresh, worn, after_one, now = (task.scale * own_rewards(posterior, load) for load in each)
    return fresh, worn, after_one, now


def next_features(panel: Panel, task: ArmTask, rung: str) -> Floats:
    """Return what the slope multiplies at the decision after the last, [grid, people]."""
    records = list(task.records.values())
    if rung == FADE:
        return np.array([[record.played.size / max(task.longest() - 1, 1) for record in records]])
    if rung == WEAR_OUT:
        return np.array([[record.played.sum() for record in records]])
    if rung == RECOVERY:
        last = np.array([record.played.size for record in records])
        return loads_of(task.records, np.arange(last.size), last, panel.grid.decays, panel.grid.caps)
    return np.zeros((1, len(records)))


def half_life_of(posterior: Posterior, panel: Panel, person: int | None = None) -> list[float]:
    """Return median and interval of the half-life of a person, or of all; empty in rungs without."""
    if posterior.fit.candidate.rung != RECOVERY:
        return []
    weight = posterior.fit.populations[0].weight
    degrees = degrees_of_freedom(panel, posterior.fit.candidate.pool, person)
    return half_life_interval(panel, weight.mean(1) if person is None else weight[:, person], degrees)


def degrees_of_freedom(panel: Panel, pool: str, person: int | None) -> int:
    """Return the rewards that tell a half-life less the levels, the slope and the half-life fitted to them.

    People with half-lives of their own have none on average: no rewards tell it.
    """
    if pool == SHARED or panel.people == 1:
        return panel.person.size - panel.people - 2
    return 0 if person is None else int((panel.person == person).sum()) - 3


def cap_interval(posterior: Posterior, panel: Panel) -> list[float]:
    """Return median and interval of the cap of the loads, in sendings; empty if there is none."""
    if posterior.fit.candidate.rung != RECOVERY or not np.isfinite(panel.caps).any():
        return []
    return quantiles(panel.grid.caps[posterior.place])


def people_of(
    posterior: Posterior, panel: Panel, task: ArmTask, fresh: Floats, worn: Floats, costs: list[list[float]],
    draws: PeopleDraws,
) -> dict[str, PersonLadder]:  # fmt: skip
    """Return the numbers of each person: those of the chosen rung, and draws over the rungs."""
    n = np.bincount(panel.person, minlength=panel.people)
    ends = [*(np.quantile(x, QUANTILES, axis=0).T.tolist() for x in (fresh, worn)), costs]
    steps = np.quantile(draws.now, NOW, axis=0).T.tolist()
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
            int(n[i]), ends[0][i], ends[1][i], ends[2][i], half_life_of(posterior, panel, i), steps[i], rows[i],
            {key: float(values[i]) for key, values in middle.items()}, medians_of(posterior, i), draws.stored(i),
        )
        for i, name in enumerate(panel.names)
    }  # fmt: skip


def medians_of(posterior: Posterior, person: int) -> dict[str, list[float]]:
    """Return the medians of a person's numbers, of each part."""
    return {
        name: [float(np.median(getattr(part, f"own_{name}")[:, person])) for part in posterior.components]
        for name in NUMBERS
    }


def fitted_rewards(posterior: Posterior, panel: Panel) -> Floats:
    """Return the mean reward of every row at the posterior medians of its person's numbers."""
    fit, x = posterior.fit, feature(panel, posterior.fit.candidate.rung)
    best = np.argmax(fit.populations[0].weight, axis=0)[panel.person] if x.shape[0] > 1 else np.zeros(1, dtype=np.int64)
    load = x[best, np.arange(x.shape[1])]
    eta = [np.median(c.own_level, 0)[panel.person] + np.median(c.own_slope, 0)[panel.person] * load
           + panel.covariates @ np.median(c.effects, 0) for c in posterior.components]  # fmt: skip
    return mean_reward(fit.parts, eta, [np.median(c.own_noise, 0)[panel.person] for c in posterior.components])


def effects_of(posterior: Posterior, panel: Panel, task: ArmTask) -> list[list[float]]:
    """Return by how much each covariate raises the mean reward of the average person if it is 1 in place of 0.

    Nothing is returned of one that did not vary.
    """
    rested = np.zeros(posterior.own_half_life.shape)
    without = own_rewards(posterior, rested)
    return [
        quantiles((task.scale * (own_rewards(posterior, rested, covariate=j) - without)).mean(1))
        if panel.covariates[:, j].any()
        else []
        for j in range(panel.covariates.shape[1])
    ]


def course_of(posterior: Posterior, panel: Panel, task: ArmTask) -> dict[str, list[list[float]]]:
    """Return quantiles of the mean reward of the average person, sent at every decision and then never.

    As far as the data go: no more sendings in a row, and no longer rests, than were seen.
    """
    rung = posterior.fit.candidate.rung
    if rung not in (WEAR_OUT, RECOVERY):
        return {}
    sendings, rests = longest_runs(task.records.values())
    decay, cap = (np.ones(1), NO_CAP) if rung == WEAR_OUT else (panel.grid.decays, panel.grid.caps)
    load, loads = np.zeros(decay.size), []
    for t in range(sendings + rests + 1):
        loads.append(load)
        load = next_load(load, float(t < sendings), decay, cap)
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
