"""How much better one model predicts than another, and from where on that is clear."""

from __future__ import annotations

import math
from collections.abc import Iterable

from rogue_bandits.estimate.ladder.compare import CLEAR, FEW_PEOPLE, ROUNDING
from rogue_bandits.estimate.ladder.panel import FOLDS
from rogue_bandits.estimate.ladder.result import ArmLadder
from rogue_bandits.numerics.student import student_from_normal


def margin(by: float, error: float) -> str:
    """Return a difference of log-likelihoods a reward with its standard error.

    >>> margin(0.0123, 0.004), margin(-0.0000123, 0.00002)
    ('+0.0123 ± 0.0040', '−0.000012 ± 0.000020')
    >>> margin(7e-18, 1.4e-17)  # of models that are the same
    '+0.0000 ± 0.0000'
    """
    digits = max(4, 1 - math.floor(math.log10(error))) if ROUNDING < error < math.inf else 4
    return f"{by:+.{digits}f} ± {error:.{digits}f}".replace("-", "−")


def needed(ladder: ArmLadder) -> float:
    """Return how many standard errors make a difference clear: more where few people, or blocks, are the sample."""
    n = ladder.people
    if n < FEW_PEOPLE:
        n = sum(min(FOLDS, person.rewards) for person in ladder.persons.values())
    return student_from_normal(CLEAR, n - 1.0) if n > 1 else math.inf


def standard_errors(ladders: Iterable[ArmLadder]) -> str:
    """Return how many standard errors make a difference clear, over all arms."""
    found = sorted({f"{needed(ladder):.1f}" for ladder in ladders})
    return found[0] if len(found) == 1 else f"{found[0]} to {found[-1]}"


def margins_explained(ladders: Iterable[ArmLadder]) -> str:
    """Return what numbers with ± are."""
    return (
        "Numbers with ± say how much better (+) or worse (−) than a constant a model predicts a new reward, as a "
        f"difference of log-likelihoods with its standard error; beyond {standard_errors(ladders)} standard errors it "
        "is clear"
    )
