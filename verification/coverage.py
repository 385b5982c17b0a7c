"""Coverage of the tuned regions at checkpoints: how often they contain the truth."""

from __future__ import annotations

import math

import numpy as np

import rogue_bandits as rb
from verification.finding import Finding
from verification.replay import replay
from verification.scenarios import LOGISTIC

CHECKPOINTS = (50, 200, 1_000, 5_000, 20_000)
LEAST_CORRECTED, MOST_PRINTED = 0.99, 0.1  # coverage of the corrected radius always, of the printed one at the end


def tuned_radius(people: int, seed: int) -> Finding:
    """Check how often the truth is inside the tuned radius, beside the coverage for a normally distributed fit."""
    trace = random_choices(people, seed)
    rows, holds, inside = [], True, 1.0
    for variant in ("paper", "corrected"):
        found = replay(trace, rb.TunedRogueUCB(variant=variant), CHECKPOINTS)
        for c, t in enumerate(CHECKPOINTS):
            inside = float((found.normalised_divergence[:, c] <= 1.0).mean())
            expected = float(np.mean([normal_coverage(n, t + 1, variant) for n in found.n[:, c].ravel()]))
            rows.append((variant, f"{t:,}", f"{inside:.4f}", f"{expected:.4f}"))
            if variant == "corrected":
                holds = holds and inside >= LEAST_CORRECTED
        if variant == "paper":
            holds = holds and inside <= MOST_PRINTED
    return Finding(
        "The tuned radius: coverage",
        "For one parameter and many rewards the tuned region is an interval of 2√(log t / n) standard errors about the "
        "fit as printed, and of 2√(log t) corrected; the last column is its coverage for a normally distributed fit. "
        f"Two logistic arms, random choices, {people:,} people.",
        ("variant", "decisions", "coverage", "if the fit is normal"),
        rows,
        f"As printed, the coverage falls with the number of rewards, to less than {MOST_PRINTED:.0%} at the end, and "
        "below that for a normal fit, since the contribution of x0 to the divergence does not shrink. "
        f"Corrected, the coverage at these five times, for random choices, is above {LEAST_CORRECTED:.0%}.",
        holds,
    )


def normal_coverage(n: float, t: int, variant: str) -> float:
    """Return P(|Z| ≤ 2√(log t / n)) as printed, P(|Z| ≤ 2√(log t)) corrected.

    >>> round(normal_coverage(100, 100, "paper"), 3), round(normal_coverage(100, 100, "corrected"), 3)
    (0.332, 1.0)
    """
    width = 2.0 * math.sqrt(math.log(t) / (max(n, 1.0) if variant == "paper" else 1.0))
    return math.erf(width / math.sqrt(2.0))


def random_choices(people: int, seed: int) -> rb.Trace:
    """Simulate plays that do not depend on rewards."""
    return rb.simulate(LOGISTIC, rb.Random(), CHECKPOINTS[-1], people, seed, workers=-1)
