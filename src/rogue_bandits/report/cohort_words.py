"""What fitted people mean, in sentences: the same in the terminal and in the report."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.fitted import ArmFit, Fitted
from rogue_bandits.estimate.notes import count, notes_on_bounds
from rogue_bandits.estimate.terms import Terms, surely_wears_out

NO_COST = "–"  # where there is nothing to come back
NOT_SEEN = "not seen"  # within the longest rest
NEGLIGIBLE = 0.01  # of the largest reward: what changes less is not worth a sentence, nor a wait until it is back
LOOKS_THE_SAME = "A fade for another reason, such as novelty, looks the same."


def reward(value: float, scale: float) -> str:
    """A reward on the user's scale, in three digits of it or so.

    >>> reward(1234.5, 14_000), reward(0.12345, 1.0)
    ('1,234', '0.123')
    """
    return f"{value:,.{max(0, 3 - math.ceil(math.log10(scale)))}f}"


def recovery(decisions: float) -> str:
    """How long half of a cost takes to come back.

    >>> recovery(1.0), recovery(12.0), recovery(math.inf), recovery(math.nan)
    ('1 decision', '12 decisions', 'not seen', '–')
    """
    if math.isnan(decisions):
        return NO_COST
    return NOT_SEEN if math.isinf(decisions) else count(round(decisions), "decision", "decisions")


def sentence(arm: str, fit: ArmFit, terms: Terms, scale: float) -> str:
    """One arm of a person."""
    rewards = count(fit.n, "reward", "rewards")
    if not fit.enough:
        return f"{arm}: not enough data ({rewards}); the numbers below mean little."
    fresh, worn, cost = (reward(value, scale) for value in terms[:3])
    if is_nothing(terms, scale):
        return f"{arm}: no wearing out to speak of; {worn} to {fresh} each time ({rewards})."
    doubt = " The data do not rule out that it does not wear out." if surely_wears_out(fit) is False else ""
    lost = f"next to nothing ({cost})" if terms.cost < NEGLIGIBLE * scale else f"{cost}, {back_after(terms)}"
    return f"{arm}: {fresh} at its freshest, {worn} at its most worn ({rewards}). One sending takes away {lost}.{doubt}"


def is_nothing(terms: Terms, scale: float) -> bool:
    """Is there no wearing out worth a sentence?"""
    little = NEGLIGIBLE * scale
    return math.isnan(terms.recovery) or (terms.cost < little and terms.fresh - terms.worn < little)


def back_after(terms: Terms) -> str:
    """When half of a cost is back."""
    if not math.isinf(terms.recovery):
        return f"half of which is back after {recovery(terms.recovery)} of rest"
    longest = terms.reach.rests
    if longest == 0:
        return "and whether that comes back cannot be told: it was never sent again after a rest"
    return f"not half of which is back after {count(longest, 'decision', 'decisions')} of rest, the longest seen"


def verdicts(people: People) -> Iterator[str]:
    """What can be said of the whole cohort."""
    yield from wearing(people)
    fits = [fit for arms in people.fitted.people.values() for fit in arms.values()]
    poor = sum(not fit.enough for fit in fits)
    if poor:
        yield f"Not enough data: {poor:,} of {len(fits):,} fits rest on too few rewards, or they say too little."
    yield from notes_on_bounds(people.fitted)
    yield pooling(people.fitted)
    gaps = [fit.gap for fit in fits if fit.gap is not None]
    if gaps:
        yield (
            f"Certificates: the distance of the rewards from the fitted states is proven to be within "
            f"{np.median(gaps):.1%} of the least possible in the median fit, {max(gaps):.1%} in the worst."
        )


def wearing(people: People) -> Iterator[str]:
    """Do arms wear out at all? By arm, and where each person has dynamics of their own, in how many of them."""
    told = {arm: sure for arm in people.cohort.arms if (sure := sure_of(people, arm))}
    if people.fitted.pool == "person" and told:
        counts = "; ".join(f"{arm}, {sum(sure):,} of {len(sure):,}" for arm, sure in told.items())
        yield f"Wears out at all, within the model, for so many people with enough data: {counts}. {LOOKS_THE_SAME}"
        return
    certain = [arm for arm, sure in told.items() if sure[0]]
    doubtful = [arm for arm in told if arm not in certain]
    if certain:
        yield f"Wears out at all, within the model: {', '.join(certain)}. {LOOKS_THE_SAME}"
    if doubtful:
        yield f"May not wear out at all, for all that the data say: {', '.join(doubtful)}."


def sure_of(people: People, arm: str) -> list[bool]:
    """For each person with enough data and an interval: is it ruled out that the arm does not wear out?"""
    fits = [arms[arm] for arms in people.fitted.people.values() if arm in arms and arms[arm].enough]
    return [sure for fit in fits if (sure := surely_wears_out(fit)) is not None]


def pooling(fitted: Fitted) -> str:
    """Which way of pooling was used, and which predicts better."""
    ways = {"arm": "dynamics shared by all people of an arm", "person": "dynamics of each person's own"}
    used = f"Fitted with {ways[fitted.pool]}."
    if set(fitted.predicts) != set(ways):
        return f"{used} Which way of pooling predicts better was not asked."
    better, worse = sorted(ways, key=lambda way: -fitted.predicts[way])
    by = fitted.predicts[better] - fitted.predicts[worse]
    if by == 0.0:
        return f"{used} Both ways of pooling predict a reward that was held out equally well."
    return (
        f"{used} In cross-validation, {ways[better]} predict a reward that was held out better than {ways[worse]}: by "
        f"{by:.3g} in log-likelihood a reward (it is {math.expm1(by):.1%} more likely)."
    )
