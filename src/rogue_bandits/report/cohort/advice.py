"""Advice as terminal tables and as CSV: what to send next, how sure that is, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.table import Table

from rogue_bandits.estimate.advise import Advice, Standing
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.ladder.compare import RECOVERY
from rogue_bandits.estimate.ladder.points import gains_by_sending
from rogue_bandits.estimate.ladder.result import ArmLadder
from rogue_bandits.estimate.notes import arm_words, person_words
from rogue_bandits.report.cohort.claims import LIKELY, SHOWN, is_better
from rogue_bandits.report.cohort.words import LONGEST_NAME, NOTHING, chance, in_lines, reward
from rogue_bandits.report.table_file import Rows, table_bytes
from rogue_bandits.report.terminal import plain_table
from rogue_bandits.wording import counted

AFTER_SENDING = "mean reward after\nit, 95 % credible\ninterval"
AFTER_SILENCE = "after silence,\n95 % credible\ninterval"
SINCE = "decisions\nsince it\nwas sent"
BEST, BEATS, IF_SENT = "P(best\narm)", "P(sending\nnow beats\nwaiting)", "if sent,\nwith"
WIDE = 110  # characters of a table that is no terminal's


def person_advice(people: People, advice: Advice) -> Iterator[Table | str]:
    """Yield the arms of a person, then what the data support."""
    size = people.size()
    several, waits = len(advice.arms) > 1, advice.silence is not None
    headings = ["arm", SINCE, "rewards", AFTER_SENDING, *[BEST] * several, *[BEATS] * waits, *[IF_SENT] * several]
    rows = [row_of(arm, size, several, waits) for arm in advice.arms]
    if advice.silence is not None:
        s = advice.silence
        rows.append([NOTHING, "–", str(s.rewards), interval(s, size), *["–"] * (len(headings) - 4)])
    title = f"Person {advice.person}, next decision: {advice.decision}"
    yield plain_table(headings, rows, "lrrlr", title=title, title_justify="left", padding=(0, 1, 0, 0))
    yield from advice_words(advice, people.fitted.arms)
    for warning in advice.warnings:
        yield f"Warning: {warning}"


def advice_words(advice: Advice, ladders: Mapping[str, ArmLadder]) -> Iterator[str]:
    """Yield what to do, whether to send at all, and what the probabilities mean."""
    yield choice_words(advice)
    if words := planning_words(advice, ladders):
        yield words
    if words := silence_words(advice):
        yield words
    if advice.ahead > 1 and (len(advice.arms) > 1 or advice.silence is not None):
        other = "another" if advice.silence is None else "waiting"
        yield (
            "The interval is of the mean reward at the next decision. The probabilities weigh later "
            "rewards too, with what a sending now does to them: an arm may have the larger mean now, and "
            f"{other} be better."
        )


def row_of(arm: Standing, size: float, several: bool, waits: bool) -> list[str]:
    """Return the row of an arm; with `several` of them also which is best, and if it `waits` whether to send."""
    beats = "–" if arm.beats_waiting is None else chance(arm.beats_waiting)
    since = "–" if arm.since is None else f"{arm.since:,}"
    best, share = [chance(arm.best)] * several, [f"{arm.probability:.2f}"] * several
    name = in_lines(arm.arm, LONGEST_NAME)
    return [name, since, str(arm.rewards), interval(arm, size), *best, *[beats] * waits, *share]


def interval(arm: Standing, size: float) -> str:
    """Return the mean reward with its credible interval."""
    return f"{reward(arm.mean, size)} ({reward(arm.low, size)} to {reward(arm.high, size)})"


def choice_words(advice: Advice) -> str:
    """Return whether the data support a choice, and which."""
    first = advice.first
    name = arm_words(first.arm)
    if is_to_wait(advice):
        alone = len(advice.arms) == 1 or not advice.supported
        best = f" If anything were sent, {name} would be the best arm (probability {chance(first.best)})."
        return f"Wait: send nothing now.{'' if alone else best}"
    if not advice.compared:
        return f"The data do not support a choice: {name} is the only arm with a fit for {person_words(advice.person)}."
    if len(advice.arms) == 1:
        return f"There is one arm to send, {name}, and nothing to choose from but waiting."
    if advice.supported:
        likely = first.beats_waiting is None or first.beats_waiting >= LIKELY
        send = f"Send {name}" if likely else f"If anything is sent, {name}"
        return f"{send}: it is the best of the {len(advice.arms)} arms with probability {chance(first.best)}."
    second = max((arm for arm in advice.arms if arm is not first), key=lambda arm: arm.best)
    return (
        f"The data do not support a choice: {name} is the best with probability {chance(first.best)}, "
        f"{arm_words(second.arm)} with {chance(second.best)}. Choose by chance, with the probabilities in the table."
    )


def planning_words(advice: Advice, ladders: Mapping[str, ArmLadder]) -> str:
    """Return why a choice with a lower mean at the next decision is the best; nothing where it has the largest mean."""
    waits = is_to_wait(advice)
    chosen = advice.silence if waits else advice.first if advice.supported else None
    at_once = max(advice.arms, key=lambda arm: arm.mean)
    if advice.ahead == 1 or chosen is None or chosen.mean >= at_once.mean:
        return ""
    name, other, ladder = arm_words(chosen.arm), arm_words(at_once.arm), ladders[at_once.arm]
    if ladder.rung == RECOVERY and not gains_by_sending(ladder):
        return f"{other} earns more at once; {'waiting' if waits else name} now leaves {other} to recover."
    more = "waiting now earns" if waits else f"{name} now earns"
    return f"{other} earns more at once; {more} more in the long run."


def is_to_wait(advice: Advice) -> bool:
    """Return whether sending nothing now is clearly better than the best arm."""
    beats = advice.first.beats_waiting
    return beats is not None and beats <= 1.0 - SHOWN


def is_open(advice: Advice) -> bool:
    """Return whether the data support neither an arm nor waiting."""
    return not advice.supported and not is_to_wait(advice)


def silence_words(advice: Advice) -> str:
    """Return whether to send at all, as far as the data say."""
    beats, name = advice.first.beats_waiting, arm_words(advice.first.arm)
    if beats is None:
        return ""
    words = is_better(beats, f"sending {name} now", "waiting")
    return f"{words[0].upper()}{words[1:]}."


def cohort_table(people: People, advice: list[Advice]) -> Iterator[Table | str]:
    """Yield what to send next to each person, as a table, and remarks."""
    size = people.size()
    several, waits = any(len(one.arms) > 1 for one in advice), any(one.silence is not None for one in advice)
    rows = (
        [one.person, str(one.decision), f"({one.first.arm})" if is_open(one) else one.first.arm,
         interval(one.first, size), *[interval(one.silence, size) if one.silence else "–"] * waits,
         *[chance(one.first.best) if one.compared else "–"] * several,
         *["–" if one.first.beats_waiting is None else chance(one.first.beats_waiting)] * waits]
        for one in advice
    )  # fmt: skip
    headings = ["person", "decision", "best arm" if several else "arm", AFTER_SENDING, *[AFTER_SILENCE] * waits,
                *[BEST] * several, *[BEATS] * waits]  # fmt: skip
    yield plain_table(headings, rows, "lrlllr" if waits else "lrllr", padding=(0, 1, 0, 0))
    if waits and any(one.ahead > 1 for one in advice):
        yield (
            "Intervals are of the mean reward at the next decision; the probabilities weigh later rewards too, with "
            "what a sending now may take away from them: an arm wears out with the probability that the fit gives it."
        )
    if open_ := [one for one in advice if is_open(one)]:
        yield f"In brackets: the data do not support a choice{for_some(len(open_), len(advice))}."
    if waiting := [one for one in advice if is_to_wait(one)]:
        who = for_some(len(waiting), len(advice))
        yield f"Waiting is clearly better than sending{who}: at most {1.0 - SHOWN:.2f} in the last column."
    people_with: dict[str, int] = {}
    for warning in (warning for one in advice for warning in one.warnings):
        people_with[warning] = people_with.get(warning, 0) + 1
    common = [warning for warning, n in people_with.items() if n == len(advice)]
    for warning in common:
        yield f"Warning: {warning}"
    if some := [one for one in advice if set(one.warnings) - set(common)]:
        who = counted(len(some), "person", "people")
        yield f"Warnings for {who}: add --person P to see them, or --out FILE."
    if without := [person for person in people.cohort.people if person not in {one.person for one in advice}]:
        yield f"No advice, for want of rewards of an available arm: {', '.join(without)}."
    yield "For the reasons add --person P, or --out FILE for all people."


def for_some(n: int, of: int) -> str:
    """Return for how many people something holds; nothing where there is one person only.

    >>> for_some(3, 12), for_some(1, 1)
    (', for 3 of 12 people', '')
    """
    return "" if of == 1 else f", for {n:,} of {of:,} people"


def advice_bytes(advice: list[Advice], kind: str) -> bytes:
    """Return one row for each person and arm, as a file."""
    rows = advice_table(advice)
    names = [str(name) for name in rows[0]]
    shown = {name: ".4f" for name in names if name.startswith("probability_")}
    shown |= {name: ".6g" for name in names if name.startswith("mean_")}
    return table_bytes(rows, kind, shown, "utf-8-sig")


def advice_table(advice: list[Advice]) -> Rows:
    """Return one row for each person and arm."""
    rows: list[list[object]] = [
        ["person", "decision", "arm", "probability_if_sent", "probability_best", "probability_beats_waiting",
         "mean_after_sending", "mean_after_sending_lo", "mean_after_sending_hi",
         "mean_after_silence", "mean_after_silence_lo", "mean_after_silence_hi",
         "rewards", "decisions_since_last_sent", "choice_supported", "decisions_ahead", "warnings"]
    ]  # fmt: skip
    for one in advice:
        quiet = (None, None, None) if one.silence is None else (one.silence.mean, one.silence.low, one.silence.high)
        rows += (
            [one.person, one.decision, arm.arm, arm.probability, arm.best if one.compared else None,
             arm.beats_waiting, arm.mean, arm.low, arm.high, *quiet, arm.rewards, arm.since,
             "yes" if one.supported else "no", one.ahead, " ".join(one.warnings)]
            for arm in one.arms
        )  # fmt: skip
    return rows
