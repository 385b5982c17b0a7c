"""Advice as terminal tables and as CSV: what each policy would send next, and why."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from rogue_bandits.estimate.advise import ADVISERS, Advice, Choice, Standing
from rogue_bandits.estimate.files import People
from rogue_bandits.report.cohort.words import reward
from rogue_bandits.report.terminal import csv_text, plain_table

CERTAIN = 0.9995


def person_advice(people: People, advice: Advice) -> Iterator[Table | str]:
    """Yield the estimates of each arm of a person, then the choice of each policy with its reason."""
    scale, bounds = people.size(), list(advice.arms[0].upper)
    headings = ["arm", "last sent, decisions ago", "state", "estimated reward"]
    headings += [f"upper bound, {wrapped(name)}" for name in bounds]
    rows = (
        [arm.arm, str(arm.since), f"{arm.state:.2f}", reward(arm.mean, scale)]
        + [reward(arm.upper[name], scale) for name in bounds]
        for arm in advice.arms
    )
    title = f"Person {advice.person}, next decision: {advice.decision}"
    yield plain_table(headings, rows, title=title, title_justify="left")
    for choice in advice.choices:
        sure = "" if choice.probability >= CERTAIN else f" (with probability {choice.probability:.2f})"
        yield f"{choice.policy} would send {choice.arm}{sure}: {why(choice, advice, scale)}"
    if poor := [arm.arm for arm in advice.arms if not arm.enough]:
        yield f"Not enough data: {', '.join(poor)}. The advice on these arms is unreliable."


def wrapped(policy: str) -> str:
    """Return the id of a policy in short lines, for the head of a column."""
    return policy.replace("-", "-\n")


def why(choice: Choice, advice: Advice, scale: float) -> str:
    """Return the reason for a choice."""
    arms = {arm.arm: arm for arm in advice.arms}
    chosen = arms[choice.arm]

    def value(arm: Standing) -> float:
        return arm.upper.get(choice.policy, arm.mean)

    what = "estimated reward" if ADVISERS[choice.policy].radius is None else "upper bound"
    others = [arm for arm in advice.arms if arm is not chosen]
    if not others:
        return "it is the only arm."
    next_best = max(others, key=value)
    mine, theirs = reward(value(chosen), scale), reward(value(next_best), scale)
    if value(chosen) < value(next_best) and mine != theirs:
        return f"to explore; its {what}, {mine}, is below that of {next_best.arm}, {theirs}."
    if mine == theirs:
        return f"its {what}, {mine}, equals that of {next_best.arm}."
    return f"it has the largest {what}, {mine}; the next is {next_best.arm} with {theirs}."


def cohort_table(people: People, advice: list[Advice]) -> Iterator[Table | str]:
    """Yield what each policy would send next to each person, as a table, and remarks."""
    headings = ["person", "decision", *(wrapped(choice.policy) for choice in advice[0].choices)]
    enough = {(one.person, arm.arm): arm.enough for one in advice for arm in one.arms}
    rows = (
        [one.person, str(one.decision)]
        + [choice.arm + ("" if enough[one.person, choice.arm] else "*") for choice in one.choices]
        for one in advice
    )
    yield plain_table(headings, rows, "lrl", padding=(0, 1, 0, 0))
    if not all(enough.values()):
        yield "* not enough data: unreliable"
    if without := [person for person in people.cohort.people if person not in {one.person for one in advice}]:
        yield f"No advice because of too few rewards: {', '.join(without)}."
    yield "For the reasons add --person P, or --out FILE for all people."


def advice_csv(advice: list[Advice]) -> bytes:
    """Return one row for each person, policy and arm."""
    rows: list[list[object]] = [
        ["person", "decision", "policy", "arm", "sent", "probability", "estimated_reward", "upper_bound", "state",
         "decisions_since_last_sent", "enough_data"]
    ]  # fmt: skip
    for one in advice:
        for choice in one.choices:
            for arm in one.arms:
                sent = arm.arm == choice.arm
                upper = f"{arm.upper[choice.policy]:.6g}" if choice.policy in arm.upper else ""
                rows.append(
                    [one.person, one.decision, choice.policy, arm.arm, int(sent),
                     f"{choice.probability:.6g}" if sent else "", f"{arm.mean:.6g}", upper, f"{arm.state:.6g}",
                     arm.since, "yes" if arm.enough else "no"]
                )  # fmt: skip
    return csv_text(rows).encode("utf-8-sig")
