"""Notes for the reader on the data: repairs, and rewards that are not used."""

from __future__ import annotations

import numpy as np

from rogue_bandits.estimate.history import FEWEST_REWARDS, WARNING, Cohort, records_of
from rogue_bandits.estimate.reading.guesses import words_in
from rogue_bandits.estimate.table import Table
from rogue_bandits.types import Bools, Floats
from rogue_bandits.wording import counted, plain

LESS_IS_BETTER = {
    "pain", "craving", "cravings", "stress", "stressed", "distress", "anxiety", "anxious", "depression", "depressed",
    "fatigue", "nausea", "insomnia", "symptom", "symptoms", "severity", "burden", "cigarette", "cigarettes", "cigs",
    "smoked", "smoking", "puffs", "drinks", "binge", "binges", "lapse", "lapsed", "lapses", "relapse", "relapsed",
    "sedentary", "phq", "gad", "bmi", "schmerz", "schmerzen", "angst",
}  # fmt: skip


def notes_on_rows(table: Table, scale: float, outside: Bools) -> list[str]:
    """Return notes on sorted rows; `outside` says which rewards were clipped."""
    rows = table.rows
    same = np.diff(rows.person) == 0
    gap = same & (np.diff(rows.decision) > 1)
    missing, with_gaps = int((np.diff(rows.decision)[gap] - 1).sum()), np.unique(rows.person[1:][gap]).size
    sent, seen = rows.arm >= 0, ~np.isnan(rows.reward)
    rests, unseen = int((~sent).sum()), int((sent & ~seen).sum())
    unavailable, clipped = int(rows.unavailable.sum()), int(outside.sum())
    divided = f" after dividing by {plain(scale)}" if scale != 1.0 else ""
    notes = {
        "Decisions were out of order in the file; they were sorted.": (np.diff(rows.row)[same] < 0).any(),
        f"{counted(missing, 'decision is', 'decisions are')} missing between the first and the last of "
        f"{counted(with_gaps, 'person', 'people')}. A gap counts as a rest.": missing,
        f"{WARNING}{counted(unavailable, 'row names', 'rows name')} an arm although available is 0. They count as "
        "rests: if it was sent, write 1 in the column of availability.": unavailable,
        f"{counted(rests, 'decision is a rest', 'decisions are rests')}. Rewards that follow a rest are the level of "
        "silence, beside which arms are weighed.": (~sent & seen).any(),
        f"{counted(unseen, 'sending has', 'sendings have')} no reward. The arm counts as sent all the same.":
            unseen,
        f"{counted(clipped, 'reward was', 'rewards were')} outside [0, 1]{divided} and clipped "
        f"({clipped / max(int((sent & seen).sum()), 1):.1%} of those used).": clipped,
        f"There is one arm only, '{table.arms[0]}': it is fitted, but there is nothing to choose from.":
            len(table.arms) == 1 and not (~sent & seen).any(),
        f"There is one arm only, '{table.arms[0]}': the choice is between sending it and sending nothing.":
            len(table.arms) == 1 and (~sent & seen).any(),
    }  # fmt: skip
    return [words for words, holds in notes.items() if holds]


def notes_on_records(cohort: Cohort) -> list[str]:
    """Return notes on too few rewards and on rewards that are all equal; raise a ValueError if nobody can be fitted."""
    played = {name: np.unique(history.arm[~history.rests()]).tolist() for name, history in cohort.people.items()}
    numbers = {(name, k): cohort.people[name].rewards_of(k) for name, arms in played.items() for k in arms}
    few = [f"person {who} ({cohort.arms[k]}, {n})" for (who, k), n in numbers.items() if n < FEWEST_REWARDS]
    if len(few) == len(numbers):
        raise ValueError(
            f"{cohort.file}, column '{cohort.reward}': nobody has {FEWEST_REWARDS} rewards of the same arm, "
            "and fewer say nothing: there is nothing to fit"
        )
    seen = [(who, arm, record.seen()) for who, arms in records_of(cohort).items() for arm, record in arms.items()]
    same = [f"person {who} ({arm}, all {plain(r[0] * cohort.scale)})" for who, arm, r in seen if np.ptp(r) == 0.0]
    notes = {
        f"Left out, with fewer than {FEWEST_REWARDS} rewards: {len(few):,} of {len(numbers):,} arms of people: "
        f"{some(few)}.": few,
        f"Rewards that are all the same say nothing about wear-out: {len(same):,} of {len(seen):,} arms of people: "
        f"{some(same)}.": same,
    }
    return [*notes_on_equal_rewards(cohort, seen), *(words for words, holds in notes.items() if holds)]


def notes_on_equal_rewards(cohort: Cohort, seen: list[tuple[str, str, Floats]]) -> list[str]:
    """Return a warning for each arm whose rewards are all equal; raise a ValueError if all rewards of the cohort are.

    `seen` has the rewards of arms of people, with the names of both.
    """
    if (same := cohort.only_reward()) is not None:
        raise ValueError(
            f"{cohort.file}, column '{cohort.reward}': every reward is the same, {plain(same)}: nothing can be "
            "estimated"
        )
    by_arm: dict[str, list[Floats]] = {}
    for _, arm, r in seen:
        by_arm.setdefault(arm, []).append(r)
    return [
        f"{WARNING}every reward of {arm} is the same, {plain(each[0][0] * cohort.scale)}: whether it wears out cannot "
        "be estimated."
        for arm, each in by_arm.items()
        if np.ptp(np.concatenate(each)) == 0.0
    ]


def notes_on_direction(cohort: Cohort) -> list[str]:
    """Return a warning if the name of the reward is one of which less is better: advice is for more."""
    if not LESS_IS_BETTER & set(words_in(cohort.reward)):
        return []
    return [
        f"{WARNING}Larger rewards count as better, and of '{cohort.reward}' smaller ones may be. If so, make a column "
        "of which more is better, such as the largest possible value less this one, and name it with --reward."
    ]


def notes_on_covariates(cohort: Cohort) -> list[str]:
    """Return a warning on covariates that have one value only wherever an arm, or nothing, was sent."""
    arm, reward, values = (
        np.concatenate([getattr(history, name) for history in cohort.people.values()])
        for name in ("arm", "reward", "covariates")
    )
    fixed = [
        f"'{name}' where {'nothing' if k < 0 else cohort.arms[k]} was sent"
        for k in np.unique(arm).tolist()
        for j, name in enumerate(cohort.covariates)
        if np.unique(values[(arm == k) & ~np.isnan(reward), j]).size == 1
    ]
    if not fixed:
        return []
    return [
        f"{WARNING}covariates with one value only: {some(fixed)}. Their effect there is not known, and a difference "
        "between arms may be theirs."
    ]


def arm_words(arm: str) -> str:
    """Return the name of an arm within a sentence; one that begins with a digit would read as a number.

    >>> arm_words("walk"), arm_words("1")
    ('walk', 'arm 1')
    """
    return f"arm {arm}" if arm[:1].isdigit() else arm


def person_words(person: str) -> str:
    """Return the name of a person within a sentence; one that begins with a digit would read as a number.

    >>> person_words("Ann"), person_words("12")
    ('Ann', 'person 12')
    """
    return f"person {person}" if person[:1].isdigit() else person


def some(items: list[str]) -> str:
    """Return the first items as a list.

    >>> some(list("abcdefg"))
    'a, b, c, d, e; and 2 more'
    """
    return ", ".join(items[:5]) + (f"; and {len(items) - 5:,} more" if len(items) > 5 else "")
