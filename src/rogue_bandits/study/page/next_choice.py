"""The estimates for each message of a person now, and a sentence on which is next and why.

The arm that chance will draw is never shown: in a randomised study nobody who meets people should know it beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rogue_bandits.online.explanation import Explanation
from rogue_bandits.policies.explain import Interval
from rogue_bandits.study.design import StudyDesign
from rogue_bandits.study.page.words import ago, number, percent
from rogue_bandits.wording import listed

ABOUT_EQUAL = 0.05  # between chances
LOOKS_AHEAD = ("plan-", "index-")  # ids of policies that plan


class ArmNow(NamedTuple):
    """The estimates for one arm before the next decision; None where the policy has none."""

    name: str
    probability: float | None
    state: Interval | None
    reward: Interval | None  # expected at the next decision, in the units that are reported
    plays: int | None
    last: str | None  # time at which it was last chosen
    paused: bool


def arms_now(design: StudyDesign, found: Explanation, last: Mapping[str, str]) -> list[ArmNow]:
    """Return what an explanation says about each arm; `last` is when each was last chosen."""
    rows = {row.name: row.values for row in found.rows}

    def of(k: int, *names: str) -> Any:
        return next((rows[name][k] for name in names if name in rows), None)

    return [
        ArmNow(
            name, of(k, "probability"), interval(of(k, "state now", "state now, fitted")),
            interval(of(k, "mean reward", "mean reward, fitted"), design.scale), of(k, "plays"), last.get(name),
            design.file.arms[k].paused,
        )
        for k, name in enumerate(found.arms)
    ]  # fmt: skip


def interval(value: Any, scale: float = 1.0) -> Interval | None:
    """Return a value of an explanation as an interval, which for a fitted value is a point.

    >>> interval(0.5, 10.0)
    Interval(middle=5.0, lo=5.0, hi=5.0)
    >>> interval(float("nan")) is None
    True
    """
    if value is None:
        return None
    ends = value if isinstance(value, Interval) else (value, value, value)
    return None if math.isnan(ends[0]) else Interval(*(scale * end for end in ends))


def short_reason(design: StudyDesign, arms: Sequence[ArmNow]) -> str:
    """Return in a few words why the most likely message is so."""
    able = [arm for arm in arms if arm.probability]
    if len(able) < 2:
        return "no other message is available"
    chances = [arm.probability or 0.0 for arm in able]
    if max(chances) - min(chances) < ABOUT_EQUAL:
        return "all messages are about equally likely"
    best = likeliest(able)
    if best.reward is None:
        return "as the study's rule says"
    others = [arm for arm in able if arm is not best and arm.reward is not None]
    if all(best.reward.middle >= arm.reward.middle for arm in others if arm.reward is not None):
        return f"it has the largest expected reward: {number(best.reward.middle)}"
    if looks_ahead(design):
        return "best as the start of a plan for the coming days"
    return "the policy still explores messages whose rewards are uncertain"


def likeliest(arms: Sequence[ArmNow]) -> ArmNow:
    """Return the arm with the largest probability."""
    return max(arms, key=lambda arm: arm.probability or 0.0)


def sentences(design: StudyDesign, arms: Sequence[ArmNow], now: str) -> list[str]:
    """Return in words what is next and why."""
    able = sorted((arm for arm in arms if arm.probability), key=lambda arm: -(arm.probability or 0.0))
    if not able:
        return ["How likely each message is cannot be said now. Where the study's rule fails, its fallback chooses."]
    if len(able) == 1:
        return [f"The next message is {able[0].name}: no other one is available."]
    chances = listed([f"{arm.name} with {percent(arm.probability or 0.0)}" for arm in able])
    return [
        f"The next message is drawn by chance: {chances}.",
        why(design, able, now),
        f"Every message keeps a chance of at least {percent(design.least)}, so that the study can compare them fairly.",
    ]


def why(design: StudyDesign, able: Sequence[ArmNow], now: str) -> str:
    """Return why the most likely message is so; `able` are those that can be chosen, the likeliest first."""
    best, others = able[0], [arm for arm in able[1:] if arm.reward is not None]
    if (able[0].probability or 0.0) - (able[-1].probability or 0.0) < ABOUT_EQUAL:
        return "All are about equally likely: the rewards so far do not favour one of them."
    if best.reward is None or not others:
        return f"{best.name} is the most likely, {design.why}."
    rival = max(others, key=lambda arm: expected(arm))
    rested = f" It was last sent {ago(best.last, now)}." if best.last is not None else " It was never sent before."
    if expected(best) >= expected(rival):
        against = listed([f"{number(expected(arm))} for {arm.name}" for arm in others])
        return f"{best.name} has the largest expected reward now: {words_of(best.reward)}, against {against}.{rested}"
    but = "the policy plans ahead, and begins with" if looks_ahead(design) else "the policy still learns, and tries"
    return (
        f"{rival.name} has a slightly larger expected reward now ({number(expected(rival))} against "
        f"{number(expected(best))}), but {but} {best.name}.{rested}"
    )


def looks_ahead(design: StudyDesign) -> bool:
    """Return whether the policy plans."""
    return design.file.policy.id.startswith(LOOKS_AHEAD)


def expected(arm: ArmNow) -> float:
    """Return the expected reward."""
    return -math.inf if arm.reward is None else arm.reward.middle


def words_of(value: Interval) -> str:
    """Return an interval in words.

    >>> words_of(Interval(0.5, 0.4, 0.6)), words_of(Interval(0.5, 0.5, 0.5))
    ('0.5 (probably 0.4 to 0.6)', '0.5')
    """
    middle, lo, hi = map(number, value)
    return middle if lo == hi else f"{middle} (probably {lo} to {hi})"
