"""Explanations other than wear-out of an arm's fitted loss or recovery; verdicts mention them."""

from __future__ import annotations

from typing import NamedTuple

from rogue_bandits.estimate.dependence import follows_rewards
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.rests import regular_falls, unseen_recoveries


class OtherExplanations(NamedTuple):
    """Possible other explanations of an arm's fitted loss or recovery.

    `step` is the number of decisions from one sending to the next where no rest of another length shows recovery.
    `after` is 'low' or 'high' where the arm was sent more often after such rewards, which alone can look like wear-out.
    """

    step: int = 0
    after: str = ""


NO_OTHER_EXPLANATION = OtherExplanations()


def other_explanations(people: People) -> dict[str, OtherExplanations]:
    """Return the arms that have other explanations, with these."""
    steps, follows = unseen_recoveries(people) | regular_falls(people), follows_rewards(people)
    return {
        arm: OtherExplanations(steps.get(arm, 0), follows[arm].after if arm in follows else "")
        for arm in people.fitted.arms
        if arm in steps or arm in follows
    }
