"""Arms of a person for each draw from the posterior: mean rewards, and how sendings and time move them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.ladder.compare import FADE, RECOVERY, WEAR_OUT
from rogue_bandits.estimate.ladder.families import Component, mean_reward, parts_of
from rogue_bandits.estimate.ladder.panel import NO_CAP, loads_of, next_load
from rogue_bandits.estimate.ladder.result import ArmLadder
from rogue_bandits.types import Floats


class ArmDraws(NamedTuple):
    """An arm of a person, or silence, for each draw: its parts, what its slope multiplies, and how that moves."""

    parts: list[Component]
    level: list[Floats]  # of each part, with the effects of covariates
    slope: list[Floats]
    noise: list[Floats]
    x: Floats  # load, count of sendings or share of the study, at the next decision
    keeps: Floats  # share of x that is left one decision later
    adds: Floats  # to x by a sending
    drifts: Floats  # of x at every decision
    scale: float
    sendings: float = 0.0  # so far
    cap: Floats = NO_CAP  # of x, of each draw or of all

    def mean(self, x: Floats) -> Floats:
        """Return the mean reward at x."""
        eta = [level + slope * x for level, slope in zip(self.level, self.slope, strict=True)]
        return self.scale * mean_reward(self.parts, eta, self.noise)

    def only(self, draw: int) -> ArmDraws:
        """Return one of the draws."""
        j = slice(draw, draw + 1)
        level, slope, noise = ([part[j] for part in parts] for parts in (self.level, self.slope, self.noise))
        moves = {name: getattr(self, name)[j] for name in ("x", "keeps", "adds", "drifts")}
        cap = np.broadcast_to(self.cap, self.x.shape)[j]
        return self._replace(level=level, slope=slope, noise=noise, cap=cap, **moves)

    def after(self, x: Floats, sent: Floats | float) -> Floats:
        """Return x one decision later."""
        return next_load(x, self.adds * sent, self.keeps, self.cap) + self.drifts


def arm_draws(
    ladder: ArmLadder, person: str, record: Record, longest: int, family: tuple[str, float, float], covariates: Floats
) -> ArmDraws:
    """Return the draws of a person's arm; `family` is its name, its trials and what rewards were divided by.

    `covariates` are those of the next decision, less their means.
    """
    draws = ladder.persons[person].draws
    half_life = np.array([float(value) for value in draws["half_life"]])
    effects = [
        np.array(part, dtype=np.float64).reshape(covariates.size, half_life.size) for part in ladder.effect_draws
    ]
    level = [np.array(one) + covariates @ effect for one, effect in zip(draws["level"], effects, strict=True)]
    length, rung = record.played.size, np.array(ladder.draw_rungs)
    adds, drifts = np.isin(rung, (WEAR_OUT, RECOVERY)).astype(np.float64), (rung == FADE) / max(longest - 1, 1)
    keeps, cap = 0.5 ** (1.0 / half_life), np.array(draws.get("cap", NO_CAP))
    one, next = np.zeros(1, dtype=np.int64), np.array([length])
    x = length * drifts + adds * loads_of({person: record}, one, next, keeps, cap)[:, 0]
    name, trials, scale = family
    slope, noise = ([np.array(one) for one in draws[key]] for key in ("slope", "noise"))
    return ArmDraws(parts_of(name, trials, ladder.parts), level, slope, noise, x, keeps, adds, drifts, scale,
                    float(record.played.sum()), cap)  # fmt: skip


def wears(ladder: ArmLadder) -> bool:
    """Return whether what is sent now changes later rewards, by the chosen rung."""
    return ladder.rung in (WEAR_OUT, RECOVERY)


def longest_rest(ladder: ArmLadder) -> float:
    """Return the longest rest after a sending that the data have, in decisions, as far as it was recorded."""
    return math.inf if not ladder.course else float(len(ladder.course["rests"]) - 1)
