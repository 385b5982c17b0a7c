"""Put the fitted arms of a cohort together: the levels of a person's arms are drawn as one."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rogue_bandits.estimate.ladder.arm import DrawnArm
from rogue_bandits.estimate.ladder.compare import OWN
from rogue_bandits.estimate.ladder.crossed_effects import Levels, draw_levels
from rogue_bandits.estimate.ladder.families import level_scale
from rogue_bandits.estimate.ladder.laws import has_noise
from rogue_bandits.estimate.ladder.posterior import SEED, with_levels
from rogue_bandits.types import Floats


def arms_together(arms: Sequence[DrawnArm], silence: DrawnArm | None) -> tuple[list[DrawnArm], DrawnArm | None]:
    """Return the arms, and silence, with levels that rest on the rewards of all of them.

    Left as they are: an arm by itself; arms whose people share nothing; arms whose rewards no model reproduces.
    """
    every = [*arms, *([] if silence is None else [silence])]
    able = [k for k, arm in enumerate(every) if arm.ladder.chosen.pool != OWN and arm.check.holds]
    quiet = silence is not None and len(every) - 1 in able
    found = [list(_levels_of(arm)) for arm in every]
    for part in range(1, 1 + max(len(levels) for levels in found)):  # from the last: the first may be missing
        having = [k for k in able if len(found[k]) >= part]
        if len(having) < 2:
            continue
        together = _drawn([every[k] for k in having], -part, quiet and having[-1] == len(every) - 1)
        for k, levels in zip(having, together, strict=True):
            found[k][-part] = levels
    moved = [arm._replace(posterior=with_levels(arm.posterior, levels)) for arm, levels in zip(every, found)]
    return moved[: len(arms)], None if silence is None else moved[-1]


def _levels_of(arm: DrawnArm) -> list[Floats]:
    return [component.own_level for component in arm.posterior.components]


def _drawn(arms: Sequence[DrawnArm], part: int, silence: bool) -> list[Floats]:
    """Return the levels [draws, people] of a component of each arm, drawn together."""
    everybody = list(dict.fromkeys(name for arm in arms for name in arm.panel.names))
    scales = [level_scale(arm.posterior.fit.parts[part]) for arm in arms]
    evidence = [arm.posterior.levels[part] for arm in arms]
    value = aligned([a + b * e.value for (a, b), e in zip(scales, evidence, strict=True)], arms, everybody)
    precision = aligned([e.precision / b**2 for (_, b), e in zip(scales, evidence, strict=True)], arms, everybody)
    levels = Levels(value, precision, typical_noise(arms, part), silence)
    rest = None
    if len(everybody) == 1:  # draws of a posterior that need not be normal
        own = aligned(
            [a + b * _levels_of(arm)[part] for (a, b), arm in zip(scales, arms, strict=True)], arms, everybody
        )
        rest = (own - value) * np.sqrt(precision)
    drawn = draw_levels(levels, np.random.default_rng([SEED, len(arms), -part]), rest)
    place = {name: i for i, name in enumerate(everybody)}
    return [
        (drawn[:, [place[name] for name in arm.panel.names], k] - scales[k][0]) / scales[k][1]
        for k, arm in enumerate(arms)
    ]


def typical_noise(arms: Sequence[DrawnArm], part: int) -> float:
    """Return the standard deviation of a reward, or 1 for log odds and log means without noise."""
    if not has_noise(arms[0].posterior.fit.parts[part].law):
        return 1.0
    logs = [
        math.log(level_scale(arm.posterior.fit.parts[part])[1])
        + float(np.median(arm.posterior.components[part].own_noise))
        for arm in arms
    ]
    return math.exp(float(np.mean(logs)))


def aligned(values: Sequence[Floats], arms: Sequence[DrawnArm], everybody: Sequence[str]) -> Floats:
    """Return values [draws, people] of each arm as [draws, everybody, arms], 0 for people who lack an arm."""
    place = {name: i for i, name in enumerate(everybody)}
    found = np.zeros((values[0].shape[0], len(everybody), len(values)))
    for k, (value, arm) in enumerate(zip(values, arms, strict=True)):
        found[:, [place[name] for name in arm.panel.names], k] = value
    return found
