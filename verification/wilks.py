"""The distribution of the divergence of the truth from the fit (Wilks' theorem)."""

from __future__ import annotations

from scipy.stats import chi2

import rogue_bandits as rb
from rogue_bandits.types import Floats
from verification.estimates import Interval, quantile
from verification.finding import Finding
from verification.replay import replay
from verification.scenarios import AGENTS, LOGISTIC, NORMAL

HORIZON = 10_000
TRUTHS = {"logistic": LOGISTIC, "Gaussian": NORMAL, "agent": AGENTS}
QUANTILES = (0.5, 0.9, 0.99)
ERROR_RATE = 0.01  # of all intervals together


def wilks(people: int, seed: int) -> Finding:
    """Compare twice the divergence of the truth from the fit with χ² with one degree of freedom."""
    rows, holds = [], True
    arms = sum(len(truth.arms) for truth in TRUTHS.values())
    for family, truth in TRUTHS.items():
        trace = rb.simulate(truth, rb.Random(), HORIZON, people, seed, workers=-1)
        found = replay(trace, rb.TunedRogueUCB(), (HORIZON,))
        for k in range(len(truth.arms)):
            intervals = quantiles(2.0 * found.n[:, 0, k] * found.of_theta[:, 0, k], arms)
            holds = holds and agree(intervals)
            shown = (str(interval) for interval in intervals)
            rows.append((family, str(k), *shown, "yes" if agree(intervals) else "no"))
    return Finding(
        "The distribution of the divergence",
        "Once the state no longer depends on x0, an arm has one unknown, theta, and 2·n·(mean divergence of the truth "
        "from the fit) is asymptotically χ² with one degree of freedom (Wilks), whose quantiles head the columns. "
        "The divergence is taken at the fitted x0, because the contribution of x0 does not vanish. Unlike a bound's "
        "coverage this check is two-sided: an error in a fit, a state or a sum, or lost information, moves the "
        f"quantiles. Random choices, {HORIZON:,} decisions, {people:,} people. If the software is correct, all "
        f"intervals contain their quantile with probability {1.0 - ERROR_RATE:.0%} or more.",
        ("family", "arm", *(f"{at:.0%}: {expected(at):.3f}" for at in QUANTILES), "as χ²"),
        rows,
        f"{sum(row[-1] == 'yes' for row in rows)} of {arms} arms have the quantiles of χ².",
        holds,
    )


def quantiles(values: Floats, arms: int) -> list[Interval]:
    """Return the quantiles of one of the arms, with intervals for a joint error rate of ERROR_RATE (Bonferroni)."""
    return [quantile(values, at, 1.0 - ERROR_RATE / (arms * len(QUANTILES))) for at in QUANTILES]


def agree(intervals: list[Interval]) -> bool:
    """Return whether all intervals contain the quantiles of χ²."""
    return all(interval.contains(expected(at)) for interval, at in zip(intervals, QUANTILES, strict=True))


def expected(at: float) -> float:
    """Return a quantile of χ² with one degree of freedom.

    >>> round(expected(0.95), 3)  # the square of 1.96 standard deviations
    3.841
    """
    return float(chi2.ppf(at, 1))
