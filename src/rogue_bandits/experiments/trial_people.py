"""People like those of a trial: somebody of the trial, with a draw from the posterior of each of their arms.

All arms of a simulated person are those of one person of the trial, so that they differ as the arms of a person do.
Whether an arm wears out and recovers is drawn with the probabilities of the fit. Where that is not what the chosen
model says, the mean reward over the person's own sendings is kept, and what they lose is taken from the population.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.estimate.advise import draws_of
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.fitted import ArmFit
from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.ladder.compare import CONSTANT, FADE, RECOVERY, WEAR_OUT
from rogue_bandits.estimate.ladder.points import LOSING, arm_fit_of, decay_of, line_of, sending_loads, two_part_fit
from rogue_bandits.estimate.ladder.result import ArmLadder, PersonLadder
from rogue_bandits.estimate.notes import arm_words
from rogue_bandits.experiments.health.fitted import (
    FEWEST_ARMS,
    NO_RISE,
    ONE_ARM,
    SILENCE,
    fits_of,
    nobody,
    rising_arms,
    silence_beside,
    truth_of,
)
from rogue_bandits.model.fitted_arms import TWO_PARTS
from rogue_bandits.types import Truth

KINDS = {"no_effect": CONSTANT, "no_recovery": WEAR_OUT, "recovery": RECOVERY}  # of the population, as rungs


class Trial(NamedTuple):
    """Those people of a trial whom policies can choose for, the arms that all of them have, and what was left out."""

    people: People
    names: list[str]
    arms: list[str]
    notes: list[str]


class Numbers(NamedTuple):
    """An arm of a person on the scale of its predictor."""

    level: float  # of a rested arm
    slope: float
    half_life: float
    log_noise: float


def trial_of(people: People) -> Trial:
    """Return the people with the arms that most people have; a ValueError says why there are none."""
    ladders = people.fitted.arms.values()
    if not ladders or any(not person.draws for ladder in ladders for person in ladder.persons.values()):
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
    draws = len(ladder_of(trial.people, trial.arms[0]).persons[name].draws["half_life"])
    j = int(rng.integers(draws))
    return truth_of({arm: drawn_fit(trial.people, name, arm, j, rng) for arm in trial.arms})


def drawn_fit(people: People, name: str, arm: str, j: int, rng: np.random.Generator) -> ArmFit:
    """Return draw j of an arm of a person."""
    cohort, ladder = people.cohort, ladder_of(people, arm)
    rung = kind_of(ladder.rung) if is_silence(people, arm) else drawn_rung(ladder, rng)
    mine = ladder.persons[name]
    if people.fitted.family == TWO_PARTS:
        return drawn_means(people, name, arm, rung, j, rng)
    own = numbers_at(ladder, mine, j, people.fitted.family)
    if rung != kind_of(ladder.rung):
        record = cohort.people[name].record(cohort.arms.index(arm))
        own = carried_over(own, ladder, rung, record, decisions_of(people, ladder), rng)
    elif rung == CONSTANT:
        rung = ladder.rung  # a fade is held at its level at the next decision
    numbers = {**mine.numbers, "level": own.level, "slope": own.slope, "log_noise": own.log_noise}
    drawn = mine._replace(numbers=numbers, half_life=[own.half_life] * 3 if rung == RECOVERY else [])
    return arm_fit_of(ladder._replace(rung=rung), drawn, people.fitted.family, cohort.trials, cohort.scale)


def drawn_means(people: People, name: str, arm: str, rung: str, j: int, rng: np.random.Generator) -> ArmFit:
    """Return a draw of an arm with two parts: normal rewards with the means of the draw, as no arm has two parts.

    These are the mean of a fresh arm and, on average, those of the person's sendings: means are not linear in the load.
    A loss that the chosen rung does not have is that share of the mean which the population loses of the means above 0.
    """
    cohort, ladder = people.cohort, ladder_of(people, arm)
    draws = draws_of(people, ladder, name, None if is_silence(people, arm) else arm, np.zeros(len(cohort.covariates)))
    one = draws.only(j)
    half_life = float(ladder.persons[name].draws["half_life"][j])
    own = Numbers(float(one.mean(one.x)[0]), 0.0, half_life, 0.0)
    if not is_silence(people, arm):
        record = cohort.people[name].record(cohort.arms.index(arm))
        if ladder.rung in LOSING:
            level, slope = line_of(one.mean, sending_loads(record, decay_of(ladder.rung, half_life)))
            own = own._replace(level=level, slope=slope)
        if rung != kind_of(ladder.rung):
            if ladder.rung == FADE:
                own = own._replace(level=float(one.mean(np.flatnonzero(record.played) * np.float64(one.drifts)).mean()))
            steady = ladder._replace(rung=kind_of(ladder.rung), population=in_units(ladder.population, own.level))
            own = carried_over(own, steady, rung, record, 0, rng)
    mine = ladder.persons[name]._replace(half_life=[own.half_life] * 3 if rung == RECOVERY else [])
    return two_part_fit(
        ladder, mine, own.level / cohort.scale, decay_of(rung, own.half_life), own.slope / cohort.scale, cohort.scale
    )


def in_units(block: Mapping[str, Any], level: float) -> dict[str, Any]:
    """Return a population with drops of so much, where it has them as shares: small changes of log means."""
    if "mean" not in block:
        return dict(block)
    mean = list(block["mean"])
    mean[block["numbers"].index("log_drop")] += math.log(max(level, 1e-12))
    return {**block, "mean": mean}


def is_silence(people: People, arm: str) -> bool:
    """Return whether a name is that of silence, not of an arm that was fitted."""
    return arm not in people.fitted.arms


def ladder_of(people: People, arm: str) -> ArmLadder:
    """Return the ladder of an arm, or of silence."""
    silence = silence_beside(people)
    return silence if silence is not None and is_silence(people, arm) else people.fitted.arms[arm]


def decisions_of(people: People, ladder: ArmLadder) -> int:
    """Return the length of the longest record of an arm, which times of a fade are shares of."""
    return max(people.cohort.people[name].length for name in ladder.persons)


def kind_of(rung: str) -> str:
    """Return the rung without time: sendings change nothing in a fade."""
    return CONSTANT if rung == FADE else rung


def drawn_rung(ladder: ArmLadder, rng: np.random.Generator) -> str:
    """Return whether the arm wears out and recovers, by the probabilities of the fit.

    An arm that does not lose by the chosen rung, and has no distribution of losses, is constant.
    """
    probability = np.array([ladder.population[kind] for kind in KINDS])
    rung = list(KINDS.values())[int(rng.choice(len(KINDS), p=probability / probability.sum()))]
    return rung if "mean" in ladder.population or ladder.rung in LOSING else CONSTANT


def numbers_at(ladder: ArmLadder, mine: PersonLadder, draw: int, family: str) -> Numbers:
    """Return one of the draws that people.json has of a person."""
    shift, scale = ladder.parts[-1]
    unit = scale if family == "gaussian" else 1.0
    level, slope, noise = (float(mine.draws[key][-1][draw]) for key in ("level", "slope", "noise"))
    return Numbers(
        shift + unit * level, unit * slope, float(mine.draws["half_life"][draw]), math.log(unit) + noise
    )  # fmt: skip


def carried_over(
    own: Numbers, ladder: ArmLadder, rung: str, record: Record, decisions: int, rng: np.random.Generator
) -> Numbers:
    """Return the numbers in another rung, with the same mean over the person's sendings.

    What the sendings lose on average is the same too, or drawn from the population where the chosen rung has no loss.
    Times of a fade are shares of so many decisions.
    """
    block, middle, half_life, lost = ladder.population, own.level, own.half_life, 0.0
    if ladder.rung in LOSING:
        lost = max(-own.slope, 0.0) * mean_load(record, ladder.rung, half_life)
        middle -= lost
    elif ladder.rung == FADE:
        middle += own.slope * float(np.flatnonzero(record.played).mean()) / max(decisions - 1, 1)
    if rung == CONSTANT:
        return own._replace(level=middle, slope=0.0, half_life=math.inf)
    if "mean" in block and (rung == RECOVERY or ladder.rung not in LOSING):
        drawn = dict(zip(block["numbers"], rng.multivariate_normal(block["mean"], block["covariance"]), strict=True))
        half_life = math.exp(drawn["log_half_life"])
        if ladder.rung not in LOSING:
            lost = math.exp(drawn["log_drop"]) * mean_load(record, RECOVERY, half_life)
    load = mean_load(record, rung, half_life)
    return own._replace(level=middle + lost, slope=-lost / load if load else 0.0, half_life=half_life)


def mean_load(record: Record, rung: str, half_life: float) -> float:
    """Return the mean load, or number of sendings before, at the sendings of a person.

    >>> mean_load(Record(np.array([1.0, 1.0, 0.0, 1.0]), np.zeros(4)), RECOVERY, 1.0)
    0.583...
    >>> mean_load(Record(np.array([1.0, 1.0, 0.0, 1.0]), np.zeros(4)), WEAR_OUT, 1.0)
    1.0
    """
    loads = sending_loads(record, decay_of(rung, half_life))
    return float(loads.mean()) if loads.size else 0.0
