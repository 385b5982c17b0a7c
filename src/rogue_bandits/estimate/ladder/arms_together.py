"""Put the fitted arms of a cohort together: the levels of a person's arms are drawn as one."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rogue_bandits.estimate.ladder.arm import DrawnArm
from rogue_bandits.estimate.ladder.compare import OWN
from rogue_bandits.estimate.ladder.crossed_effects import Drawn, draw_levels
from rogue_bandits.estimate.ladder.crossed_levels import Levels
from rogue_bandits.estimate.ladder.families import at_an_edge, level_scale
from rogue_bandits.estimate.ladder.laws import has_noise
from rogue_bandits.estimate.ladder.levels import LevelEvidence, level_evidence
from rogue_bandits.estimate.ladder.posterior import SEED, recentred, total_at_centre, with_levels
from rogue_bandits.types import Floats, Ints

MOST_STEPS, LONGEST_STEP, SETTLED = 20, 1.0, 0.05  # of the search for the levels at which likelihoods are linearised
FEW = 50  # draws of that search


def arms_together(every: Sequence[DrawnArm], silence: bool) -> list[DrawnArm]:
    """Return the arms with levels that rest on the rewards of all of them; the last one may be silence.

    Left as they are: an arm by itself; arms whose people share nothing; arms whose rewards no model reproduces; of a
    person alone, an arm with nothing but failures or successes, whose likelihood is not at all normal.
    """
    everybody = list(dict.fromkeys(name for arm in every for name in arm.panel.names))
    place = {name: i for i, name in enumerate(everybody)}
    parts = [list(range(len(arm.posterior.components))) for arm in every]
    levels = [[one.own_level for one in arm.posterior.components] for arm in every]
    slopes = [[one.slope for one in arm.posterior.levels] for arm in every]
    again: list[tuple[int, int]] = []  # arms and components whose levels are drawn again
    for part in range(1, 1 + max(map(len, parts))):  # from the last: the first may be missing
        having = [k for k, arm in enumerate(every) if len(parts[k]) >= part and _able(arm, -part, everybody)]
        if len(having) < 2:
            continue
        quiet = silence and having[-1] == len(every) - 1
        try:
            drawn = _draw([every[k] for k in having], -part, quiet, everybody)
        except np.linalg.LinAlgError:
            continue  # arms that are 10⁷ noises apart: nothing is to be learned of one from another
        for j, k in enumerate(having):
            mine = [place[name] for name in every[k].panel.names]
            offset, unit = level_scale(every[k].posterior.fit.parts[-part])
            levels[k][-part], slopes[k][-part] = (drawn.level[:, mine, j] - offset) / unit, drawn.slope[:, j] / unit
            again.append((k, len(parts[k]) - part))
    moved = [
        arm._replace(posterior=with_levels(arm.posterior, mine, by))
        for arm, mine, by in zip(every, levels, slopes, strict=True)
    ]
    for k, one in again:
        posterior, panel = moved[k].posterior, moved[k].panel
        centre = total_at_centre(posterior, panel, one)
        moved[k] = moved[k]._replace(posterior=recentred(posterior, panel, one, centre))
    return moved


def _able(arm: DrawnArm, part: int, everybody: Sequence[str]) -> bool:
    one = arm.posterior.fit.parts[part]
    return (
        arm.ladder.chosen.pool != OWN
        and arm.check.holds
        and one.reward.size > 0
        and not (len(everybody) == 1 and at_an_edge(one))
    )


def _draw(arms: Sequence[DrawnArm], part: int, silence: bool, everybody: Sequence[str]) -> Drawn:
    """Draw the levels of a component of each arm together."""
    evidence = [arm.posterior.levels[part] for arm in arms]
    rng = np.random.default_rng([SEED, len(arms), -part])
    if len(everybody) == 1:  # draws of a posterior that need not be normal
        levels = _levels(arms, evidence, part, silence, everybody)
        own = _aligned([_common(arm, part, arm.posterior.components[part].own_level) for arm in arms], arms, everybody)
        return draw_levels(levels, rng, (own - levels.value) * np.sqrt(levels.precision))
    if not has_noise(arms[0].posterior.fit.parts[part].law):
        evidence = _linearised(arms, part, silence, everybody)
    return draw_levels(_levels(arms, evidence, part, silence, everybody), rng)


def _linearised(arms: Sequence[DrawnArm], part: int, silence: bool, everybody: Sequence[str]) -> list[LevelEvidence]:
    """Return the likelihoods of levels near those that follow from all arms, as a joint Laplace approximation does.

    At the mode of an arm by itself that has failures only, the likelihood is nearly flat. Near the levels of the other
    arms it is not.
    """
    some = np.arange(0, arms[0].posterior.half_life.size, arms[0].posterior.half_life.size // FEW)
    at = [np.median(arm.posterior.components[part].own_level, 0) for arm in arms]
    place = {name: i for i, name in enumerate(everybody)}
    for _ in range(MOST_STEPS):
        evidence = [_evidence_at(arm, part, level, some) for arm, level in zip(arms, at, strict=True)]
        drawn = draw_levels(_levels(arms, evidence, part, silence, everybody), np.random.default_rng(SEED))
        moved = 0.0
        for k, arm in enumerate(arms):
            mine = [place[name] for name in arm.panel.names]
            step = np.clip(drawn.level[:, mine, k].mean(0) - at[k], -LONGEST_STEP, LONGEST_STEP)
            at[k], moved = at[k] + step, max(moved, float(np.abs(step).max()))
        if moved < SETTLED:
            break
    return [_evidence_at(arm, part, level, None) for arm, level in zip(arms, at, strict=True)]


def _evidence_at(arm: DrawnArm, part: int, level: Floats, draws: Ints | None) -> LevelEvidence:
    posterior = arm.posterior
    shift, place = posterior.shifts[part], posterior.own_place
    if draws is not None:
        shift, place = shift[draws], place[draws]
    fit = posterior.fit
    return level_evidence(fit, fit.parts[part], fit.populations[part], arm.panel, shift, place, level)


def _levels(
    arms: Sequence[DrawnArm], evidence: Sequence[LevelEvidence], part: int, silence: bool, everybody: Sequence[str]
) -> Levels:
    """Return what rewards say of the levels of all people and arms, on one scale."""
    units = [level_scale(arm.posterior.fit.parts[part])[1] for arm in arms]
    both = list(zip(evidence, units, strict=True))
    return Levels(
        _aligned([_common(arm, part, one.value) for arm, one in zip(arms, evidence, strict=True)], arms, everybody),
        _aligned([one.precision / unit**2 for one, unit in both], arms, everybody),
        _aligned([one.tilt for one in evidence], arms, everybody),
        np.stack([one.information / unit**2 for one, unit in both], axis=1),
        np.stack([one.score / unit for one, unit in both], axis=1),
        typical_noise(arms, part),
        silence,
        _groups(arms, evidence),
        np.array([one.reach or 1.0 for one in evidence]),
    )


def _groups(arms: Sequence[DrawnArm], evidence: Sequence[LevelEvidence]) -> Ints:
    """Return the first arm whose slope is of the same kind: of the same rung; an arm without a slope is by itself."""
    rungs = [
        arm.posterior.fit.candidate.rung if one.reach else str(k) for k, (arm, one) in enumerate(zip(arms, evidence))
    ]
    return np.array([rungs.index(rung) for rung in rungs])


def _common(arm: DrawnArm, part: int, level: Floats) -> Floats:
    """Return levels on the scale that arms have in common."""
    offset, unit = level_scale(arm.posterior.fit.parts[part])
    return offset + unit * level


def _aligned(values: Sequence[Floats], arms: Sequence[DrawnArm], everybody: Sequence[str]) -> Floats:
    """Return values [draws, people] of each arm as [draws, everybody, arms], 0 for people who lack an arm."""
    place = {name: i for i, name in enumerate(everybody)}
    found = np.zeros((values[0].shape[0], len(everybody), len(values)))
    for k, (value, arm) in enumerate(zip(values, arms, strict=True)):
        found[:, [place[name] for name in arm.panel.names], k] = value
    return found


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
