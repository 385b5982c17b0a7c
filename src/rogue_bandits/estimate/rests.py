"""Rests between the sendings of an arm: where all are alike, no data show whether the arm recovers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.history import Cohort
from rogue_bandits.estimate.ladder.compare import RECOVERY
from rogue_bandits.estimate.ladder.points import falls_for_an_open_cause, gains_by_sending
from rogue_bandits.estimate.ladder.result import ArmLadder
from rogue_bandits.types import Ints

RARE = 0.05  # of the sendings: as few after a rest of another length do not show what a rest does


def unseen_recoveries(people: People) -> dict[str, int]:
    """Return the arms that are fitted to recover and were sent at regular steps only, with the step in decisions.

    The load of such an arm is a function of the number of its sendings: a loss that comes back while it rests, and one
    that levels off for good, predict the same rewards.
    """
    return _regular_steps(people, recovers)


def regular_falls(people: People) -> dict[str, int]:
    """Return the arms whose rewards fall for an open cause and that were sent at regular steps only, with the step.

    Time and the number of their sendings go together, and a fall that levels off fits wear-out with recovery only.
    """
    return _regular_steps(people, lambda ladder: ladder.check.holds and falls_for_an_open_cause(ladder))


def _regular_steps(people: People, concerned: Callable[[ArmLadder], bool]) -> dict[str, int]:
    found = {arm: usual_step(people.cohort, arm, ladder)
             for arm, ladder in people.fitted.arms.items() if concerned(ladder)}  # fmt: skip
    return {arm: step for arm, step in found.items() if step}


def recovers(ladder: ArmLadder) -> bool:
    """Return whether the model of an arm is wear-out with recovery, and reproduces the rewards."""
    return ladder.check.holds and ladder.rung == RECOVERY and not gains_by_sending(ladder)


def usual_step(cohort: Cohort, arm: str, ladder: ArmLadder) -> int:
    """Return the decisions from one sending of an arm to the next if these hardly ever differ, else 0."""
    steps = steps_between(cohort, arm, ladder)
    if not steps.size:
        return 0
    lengths, times = np.unique(steps, return_counts=True)
    return int(lengths[times.argmax()]) if times.max() > (1.0 - RARE) * steps.size else 0


def steps_between(cohort: Cohort, arm: str, ladder: ArmLadder) -> Ints:
    """Return the decisions from each sending of an arm to the person's next one, of all people with a fit."""
    k = cohort.arms.index(arm)
    histories = (cohort.people[person] for person in ladder.persons)
    return np.concatenate([np.zeros(0, np.int64), *(np.diff(one.at[one.arm == k]) for one in histories)])


def rhythm(step: int) -> str:
    """Return how often an arm was sent.

    >>> rhythm(1), rhythm(2)
    ('at every decision', 'once in 2 decisions')
    """
    return "at every decision" if step == 1 else f"once in {step:,} decisions"
