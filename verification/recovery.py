"""Are the numbers of people found again? Bias and coverage of the intervals, for people who are known."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

import rogue_bandits as rb
from rogue_bandits.cohort.fit import fit_cohort
from rogue_bandits.cohort.fitted import ArmFit
from rogue_bandits.cohort.intervals import DYNAMICS
from verification.finding import Finding
from verification.people import Known, lived

TRUE = rb.ClippedAffine(decay=0.8, pull=-0.25, drift=0.16)  # rests at 0.8, recovers by half in 3 decisions
CROWD = 20  # people who share their dynamics
LEAST_COVERAGE = 0.9  # short of 95 %, which holds far out: with few rewards and kinks the approach is slow


def recovery(people: int, seed: int) -> Finding:
    """Bias, spread and coverage of each number by the length of a record, for dynamics of one's own and shared."""
    rows, shares, short = [], [], 0
    for pool, decisions in (("person", 140), ("person", 560), ("arm", 140)):
        known = [lived(TRUE, decisions, 1_000 * seed + i) for i in range(people)]
        fits = fitted(known, pool)
        n = np.mean([fit.n for fit in fits])
        for name in known[0].numbers():
            true = np.array([k.numbers()[name] for k in known])
            errors = np.array([number(fit, name) for fit in fits]) - true
            ends = np.array([fit.intervals[name] for fit in fits])
            held = float(np.mean((ends[:, 0] <= true) & (true <= ends[:, 1])))
            shown = (f"{errors.mean():+.3f}", f"{np.median(errors):+.3f}", f"{errors.std():.3f}")
            # People of one group have the same dynamics: they count once.
            cases = math.ceil(people / CROWD) if pool == "arm" and name in DYNAMICS else people
            stderr = math.sqrt(LEAST_COVERAGE * (1.0 - LEAST_COVERAGE) / cases)
            short += held < LEAST_COVERAGE - 2.0 * stderr
            rows.append((pool, f"{n:.0f}", name, f"{cases:,}", *shown, f"{np.diff(ends).mean():.3f}", f"{held:.0%}"))
            shares.append(held)
    return Finding(
        "Recovery of known numbers",
        f"{people:,} simulated people with decay {TRUE.decay}, pull {TRUE.pull}, drift {TRUE.drift}, and an x0 and a "
        "theta of their own; arms drawn at random out of 5. Pool 'person': each fitted alone. Pool 'arm': in groups "
        f"of {CROWD} that share their dynamics. Far out, a 95 % profile-likelihood interval holds the truth in 95 % of "
        "cases; with few rewards the noise is fitted too (theta comes out low) and it holds it less often.",
        (
            "pool",
            "rewards",
            "number",
            "cases",
            "mean error",
            "median error",
            "standard deviation",
            "mean width",
            "coverage",
        ),
        rows,
        f"The intervals hold the truth in {min(shares):.0%} to {max(shares):.0%} of cases. Asked for: none short of "
        f"{LEAST_COVERAGE:.0%} by more than 2 standard errors.",
        short == 0,
    )


def fitted(known: Sequence[Known], pool: str) -> list[ArmFit]:
    """The fit of each; shared dynamics in groups."""
    size = CROWD if pool == "arm" else len(known)
    found = []
    for first in range(0, len(known), size):
        group = {str(i): {"arm": k.record} for i, k in enumerate(known[first : first + size])}
        found += [arms["arm"] for arms in fit_cohort(group, pool=pool).people.values()]
    return found


def number(fit: ArmFit, name: str) -> float:
    """A number of a fit by its name."""
    return float(getattr(fit.dynamics, name) if hasattr(fit.dynamics, name) else getattr(fit, name))
