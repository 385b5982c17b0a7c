"""The value of sending an arm now, over the decisions that follow, for each draw from a person's posterior.

For a draw everything is known: all plans of the first decisions are compared by what they earn. After these the arm
with the largest mean at the time is sent, or nothing if that is better.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.ladder.compare import FADE, RECOVERY, WEAR_OUT
from rogue_bandits.estimate.ladder.families import Component, mean_reward, parts_of
from rogue_bandits.estimate.ladder.result import ArmLadder
from rogue_bandits.types import Floats

MOST_PLANS = 260  # that are compared


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

    def mean(self, x: Floats) -> Floats:
        """Return the mean reward at x."""
        eta = [level + slope * x for level, slope in zip(self.level, self.slope, strict=True)]
        return self.scale * mean_reward(self.parts, eta, self.noise)

    def only(self, draw: int) -> ArmDraws:
        """Return one of the draws."""
        j = slice(draw, draw + 1)
        level, slope, noise = ([part[j] for part in parts] for parts in (self.level, self.slope, self.noise))
        moves = {name: getattr(self, name)[j] for name in ("x", "keeps", "adds", "drifts")}
        return self._replace(level=level, slope=slope, noise=noise, **moves)

    def after(self, x: Floats, sent: Floats | float) -> Floats:
        """Return x one decision later."""
        return self.keeps * x + self.adds * sent + self.drifts


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
    keeps, ages = 0.5 ** (1.0 / half_life), length - 1 - np.flatnonzero(record.played)
    x = length * drifts + adds * (keeps[:, None] ** ages[None]).sum(1)
    name, trials, scale = family
    slope, noise = ([np.array(one) for one in draws[key]] for key in ("slope", "noise"))
    return ArmDraws(parts_of(name, trials, ladder.parts), level, slope, noise, x, keeps, adds, drifts, scale)


def values_ahead(arms: Sequence[ArmDraws], decisions: int) -> Floats:
    """Return the sum of mean rewards of the next decisions if each of the arms is sent first, [arms, draws].

    >>> constant = ArmDraws(parts_of("gaussian", 0.0, [[0.0, 1.0]]), [np.array([0.5])], [np.zeros(1)], [np.zeros(1)],
    ...                     np.zeros(1), np.ones(1), np.zeros(1), np.zeros(1), 1.0)
    >>> values_ahead([constant, constant._replace(level=[np.array([0.2])])], 3).tolist()
    [[1.5], [1.2]]
    """
    k_all, draws = len(arms), arms[0].x.size
    moved = [arm.adds.any() for arm in arms]  # by sendings: x of other arms is the same in all plans, [1, draws]
    x, total = [arm.x[None] for arm in arms], np.zeros((1, draws))
    depth = min(decisions, max(int(math.log(MOST_PLANS) / math.log(max(k_all, 2))), 1))
    for _ in range(depth):
        means = np.stack([np.broadcast_to(mean, total.shape) for mean in means_at(arms, x)], axis=1)
        total = (total[:, None] + means).reshape(-1, draws)  # the first arm varies slowest
        x = [
            np.stack([arm.after(now, float(j == k)) for j in range(k_all)], axis=1).reshape(-1, draws)
            if moved[k]
            else arm.after(now, 0.0)
            for k, (arm, now) in enumerate(zip(arms, x, strict=True))
        ]
    for _ in range(decisions - depth):
        found = means_at(arms, x)
        largest = functools.reduce(np.maximum, found)
        total, open_ = total + largest, np.ones(total.shape, dtype=np.bool_)
        for k, arm in enumerate(arms):
            sent = open_ & (found[k] == largest)  # the first of those that are equal
            open_ &= ~sent
            x[k] = arm.after(x[k], sent.astype(np.float64) if moved[k] else 0.0)
    return np.asarray(total.reshape(k_all, -1, draws).max(1))


def means_at(arms: Sequence[ArmDraws], x: Sequence[Floats]) -> list[Floats]:
    """Return the mean reward of each arm."""
    return [arm.mean(now) for arm, now in zip(arms, x, strict=True)]


def wears(ladder: ArmLadder) -> bool:
    """Return whether what is sent now changes later rewards, by the chosen rung."""
    return ladder.rung in (WEAR_OUT, RECOVERY)


def longest_rest(ladder: ArmLadder) -> float:
    """Return the longest rest after a sending that the data have, in decisions, as far as it was recorded."""
    return math.inf if not ladder.course else float(len(ladder.course["rests"]) - 1)
