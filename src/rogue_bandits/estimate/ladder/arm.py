"""The ladder of one arm, from its records to what is reported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

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
from rogue_bandits.estimate.ladder.posterior import Posterior, draw_posterior
from rogue_bandits.estimate.ladder.priors import population_of
from rogue_bandits.estimate.ladder.result import ArmLadder, Check, Compared
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
from rogue_bandits.types import Floats

Held = dict[Candidate, Floats]  # log-likelihood of every reward that a candidate was not fitted to


class DrawnArm(NamedTuple):
    """The chosen model of an arm with draws from its posterior."""

    task: Task
    ladder: Ladder
    panel: Panel
    posterior: Posterior
    check: Check
    probability: dict[str, float]
    population: dict[str, Any]


def fit_arm(task: Task, progress: Callable[[int], None] = lambda n: None) -> ArmLadder:
    """Fit the ladder of an arm by itself; `progress` is called with the number of candidates just compared."""
    return report_arm(draw_arm(task, compare_arm(task, progress)))


def compare_arm(task: Task, progress: Callable[[int], None] = lambda n: None) -> Held:
    """Return what every candidate predicts: nearly all of the time of a fit."""
    panels, parts = panels_of(task)
    held: Held = {}
    for candidate in task.candidates:
        held[candidate] = held_out(candidate, panels.of(candidate), parts)
        progress(1)
    return held


def draw_arm(task: Task, held: Held) -> DrawnArm:
    """Choose a rung and draw from its posterior."""
    panels, parts = panels_of(task)
    ladder = choose(held, panels.near)
    panel = panels.of(ladder.chosen)
    fits = {rung: fit_candidate(candidate, panels.of(candidate), parts) for rung, candidate in ladder.pools.items()}
    posterior = draw_posterior(fits[ladder.chosen.rung], panel, task.seed)
    check = check_of(posterior, panel, task.scale)
    return DrawnArm(task, ladder, panel, posterior, check, *of_the_population(fits, ladder, panels, task))


def report_arm(arm: DrawnArm, silence: DrawnArm | None = None) -> ArmLadder:
    """Return what is reported of an arm, beside silence if that was observed."""
    task, ladder, panel, posterior = arm[:4]
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
        probability=arm.probability,
        fresh=quantiles(fresh.mean(1)),
        worn=quantiles(worn.mean(1)),
        drop=quantiles((fresh - after_one).mean(1)),
        half_life=half_life_of(posterior, panel),
        now=np.quantile(now.mean(1), NOW).tolist(),
        course=course_of(posterior, panel, task),
        check=arm.check,
        population=arm.population,
        effects=effects_of(posterior, panel, task),
        effect_draws=effect_draws_of(posterior),
        parts=[[part.shift, part.scale] for part in posterior.fit.parts],
        persons=people_of(posterior, panel, task, fresh, worn, fresh - after_one, now),
        harm=None if silence is None else harm_of(worn, panel, silence),
    )


def harm_of(worn: Floats, panel: Panel, silence: DrawnArm) -> float | None:
    """Return the probability that the worn level is below that of silence; None if nobody has both.

    The levels are those of the people who have both: who was left in silence may be no fair sample of all.
    """
    both = [name for name in panel.names if name in silence.panel.names]
    if not both:
        return None
    quiet = rewards_at(silence.posterior, silence.panel, silence.task)[1]  # if it fades, at the end of the study too
    mine, theirs = ([one.names.index(name) for name in both] for one in (panel, silence.panel))
    above = worn[:, mine].mean(1) - quiet[:, theirs].mean(1)
    equal = np.abs(above) <= 1e-9 * np.abs(worn).max()  # of equal levels either may be called the lower one
    return float(np.where(equal, 0.5, above < 0.0).mean())


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
