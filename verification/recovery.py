"""Bias of the fits of a cohort and coverage of their intervals, for simulated people."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import rogue_bandits as rb
from rogue_bandits.estimate.families.agent import AGENT
from rogue_bandits.estimate.fit import Task, fit_cohort
from rogue_bandits.estimate.fitted import ArmFit
from verification.estimates import LEVEL, share
from verification.finding import Finding
from verification.people import SimulatedArm, simulated_arm

TRUE = rb.ClippedAffine(decay=0.8, pull=-0.25, drift=0.16)  # rests at 0.8, recovers by half in 3 decisions
GROUP = 20  # people who share their dynamics
NOMINAL = 0.95  # coverage
HEADINGS = (
    "pool", "rewards", "parameter", "cases", "mean error", "median error", "standard deviation", "mean width",
    "coverage", f"nominal {NOMINAL:.0%}",
)  # fmt: skip


def recovery(people: int, seed: int) -> Finding:
    """Check bias, spread and coverage of each parameter by the length of a record, for separate and shared dynamics."""
    rows, verdicts = [], []
    for pool, decisions in (("person", 140), ("person", 560), ("arm", 140)):
        known = [simulated_arm(TRUE, decisions, 1_000 * seed + i) for i in range(people)]
        fits = fitted(known, pool)
        n = np.mean([fit.n for fit in fits])
        for name in known[0].numbers():
            true = np.array([k.numbers()[name] for k in known])
            errors = np.array([fit.numbers()[name] for fit in fits]) - true
            ends = np.array([fit.intervals[name] for fit in fits])
            # People of one group have the same dynamics: they count once.
            once = slice(None, None, GROUP if pool == "arm" and name in AGENT.unknowns else 1)
            held = ((ends[:, 0] <= true) & (true <= ends[:, 1]))[once]
            coverage = share(int(held.sum()), held.size)
            shown = (f"{errors.mean():+.3f}", f"{np.median(errors):+.3f}", f"{errors.std():.3f}")
            verdicts.append(coverage.contains(NOMINAL))
            rows.append((
                pool, f"{n:.0f}", name, f"{held.size:,}", *shown, f"{np.diff(ends).mean():.3f}", str(coverage),
                "holds" if verdicts[-1] else "does not hold",
            ))  # fmt: skip
    return Finding(
        "Recovery of known parameters",
        f"{people:,} simulated people with decay {TRUE.decay}, pull {TRUE.pull}, drift {TRUE.drift}, and an x0 and a "
        "theta of their own; one of 5 arms chosen at random. Pool 'person': each fitted alone. Pool 'arm': in groups "
        f"of {GROUP} that share their dynamics. The intervals are profile-likelihood intervals whose nominal coverage "
        f"is {NOMINAL:.0%}, which is proved only asymptotically and for smooth likelihoods. A row holds if the "
        f"{LEVEL:.0%} interval of its observed coverage contains {NOMINAL:.0%}: the error rate of a row is at most one "
        "in a hundred, and the power of a row with few cases is low.",
        HEADINGS,
        rows,
        f"{sum(verdicts)} of {len(verdicts)} rows hold.",
        all(verdicts),
    )


def fitted(known: Sequence[SimulatedArm], pool: str) -> list[ArmFit]:
    """Return the fit of each; shared dynamics in groups."""
    size = GROUP if pool == "arm" else len(known)
    found = []
    for first in range(0, len(known), size):
        group = {str(i): {"arm": k.record} for i, k in enumerate(known[first : first + size])}
        found += [arms["arm"] for arms in fit_cohort(group, Task(pool)).people.values()]
    return found
