"""The first sentence of the report: the verdict on all arms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rogue_bandits.estimate.ladder.compare import CONSTANT
from rogue_bandits.estimate.ladder.result import ArmLadder
from rogue_bandits.estimate.other_explanations import NO_OTHER_EXPLANATION, OtherExplanations
from rogue_bandits.report.cohort.claims import (
    LEVELS_OFF,
    WEARS,
    declines,
    fades,
    hedge,
    likely_all_the_same,
    not_shown,
    rises,
    unsettled,
    wear_out_probability,
    wears_out,
    wears_words,
)
from rogue_bandits.report.cohort.words import MISFIT, arms_listed, chance, cost_scale, reward
from rogue_bandits.wording import listed

NO_OTHER_EXPLANATIONS: Mapping[str, OtherExplanations] = {}


class Grouped(NamedTuple):
    """The arms by what the data show of them; each arm is in one group."""

    wearing: list[str]
    falling: list[str]  # with time or with the sendings, which is not settled
    timed: list[str]  # falling with time
    rising: list[str]  # with sendings
    still: list[str]  # none of these
    misfit: list[str]  # no model reproduces the rewards


def grouped(arms: dict[str, ArmLadder]) -> Grouped:
    """Return the arms by what the data show of them."""
    shown = wears_out, declines, fades, rises
    wearing, falling, timed, rising = ([arm for arm, ladder in arms.items() if holds(ladder)] for holds in shown)
    misfit = [arm for arm, ladder in arms.items() if not ladder.check.holds]
    still = [arm for arm in arms if arm not in (*wearing, *falling, *timed, *rising, *misfit)]
    return Grouped(wearing, falling, timed, rising, still, misfit)


def overall(
    arms: dict[str, ArmLadder], size: float, explanations: Mapping[str, OtherExplanations] = NO_OTHER_EXPLANATIONS
) -> str:
    """Return the first sentence of the report; `explanations` has the arms with other explanations."""
    groups = grouped(arms)
    if len(groups.misfit) == len(arms):
        return f"Nothing can be concluded: {MISFIT}."
    poor = f" For {arms_listed(groups.misfit)} {MISFIT}, and nothing is concluded." if groups.misfit else ""
    if groups.wearing:
        return f"{_wear_out(groups, arms, size, explanations)}{poor}"
    return f"{_a_fall(groups, arms, explanations) if groups.falling else _no_wear_out(groups, arms)}{poor}"


def _a_fall(groups: Grouped, arms: dict[str, ArmLadder], explanations: Mapping[str, OtherExplanations]) -> str:
    likely = [
        arm for arm in groups.falling if likely_all_the_same(arms[arm], explanations.get(arm, NO_OTHER_EXPLANATION))
    ]
    more = f" Those of {arms_listed(groups.timed)} fall with time." if groups.timed else ""
    more += f" Those of {arms_listed(groups.rising)} rise with sendings." if groups.rising else ""
    more += f" Wear-out is not shown for {arms_listed(groups.still)}." if groups.still else ""
    return (
        f"The data show that rewards of {arms_listed(groups.falling)} fall over the study, and do not settle whether "
        f"with time or with the sendings.{_likely(likely, arms) if likely else ''}{more}"
    )


def _likely(names: list[str], arms: dict[str, ArmLadder]) -> str:
    sure = listed([chance(wear_out_probability(arms[arm])) for arm in names])
    return f" Wear-out of {arms_listed(names)} is likely all the same (probability {sure})."


def _no_wear_out(groups: Grouped, arms: dict[str, ArmLadder]) -> str:
    start = "The data do not show wear-out"
    rest = [arms[arm] for arm in (*groups.timed, *groups.rising, *groups.still)]
    if all(ladder.rung == CONSTANT for ladder in rest):
        beaten = "is not clearly beaten" if any(map(unsettled, rest)) else "predicts new rewards as well"
        each = "" if all(ladder.people == 1 for ladder in arms.values()) else " for each person"
        return f"{start}: a constant level{each} {beaten}."
    other = "time or a constant explains the rewards as well as sendings do"
    if groups.rising:
        other = f"rewards of {arms_listed(groups.rising)} rise with sendings"
    fall = f" Rewards of {arms_listed(groups.timed)} fall over the study, with time." if groups.timed else ""
    return f"{start}: {other}.{fall}"


def _wear_out(
    groups: Grouped, arms: dict[str, ArmLadder], size: float, explanations: Mapping[str, OtherExplanations]
) -> str:
    parts = wearing_parts(groups.wearing, arms, size, explanations)
    if groups.falling:
        fall = f"{arms_listed(groups.falling)} {_fall(groups.falling)} over the study"
        parts.append(f"{fall}, with time or with the sendings, which is not settled")
    if groups.timed:
        parts.append(f"{arms_listed(groups.timed)} {_fall(groups.timed)} over the study, with time")
    if groups.rising:
        parts.append(f"rewards of {arms_listed(groups.rising)} rise with sendings")
    if groups.still:
        parts.append(f"wear-out is not shown for {arms_listed(groups.still)}")
    shown = [not hedge(arms[arm], explanations.get(arm, NO_OTHER_EXPLANATION)) for arm in groups.wearing]
    stem = "show" if any(shown) else "suggest"
    return f"The data {stem} that {'; '.join(parts)}."


def _fall(names: list[str]) -> str:
    return "falls" if len(names) == 1 else "fall"


def wearing_parts(
    wearing: list[str], arms: dict[str, ArmLadder], size: float, explanations: Mapping[str, OtherExplanations]
) -> list[str]:
    """Return what is said of arms that wear out: those alike in what is claimed, and how surely, in one clause."""
    claims = {arm: _claim(arms[arm], explanations.get(arm, NO_OTHER_EXPLANATION)) for arm in wearing}
    every = [(after, how, kind) for after in ("", "low", "high") for how in ("", "probably", "may") for kind in WEARS]
    alike = {claim: [arm for arm in wearing if claims[arm] == claim] for claim in every}
    return [
        f"{arms_listed(names)} {wears_words(kind, how, len(names))} ({cost_of(names, arms, size, likely=not after)})"
        f"{not_shown(after, len(names))}"
        for (after, how, kind), names in alike.items()
        if names
    ]


def _claim(ladder: ArmLadder, other: OtherExplanations) -> tuple[str, str, str]:
    return other.after, hedge(ladder, other), LEVELS_OFF if other.step else ladder.rung


def cost_of(names: list[str], arms: dict[str, ArmLadder], size: float, likely: bool = True) -> str:
    """Return what one sending costs and, unless there is another explanation, the probability of wear-out."""
    costs = listed([reward(arms[name].drop[1], cost_scale(arms[name], size)) for name in names])
    sure = listed([chance(wear_out_probability(arms[name])) for name in names])
    return f"by {costs} a sending{f'; probability {sure}' if likely else ''}"
