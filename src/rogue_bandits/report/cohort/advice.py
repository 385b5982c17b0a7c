"""Advice as terminal tables and as CSV: what to send next, how sure that is, and why."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from rogue_bandits.estimate.advise import SUPPORTED, Advice, Standing
from rogue_bandits.estimate.files import People
from rogue_bandits.report.cohort.words import NOTHING, chance, reward
from rogue_bandits.report.table_file import Rows, table_bytes
from rogue_bandits.report.terminal import plain_table

DECIDED = 0.95  # probability that sending is better, or worse, than silence


def person_advice(people: People, advice: Advice) -> Iterator[Table | str]:
    """Yield the arms of a person, then what the data support."""
    size = people.size()
    rows = [row_of(arm, size) for arm in advice.arms]
    if advice.silence is not None:
        s = advice.silence
        rows.append([NOTHING, "–", str(s.rewards), interval(s, size), "–", "–", "–"])
    headings = ["arm", "last sent", "rewards", "mean reward, 95 % credible", "P(best)", "P(above silence)", "send with"]
    title = f"Person {advice.person}, next decision: {advice.decision}"
    yield plain_table(headings, rows, "lrrlr", title=title, title_justify="left", padding=(0, 1, 0, 0))
    yield choice_words(advice)
    if words := silence_words(advice):
        yield words
    if advice.ahead > 1:
        yield f"Best: earns most over the next {advice.ahead} decisions, with what a sending costs the later ones."
    for warning in advice.warnings:
        yield f"Warning: {warning}"


def row_of(arm: Standing, size: float) -> list[str]:
    """Return the row of an arm."""
    above = "–" if arm.above_silence is None else chance(arm.above_silence)
    since = "–" if arm.since is None else f"{arm.since} ago"
    return [arm.arm, since, str(arm.rewards), interval(arm, size), chance(arm.best), above, f"{arm.probability:.2f}"]


def interval(arm: Standing, size: float) -> str:
    """Return the mean reward with its credible interval."""
    return f"{reward(arm.mean, size)} ({reward(arm.low, size)} to {reward(arm.high, size)})"


def choice_words(advice: Advice) -> str:
    """Return whether the data support a choice, and which."""
    first = advice.first
    if len(advice.arms) == 1:
        return f"{first.arm} is the only arm that is available."
    if advice.supported and is_to_wait(advice):
        return f"Wait: if anything were sent now, {first.arm} would be the best with probability {chance(first.best)}."
    if advice.supported:
        return f"Send {first.arm}: it is the best of the {len(advice.arms)} arms with probability {chance(first.best)}."
    second = max((arm for arm in advice.arms if arm is not first), key=lambda arm: arm.best)
    return (
        f"The data do not support a choice: {first.arm} is the best with probability {chance(first.best)}, "
        f"{second.arm} with {chance(second.best)}. Choose by chance, with the probabilities in the table."
    )


def is_to_wait(advice: Advice) -> bool:
    """Return whether sending nothing now is clearly better than the best arm."""
    above = advice.first.above_silence
    return above is not None and above <= 1.0 - DECIDED


def silence_words(advice: Advice) -> str:
    """Return whether to send at all, as far as the data say."""
    above = advice.first.above_silence
    if above is None:
        return ""
    if above >= DECIDED:
        return f"Sending {advice.first.arm} is better than sending nothing with probability {chance(above)}."
    if is_to_wait(advice):
        return f"Sending nothing is better than {advice.first.arm} with probability {chance(1.0 - above)}."
    if max(above, 1.0 - above) >= SUPPORTED:
        better = f"sending {advice.first.arm}" if above > 0.5 else "sending nothing"
        return f"It is likely, and not settled, that {better} is better: probability {chance(max(above, 1.0 - above))}."
    return (
        f"The data do not say whether to send: {advice.first.arm} is better than nothing with probability "
        f"{chance(above)}."
    )


def cohort_table(people: People, advice: list[Advice]) -> Iterator[Table | str]:
    """Yield what to send next to each person, as a table, and remarks."""
    size = people.size()
    rows = (
        [one.person, str(one.decision), one.first.arm if one.supported else f"({one.first.arm})",
         interval(one.first, size), chance(one.first.best),
         "–" if one.first.above_silence is None else chance(one.first.above_silence)]
        for one in advice
    )  # fmt: skip
    headings = ["person", "decision", "best arm", "mean reward, 95 % credible", "P(best)", "P(above silence)"]
    yield plain_table(headings, rows, "lrllr", padding=(0, 1, 0, 0))
    if open_ := [one for one in advice if not one.supported]:
        yield f"In brackets: the data do not support a choice, for {len(open_):,} of {len(advice):,} people."
    if waiting := [one for one in advice if is_to_wait(one)]:
        yield f"For {len(waiting):,} of {len(advice):,} people sending nothing now is clearly better: the last column."
    told: dict[str, int] = {}
    for warning in (warning for one in advice for warning in one.warnings):
        told[warning] = told.get(warning, 0) + 1
    common = [warning for warning, n in told.items() if n == len(advice)]
    for warning in common:
        yield f"Warning: {warning}"
    if some := [one for one in advice if set(one.warnings) - set(common)]:
        yield f"Warnings for {len(some):,} people: add --person P to see them, or --out FILE."
    if without := [person for person in people.cohort.people if person not in {one.person for one in advice}]:
        yield f"No advice, for want of rewards of an available arm: {', '.join(without)}."
    yield "For the reasons add --person P, or --out FILE for all people."


def advice_bytes(advice: list[Advice], kind: str) -> bytes:
    """Return one row for each person and arm, as a file."""
    shown = dict.fromkeys(("send_with_probability", "probability_best", "probability_above_silence"), ".4f")
    shown |= dict.fromkeys(("mean_reward", "credible_lo", "credible_hi"), ".6g")
    return table_bytes(advice_table(advice), kind, shown, "utf-8-sig")


def advice_table(advice: list[Advice]) -> Rows:
    """Return one row for each person and arm."""
    rows: list[list[object]] = [
        ["person", "decision", "arm", "send_with_probability", "probability_best", "probability_above_silence",
         "mean_reward", "credible_lo", "credible_hi", "rewards", "decisions_since_last_sent", "choice_supported",
         "decisions_ahead", "warnings"]
    ]  # fmt: skip
    for one in advice:
        rows += (
            [one.person, one.decision, arm.arm, arm.probability, arm.best, arm.above_silence, arm.mean, arm.low,
             arm.high, arm.rewards, arm.since, "yes" if one.supported else "no", one.ahead, " ".join(one.warnings)]
            for arm in one.arms
        )  # fmt: skip
    return rows
