"""Whether the loss of an arm has a floor: loads that do not grow beyond a cap, in units of one sending.

Without a cap the flat end of such losses is taken for a small cost and a quick recovery. A floor is assumed where the
data clearly have one: if it is `LEAST_RATIO` times as probable as none, all caps alike before the data, and predicts
held-out rewards better by more than `LEAST_ERRORS` standard errors. If the model without a floor is right, the former
comes about by chance in at most 1 of `LEAST_RATIO` arms; the latter is for models that are not.

Caps below 1 are not needed: every sending ends at the cap then, as it does with a cap of 1 and another slope.
"""

from __future__ import annotations

import math

import numpy as np

from rogue_bandits.estimate.ladder.compare import (
    RECOVERY,
    Candidate,
    Difference,
    Ladder,
    difference,
    fit_candidate,
    held_out,
)
from rogue_bandits.estimate.ladder.evidence import evidence_of
from rogue_bandits.estimate.ladder.families import Component
from rogue_bandits.estimate.ladder.grids import Panels, refined_fit, wide_panel
from rogue_bandits.estimate.ladder.population import start_at
from rogue_bandits.estimate.ladder.task import ArmTask
from rogue_bandits.types import Floats

CAPS = np.array([1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0])
LEAST_RATIO, LEAST_ERRORS = 20.0, 1.0
FEW = 9  # half-lives at which caps are compared
UNLIKELY = 3.0  # how far a cap that is left out is below the best, in log-likelihood
SHARED_RECOVERY = Candidate(RECOVERY)


def with_floor(
    task: ArmTask, ladder: Ladder, panels: Panels, parts: list[Component]
) -> tuple[Ladder, Panels, Difference | None]:
    """Return ladder and panels with a floor of the loss, and by how much it is better; as they are if it is not clear.

    With half-lives of their own people have one cap, the most likely.
    """
    chosen = ladder.chosen
    if chosen.rung != RECOVERY:
        return ladder, panels, None
    none, losing = evidence_of(fit_candidate(SHARED_RECOVERY, panels.near, parts), panels.near)
    if losing < 0.5:
        return ladder, panels, None
    log = evidence_of_caps(task, parts) - none
    if log.max() < math.log(LEAST_RATIO):
        return ladder, panels, None
    likely = CAPS[log > log.max() - UNLIKELY]
    near, fit = refined_fit(task, likely)
    if evidence_of(fit, near)[0] - none < math.log(LEAST_RATIO * CAPS.size / likely.size):
        return ladder, panels, None
    capped = panels._replace(floor=(near, wide_panel(task, CAPS[[log.argmax()]])))
    held = held_out(chosen, capped.of(chosen), parts)
    better = difference(held, ladder.held_out[chosen], panels.near)
    if better.by <= LEAST_ERRORS * better.error:
        return ladder, panels, None
    return ladder._replace(held_out={**ladder.held_out, chosen: held}), capped, better


def evidence_of_caps(task: ArmTask, parts: list[Component]) -> Floats:
    """Return the log of the marginal likelihood with each cap, where people share slope and half-life."""
    found, starts = np.zeros(CAPS.size), None
    for k in reversed(range(CAPS.size)):
        panel = wide_panel(task, CAPS[[k]], FEW)
        fit = fit_candidate(SHARED_RECOVERY, panel, parts, starts=starts)
        starts = [start_at(p, np.arange(FEW)) for p in fit.populations]
        found[k] = evidence_of(fit, panel)[0]
    return found
