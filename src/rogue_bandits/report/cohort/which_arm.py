"""Which arm `rogue advise` would send at the next decision, and to how many people."""

from __future__ import annotations

from collections import Counter

from rogue_bandits.estimate.advise import Advice, advise
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.notes import arm_words
from rogue_bandits.estimate.other_explanations import other_explanations
from rogue_bandits.report.cohort.advice import is_to_wait
from rogue_bandits.report.cohort.claims import LIKELY, SHOWN, is_better, wears_out
from rogue_bandits.report.cohort.words import arms_listed, chance
from rogue_bandits.wording import counted, listed

MOST_NAMED = 5  # arms
NO_CHOICE = "the data do not support a choice"


def which_arm(people: People) -> str:
    """Return one sentence on the next decision of all people; nothing without a choice between arms, or silence."""
    several = len(people.cohort.arms) > 1
    if not several and people.fitted.silence is None:
        return ""
    every = [advise(people, person) for person in people.fitted.people]
    advice = [one for one in every if one is not None and (several or one.silence is not None)]
    if not advice:
        return ""
    terms = ["at the average of the covariates"] * bool(people.cohort.covariates)
    terms += ["with later rewards in view"] * any(one.ahead > 1 for one in advice)
    unproven = [arm for arm, other in other_explanations(people).items() if other.after]
    terms += if_they_wear_out([arm for arm in unproven if wears_out(people.fitted.arms[arm])])
    start = f"At the next decision{''.join(f', {term}' for term in terms)}{',' * bool(terms)}"
    if not several:
        return f"{start} {whether_to_send(advice, alone=len(people.cohort.people) == 1)}."
    if len(people.cohort.people) == 1:
        return f"{start} {for_one(advice[0])}."
    return f"{start} {for_all(advice)}."


def if_they_wear_out(unproven: list[str]) -> list[str]:
    """Return what the advice takes for granted of arms whose wear-out is not shown.

    >>> if_they_wear_out(["walk"]), if_they_wear_out([])
    (['if walk wears out as fitted'], [])
    """
    return [f"if {arms_listed(unproven)} wear{'s' * (len(unproven) == 1)} out as fitted"] if unproven else []


def whether_to_send(advice: list[Advice], alone: bool) -> str:
    """Return for how many people the only arm is better than sending nothing, for how many worse."""
    beats = [one.first.beats_waiting or 0.0 for one in advice]
    sending = f"sending {arm_words(advice[0].first.arm)}"
    if alone:
        return is_better(beats[0], sending, "sending nothing")
    better, worse = sum(p >= SHOWN for p in beats), sum(map(is_to_wait, advice))
    left = len(advice) - better - worse
    return (
        f"{sending} is better than sending nothing for {better:,} and worse for {worse:,} of {len(advice):,} people, "
        f"with probability {SHOWN:g} or more{f'; for {left:,} it is not settled' if left else ''}"
    )


def for_one(advice: Advice) -> str:
    """Return what would be sent to the only person of the data."""
    first = advice.first
    name = arm_words(first.arm)
    if is_to_wait(advice):
        return f"rogue advise would send nothing (better than {name} with probability {_waiting(first.beats_waiting)})"
    if not advice.compared:
        return f"{NO_CHOICE}: {name} is the only arm with a fit"
    if not advice.supported:
        return f"{NO_CHOICE} between the arms: {name} is the best with probability {chance(first.best)}"
    return f"rogue advise would send {name} (probability {chance(first.best)}){_if_at_all([advice], alone=True)}"


def for_all(advice: list[Advice]) -> str:
    """Return how many people would be sent each arm, or nothing, and for how many no choice is supported."""
    waiting = [one for one in advice if is_to_wait(one)]
    chosen = [one for one in advice if one.supported and not is_to_wait(one)]
    open_ = len(advice) - len(waiting) - len(chosen)
    if open_ == len(advice):
        why = "" if any(one.compared for one in advice) else ", each of whom has one arm with a fit"
        return f"{NO_CHOICE} between the arms for any of {counted(len(advice), 'person', 'people')}{why}"
    parts = [(arm_words(arm), n) for arm, n in Counter(one.first.arm for one in chosen).most_common()]
    others = parts[MOST_NAMED:]
    parts = parts[:MOST_NAMED] + [("other arms", sum(n for _, n in others))] * bool(others)
    parts += [("nothing", len(waiting))] * bool(waiting)
    (name, n), *rest = parts
    sent = listed([f"{name} to {counted(n, 'person', 'people')}", *(f"{name} to {n:,}" for name, n in rest)])
    left = f"; for {open_:,} of {len(advice):,} people {NO_CHOICE}" if open_ else ""
    return f"rogue advise would send {sent}{_if_at_all(chosen)}{left}"


def _if_at_all(chosen: list[Advice], alone: bool = False) -> str:
    """Return for how many it is likely enough that sending is better than waiting, where that is known."""
    unsure = sum(one.first.beats_waiting is not None and one.first.beats_waiting < LIKELY for one in chosen)
    if not unsure:
        return ""
    who = "" if alone else f" for {unsure:,} of these"
    return f", if anything: whether to send at all is not settled{who}"


def _waiting(beats: float | None) -> str:
    return chance(1.0 - (beats or 0.0))
