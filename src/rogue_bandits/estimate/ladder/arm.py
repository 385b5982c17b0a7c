"""The ladder of one arm: its rungs compared, one chosen, and draws from its posterior."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rogue_bandits.estimate.ladder.check import check_of
from rogue_bandits.estimate.ladder.compare import (
    CONSTANT,
    OWN,
    PARTIAL,
    RECOVERY,
    Candidate,
    CandidateFit,
    Difference,
    Ladder,
    choose,
    fit_candidate,
    held_out,
    varies,
)
from rogue_bandits.estimate.ladder.evidence import RungShares, rung_shares
from rogue_bandits.estimate.ladder.families import components_of
from rogue_bandits.estimate.ladder.floor import with_floor
from rogue_bandits.estimate.ladder.grids import Panels, panels_of
from rogue_bandits.estimate.ladder.panel import Panel, panel_of
from rogue_bandits.estimate.ladder.posterior import Posterior, draw_posterior
from rogue_bandits.estimate.ladder.priors import population_of
from rogue_bandits.estimate.ladder.result import Check
from rogue_bandits.estimate.ladder.task import ArmTask
from rogue_bandits.types import Floats

Held = dict[Candidate, Floats]  # log-likelihood of every reward that a candidate was not fitted to


class Rung(NamedTuple):
    """A rung fitted to an arm, and its probability."""

    fit: CandidateFit
    panel: Panel
    share: float


class DrawnArm(NamedTuple):
    """The chosen model of an arm with draws from its posterior."""

    task: ArmTask
    ladder: Ladder
    panel: Panel
    posterior: Posterior
    check: Check
    rungs: dict[str, Rung]  # those that it may be
    probability: dict[str, float]
    population: dict[str, Any]
    floor_by: Difference | None  # by how much a floor of the loss predicts better than none, if there is one


def compare_arm(task: ArmTask, progress: Callable[[int], None] = lambda n: None) -> Held:
    """Return what every candidate predicts: nearly all of the time of a fit."""
    panels, parts = panels_of(task)
    held: Held = {}
    for candidate in task.candidates:
        held[candidate] = held_out(candidate, panels.of(candidate), parts)
        progress(1)
    return held


def draw_arm(task: ArmTask, held: Held) -> DrawnArm:
    """Choose a rung and draw from its posterior."""
    panels, parts = panels_of(task)
    ladder, panels, floor_by = with_floor(task, choose(held, panels.near), panels, parts)
    fits = {rung: fit_candidate(candidate, panels.of(candidate), parts) for rung, candidate in ladder.pools.items()}
    chosen, panel = fits[ladder.chosen.rung], panels.of(ladder.chosen)
    posterior = draw_posterior(chosen, panel, task.seed)
    check, shares = check_of(posterior, panel, task.scale), shares_of(fits, ladder, panels)
    rungs = {rung: Rung(fit, panels.of(fit.candidate), shares.share[rung]) for rung, fit in fits.items()}
    if not varies(panel):
        rungs = {ladder.chosen.rung: Rung(chosen, panel, 1.0)}
    if RECOVERY not in fits:  # silence
        return DrawnArm(task, ladder, panel, posterior, check, rungs, {}, {}, floor_by)
    recovery, probability = pooled(fits[RECOVERY], panels), shares.probabilities()
    population = population_of(recovery, panels.of(recovery.candidate), probability, task)
    return DrawnArm(task, ladder, panel, posterior, check, rungs, probability, population, floor_by)


def shares_of(fits: dict[str, CandidateFit], ladder: Ladder, panels: Panels) -> RungShares:
    """Return the probabilities of the rungs."""
    held = {rung: ladder.held_out[candidate] for rung, candidate in ladder.pools.items()}
    return rung_shares({rung: pooled(fit, panels) for rung, fit in fits.items()}, held, panels)


def pooled(fit: CandidateFit, panels: Panels) -> CandidateFit:
    """Return the fit of the same rung with people who share in part, for people who share nothing: no population."""
    if fit.candidate.pool != OWN:
        return fit
    candidate = Candidate(fit.candidate.rung, PARTIAL)
    return fit_candidate(candidate, panels.of(candidate), fit.parts)


def family_scores(task: ArmTask, families: Sequence[str]) -> dict[str, float]:
    """Return the held-out log-likelihood of all rewards under each family: that of its better rung of two."""
    scores: dict[str, float] = {}
    for name in families:
        one = task._replace(family=name)
        panel = panel_of(one.records, one.covariates)
        parts = components_of(name, panel, one.trials)
        scores[name] = max(float(held_out(Candidate(rung), panel, parts).sum()) for rung in (CONSTANT, RECOVERY))
    return scores
