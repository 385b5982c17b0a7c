"""Fitted people in sentences and in a table of arms, the same in the terminal and in the report."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from rich.table import Table

from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.fitted import ArmFit, Fitted
from rogue_bandits.estimate.notes import count, notes_on_bounds
from rogue_bandits.estimate.summary import ArmSummary
from rogue_bandits.report.terminal import plain_table

NO_COST = "–"  # there is no cost to recover from
NOT_SEEN = "not seen"  # longer than the longest rest
NEGLIGIBLE = 0.01  # of the largest reward: smaller changes are not reported
OTHER_CAUSES = "A decline with another cause, such as novelty, looks the same."


def reward(value: float, scale: float) -> str:
    """Return a reward on the user's scale, in about three digits.

    >>> reward(1234.5, 14_000), reward(0.12345, 1.0)
    ('1,234', '0.123')
    """
    return f"{value:,.{max(0, 3 - math.ceil(math.log10(scale)))}f}"


def recovery(decisions: float) -> str:
    """Return the time until half of a cost is recovered, as text.

    >>> recovery(1.0), recovery(12.0), recovery(math.inf), recovery(math.nan)
    ('1 decision', '12 decisions', 'not seen', '–')
    """
    if math.isnan(decisions):
        return NO_COST
    return NOT_SEEN if math.isinf(decisions) else count(round(decisions), "decision", "decisions")


def sentence(arm: str, fit: ArmFit, summary: ArmSummary, scale: float) -> str:
    """Return the result for one arm of a person."""
    rewards, little = count(fit.n, "reward", "rewards"), NEGLIGIBLE * scale
    if not fit.enough:
        return f"{arm}: not enough data ({rewards}); the parameters below are unreliable."
    fresh, worn, cost = (reward(value, scale) for value in summary[:3])
    if math.isnan(summary.recovery) or max(summary.cost, summary.fresh - summary.worn) < little:
        return f"{arm}: no appreciable wear-out; {worn} to {fresh} each time ({rewards})."
    longest = count(summary.observed.rests, "decision", "decisions")
    if summary.cost < little:
        lost = f"a negligible amount ({cost})"
    elif math.isfinite(summary.recovery):
        lost = f"{cost}, half of which is recovered after {recovery(summary.recovery)} of rest"
    elif summary.observed.rests:
        lost = f"{cost}, less than half of which is recovered after {longest} of rest, the longest observed"
    else:
        lost = f"{cost}, and recovery cannot be estimated: it was never sent again after a rest"
    caveat = " The data are consistent with no wear-out." if fit.surely_wears_out() is False else ""
    return f"{arm}: {fresh} at its freshest, {worn} at its most worn ({rewards}). One sending costs {lost}.{caveat}"


def verdicts(people: People) -> Iterator[str]:
    """Yield statements about the whole cohort."""
    yield from wearing(people)
    fits = [fit for arms in people.fitted.people.values() for fit in arms.values()]
    if poor := sum(not fit.enough for fit in fits):
        yield f"Not enough data: {poor:,} of {len(fits):,} fits have too few rewards, or uninformative ones."
    yield from notes_on_bounds(people.fitted)
    yield pooling(people.fitted)
    if gaps := [fit.gap for fit in fits if fit.gap is not None]:
        yield (
            f"Certificates: the total distance of the rewards from the fitted states is proven to be within "
            f"{np.median(gaps):.1%} of the least possible in the median fit, {max(gaps):.1%} in the worst."
        )


def wearing(people: People) -> Iterator[str]:
    """Yield whether the data support wear-out: by arm, or for how many people if each has their own dynamics."""
    known = {arm: sure for arm in people.cohort.arms if (sure := sure_of(people, arm))}
    if people.fitted.pool == "person" and known:
        counts = "; ".join(f"{arm}, {sum(sure):,} of {len(sure):,}" for arm, sure in known.items())
        scope = "for this many people with enough data"
        yield f"Wear-out is supported (95 % interval, within the model) {scope}: {counts}. {OTHER_CAUSES}"
        return
    little = {line.arm for line in arm_lines(people) if line.recovery == NO_COST}
    if supported := [arm + " (by a negligible amount)" * (arm in little) for arm, sure in known.items() if sure[0]]:
        yield f"Wear-out is supported (95 % interval, within the model): {', '.join(supported)}. {OTHER_CAUSES}"
    if doubtful := [arm for arm, sure in known.items() if not sure[0]]:
        yield f"The data are consistent with no wear-out: {', '.join(doubtful)}."


def sure_of(people: People, arm: str) -> list[bool]:
    """Return for each person with enough data and an interval whether the interval excludes no wear-out."""
    fits = [arms[arm] for arms in people.fitted.people.values() if arm in arms and arms[arm].enough]
    return [sure for fit in fits if (sure := fit.surely_wears_out()) is not None]


def pooling(fitted: Fitted) -> str:
    """Return which pooling was used, and which predicts better."""
    ways = {"arm": "dynamics shared by all people of an arm", "person": "separate dynamics for each person"}
    used = f"Fitted with {ways[fitted.pool]}."
    if set(fitted.predicts) != set(ways):
        return f"{used} The two kinds of pooling were not compared."
    better, worse = sorted(ways, key=lambda way: -fitted.predicts[way])
    by = fitted.predicts[better] - fitted.predicts[worse]
    if by == 0.0:
        return f"{used} Both kinds of pooling predict held-out rewards equally well."
    return (
        f"{used} In cross-validation, {ways[better]} predict held-out rewards better than {ways[worse]}: "
        f"by {by:.3g} in log-likelihood per reward (each is {math.expm1(by):.1%} more likely)."
    )


class ArmLine(NamedTuple):
    """A row of the table, as text."""

    arm: str
    people: str
    rewards: str
    fresh: str
    worn: str
    cost: str
    recovery: str


HEADINGS = ArmLine(
    "arm", "people", "rewards", "reward when fresh", "reward when worn", "cost of one sending",
    "rests until half recovered",
)  # fmt: skip
CAPTION = "Medians over the people with enough data"


def arm_lines(people: People) -> list[ArmLine]:
    """Return a row for each arm that was fitted for at least one person."""
    lines = []
    for arm in people.cohort.arms:
        fits = {person: arms[arm] for person, arms in people.fitted.people.items() if arm in arms}
        if fits:
            enough = [people.summary(person, arm) for person, fit in fits.items() if fit.enough]
            who = f"{len(enough):,}" + (f" of {len(fits):,}" if len(enough) < len(fits) else "")
            rewards = f"{sum(fit.n for fit in fits.values()):,}"
            lines.append(ArmLine(arm, who, rewards, *medians(enough, people.size())))
    return lines


def medians(enough: list[ArmSummary], scale: float) -> list[str]:
    """Return the medians of fresh, worn, cost and recovery."""
    if not enough:
        return ["not enough data", "", "", ""]
    quartiles = np.quantile([summary[:3] for summary in enough], [0.25, 0.5, 0.75], axis=0)
    middles = [reward(middle, scale) for middle in quartiles[1]]
    if len(enough) > 1:
        halves = [f" ({reward(lo, scale)}–{reward(hi, scale)})" for lo, _, hi in quartiles.T]
        middles = [middle + half for middle, half in zip(middles, halves, strict=True)]
    # By rank: there is no number between 3 decisions and not seen.
    waits = sorted(summary.recovery for summary in enough if not math.isnan(summary.recovery))
    if not waits or quartiles[1, 2] < NEGLIGIBLE * scale:
        return [*middles, NO_COST]
    middle = waits[len(waits) // 2]
    return [*middles, NOT_SEEN if math.isinf(middle) else f"{middle:.0f}"]


def summary_table(people: People) -> Table:
    """Return the table for a terminal of 80 characters: medians only."""
    rows = ([line.arm, *(cell.split(" (")[0] for cell in line[1:])] for line in arm_lines(people))
    return plain_table(HEADINGS, rows, caption=f"{CAPTION}.", caption_justify="left")
