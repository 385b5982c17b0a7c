"""The half-lives at which an arm is fitted: fine where that of all people is likely, or all that are possible.

People who share a half-life need a fine grid near it. People who have their own may be anywhere: looked for only where
that of all of them is likely, intervals of theirs would end with that range.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.ladder.compare import RECOVERY, SHARED, Candidate, CandidateFit, fit_candidate
from rogue_bandits.estimate.ladder.families import Component, components_of
from rogue_bandits.estimate.ladder.panel import GRID, NO_CAP, Panel, axis_of, panel_of
from rogue_bandits.estimate.ladder.population import start_at
from rogue_bandits.estimate.ladder.task import ArmTask
from rogue_bandits.types import Floats

REFINEMENTS, LIKELY = 3, 8.0  # of the grid, and how far below the best its points may be
MOST_LIKELY = 0.6  # share of likely points of a grid that is fine enough
WIDE = 25  # half-lives of the grid that is not refined


class Panels(NamedTuple):
    """The rewards of an arm, with half-lives where that of all people is likely, and with all that are possible."""

    near: Panel
    wide: Panel
    floor: tuple[Panel, Panel] | None = None  # the same with caps of the loads, if losses have a floor

    def of(self, candidate: Candidate) -> Panel:
        """Return the panel to which a candidate is fitted."""
        if candidate.rung != RECOVERY:
            return self.near
        near, wide = self.floor or self[:2]
        return near if candidate.pool == SHARED or near.people == 1 else wide


def panels_of(task: ArmTask) -> tuple[Panels, list[Component]]:
    """Return the panels of an arm, and the components of the family."""
    if not any(candidate.rung == RECOVERY for candidate in task.candidates):
        panel = panel_of(task.records, task.covariates)
        return Panels(panel, panel), components_of(task.family, panel, task.trials)
    near, fit = refined_fit(task)
    return Panels(near, wide_panel(task)), fit.parts


def wide_panel(task: ArmTask, caps: Floats = NO_CAP, half_lives: int = WIDE) -> Panel:
    """Return the panel with all half-lives that are possible."""
    before = np.linspace(0.0, 1.0, half_lives)
    return panel_of(task.records, task.covariates, axis_of(task.records).at(before), before, caps)


def refined_fit(
    task: ArmTask, caps: Floats = NO_CAP, span: tuple[float, float] = (0.0, 1.0)
) -> tuple[Panel, CandidateFit]:
    """Return the panel with half-lives where they are likely, and wear-out with recovery fitted to it, all shared.

    `span` has the prior probabilities of half-lives between which the likely ones are.
    """
    axis, before, starts = axis_of(task.records), np.linspace(*span, GRID), None
    for _ in range(REFINEMENTS + 1):
        panel = panel_of(task.records, task.covariates, axis.at(before), before, caps)
        parts = components_of(task.family, panel, task.trials)
        fit = fit_candidate(Candidate(RECOVERY), panel, parts, starts=starts)
        log = np.sum([p.restricted for p in fit.populations], axis=0).reshape(caps.size, -1).max(0)
        inside = np.flatnonzero(log > np.max(log) - LIKELY)
        low, high = max(int(inside[0]) - 1, 0), min(int(inside[-1]) + 1, log.size - 1)
        if high - low > MOST_LIKELY * log.size:
            break
        near = np.rint(np.linspace(low, high, GRID)).astype(np.int64)
        places = (GRID * np.arange(caps.size)[:, None] + near).ravel()
        starts = [start_at(p, places) for p in fit.populations]
        before = np.linspace(before[low], before[high], GRID)
    return panel, fit
