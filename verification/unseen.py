"""Fits, divergences and upper bounds against brute force, on random cases that were never used in development."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from joblib import Parallel, delayed

from tests.belief import test_against_brute_force as brute
from verification.finding import Finding

CHECKS: dict[str, Callable[[int], None]] = {
    "log-likelihood at the fit, to 1e-6": brute.test_the_fit_is_the_global_maximum,
    "divergence, to 1e-9": brute.test_the_divergence_is_the_sum_over_the_history,
    "upper bound, tuned radius as printed, to 1e-6": partial(
        brute.test_the_upper_bound_inside_the_tuned_radius, variant="paper"
    ),
    "upper bound, tuned radius corrected, to 1e-6": partial(
        brute.test_the_upper_bound_inside_the_tuned_radius, variant="corrected"
    ),
    "upper bound, the theorem's radius scaled down, to 1e-6": (
        brute.test_the_upper_bound_inside_the_radius_of_the_theorem
    ),
}


def unseen_cases(first: int, cases: int) -> Finding:
    """Run the checks of the tests on seeds from `first` on."""
    seeds = range(first, first + cases)
    failed: Any = Parallel(n_jobs=-1)(delayed(failures)(seed) for seed in seeds)
    rows = []
    for name in CHECKS:
        wrong = [str(seed) for seed, names in zip(seeds, failed, strict=True) if name in names]
        rows.append((name, f"{cases:,}", str(len(wrong)), ", ".join(wrong[:10]) or "–"))
    total = sum(len(names) for names in failed)
    return Finding(
        "Brute force on unseen cases",
        "Random arms and histories (`tests/belief/cases.py`), each compared with branch and bound over the whole "
        f"history (`tests/oracles`). Seeds {seeds.start:,} to {seeds.stop - 1:,}.",
        ("comparison", "cases", "failed", "their seeds"),
        rows,
        f"{total:,} of {cases * len(CHECKS):,} comparisons failed.",
        total == 0,
    )


def failures(seed: int) -> list[str]:
    """Return the checks that fail on this case."""
    wrong = []
    for name, check in CHECKS.items():
        try:
            check(seed)
        except AssertionError:
            wrong.append(name)
    return wrong
