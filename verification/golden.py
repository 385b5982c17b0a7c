"""The decisions of all recorded runs, repeated."""

from __future__ import annotations

from collections import Counter

from joblib import Parallel, delayed

from tests.policies.golden import Case, decisions, long_cases, recorded, short_cases
from verification.finding import Finding


def golden_decisions(part: float) -> Finding:
    """Check the decisions of every policy × family × dynamics, or of this part of the runs, compiled."""
    cases, before = [*short_cases(), *long_cases()][:: max(1, round(1.0 / part))], recorded()
    same: list[bool] = Parallel(n_jobs=-1)(delayed(is_same)(case, before[case.name]) for case in cases)
    made, wrong = Counter[str](), Counter[str]()
    for case, equal in zip(cases, same, strict=True):
        policy = case.name.removeprefix("long/").partition("/")[0]
        made[policy] += 1
        wrong[policy] += not equal
    changed = [case.name for case, equal in zip(cases, same, strict=True) if not equal]
    return Finding(
        "Recorded decisions",
        "The decisions of seeded runs of every policy × family × dynamics (`tests/policies/golden.py`) are those that "
        "were recorded.",
        ("policy", "runs", "changed"),
        [(policy, str(made[policy]), str(wrong[policy])) for policy in made],
        f"Changed: {', '.join(changed) or 'none'}.",
        not changed,
    )


def is_same(case: Case, before: list[str]) -> bool:
    """Return whether a case gives the same decisions."""
    return decisions(case) == before
