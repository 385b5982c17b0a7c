"""Which arm to send a person next, by the posterior of the fitted models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.ladder.summary import NOW
from rogue_bandits.types import Floats

DRAWS = 4_000
SUPPORTED = 0.8  # probability of being the best, from which the data support a choice


class Limits(NamedTuple):
    """The least and the greatest probability with which an arm may be sent."""

    least: float = 0.0
    greatest: float = 1.0


class Standing(NamedTuple):
    """An arm of a person, or silence: its mean reward at the next decision, with a 95 % credible interval."""

    arm: str
    mean: float
    low: float
    high: float
    rewards: int
    since: int | None  # decisions since it was last sent
    best: float  # probability that its mean is the largest of the arms that are available
    above_silence: float | None  # probability that its mean is above that of silence
    probability: float  # with which to send it


class Advice(NamedTuple):
    """The advice for one person's next decision."""

    person: str
    decision: int  # the number of the next one
    arms: list[Standing]
    silence: Standing | None

    @property
    def first(self) -> Standing:
        """Return the arm that is most probably the best."""
        return max(self.arms, key=lambda arm: arm.best)

    @property
    def supported(self) -> bool:
        """Return whether the data support a choice between the arms."""
        return len(self.arms) == 1 or self.first.best >= SUPPORTED


def advise(
    people: People, person: str, available: Sequence[str] | None = None, limits: Limits | None = None, seed: int = 0
) -> Advice | None:
    """Return the advice for a person; None where no arm of theirs that is available was fitted.

    The probability of an arm is that of being the best at the next decision, within the limits. It does not plan ahead:
    what a sending takes away from later rewards does not count.
    """
    fitted, history = people.fitted, people.cohort.people[person]
    arms = [
        arm for arm, ladder in fitted.arms.items()
        if person in ladder.persons and ladder.check.holds and (available is None or arm in available)
    ]  # fmt: skip
    if not arms:
        return None
    number = list(people.cohort.people).index(person)
    rng = np.random.default_rng([seed, number])
    draws = np.array([drawn(fitted.arms[arm].persons[person].now, rng) for arm in arms])
    best = np.bincount(np.argmax(draws, axis=0), minlength=len(arms)) / DRAWS
    share = within(best, limits or Limits())
    silence = silent(people, person)
    quiet = None if silence is None or fitted.silence is None else drawn(fitted.silence.persons[person].now, rng)
    standings = []
    for k, arm in enumerate(arms):
        mine = fitted.arms[arm].persons[person]
        sent = history.at[history.arm == people.cohort.arms.index(arm)]
        above = None if quiet is None else float((draws[k] > quiet).mean())
        middle = mine.now[len(mine.now) // 2]
        standings.append(Standing(arm, middle, mine.now[0], mine.now[-1], mine.rewards, history.length - int(sent[-1]),
                                  float(best[k]), above, float(share[k])))  # fmt: skip
    return Advice(person, history.first + history.length, standings, silence)


def silent(people: People, person: str) -> Standing | None:
    """Return what follows if nothing is sent, where that was observed."""
    silence = people.fitted.silence
    if silence is None or person not in silence.persons or not silence.check.holds:
        return None
    now, n = silence.persons[person].now, silence.persons[person].rewards
    return Standing("", now[len(now) // 2], now[0], now[-1], n, None, 0.0, None, 0.0)


def drawn(quantiles: list[float], rng: np.random.Generator) -> Floats:
    """Draw from a distribution that is given by its quantiles; beyond the outermost, as between the last two."""
    u, values = rng.random(DRAWS), np.array(quantiles)
    found = np.interp(u, NOW, values)
    step = NOW[1] - NOW[0]
    found += np.minimum(u - NOW[0], 0.0) * (values[1] - values[0]) / step
    found += np.maximum(u - NOW[-1], 0.0) * (values[-1] - values[-2]) / step
    return found


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
