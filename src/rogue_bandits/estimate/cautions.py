"""Where a fit is not to be relied on: warnings that need the fit, beside those on the data."""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.data import silence_of
from rogue_bandits.estimate.dependence import follows_rewards
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.history import FEWEST_REWARDS, WARNING
from rogue_bandits.estimate.ladder.families import BINOMIAL, LOGIT, POISSON
from rogue_bandits.estimate.ladder.points import ENOUGH
from rogue_bandits.estimate.ladder.result import ArmLadder
from rogue_bandits.estimate.notes import arm_words, notes_on_direction, person_words
from rogue_bandits.estimate.rests import rhythm, unseen_recoveries
from rogue_bandits.estimate.weighted import entries_of
from rogue_bandits.types import Floats
from rogue_bandits.wording import counted, plain

FEW_RESTING = 0.25  # of the people: fewer are no fair sample of all
MOST_UNLIKE = 3  # people who are named
FEW_WITH_BOTH = 0.25  # of the people of the smaller of two arms: with fewer the arms are those of different people
MOST_PAIRS = 3  # pairs of arms that are named
NORMAL_95 = 1.96  # standard errors on each side of a 95 % interval
WHY = {
    "low": ("below", "People who are sent more when they do worse look as if sendings wore them out"),
    "high": ("above", "A reward after a high one is lower on average, whatever is sent"),
}  # of sendings that follow rewards: on which side of what is expected, and why that looks like wear-out
ON_LOG_SCALES = LOGIT.name, BINOMIAL.name, POISSON.name  # families whose levels are log odds or log means
OFF = 0.1  # of the mean of the rewards: a model whose mean is as far from it has levels that are not those of the data
FREE = "gaussian"  # the family whose mean can be any number: others keep it from the ends of their range


def cautions(people: People) -> list[str]:
    """Return the warnings on a cohort."""
    unlike = [words for person in people.fitted.people for words in unlike_others(people, person)]
    more = len(unlike) - MOST_UNLIKE
    left = [f"Of {counted(more, 'more arm')} of people the same holds."] if more > 0 else []
    return [
        *on_different_people(people),
        *(words for each in on_arms(people).values() for words in each),
        *on_silence(people),
        *unlike[:MOST_UNLIKE],
        *left,
    ]


def cautions_on(people: People, person: str) -> list[str]:
    """Return the warnings on a person: on the reward, on silence if they have a level of it, on unlikely levels."""
    silence = people.fitted.silence
    words = [note.removeprefix(WARNING) for note in notes_on_direction(people.cohort)] + unlike_others(people, person)
    if silence is None or person not in silence.persons or not silence.check.holds:
        return words
    rests = silence.persons[person].rewards
    few = f"{rests} rewards after a rest are few: the level of silence depends on that of the other people."
    return [*(on_silence(people) or ([few] if rests < ENOUGH else [])), *words]


def on_arms(people: People) -> dict[str, list[str]]:
    """Return warnings that hold for everybody who has an arm, by arm: on its mean, when it was sent, and its rests."""
    found = {arm: [words] for arm, words in on_means(people).items()}
    known = entries_of(people.cohort).probability.size > 0
    decided = ", and the models do not use the probabilities of the file" if known else ": chance alone did not decide"
    for arm, one in follows_rewards(people).items():
        side, why = WHY[one.after]
        found.setdefault(arm, []).append(
            f"{arm_words(arm)} was sent more often after rewards {side} what the model expects (correlation "
            f"{one.correlation:.2f}, {abs(one.errors):.1f} standard errors){decided}. {why}, and "
            "the loss may be no effect of sendings."
        )
    for arm, step in unseen_recoveries(people).items():
        found.setdefault(arm, []).append(
            f"{arm_words(arm)} was sent {rhythm(step)}, nearly without exception: no rest shows whether it recovers, "
            "and a fall that levels off for another reason looks the same. Rests of different lengths would show it."
        )
    return found


def on_means(people: People) -> dict[str, str]:
    """Return warnings on arms whose model has a mean far from that of the rewards, by arm.

    With few rewards other than 0, normal approximations of people's log odds are poor, though their mean is corrected.
    """
    if people.fitted.family not in ON_LOG_SCALES:
        return {}
    checks = {arm: ladder.check for arm, ladder in people.fitted.arms.items() if ladder.check.holds}
    return {
        arm: (
            f"Rewards drawn from the model of {arm_words(arm)} have a mean of {plain(check.model_mean, 2)}, and those "
            f"of the data one of {plain(check.mean, 2)}. Levels are not estimated well where people have few rewards "
            "other than 0: for the size of the reward go by the mean of the data."
        )
        for arm, check in checks.items()
        if abs(check.model_mean - check.mean) > OFF * check.mean
    }


def on_silence(people: People) -> list[str]:
    """Return a warning if what follows silence rests on few rewards, on few of the people, or cannot be fitted."""
    silence, everybody = people.fitted.silence, len(people.cohort.people)
    if silence is None:
        rests = [silence_of(history).seen().size for history in people.cohort.people.values()]
        if not any(rests) or max(rests) >= FEWEST_REWARDS:
            return []
        return [
            f"{counted(sum(rests), 'reward follows', 'rewards follow')} a rest, and nobody has {FEWEST_REWARDS} or "
            "more of them: sending is not compared with silence."
        ]
    if silence.rewards >= ENOUGH and silence.people >= FEW_RESTING * everybody:
        return []
    who = "" if everybody == 1 else f" of {silence.people:,} of {counted(everybody, 'person', 'people')}"
    return [
        f"The level of silence is estimated from {counted(silence.rewards, 'reward')}{who}: too few to rely "
        "on a comparison of sending with sending nothing."
    ]


class Apart(NamedTuple):
    """Two arms of different people: who has them, and what the choice of people adds to the difference of means."""

    names: tuple[str, str]
    people: tuple[int, int]
    both: int
    difference: float
    adds: float  # half of a 95 % interval; nan where an arm has one person only

    @property
    def is_larger(self) -> bool:
        """Return whether the difference is larger than what the choice of people adds."""
        return self.difference > self.adds


def on_different_people(people: People) -> list[str]:
    """Return a warning on pairs of arms that were given mostly to different people, as in parallel groups."""
    ladders = {arm_words(arm): ladder for arm, ladder in people.fitted.arms.items()}
    if people.fitted.silence is not None:
        ladders["sending nothing"] = people.fitted.silence
    ladders = {name: ladder for name, ladder in ladders.items() if ladder.check.holds and ladder.persons}
    pairs = [apart(names, (ladders[names[0]], ladders[names[1]])) for names in combinations(ladders, 2)]
    found = [pair for pair in pairs if pair.both < FEW_WITH_BOTH * min(pair.people)]
    found.sort(key=lambda pair: pair.both - sum(pair.people))
    rest = found[MOST_PAIRS:]
    more = f"Of {counted(len(rest), 'more pair')} of arms the same holds; the differences of "
    more += f"{sum(pair.is_larger for pair in rest):,} are larger than that."
    return [*map(apart_words, found[:MOST_PAIRS]), *([more] if rest else [])]


def apart(names: tuple[str, str], ladders: tuple[ArmLadder, ArmLadder]) -> Apart:
    """Return the difference of two arms, and 1.96 √(s_a² / n_a + s_b² / n_b), with s the deviation of levels."""
    a, b = (np.array([person.fresh[1] for person in ladder.persons.values()]) for ladder in ladders)
    squares = [float(x.var(ddof=1)) / x.size if x.size > 1 else math.nan for x in (a, b)]
    difference = abs(ladders[0].fresh[1] - ladders[1].fresh[1])
    both = len(ladders[0].persons.keys() & ladders[1].persons.keys())
    return Apart(names, (a.size, b.size), both, difference, NORMAL_95 * math.sqrt(sum(squares)))


def apart_words(pair: Apart) -> str:
    """Return the warning on two arms.

    >>> apart_words(Apart(("usual", "app"), (15, 14), 0, 2.6, 4.21))
    'usual and app were given to different people (15 and 14; 0 have both), and their numbers are those of these \
people. That adds ± 4.21 to a difference between the two; theirs, 2.6, is not larger than that.'
    """
    mostly = "mostly " if pair.both else ""
    start = (
        f"{pair.names[0]} and {pair.names[1]} were given {mostly}to different people ({pair.people[0]:,} and "
        f"{pair.people[1]:,}; {pair.both:,} {'has' if pair.both == 1 else 'have'} both), and their numbers are those "
        "of these people."
    )
    if math.isnan(pair.adds):
        return f"{start} What that adds to a difference between the two cannot be said from one person."
    larger = "larger" if pair.is_larger else "not larger"
    return (
        f"{start} That adds ± {plain(pair.adds, 3)} to a difference between the two; theirs, "
        f"{plain(pair.difference, 3)}, is {larger} than that."
    )


def unlike_others(people: People, person: str) -> list[str]:
    """Return a warning for each arm of a person whose interval of the mean holds none of the rewards.

    A person with few rewards, far from all others, may be pulled towards them. Only the normal family is judged: means
    of others cannot reach rewards at the end of the range, such as 0.
    """
    if people.fitted.family != FREE:
        return []
    found, history = [], people.cohort.people[person]
    for arm in people.fitted.people[person]:
        ladder = people.fitted.arms[arm]
        mine = ladder.persons[person]
        seen = people.cohort.scale * history.record(people.cohort.arms.index(arm)).seen()
        ends = [*mine.fresh, *mine.worn, *mine.now]
        if ladder.check.holds and (seen.min() > max(ends) or seen.max() < min(ends)):
            found.append(
                f"{person_words(person)} has rewards of {arm_words(arm)} {range_of(seen)}, and the interval of their "
                f"mean is {plain(min(ends), 3)} to {plain(max(ends), 3)}: this model does not describe a person so "
                "unlike the others."
            )
    return found


def range_of(rewards: Floats) -> str:
    """Return the range of rewards in words.

    >>> import numpy as np
    >>> range_of(np.array([12.0, 12.0])), range_of(np.array([3.0, 5.0]))
    ('that are all 12', 'from 3 to 5')
    """
    low, high = plain(float(rewards.min())), plain(float(rewards.max()))
    return f"that are all {low}" if low == high else f"from {low} to {high}"
