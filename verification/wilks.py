"""Does the fit scatter about the truth as a maximum-likelihood fit should?"""

from __future__ import annotations

from scipy.stats import chi2

import rogue_bandits as rb
from rogue_bandits.types import Floats
from verification.estimates import Interval, quantile
from verification.finding import Finding
from verification.following import along
from verification.scenarios import AGENTS, LOGISTIC, NORMAL

HORIZON = 10_000
TRUTHS = {"logistic": LOGISTIC, "Gaussian": NORMAL, "agent": AGENTS}
QUANTILES = (0.5, 0.9, 0.99)
WRONGLY = 0.01  # the chance that of a right program any of the intervals misses, all together


def wilks(people: int, seed: int) -> Finding:
    """The law of twice the divergence of the truth from the fit, against χ² with one degree of freedom."""
    rows, holds = [], True
    arms = sum(len(truth.arms) for truth in TRUTHS.values())
    for family, truth in TRUTHS.items():
        trace = rb.simulate(truth, rb.Random(), HORIZON, people, seed, workers=-1)
        found = along(trace, rb.TunedRogueUCB(), (HORIZON,))
        for k in range(len(truth.arms)):
            intervals = quantiles(2.0 * found.n[:, 0, k] * found.of_theta[:, 0, k], arms)
            holds = holds and agree(intervals)
            shown = (str(interval) for interval in intervals)
            rows.append((family, str(k), *shown, "yes" if agree(intervals) else "no"))
    return Finding(
        "The law of the divergence",
        "Once x0 is forgotten an arm has one unknown, theta, and 2·n·(mean divergence of the truth from the fit) has, "
        "far out, the χ² law with one degree of freedom (Wilks), whose quantiles are in the heads of the columns. It "
        "is taken at the fit's own x0: what the first few rewards say of that does not shrink. Unlike Theorem 1's "
        "bound this can fail either way: a fit, a state or a sum that is wrong, or less than all of the information, "
        f"moves the quantiles. Arms drawn at random, {HORIZON:,} decisions, {people:,} people. If the program is "
        f"right, all of the intervals hold theirs with probability {1.0 - WRONGLY:.0%} or more.",
        ("family", "arm", *(f"{at:.0%}: {expected(at):.3f}" for at in QUANTILES), "as χ²"),
        rows,
        f"{sum(row[-1] == 'yes' for row in rows)} of {arms} arms have the quantiles of χ².",
        holds,
    )


def quantiles(values: Floats, arms: int) -> list[Interval]:
    """Those of one arm out of so many, with intervals so wide that WRONGLY is shared out among them all."""
    return [quantile(values, at, 1.0 - WRONGLY / (arms * len(QUANTILES))) for at in QUANTILES]


def agree(intervals: list[Interval]) -> bool:
    """Do they hold the quantiles of χ²?"""
    return all(interval.holds(expected(at)) for interval, at in zip(intervals, QUANTILES, strict=True))


def expected(at: float) -> float:
    """A quantile of χ² with one degree of freedom.

    >>> round(expected(0.95), 3)  # the square of 1.96 standard deviations
    3.841
    """
    return float(chi2.ppf(at, 1))
