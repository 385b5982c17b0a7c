"""Whether what was sent followed from earlier rewards: people who are sent more when they do worse look worn out."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.ladder.points import LOSING, falls_for_an_open_cause, gains_by_sending
from rogue_bandits.estimate.ladder.result import ArmLadder
from rogue_bandits.estimate.weighted import FEWEST_PEOPLE
from rogue_bandits.types import Bools, Floats

FAR = 4.0  # standard errors: one false alarm in 16,000 where chance decided
CLEARLY = 0.1  # correlation, below which little of a loss can come from the choice of when to send


class Dependence(NamedTuple):
    """Correlation of sending an arm with what the reward before was above its expectation, and its size in errors."""

    correlation: float
    errors: float

    @property
    def is_clear(self) -> bool:
        """Return whether chance alone would hardly have done it."""
        return abs(self.correlation) > CLEARLY and abs(self.errors) > FAR

    @property
    def after(self) -> str:
        """Return after which rewards the arm was sent more often: 'low' or 'high' ones."""
        return "low" if self.correlation < 0.0 else "high"


def follows_rewards(people: People) -> dict[str, Dependence]:
    """Return the arms with a fitted loss, or a fall that may be one, that were clearly sent by how people did.

    Also where the probabilities are known: the models do not use them, and those of an adaptive trial follow rewards.
    """
    losing = [arm for arm, ladder in people.fitted.arms.items() if ladder.check.holds and loses(ladder)]
    found = {arm: dependence(people, arm) for arm in losing}
    return {arm: one for arm, one in found.items() if one.is_clear}


def loses(ladder: ArmLadder) -> bool:
    """Return whether an arm has a fitted loss, or a fall of which the data leave open whether it is one."""
    fitted = ladder.rung in LOSING and not ladder.fade_or_wear_out and not gains_by_sending(ladder)
    return fitted or falls_for_an_open_cause(ladder)


def dependence(people: People, arm: str) -> Dependence:
    """Return how sending an arm depends on the reward of the decision before, less what the model expected of it.

    What the model leaves of a reward is noise: where chance decides, it does not depend on what is sent next, whatever
    was sent before. The standard error is that of the sum of people's covariances.
    """
    pairs = [pairs_of(people, person, arm) for person in people.fitted.people]
    pairs = [(before - before.mean(), sent - sent.mean()) for before, sent in pairs if sent.size > 1]
    each = np.array([float(before @ sent) for before, sent in pairs if sent.any()])
    if each.size < FEWEST_PEOPLE:
        return Dependence(0.0, 0.0)
    size = math.sqrt(sum(float(b @ b) for b, _ in pairs) * sum(float(s @ s) for _, s in pairs))
    error = math.sqrt(float(each @ each))
    return Dependence(float(each.sum()) / size, float(each.sum()) / error) if error > 0.0 else Dependence(0.0, 0.0)


def pairs_of(people: People, person: str, arm: str) -> tuple[Floats, Floats]:
    """Return the residuals of a person's rewards, and whether the arm was sent at the decision after each."""
    history, k = people.cohort.people[person], people.cohort.arms.index(arm)
    residual = residuals(people, person)
    follows: Bools = (np.diff(history.at) == 1) & history.available[1:] & ~np.isnan(residual[:-1])
    return residual[:-1][follows], (history.arm[1:][follows] == k).astype(float)


def residuals(people: People, person: str) -> Floats:
    """Return each reward of a person's fitted arms less its expectation; nan where there is none."""
    history, cohort = people.cohort.people[person], people.cohort
    found = np.full(history.arm.size, np.nan)
    for arm, ladder in people.fitted.arms.items():
        seen = (history.arm == cohort.arms.index(arm)) & ~np.isnan(history.reward)
        if person in ladder.persons and len(ladder.persons[person].fitted) == np.count_nonzero(seen):
            found[seen] = cohort.scale * history.reward[seen] - np.array(ladder.persons[person].fitted)
    return found
