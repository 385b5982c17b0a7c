"""The table of arms, for the terminal and for the report."""

from __future__ import annotations

from typing import NamedTuple

from rich.table import Table

from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.ladder.compare import CONSTANT, FADE, RECOVERY, WEAR_OUT
from rogue_bandits.estimate.ladder.points import LOSING
from rogue_bandits.estimate.ladder.result import ArmLadder
from rogue_bandits.estimate.other_explanations import NO_OTHER_EXPLANATION, OtherExplanations, other_explanations
from rogue_bandits.report.cohort.claims import rises, supported, wears_out
from rogue_bandits.report.cohort.words import (
    LONGEST_NAME,
    MISFIT,
    NOTHING,
    chance,
    cost_scale,
    decisions,
    in_lines,
    with_ends,
)
from rogue_bandits.report.terminal import plain_table


class ArmLine(NamedTuple):
    """A row of the table, as text."""

    arm: str
    people: str
    rewards: str
    supported: str
    fresh: str
    worn: str
    cost: str
    half_life: str
    wears: str
    recovers: str


HEADINGS = ArmLine(
    "arm", "people", "rewards", "the data support", "reward at first", "when most worn", "cost of one sending",
    "decisions until half is back", "P wears out", "P recovers",
)  # fmt: skip
AVERAGE = "The average person"
OVER = "the mean over the people of these data who have the arm"


def caption_of(people: People) -> str:
    """Return what the numbers of the table are."""
    alone = len(people.cohort.people) == 1
    average = f"{AVERAGE} ({OVER}, not over others like them)"
    whose, resampled = ("One person", "parts of the record") if alone else (average, "people")
    several = len(people.fitted.arms) + (people.fitted.silence is not None) > 1
    together = " Arms that the data do not tell apart have levels that are nearly the same." if several else ""
    start = f"{whose}, with 95 % credible intervals.{together}"
    if all(line.wears == "–" for line in arm_lines(people)):
        return start.removesuffix(".")
    return (
        f"{start} P is the probability, from four models that are equally likely before the data, averaged over "
        f"resampled {resampled}; far from 0 and 1 it says that the data leave it open"
    )


def headings_of(people: People) -> ArmLine:
    """Return the headings; rewards have no beginning where all are constant, and nothing is worn where none falls."""
    arms = [*people.fitted.arms.values(), *([people.fitted.silence] if people.fitted.silence else [])]
    if all(ladder.rung == CONSTANT for ladder in arms):
        return HEADINGS._replace(fresh="mean reward")
    ends = any(ladder.rung == FADE or ladder.fade_or_wear_out for ladder in arms)
    wears, gains = any(map(wears_out, arms)), any(map(rises, arms))
    last = ["at the end"] * ends + ["when most worn"] * wears + ["after most sendings"] * gains
    found = HEADINGS._replace(worn=", or ".join(last)) if last else HEADINGS
    if not gains:
        return found
    if wears:
        return found._replace(
            cost="cost of one sending, or gain (+)", half_life="decisions until half is back, or gone (of a gain)"
        )
    return found._replace(cost="gain of one sending", half_life="decisions until half is gone")


def arm_lines(people: People) -> list[ArmLine]:
    """Return a row for each arm, and one for silence."""
    size, explanations = people.size(), other_explanations(people)
    lines = [
        arm_line(arm, ladder, size, explanations.get(arm, NO_OTHER_EXPLANATION))
        for arm, ladder in people.fitted.arms.items()
    ]
    if people.fitted.silence is not None:
        silence = arm_line(NOTHING, people.fitted.silence, size)
        lines.append(silence._replace(cost="–", half_life="–", wears="–", recovers="–"))
    return lines


def filled_columns(headings: ArmLine, lines: list[ArmLine]) -> tuple[list[str], list[list[str]]]:
    """Return the table without the columns in which no arm has anything."""
    kept = [k for k in range(len(headings)) if any(line[k] != "–" for line in lines)]
    return [headings[k] for k in kept], [[line[k] for k in kept] for line in lines]


def arm_line(arm: str, ladder: ArmLadder, size: float, other: OtherExplanations = NO_OTHER_EXPLANATION) -> ArmLine:
    """Return the row of an arm, without its recovery where no rest shows that.

    Where sendings follow rewards it has no probabilities: no model has such sendings.
    """
    head = arm, f"{ladder.people:,}", f"{ladder.rewards:,}"
    if not ladder.check.holds:
        return ArmLine(*head, MISFIT, "–", "–", "–", "–", "–", "–")
    p, changes = ladder.probability, ladder.rung in LOSING and not ladder.fade_or_wear_out
    return ArmLine(
        *head,
        supported(ladder, other),
        with_ends(ladder.fresh, size),
        with_ends(ladder.worn, size) if ladder.rung != CONSTANT else "–",
        cost_or_gain(ladder, size) if changes else "–",
        decisions(ladder.half_life).replace(" decisions", "") if ladder.half_life and not other.step else "–",
        chance(p[WEAR_OUT] + p[RECOVERY]) if p and not other.after else "–",
        chance(p[RECOVERY]) if p and other == NO_OTHER_EXPLANATION else "–",
    )


def cost_or_gain(ladder: ArmLadder, size: float) -> str:
    """Return what one sending costs; with a plus sign what it gains."""
    scale = cost_scale(ladder, size)
    return (
        f"+{with_ends([-x for x in reversed(ladder.drop)], scale)}" if rises(ladder) else with_ends(ladder.drop, scale)
    )


TERMINAL_CAPTION = (
    "P: probability. With ±: how much better a model predicts a new reward, in log-likelihood. report.html has "
    "intervals, and says how all of it was found."
)


def arm_table(people: People) -> Table:
    """Return the table for a terminal of 80 characters: medians only."""
    head, *rows = (
        [in_lines(line.arm, LONGEST_NAME), line.people, line.rewards, line.supported, line.fresh.split(" (")[0],
         line.wears, line.recovers]
        for line in (headings_of(people), *arm_lines(people))
    )  # fmt: skip
    caption = TERMINAL_CAPTION if len(people.cohort.people) == 1 else f"{AVERAGE}: {OVER}. {TERMINAL_CAPTION}"
    return plain_table(head, rows, "lrrlr", caption=caption, caption_justify="left")
