"""The ladder of one arm, from its records to what is reported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rogue_bandits.estimate.ladder.check import check_of
from rogue_bandits.estimate.ladder.compare import (
    CONSTANT,
    FADE,
    OWN,
    PARTIAL,
    RECOVERY,
    WEAR_OUT,
    Candidate,
    Fit,
    Ladder,
    choose,
    difference,
    fit_candidate,
    held_out,
)
from rogue_bandits.estimate.ladder.evidence import rung_probabilities
from rogue_bandits.estimate.ladder.families import components_of
from rogue_bandits.estimate.ladder.grids import Panels, panels_of
from rogue_bandits.estimate.ladder.panel import Panel, panel_of
from rogue_bandits.estimate.ladder.posterior import draw_posterior
from rogue_bandits.estimate.ladder.priors import population_of
from rogue_bandits.estimate.ladder.result import ArmLadder, Compared
from rogue_bandits.estimate.ladder.summary import (
    NOW,
    course_of,
    effect_draws_of,
    effects_of,
    half_life_of,
    people_of,
    quantiles,
    rewards_at,
)
from rogue_bandits.estimate.ladder.task import Task


def fit_arm(task: Task, progress: Callable[[int], None] = lambda n: None) -> ArmLadder:
    """Fit the ladder of an arm; `progress` is called with the number of candidates just compared."""
    panels, parts = panels_of(task)
    held = {}
    for candidate in task.candidates:
        held[candidate] = held_out(candidate, panels.of(candidate), parts)
        progress(1)
    ladder = choose(held, panels.near)
    panel = panels.of(ladder.chosen)
    fits = {rung: fit_candidate(candidate, panels.of(candidate), parts) for rung, candidate in ladder.pools.items()}
    posterior = draw_posterior(fits[ladder.chosen.rung], panel, task.seed)
    probability, population = of_the_population(fits, ladder, panels, task)
    fresh, worn, after_one, now = rewards_at(posterior, panel, task)
    return ArmLadder(
        people=panel.people,
        rewards=panel.person.size,
        compared=compared(ladder, panel),
        rungs={rung: candidate.pool for rung, candidate in ladder.pools.items()},
        rung=ladder.chosen.rung,
        pool=ladder.chosen.pool,
        fade_beaten_by=above_fade(ladder, panel),
        fade_or_wear_out=undecided(ladder, panel),
        probability=probability,
        fresh=quantiles(fresh.mean(1)),
        worn=quantiles(worn.mean(1)),
        drop=quantiles((fresh - after_one).mean(1)),
        half_life=half_life_of(posterior, panel),
        now=np.quantile(now.mean(1), NOW).tolist(),
        course=course_of(posterior, panel, task),
        check=check_of(posterior, panel, task.scale),
        population=population,
        effects=effects_of(posterior, panel, task),
        effect_draws=effect_draws_of(posterior),
        parts=[[part.shift, part.scale] for part in parts],
        persons=people_of(posterior, panel, task, fresh, worn, fresh - after_one, now),
    )


def above_fade(ladder: Ladder, panel: Panel) -> list[float]:
    """Return by how much the chosen rung predicts better than a fade, and the error; empty if not clearly so."""
    if FADE not in ladder.pools or ladder.chosen.rung in (CONSTANT, FADE):
        return []
    found = difference(ladder.held_out[ladder.chosen], ladder.held_out[ladder.pools[FADE]], panel)
    return [found.by, found.error] if found.clear else []


def undecided(ladder: Ladder, panel: Panel) -> list[float]:
    """Return by how much wear-out without recovery is above a fade, and the error; empty if that is settled.

    Where sendings are spread evenly over the study, their number and time go together: rewards fall, and nothing in the
    data says with which of the two.
    """
    if ladder.chosen.rung not in (FADE, WEAR_OUT) or WEAR_OUT not in ladder.pools:
        return []
    time, sendings = (ladder.held_out[ladder.pools[rung]] for rung in (FADE, WEAR_OUT))
    if difference(time, sendings, panel).clear or difference(sendings, time, panel).clear:
        return []
    found = difference(sendings, time, panel)
    return [found.by, found.error]


def of_the_population(
    fits: dict[str, Fit], ladder: Ladder, panels: Panels, task: Task
) -> tuple[dict[str, float], dict[str, Any]]:
    """Return the probabilities of the rungs and the population of an arm; both empty for silence.

    Separate people are no population: partial pooling stands in for them.
    """
    if RECOVERY not in fits:
        return {}, {}
    pooled = {rung: partially_pooled(fit, panels) if fit.candidate.pool == OWN else fit for rung, fit in fits.items()}
    held = {rung: ladder.held_out[candidate] for rung, candidate in ladder.pools.items()}
    probability = rung_probabilities(pooled, held, panels)
    recovery = pooled[RECOVERY]
    return probability, population_of(recovery, panels.of(recovery.candidate), probability, task)


def partially_pooled(fit: Fit, panels: Panels) -> Fit:
    """Return the fit of the same rung with people who share in part."""
    candidate = Candidate(fit.candidate.rung, PARTIAL)
    return fit_candidate(candidate, panels.of(candidate), fit.parts)


def compared(ladder: Ladder, panel: Panel) -> list[Compared]:
    """Return the table of candidates."""
    constant = ladder.held_out[Candidate(CONSTANT)]
    rows = []
    for candidate, values in ladder.held_out.items():
        d = difference(values, constant, panel)
        rows.append(Compared(candidate.rung, candidate.pool, float(values.mean()), d.by, d.error))
    return rows


def family_scores(task: Task, families: Sequence[str]) -> dict[str, float]:
    """Return the held-out log-likelihood of all rewards under each family: that of its better rung of two."""
    scores: dict[str, float] = {}
    for name in families:
        one = task._replace(family=name)
        panel = panel_of(one.records, one.covariates)
        parts = components_of(name, panel, one.trials)
        scores[name] = max(float(held_out(Candidate(rung), panel, parts).sum()) for rung in (CONSTANT, RECOVERY))
    return scores
