"""People like those of a trial: somebody of the trial, with a draw from the posterior of each of their arms.

All arms of a simulated person are those of one person of the trial, so that they differ as the arms of a person do.
Draws are over the rungs: an arm wears out and recovers with its probability.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.advise import draws_of
from rogue_bandits.estimate.arm_draws import ArmDraws
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.fitted import ArmFit
from rogue_bandits.estimate.ladder.compare import RECOVERY
from rogue_bandits.estimate.ladder.points import LOSING, arm_fit_of, decay_of, line_of, sending_loads, two_part_fit
from rogue_bandits.estimate.ladder.result import ArmLadder
from rogue_bandits.estimate.notes import arm_words
from rogue_bandits.experiments.health.fitted import (
    FEWEST_ARMS,
    NO_RISE,
    ONE_ARM,
    SILENCE,
    fits_of,
    nobody,
    notes_on_what_is_not_shown,
    rising_arms,
    silence_beside,
    truth_of,
)
from rogue_bandits.model.fitted_arms import TWO_PARTS
from rogue_bandits.types import Truth


class Trial(NamedTuple):
    """Those people of a trial whom policies can choose for, the arms that all of them have, and what was left out."""

    people: People
    names: list[str]
    arms: list[str]
    notes: list[str]


def trial_of(people: People) -> Trial:
    """Return the people with the arms that most people have; a ValueError says why there are none."""
    ladders = people.fitted.arms.values()
    if not ladders or any(not ladder.draw_rungs for ladder in ladders):
        raise ValueError("this people file is of an earlier version, without a posterior to draw people from")
    every = [*people.cohort.arms, SILENCE]
    able = {name: tuple(arm for arm in every if arm in fits_of(people, name)) for name in people.fitted.people}
    sets = Counter(arms for arms in able.values() if len(arms) >= FEWEST_ARMS)
    if not sets:
        raise ValueError(nobody(people))
    arms = max(sets, key=lambda one: (sets[one], len(one)))
    names = [name for name, own in able.items() if set(arms) <= set(own)]
    notes = [ONE_ARM.format(people.cohort.arms[0])] if silence_beside(people) is not None else []
    if absent := [arm for arm in people.cohort.arms if arm not in arms]:
        notes.append(f"Not simulated, as most people have too few rewards of it: {', '.join(absent)}.")
    if len(names) < len(people.cohort.people):
        known = f"those {len(names):,} of {len(people.cohort.people):,} of whom all of these arms were fitted"
        notes.append(f"People are like {known}.")
    if rising := [arm_words(arm) for arm in rising_arms(people) if arm in arms]:
        notes.append(NO_RISE.format(", ".join(rising)))
    notes += notes_on_what_is_not_shown(people)
    if people.fitted.family == TWO_PARTS:
        notes.append("Simulated rewards are normal, with the means of zero-inflated ones: no arm has the latter.")
    if poor := [arm for arm in arms if not ladder_of(people, arm).check.holds]:
        notes.append(f"Warning: no model reproduces the rewards of {', '.join(poor)}. People here are not like yours.")
    return Trial(people, names, list(arms), notes)


def fitted_truth(trial: Trial, name: str) -> Truth:
    """Return a person who is the point estimates of one of the trial."""
    fits = fits_of(trial.people, name)
    return truth_of({arm: fits[arm] for arm in trial.arms})


def drawn_truth(trial: Trial, name: str, rng: np.random.Generator) -> Truth:
    """Return a person like one of the trial: one draw from the posterior, of all arms together."""
    j = int(rng.integers(len(ladder_of(trial.people, trial.arms[0]).draw_rungs)))
    return truth_of({arm: drawn_fit(trial.people, name, arm, j) for arm in trial.arms})


def drawn_fit(people: People, name: str, arm: str, j: int) -> ArmFit:
    """Return draw j of an arm of a person; a fade is held at its level at the next decision."""
    cohort, ladder, silent = people.cohort, ladder_of(people, arm), is_silence(people, arm)
    one = draws_of(people, ladder, name, None if silent else arm, np.zeros(len(cohort.covariates))).only(j)
    rung, half_life = ladder.draw_rungs[j], float(ladder.persons[name].draws["half_life"][j])
    mine = ladder.persons[name]._replace(half_life=[half_life] * 3 if rung == RECOVERY else [])
    ladder = ladder._replace(rung=rung, cap=one.cap.tolist() * 3)
    if people.fitted.family == TWO_PARTS:
        level, slope = float(one.mean(one.x)[0]), 0.0
        if rung in LOSING:
            record = cohort.people[name].record(cohort.arms.index(arm))
            level, slope = line_of(one.mean, sending_loads(record, decay_of(rung, half_life), float(one.cap[0])))
        return two_part_fit(
            ladder, mine, level / cohort.scale, decay_of(rung, half_life), slope / cohort.scale, cohort.scale
        )
    drawn = mine._replace(numbers=numbers_of(one, ladder, people.fitted.family))
    return arm_fit_of(ladder, drawn, people.fitted.family, cohort.trials, cohort.scale)


def numbers_of(one: ArmDraws, ladder: ArmLadder, family: str) -> dict[str, float]:
    """Return the numbers of a draw, and what its slope multiplies at the next decision."""
    shift, scale = ladder.parts[-1]
    unit = scale if family == "gaussian" else 1.0
    level, slope, noise, x = (float(values[0]) for values in (one.level[-1], one.slope[-1], one.noise[-1], one.x))
    return {"level": shift + unit * level, "slope": unit * slope, "log_noise": math.log(unit) + noise, "next": x}


def is_silence(people: People, arm: str) -> bool:
    """Return whether a name is that of silence, not of an arm that was fitted."""
    return arm not in people.fitted.arms


def ladder_of(people: People, arm: str) -> ArmLadder:
    """Return the ladder of an arm, or of silence."""
    silence = silence_beside(people)
    return silence if silence is not None and is_silence(people, arm) else people.fitted.arms[arm]
