"""What fitted people mean, in sentences: the same in the terminal and in the report."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from rogue_bandits.cohort.files import People
from rogue_bandits.cohort.fitted import ArmFit, Fitted
from rogue_bandits.cohort.notes import count
from rogue_bandits.cohort.terms import LONGEST, surely_wears_out, terms_of

NO_COST = "–"  # where there is nothing to come back
NEGLIGIBLE = 0.005  # of the largest reward: a smaller cost is not worth a sentence


def reward(value: float, scale: float) -> str:
    """A reward on the user's scale, in three digits of it or so.

    >>> reward(1234.5, 14_000), reward(0.12345, 1.0)
    ('1,234', '0.123')
    """
    return f"{value:,.{max(0, 3 - math.ceil(math.log10(scale)))}f}"


def recovery(decisions: float) -> str:
    """How long half of a cost takes to come back.

    >>> recovery(1.0), recovery(12.0), recovery(math.inf), recovery(math.nan)
    ('1 decision', '12 decisions', 'over 10,000 decisions', '–')
    """
    if math.isnan(decisions):
        return NO_COST
    return f"over {LONGEST:,} decisions" if math.isinf(decisions) else count(round(decisions), "decision", "decisions")


def sentence(arm: str, fit: ArmFit, scale: float) -> str:
    """One arm of a person."""
    rewards = count(fit.n, "reward", "rewards")
    if not fit.enough:
        return f"{arm}: not enough data ({rewards}); the numbers below mean little."
    terms = terms_of(fit, scale)
    if terms.cost < NEGLIGIBLE * scale:
        return f"{arm}: no wearing out to speak of; about {reward(terms.fresh, scale)} each time ({rewards})."
    back = (
        "which does not come back"
        if math.isinf(terms.recovery)
        else f"half of which is back after {recovery(terms.recovery)} of rest"
    )
    doubt = " The data do not rule out that it does not wear out." if surely_wears_out(fit) is False else ""
    return (
        f"{arm}: {reward(terms.fresh, scale)} when fresh. One sending takes away {reward(terms.cost, scale)}, {back}. "
        f"Sent every time: {reward(terms.worn, scale)} ({rewards}).{doubt}"
    )


def verdicts(people: People) -> Iterator[str]:
    """What can be said of the whole cohort."""
    yield pooling(people.fitted)
    fits = [fit for arms in people.fitted.people.values() for fit in arms.values()]
    poor = sum(not fit.enough for fit in fits)
    if poor:
        yield f"Not enough data: {poor:,} of {len(fits):,} fits rest on too few rewards to mean anything."
    told = [sure for fit in fits if fit.enough and (sure := surely_wears_out(fit)) is not None]
    if told:
        yield (
            f"In {sum(told):,} of the {len(told):,} fits with enough data, the 95 % interval of the pull excludes 0: "
            "within the model, the arm wears out. A fade for another reason looks the same."
        )
    gaps = [fit.gap for fit in fits if fit.gap is not None]
    if gaps:
        yield (
            f"Certificates: the distance of the rewards from the fitted states is proven to be within "
            f"{np.median(gaps):.1%} of the least possible in the median fit, {max(gaps):.1%} in the worst."
        )


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
