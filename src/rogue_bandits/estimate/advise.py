"""Which arm to send a person next, by the posterior of the fitted models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.ahead import values_ahead
from rogue_bandits.estimate.arm_draws import ArmDraws, arm_draws, longest_rest, wears
from rogue_bandits.estimate.cautions import cautions_on, on_arms
from rogue_bandits.estimate.data import silence_of
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.ladder.compare import FADE
from rogue_bandits.estimate.ladder.points import ENOUGH, gains_by_sending
from rogue_bandits.estimate.ladder.result import QUANTILES, ArmLadder
from rogue_bandits.estimate.next_decision import covariates_at, derived
from rogue_bandits.estimate.notes import arm_words, person_words
from rogue_bandits.estimate.reading.columns import as_word
from rogue_bandits.types import Floats

SUPPORTED = 0.8  # probability of being the best, from which the data support a choice
AHEAD = 8  # decisions that are planned one by one, at most


class Limits(NamedTuple):
    """The least and the greatest probability with which an arm may be sent."""

    least: float = 0.0
    greatest: float = 1.0


class Next(NamedTuple):
    """What is known of the next decision, and how many decisions are planned, where sendings wear an arm out."""

    available: Sequence[str] | None = None  # arms; None for all
    covariates: Mapping[str, str] = {}  # never written to; values by name, as the table has them
    ahead: int = AHEAD


class Standing(NamedTuple):
    """An arm of a person, or silence: its mean reward at the next decision, with a 95 % credible interval."""

    arm: str
    mean: float
    low: float
    high: float
    rewards: int
    since: int | None  # decisions since it was last sent
    best: float  # probability that sending it now earns most of the arms that are available
    beats_waiting: float | None  # probability that sending it now earns more than sending nothing now
    probability: float  # with which to send it, if anything is sent


class Advice(NamedTuple):
    """The advice for one person's next decision."""

    person: str
    decision: int  # the number of the next one
    arms: list[Standing]
    silence: Standing | None
    ahead: int  # decisions planned one by one, at most: 1 where nothing that is sent changes later rewards
    warnings: list[str]  # where the fit does not support the advice
    absent: Sequence[str] = ()  # arms that could be sent, and are not compared for want of a fit

    @property
    def first(self) -> Standing:
        """Return the arm that is most probably the best."""
        return max(self.arms, key=lambda arm: arm.best)

    @property
    def compared(self) -> bool:
        """Return whether the arms that could be sent are compared: not where one of several has a fit."""
        return len(self.arms) > 1 or not self.absent

    @property
    def supported(self) -> bool:
        """Return whether the data support a choice between the arms."""
        return self.compared and self.first.best >= SUPPORTED


def advise(people: People, person: str, next: Next | None = None, limits: Limits | None = None) -> Advice | None:
    """Return the advice for a person; None where no arm of theirs that is available was fitted.

    The probability of an arm is that of being the best to send now, within the limits: of earning most in the
    long run where sendings wear arms out (`values_ahead`), else at the next decision. What cannot be sent
    now may be sent later.
    """
    next, fitted = next or Next(), people.fitted
    every = [arm for arm, ladder in fitted.arms.items() if person in ladder.persons and ladder.check.holds]
    able = [k for k, arm in enumerate(every) if next.available is None or arm in next.available]
    if not able:
        return None
    at = covariates_at(people.cohort, next.covariates)
    draws = [draws_of(people, fitted.arms[arm], person, arm, at) for arm in every]
    quiet = fitted.silence
    if quiet is not None and (person not in quiet.persons or not quiet.check.holds):
        quiet = None
    if quiet is not None:
        draws.append(draws_of(people, quiet, person, None, at))
    ahead = next.ahead if any(arm.adds.any() for arm in draws) else 1
    values = values_ahead(draws, ahead)
    largest = values[able] == values[able].max(axis=0)
    best = (largest / largest.sum(axis=0)).mean(1)  # of equal values each has its part
    beats = None if quiet is None else ((values[:-1] > values[-1]) + 0.5 * (values[:-1] == values[-1])).mean(1)
    share = within(best, limits or Limits())
    standings = [
        standing(people, every[k], fitted.arms[every[k]], person, draws[k], bool(next.covariates))._replace(
            best=float(best[j]), beats_waiting=None if beats is None else float(beats[k]), probability=float(share[j])
        )
        for j, k in enumerate(able)
    ]
    history = people.cohort.people[person]
    silence = None if quiet is None else standing(people, "", quiet, person, draws[-1], bool(next.covariates))
    could = [arm for arm in people.cohort.arms if next.available is None or arm in next.available]
    absent = [arm for arm in could if arm not in every]
    advice = Advice(person, history.first + history.length, standings, silence, ahead, [], absent)
    return advice._replace(warnings=list(warnings(people, advice, next)))


def advise_several(people: People, persons: Iterable[str], next: Next, limits: Limits) -> list[Advice]:
    """Return the advice for those of some people who have any, with the warnings on arms, made once for all of them."""
    shared = on_arms(people)
    every = (advise(people, person, next, limits) for person in persons)
    return [
        one._replace(warnings=[*one.warnings, *(words for arm in one.arms for words in shared.get(arm.arm, ()))])
        for one in every
        if one is not None
    ]


def draws_of(people: People, ladder: ArmLadder, person: str, arm: str | None, covariates: Floats) -> ArmDraws:
    """Return the draws of a person's arm, None for silence."""
    if not ladder.draw_rungs:
        raise ValueError("this people file is of an earlier version, without draws from the posterior to advise from")
    cohort, history = people.cohort, people.cohort.people[person]
    record = silence_of(history) if arm is None else history.record(cohort.arms.index(arm))
    longest = max(cohort.people[name].length for name in ladder.persons)
    return arm_draws(
        ladder, person, record, longest, (people.fitted.family, cohort.trials, cohort.scale), covariates
    )  # fmt: skip


def standing(
    people: People, arm: str, ladder: ArmLadder, person: str, draws: ArmDraws, has_covariates: bool
) -> Standing:
    """Return the reward to expect of an arm at the next decision, at the average of covariates that are not known."""
    mine, history = ladder.persons[person], people.cohort.people[person]
    low, middle, high = mine.now[0], mine.now[len(mine.now) // 2], mine.now[-1]
    if has_covariates:
        ends = np.quantile(draws.mean(draws.x), QUANTILES, method="weibull")  # of few draws: each tail has 2.5 %
        low, middle, high = (float(x) for x in ends)
    since = None
    if arm:
        since = history.length - int(history.at[history.arm == people.cohort.arms.index(arm)][-1])
    return Standing(arm, middle, low, high, mine.rewards, since, 0.0, None, 0.0)


def warnings(people: People, advice: Advice, next: Next) -> Iterator[str]:
    """Yield where the fit does not support the advice."""
    arms, first = people.fitted.arms, advice.first
    if poor := [arm for arm, ladder in arms.items() if advice.person in ladder.persons and not ladder.check.holds]:
        yield f"No model reproduces the rewards of {', '.join(poor)}: not compared."
    yield from warnings_on_absent(people, advice)
    if first.rewards < ENOUGH:
        known = "depends on those of the other people" if len(people.cohort.people) > 1 else "is very uncertain"
        yield f"{first.rewards} rewards of {arm_words(first.arm)} are few: its estimate {known}."
    yield from cautions_on(people, advice.person)
    if same := equal_rewards(people, advice):
        yield f"Rewards that are all the same say nothing about wear-out: {', '.join(same)}."
    for arm in advice.arms:
        ladder, name = arms[arm.arm], arm_words(arm.arm)
        if ladder.fade_or_wear_out:
            change = "fall" if ladder.worn[1] < ladder.fresh[1] else "rise"
            allows = "the advice allows for time and for the sendings, as far as each is probable"
            yield f"Rewards of {name} {change}, and the data do not show why: {allows}."
        elif ladder.rung == FADE:
            yield f"Rewards of {name} change over the study: that is continued beyond the data."
        if arm.since is not None and wears(ladder) and arm.since > longest_rest(ladder) + 1:
            changed = "what is left of its rise" if gains_by_sending(ladder) else "how far it recovered"
            yield f"{name} has rested for longer than any rest that the data have: {changed} is a guess."
    if people.cohort.covariates and not next.covariates:
        yield at_the_average(list(people.cohort.coding), derived(people.cohort))


def warnings_on_absent(people: People, advice: Advice) -> Iterator[str]:
    """Yield which arms could be sent and have no, or too few, rewards of the person."""
    history, who = people.cohort.people[advice.person], person_words(advice.person)
    then = "it is not compared" if advice.compared else "no comparison is possible"
    for arm in advice.absent:
        if arm in people.fitted.arms and advice.person in people.fitted.arms[arm].persons:
            continue  # no model reproduces its rewards
        sent = (history.arm == people.cohort.arms.index(arm)).any()
        why = f"has too few rewards of {who}" if sent else f"was never sent to {who}"
        yield f"{arm_words(arm)} {why}: {then}."


def equal_rewards(people: People, advice: Advice) -> list[str]:
    """Return the arms of the advice whose rewards of the person are all the same, with that reward."""
    cohort, history = people.cohort, people.cohort.people[advice.person]
    seen = {arm.arm: history.record(cohort.arms.index(arm.arm)).seen() for arm in advice.arms}
    return [f"{arm_words(arm)} (all {r[0] * cohort.scale:g})" for arm, r in seen.items() if r.size and np.ptp(r) == 0.0]


def at_the_average(names: Sequence[str], from_time: Sequence[str]) -> str:
    """Return that covariates of the next decision are not known, and how to say what they are.

    >>> at_the_average(["mood"], [])
    'The advice is for the average of mood: --covariate mood=VALUE says what it is at the next decision.'
    """
    if not names:
        return "The advice is for the average of the covariates."
    ways = [f"--covariate {as_word(name)}=VALUE" for name in names if name not in from_time]
    ways = ["--at TIME", *ways] if from_time else ways
    says, they_are = "says" if len(ways) == 1 else "say", "it is" if len(names) == 1 else "they are"
    known = f"{' and '.join(ways)} {says} what {they_are} at the next decision"
    return f"The advice is for the average of {', '.join(names)}: {known}."


def within(best: Floats, limits: Limits) -> Floats:
    """Return probabilities that sum to 1, none below the least or above the greatest.

    >>> within(np.array([0.9, 0.1, 0.0]), Limits(least=0.1, greatest=0.6)).round(3).tolist()
    [0.6, 0.252, 0.148]
    >>> within(np.array([0.5, 0.5]), Limits(greatest=0.4))
    Traceback (most recent call last):
    ValueError: greatest probability 0.4 is too small for 2 arms: with 0.4 each they do not reach 1
    """
    n = best.size
    if not 0.0 <= limits.least <= limits.greatest <= 1.0:
        raise ValueError(f"least {limits.least:g} and greatest {limits.greatest:g} must rise within 0 and 1")
    if n * limits.least > 1.0:
        raise ValueError(f"least probability {limits.least:g} is too large for {n} arms: they exceed 1")
    if n > 1 and n * limits.greatest < 1.0:
        raise ValueError(
            f"greatest probability {limits.greatest:g} is too small for {n} arms: with {limits.greatest:g} each they "
            "do not reach 1"
        )
    if n == 1:
        return np.array([limits.greatest])
    share = limits.least + (1.0 - n * limits.least) * best / best.sum()
    for _ in range(n):
        over = share >= limits.greatest
        excess = float((share[over] - limits.greatest).sum())
        if excess <= 0.0 or over.all():
            break
        part = np.where(over, 0.0, share + 1e-12)  # to arms that are never the best in equal parts
        share = np.where(over, limits.greatest, share) + excess * part / part.sum()
    return np.minimum(share, limits.greatest)
