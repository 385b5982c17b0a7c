"""Are the numbers of people found again? Bias and coverage of the intervals, for people who are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import rogue_bandits as rb
from rogue_bandits.estimate.families.agent import AGENT
from rogue_bandits.estimate.fit import Task, fit_cohort
from rogue_bandits.estimate.fitted import ArmFit
from verification.estimates import LEVEL, share
from verification.finding import Finding
from verification.people import Known, lived

TRUE = rb.ClippedAffine(decay=0.8, pull=-0.25, drift=0.16)  # rests at 0.8, recovers by half in 3 decisions
CROWD = 20  # people who share their dynamics
NOMINAL = 0.95  # what the intervals say of themselves
HEADINGS = (
    "pool", "rewards", "number", "cases", "mean error", "median error", "standard deviation", "mean width", "coverage",
    f"of the nominal {NOMINAL:.0%}",
)  # fmt: skip


def recovery(people: int, seed: int) -> Finding:
    """Bias, spread and coverage of each number by the length of a record, for dynamics of one's own and shared."""
    rows, verdicts = [], []
    for pool, decisions in (("person", 140), ("person", 560), ("arm", 140)):
        known = [lived(TRUE, decisions, 1_000 * seed + i) for i in range(people)]
        fits = fitted(known, pool)
        n = np.mean([fit.n for fit in fits])
        for name in known[0].numbers():
            true = np.array([k.numbers()[name] for k in known])
            errors = np.array([fit.numbers()[name] for fit in fits]) - true
            ends = np.array([fit.intervals[name] for fit in fits])
            # People of one group have the same dynamics: they count once.
            once = slice(None, None, CROWD if pool == "arm" and name in AGENT.unknowns else 1)
            held = ((ends[:, 0] <= true) & (true <= ends[:, 1]))[once]
            coverage = share(int(held.sum()), held.size)
            shown = (f"{errors.mean():+.3f}", f"{np.median(errors):+.3f}", f"{errors.std():.3f}")
            verdicts.append(coverage.holds(NOMINAL))
            rows.append((
                pool, f"{n:.0f}", name, f"{held.size:,}", *shown, f"{np.diff(ends).mean():.3f}", str(coverage),
                "holds" if verdicts[-1] else "does not hold",
            ))  # fmt: skip
    return Finding(
        "Recovery of known numbers",
        f"{people:,} simulated people with decay {TRUE.decay}, pull {TRUE.pull}, drift {TRUE.drift}, and an x0 and a "
        "theta of their own; arms drawn at random out of 5. Pool 'person': each fitted alone. Pool 'arm': in groups "
        f"of {CROWD} that share their dynamics. The intervals are profile-likelihood intervals whose nominal coverage "
        f"is {NOMINAL:.0%}; that they reach it is proved only far out, for many rewards and smooth likelihoods. A row "
        f"holds if the {LEVEL:.0%} interval of its observed coverage holds {NOMINAL:.0%}: of rows that are right, one "
        "in a hundred at most does not, and one with few cases can hardly fail.",
        HEADINGS,
        rows,
        f"{sum(verdicts)} of {len(verdicts)} rows hold.",
        all(verdicts),
    )


def fitted(known: Sequence[Known], pool: str) -> list[ArmFit]:
    """The fit of each; shared dynamics in groups."""
    size = CROWD if pool == "arm" else len(known)
    found = []
    for first in range(0, len(known), size):
        group = {str(i): {"arm": k.record} for i, k in enumerate(known[first : first + size])}
        found += [arms["arm"] for arms in fit_cohort(group, Task(pool)).people.values()]
    return found
