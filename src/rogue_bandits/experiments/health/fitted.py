"""People fitted by `rogue fit`, as truths for a simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.estimate.files import People, people_from_json
from rogue_bandits.estimate.fitted import ArmFit
from rogue_bandits.estimate.ladder.compare import RECOVERY
from rogue_bandits.estimate.ladder.points import ENOUGH, LOSING, arm_fit_of, gains_by_sending
from rogue_bandits.estimate.ladder.result import ArmLadder
from rogue_bandits.estimate.notes import arm_words, some
from rogue_bandits.estimate.other_explanations import other_explanations
from rogue_bandits.types import Truth, support
from rogue_bandits.wording import counted

FEWEST_ARMS = 2
SILENCE = "nothing"  # as an arm
ONE_ARM = (
    "There is one arm, '{}'. Policies choose between sending it and sending nothing, which is an arm here that nothing "
    "wears out."
)
NO_RISE = (
    "By the fit rewards of {} rise with sendings. A rise is not simulated: rewards stay at the level before the first "
    "sending."
)

UNSEEN = (
    "Warning: simulated people recover from {}, and no rest of the data shows that people do. What is gained by "
    "letting it rest is not to be relied on."
)
NOT_SHOWN = (
    "Warning: {} wears simulated people out, which the data do not show: it was sent more often after {} rewards. What "
    "is gained by sending it less is not to be relied on."
)


class FittedPeople(NamedTuple):
    """The people of a file who can be simulated, and the names of the others."""

    truths: list[Truth]
    left_out: list[str]
    scale: float  # what a reward of 1 stands for
    reward: str  # what a reward counts
    file: str  # that they were fitted to
    family: str
    bounded: bool  # whether rewards have bounds
    observed: tuple[float, float]  # the least and the largest reward of the data, divided by the scale
    rungs: dict[str, str]  # what the data support for each arm
    only_arm: str | None = None  # beside silence, which is then the other arm
    rising: Sequence[str] = ()  # arms whose rewards rise with sendings by the fit
    not_shown: Sequence[str] = ()  # warnings on what is simulated and not shown


def read_people(path: Path) -> People:
    """Read people.json; raise a ValueError with the reason if that fails, or if nothing can be learned from it."""
    try:
        people = _read_people(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise ValueError(f"cohort '{path}' cannot be read: {error.strerror or error}") from None
    if (same := people.cohort.only_reward()) is not None:
        raise ValueError(
            f"cohort '{path}': every reward of {people.cohort.file} is {same:g}. Nothing can be estimated from that, "
            "and no policy can be better than another"
        )
    return people


@lru_cache(maxsize=2)
def _read_people(path: Path, _: int) -> People:
    """Return what a file holds; it is read again if it has changed."""
    try:
        return people_from_json(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"cohort '{path}': {error}. `rogue fit` writes it anew") from None


def fitted_people(path: Path) -> FittedPeople:
    """Return the people of a people.json as truths; raise a ValueError with the reason if that fails."""
    people = read_people(path)
    enough = {
        name: {arm: fit for arm, fit in fits_of(people, name).items() if fit.enough} for name in people.cohort.people
    }
    truths = [truth_of(arms) for arms in enough.values() if len(arms) >= FEWEST_ARMS]
    if not truths:
        raise ValueError(f"cohort '{path}': {nobody(people)}")
    left_out = [name for name, arms in enough.items() if len(arms) < FEWEST_ARMS]
    bounded = has_bounds(truths[0].arms[0].rewards)
    rungs = {arm: ladder.rung for arm, ladder in people.fitted.arms.items()}
    cohort, observed = people.cohort, observed_range(people)
    only = cohort.arms[0] if silence_beside(people) is not None else None
    what = cohort.scale, cohort.reward, cohort.file, cohort.family
    return FittedPeople(
        truths, left_out, *what, bounded, observed, rungs, only, rising_arms(people), notes_on_what_is_not_shown(people)
    )


def fits_of(people: People, name: str) -> dict[str, ArmFit]:
    """Return the fitted arms of a person; beside a single arm of the cohort, silence is another one."""
    fits, quiet = people.fitted.people.get(name, {}), silence_beside(people)
    if not fits or quiet is None or name not in quiet.persons:
        return fits
    cohort = people.cohort
    return {**fits, SILENCE: arm_fit_of(quiet, quiet.persons[name], people.fitted.family, cohort.trials, cohort.scale)}


def silence_beside(people: People) -> ArmLadder | None:
    """Return silence where it was observed and is all that there is beside a single arm."""
    return people.fitted.silence if len(people.cohort.arms) == 1 else None


def rising_arms(people: People) -> list[str]:
    """Return the arms whose rewards rise with sendings by the fit, which simulated people do not have."""
    return [arm for arm, ladder in people.fitted.arms.items() if gains_by_sending(ladder)]


def notes_on_what_is_not_shown(people: People) -> list[str]:
    """Return warnings on wear-out and recovery that simulated people have, and that the data do not show.

    An arm of which a fade was chosen neither wears simulated people out nor recovers.
    """
    rungs = {arm: ladder.rung for arm, ladder in people.fitted.arms.items()}
    found = [(arm, other) for arm, other in other_explanations(people).items() if rungs[arm] in LOSING]
    notes = [NOT_SHOWN.format(arm_words(arm), other.after) for arm, other in found if other.after]
    return notes + [UNSEEN.format(arm_words(arm)) for arm, other in found if other.step and rungs[arm] == RECOVERY]


def nobody(people: People) -> str:
    """Return why there is nobody whom policies could choose for."""
    arms = people.cohort.arms
    if len(arms) == 1:
        return (
            f"{people.cohort.file} has one arm, '{arms[0]}', and too few rewards that follow a rest: policies need "
            f"{FEWEST_ARMS} arms, or one and silence, to choose between"
        )
    return f"nobody has {ENOUGH} rewards of each of {FEWEST_ARMS} arms"


def truth_of(arms: dict[str, ArmFit]) -> Truth:
    """Return a truth with the fitted parameters of a person."""
    return Truth(
        [fit.arm(name) for name, fit in arms.items()],
        [min(max(fit.theta, fit.theta_lo), fit.theta_hi) for fit in arms.values()],
        [fit.x0 for fit in arms.values()],
    )


def has_bounds(rewards: Any) -> bool:
    """Return whether rewards of a family have bounds."""
    return all(math.isfinite(end) for end in support(rewards)[:2])


def observed_range(people: People) -> tuple[float, float]:
    """Return the least and the largest reward of the arms in the data, also of silence if it is one; scaled."""
    rewards = people.cohort.rewards()
    if silence_beside(people) is not None:
        rewards = np.concatenate([rewards, people.cohort.baseline()])
    return float(rewards.min()), float(rewards.max())


def cohort_notes(people: FittedPeople) -> list[str]:
    """Return notes on people and policies that were left out, if any."""
    who = f"{counted(len(people.left_out), 'person', 'people')} ({some(people.left_out)})"
    notes = [f"Left out, fewer than {FEWEST_ARMS} arms with enough data: {who}."] if people.left_out else []
    if people.only_arm is not None:
        notes.append(ONE_ARM.format(people.only_arm))
    if people.rising:
        notes.append(NO_RISE.format(", ".join(map(arm_words, people.rising))))
    notes += people.not_shown
    if not people.bounded:
        lo, hi = (people.scale * end for end in people.observed)
        notes.append(
            "The simulated rewards have no bounds. For policies that need bounds, such as D-UCB, they "
            f"count from {lo:g} to {hi:g}, the least and the largest of the data."
        )
    return notes


def with_bounds(policy: Any, rewards: Any, observed: tuple[float, float]) -> Any:
    """Return a policy that needs bounds of rewards with those of the data, where the family has none of its own."""
    if has_bounds(rewards) or not {"reward_lo", "reward_hi"} <= set(getattr(policy, "_fields", ())):
        return policy
    lo, hi = observed
    own_lo, own_hi = policy.reward_lo, policy.reward_hi
    return policy._replace(reward_lo=lo if own_lo is None else own_lo, reward_hi=hi if own_hi is None else own_hi)
