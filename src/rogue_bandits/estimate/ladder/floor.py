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
    CandidateFit,
    Difference,
    Ladder,
    difference,
    fit_candidate,
    held_out,
)
from rogue_bandits.estimate.ladder.evidence import evidence_of
from rogue_bandits.estimate.ladder.families import Component
from rogue_bandits.estimate.ladder.grids import Panels, refined_fit, wide_panel
from rogue_bandits.estimate.ladder.panel import Panel
from rogue_bandits.estimate.ladder.population import start_at
from rogue_bandits.estimate.ladder.task import ArmTask
from rogue_bandits.types import Floats

CAPS = np.array([1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0])
LEAST_RATIO, LEAST_ERRORS = 20.0, 1.0
FEW = 9  # half-lives at which caps are compared
UNLIKELY = 0.05  # probability of a cap that is left out, relative to the best
ENOUGH = 3  # likely caps, from which they need not be closer together
FINE, REFINEMENTS = 5, 4  # caps of a closer list, and how often it is made
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
    near, fit, prior = likely_caps(task, log)
    if evidence_of(fit, near)[0] + math.log(prior) - none < math.log(LEAST_RATIO):
        return ladder, panels, None
    capped = panels._replace(floor=(near, wide_panel(task, near.caps[[weight_of_caps(fit, near).argmax()]])))
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


def likely_caps(task: ArmTask, log: Floats) -> tuple[Panel, CandidateFit, float]:
    """Return panel and fit with the likely caps, and the prior probability of these; `log` has the evidence of `CAPS`.

    Where these are too few to stand for all that are likely, caps between them and their neighbours are tried.
    """
    caps, prior, span, weight = CAPS, 1.0, (0.0, 1.0), np.exp(log - log.max())
    for _ in range(REFINEMENTS):
        inside = np.flatnonzero(weight > UNLIKELY * weight.max())
        if inside.size >= ENOUGH:
            break
        low, high = max(int(inside[0]) - 1, 0), min(int(inside[-1]) + 1, caps.size - 1)
        prior *= (high - low) / (caps.size - 1)
        caps = np.geomspace(caps[low], caps[high], FINE)
        near, fit = refined_fit(task, caps, span)
        span, weight = (float(near.before[0]), float(near.before[-1])), weight_of_caps(fit, near)
    likely = weight > UNLIKELY * weight.max()
    return *refined_fit(task, caps[likely], span), prior * float(likely.mean())


def weight_of_caps(fit: CandidateFit, panel: Panel) -> Floats:
    """Return the posterior probability of each cap, of a fit in which people share slope and half-life."""
    return np.asarray(fit.populations[0].weight[:, 0].reshape(panel.caps.size, -1).sum(1))
