"""The arm that each policy would play next for a person, and the reasons."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.history import fit, upper_bound
from rogue_bandits.belief.radius import TheoremRadius, TunedRadius
from rogue_bandits.estimate.families import model_for
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.fitted import ArmFit
from rogue_bandits.estimate.history import History, Record
from rogue_bandits.model.constants import sub_gaussian
from rogue_bandits.online.bandit import Bandit
from rogue_bandits.policies import EpsilonRogue, RogueUCB, TunedRogueUCB
from rogue_bandits.types import Arm, mean, next_state


class Adviser(NamedTuple):
    """A policy, and the radius of its upper bound; None where it uses the estimate alone."""

    policy: Any
    radius: Any


ADVISERS = {
    "tuned-rogue-ucb-corrected": Adviser(TunedRogueUCB(variant="corrected"), TunedRadius(variant="corrected")),
    "tuned-rogue-ucb": Adviser(TunedRogueUCB(), TunedRadius()),
    "epsilon-rogue": Adviser(EpsilonRogue(), None),
    "rogue-ucb": Adviser(RogueUCB(), TheoremRadius()),
}


def supported(people: People) -> list[str]:
    """Return the policies that can give advice; the radius of the theorem needs sub-Gaussian rewards."""
    cohort = people.cohort
    try:
        sub_gaussian(model_for(cohort.family, cohort.rewards(), cohort.trials).rewards)
    except TypeError:
        return [name for name, adviser in ADVISERS.items() if not isinstance(adviser.radius, TheoremRadius)]
    return list(ADVISERS)


class Standing(NamedTuple):
    """The state of an arm of a person; the mean and the bounds are on the scale of the file."""

    arm: str
    state: float
    mean: float
    upper: dict[str, float]  # by policy
    since: int  # decisions since it was last played
    enough: bool


class Choice(NamedTuple):
    """The arm that a policy would play next, and its probability."""

    policy: str
    arm: str
    probability: float


class Advice(NamedTuple):
    """The advice for one person's next decision."""

    person: str
    decision: int  # the number of the next one
    arms: list[Standing]
    choices: list[Choice]


def advise(people: People, person: str, policies: tuple[str, ...] = tuple(ADVISERS), seed: int = 0) -> Advice | None:
    """Return the advice for a person; None where no arm of theirs was fitted."""
    history, fits = people.cohort.people[person], people.fitted.people.get(person, {})
    if not fits:
        return None
    arms = {name: fitted.arm(name) for name, fitted in fits.items()}
    numbers = [people.cohort.arms.index(name) for name in arms]
    standings = [
        standing(arm, fits[name], history.record(number), people.cohort.scale, policies)
        for (name, arm), number in zip(arms.items(), numbers, strict=True)
    ]
    choices = [choice(policy, list(arms.values()), numbers, history, seed) for policy in policies]
    return Advice(person, history.first + history.length, standings, choices)


def standing(arm: Arm, fitted: ArmFit, record: Record, scale: float, policies: tuple[str, ...]) -> Standing:
    """Return the state of an arm given its dynamics and its rewards, as policies estimate it."""
    played, rewards = record.played.tolist(), record.rewards.tolist()
    known = fit(arm, played, rewards)
    x = known.x0
    for p in played:
        x = next_state(arm.dynamics, x, p)
    upper = {
        policy: scale * upper_bound(arm, played, rewards, ADVISERS[policy].radius)
        for policy in policies
        if ADVISERS[policy].radius is not None
    }
    since = len(played) - int(np.flatnonzero(record.played)[-1])
    return Standing(arm.name, x, scale * mean(arm.rewards, known.theta, x), upper, since, fitted.enough)


def choice(policy: str, arms: list[Arm], numbers: list[int], history: History, seed: int) -> Choice:
    """Return what a policy chooses after the history of a person."""
    bandit = Bandit(arms, ADVISERS[policy].policy, seed)
    played = dict(
        zip(history.at.tolist(), zip(history.arm.tolist(), history.reward.tolist(), strict=True), strict=True)
    )
    for number in range(history.length):
        arm, reward = played.get(number, (-1, np.nan))
        if arm in numbers:
            bandit.record(numbers.index(arm), None if np.isnan(reward) else reward)
        else:
            bandit.rest()
    decision = bandit.choose()
    return Choice(policy, arms[decision.arm].name, decision.probability)
