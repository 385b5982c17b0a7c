"""Draws of people's numbers on one arm, each with the rung that it is of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.estimate.ladder.compare import RECOVERY
from rogue_bandits.estimate.ladder.panel import NO_CAP, Panel
from rogue_bandits.estimate.ladder.posterior import Posterior
from rogue_bandits.types import Floats, Ints

STORED = 200  # draws of each person that people.json has
NUMBERS = "level", "slope", "noise"  # of each component


class PeopleDraws(NamedTuple):
    """Draws of the numbers of people: [draws, people], of each component where it is a list."""

    names: list[str]  # of people
    rung: list[str]  # [draws]
    half_life: Floats  # points of a grid; infinite in rungs without
    cap: Floats  # of the loads; infinite where losses have no floor
    level: list[Floats]
    slope: list[Floats]
    noise: list[Floats]
    effects: list[Floats]  # [draws, covariates], which people share
    now: Floats  # mean reward at the next decision, if the arm is sent
    worn: Floats  # mean reward at the largest load, count or time that the arm has seen

    def at(self, draws: Ints) -> PeopleDraws:
        """Return some of the draws, in this order."""
        parts = {name: [values[draws] for values in getattr(self, name)] for name in (*NUMBERS, "effects")}
        rung = [self.rung[j] for j in draws]
        half_life, cap, now, worn = self.half_life[draws], self.cap[draws], self.now[draws], self.worn[draws]
        return self._replace(rung=rung, half_life=half_life, cap=cap, now=now, worn=worn, **parts)

    def stored(self, person: int) -> dict[str, Any]:
        """Return the draws of a person that people.json has; caps only if there are any."""
        numbers = {name: [rounded(part[some(part), person]) for part in getattr(self, name)] for name in NUMBERS}
        caps = {"cap": rounded(self.cap[some(self.cap), person])} if np.isfinite(self.cap).any() else {}
        return {"half_life": rounded(self.half_life[some(self.half_life), person]), **caps, **numbers}

    def stored_effects(self) -> list[list[list[float]]]:
        """Return the same draws of the effects of covariates, [parts][covariates][draws]."""
        return [[rounded(effect) for effect in part[some(part)].T] for part in self.effects]

    def stored_rungs(self) -> list[str]:
        """Return the rungs of these draws."""
        return self.rung[some(self.half_life)]


def draws_of(posterior: Posterior, panel: Panel, now: Floats, worn: Floats) -> PeopleDraws:
    """Return the draws from the posterior of one rung, with mean rewards at the next decision and of a worn arm."""
    rung, parts = posterior.fit.candidate.rung, posterior.components
    half_lives, caps = panel.grid if rung == RECOVERY else (np.array([math.inf]), NO_CAP)
    place = posterior.own_place
    level, slope, noise = ([getattr(part, f"own_{name}") for part in parts] for name in NUMBERS)
    effects = [part.effects for part in parts]
    rungs = [rung] * posterior.half_life.size
    return PeopleDraws(panel.names, rungs, half_lives[place], caps[place], level, slope, noise, effects, now, worn)


def joined(every: Sequence[PeopleDraws]) -> PeopleDraws:
    """Return all draws of several."""
    rung = [name for one in every for name in one.rung]
    half_life, cap, now, worn = (
        np.concatenate([getattr(one, name) for one in every]) for name in ("half_life", "cap", "now", "worn")
    )
    level, slope, noise, effects = (
        [np.concatenate(same) for same in zip(*(getattr(one, name) for one in every), strict=True)]
        for name in (*NUMBERS, "effects")
    )
    return PeopleDraws(every[0].names, rung, half_life, cap, level, slope, noise, effects, now, worn)


def some(draws: Floats) -> slice:
    """Return which draws people.json has."""
    return slice(None, None, max(draws.shape[0] // STORED, 1))


def rounded(values: Floats) -> list[float]:
    """Return numbers with five digits, which is all that draws need."""
    return [float(f"{x:.5g}") for x in values.tolist()]
