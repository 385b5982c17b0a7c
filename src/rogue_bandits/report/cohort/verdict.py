"""The verdict on the cohort, and on each arm, by how much and how sure."""

from __future__ import annotations

from collections.abc import Iterator

from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.ladder.compare import CONSTANT, FADE, RECOVERY, SHARED
from rogue_bandits.estimate.ladder.points import LOSING, gains_by_sending
from rogue_bandits.estimate.ladder.result import ArmLadder, Compared
from rogue_bandits.estimate.notes import arm_words, notes_on_direction
from rogue_bandits.estimate.other_explanations import NO_OTHER_EXPLANATION, OtherExplanations, other_explanations
from rogue_bandits.estimate.rests import rhythm
from rogue_bandits.report.cohort.claims import (
    LEVELS_OFF,
    LIKELY,
    NAMES,
    decline,
    declines,
    fades,
    hedge,
    likely_all_the_same,
    not_shown,
    rises,
    unsettled,
    wear_out_probability,
    wears_words,
)
from rogue_bandits.report.cohort.first_sentence import overall
from rogue_bandits.report.cohort.margins import margin, needed
from rogue_bandits.report.cohort.words import MISFIT, chance, cost_scale, decisions, reward, with_ends

A_RISE = "a rise with sendings"


def verdicts(people: People) -> Iterator[str]:
    """Yield the verdict on the cohort, then one sentence for each arm."""
    arms = people.fitted.arms
    if not arms:
        yield "This file was written before models were compared: `rogue fit` writes it anew."
        return
    size = people.size()
    explanations = other_explanations(people)
    yield f"{overall(arms, size, explanations)}{_silence(people)}{_direction(people)}"
    for arm, ladder in arms.items():
        yield f"{arm_words(arm)}: {verdict(ladder, size, explanations.get(arm, NO_OTHER_EXPLANATION))}"


def _silence(people: People) -> str:
    """Return that rewards after a rest fall too, where those of an arm fall with time or for a cause that is open."""
    silence, arms = people.fitted.silence, people.fitted.arms.values()
    if silence is None or not fades(silence) or not any(declines(arm) or fades(arm) for arm in arms):
        return ""
    return " Rewards after sending nothing fall over the study too."


def _direction(people: People) -> str:
    """Return that larger rewards count as better, where their name suggests the opposite."""
    unclear = notes_on_direction(people.cohort)
    return f" Larger values of '{people.cohort.reward}' count as better here." if unclear else ""


def verdict(ladder: ArmLadder, size: float, other: OtherExplanations = NO_OTHER_EXPLANATION) -> str:
    """Return what the data support for an arm, by how much and how sure."""
    if not ladder.check.holds:
        observed, drawn = ladder.check[0:3:2], ladder.check[1:4:2]
        return (
            f"{MISFIT} (observed mean {reward(observed[0], size)} and standard deviation {reward(observed[1], size)}; "
            f"the model's {reward(drawn[0], size)} and {reward(drawn[1], size)}). Nothing is concluded."
        )
    if ladder.rung in LOSING and not ladder.fade_or_wear_out:
        return _levels_off(ladder, size, other) if other.step else _wear_out(ladder, size, other)
    return _constant(ladder, size) if ladder.rung == CONSTANT else _fade(ladder, size, other)


def compared_with(ladder: ArmLadder, rung: str) -> Compared:
    """Return the row of a rung, with the pooling that was chosen for it."""
    return next(row for row in ladder.compared if (row.rung, row.pool) == (rung, ladder.rungs[rung]))


def _constant(ladder: ArmLadder, size: float) -> str:
    best = max((row for row in ladder.compared if row.rung != CONSTANT), key=lambda row: row.by)
    slopes = "" if best.pool == SHARED or ladder.people == 1 else f", slopes {best.pool}"
    rising = best.rung in LOSING and ladder.probability["gain"] > wear_out_probability(ladder)
    named = f"{A_RISE if rising else NAMES[best.rung]}{slopes}: {margin(best.by, best.error)}"
    level = f"{with_ends(ladder.fresh, size)}{'' if ladder.people == 1 else ' for the average person'}"
    words = (
        f"wear-out is not shown. No alternative clearly predicts new rewards better than a constant level of {level} "
        f"(the best, {named})."
    )
    if best.by > needed(ladder) * best.error:  # poolings are chosen first
        words = (
            f"wear-out is not shown: a constant level of {level} is chosen. The best alternative ({named}) predicts "
            "new rewards better than that, and not clearly better than the same with slopes that people share more of."
        )
    if unsettled(ladder):
        words += f" Some decline is likely all the same (probability {chance(decline(ladder))}): more data are needed."
    return words


def _fade(ladder: ArmLadder, size: float, other: OtherExplanations) -> str:
    row = compared_with(ladder, ladder.rung)
    change = "falls" if ladder.worn[1] < ladder.fresh[1] else "rises"
    if ladder.fade_or_wear_out:
        start = f"the reward {change} over the study"
        cause = (
            "Whether that comes with time or with the sendings is not settled: neither predicts new rewards clearly "
            f"better (wear-out without recovery against a fade: {margin(*ladder.fade_or_wear_out)})."
        )
        if likely_all_the_same(ladder, other):
            cause += f" {_likely_wear_out(ladder)}"
    else:
        start = f"wear-out is not shown. The reward {change} over the study"
        cause = "Time explains that better than sendings do."
    return (
        f"{start}, from {with_ends(ladder.fresh, size)} to {with_ends(ladder.worn, size)} (better than a constant: "
        f"{margin(row.by, row.error)}). {cause}"
    )


def _likely_wear_out(ladder: ArmLadder) -> str:
    """Return how likely wear-out is where it is not settled; and recovery, if that is likely: no other sentence has it.

    A model that predicts best is not chosen where it is not clearly better than a simpler one.
    """
    words = f"Wear-out is likely all the same: probability {chance(wear_out_probability(ladder))}"
    if ladder.probability[RECOVERY] >= LIKELY:
        row = compared_with(ladder, RECOVERY)
        better = f"better than a constant: {margin(row.by, row.error)}"
        words += f", with recovery {chance(ladder.probability[RECOVERY])} ({better})"
    return f"{words}. More data are needed."


def _wear_out(ladder: ArmLadder, size: float, other: OtherExplanations) -> str:
    how = _better_than_others(ladder)
    if gains_by_sending(ladder):
        return f"the reward rises with sendings; wear-out is not shown. {how}"
    start = _claim_and_cost(ladder, ladder.rung, size, other)
    if ladder.rung == RECOVERY:
        return f"{start}, half of which is back after {decisions(ladder.half_life)}. {_floor(ladder)}{how}"
    return f"{start}. {how}"


def _floor(ladder: ArmLadder) -> str:
    if not ladder.cap:
        return ""
    low, middle, high = (f"{x:.2g}" for x in ladder.cap)
    return (
        f"The loss has a floor: it does not grow beyond that of about {middle} sendings in a row "
        f"({low} to {high}; better than without a floor: {margin(*ladder.floor_by)}). "
    )


def _levels_off(ladder: ArmLadder, size: float, other: OtherExplanations) -> str:
    start = _claim_and_cost(ladder, LEVELS_OFF, size, other)
    unseen = f"The data do not show whether it recovers: it was sent {rhythm(other.step)}."
    return f"{start} at first. {_better_than_others(ladder)} {unseen}"


def _claim_and_cost(ladder: ArmLadder, kind: str, size: float, other: OtherExplanations) -> str:
    claim = f"it {wears_words(kind, hedge(ladder, other), 1)}{not_shown(other.after, 1)}"
    if hedge(ladder) and not other.after:
        claim += f" (probability of wear-out {chance(wear_out_probability(ladder))})"
    one = "If it wears out, one" if other.after else "One"
    return f"{claim}. {one} sending lowers the mean reward by {with_ends(ladder.drop, cost_scale(ladder, size))}"


def _better_than_others(ladder: ArmLadder) -> str:
    row = compared_with(ladder, ladder.rung)
    fade = f"; than a fade over the study: {margin(*ladder.fade_beaten_by)}" if ladder.fade_beaten_by else ""
    as_good = ", and not clearly better than a fade over the study" if FADE in ladder.rungs and not fade else ""
    return f"This predicts new rewards better than a constant ({margin(row.by, row.error)}{fade}){as_good}."


def pooling(ladder: ArmLadder) -> str:
    """Return what people share, in words; nothing if there is one person only."""
    shared = {
        "shared": "rewards of all people change alike, from levels of their own",
        "partial": "people differ in how their rewards change, around an average",
        "own": "rewards of each person change in a way of their own",
    }
    gain = "; it is the one of wear-out, with a gain by each sending in place of a loss" if rises(ladder) else ""
    return "" if ladder.rung == CONSTANT or ladder.people == 1 else f"{shared[ladder.pool]}{gain}"
