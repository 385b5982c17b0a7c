"""What a decision costs where states are never clipped, so that x0 is forgotten by decay alone.

Later spans show whether the cost grows after x0 is forgotten: the evidence does not, but the share of decisions in
which two upper bounds are too close to be told apart without computing them does (docs/decisions/0005-elimination.md).
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.measure import computing
from benchmarks.results import Requirement
from rogue_bandits import Arm, BernoulliLogit, ClippedAffine, EpsilonRogue, Truth, TunedRogueUCB, simulate

DECAYS = (0.8, 0.9, 0.95, 0.98)
POLICIES: dict[str, Any] = {
    "tuned-rogue-ucb": TunedRogueUCB(),
    "tuned-rogue-ucb, corrected": TunedRogueUCB(variant="corrected"),
    "epsilon-rogue": EpsilonRogue(),
}
HORIZONS, QUICK_HORIZONS = (4_000, 8_000, 16_000), (500, 1_000)
SEEDS = (1, 2, 3)
LIMIT = 20.0  # µs


def never_clipped(decay: float) -> Truth:
    """Two logistic arms whose states stay far from their bounds, slower the closer `decay` is to 1."""
    pace = 1.0 - decay
    families = (BernoulliLogit(0.4, 0.6), BernoulliLogit(0.7, 0.3))
    arms = [
        Arm(ClippedAffine(decay, pull * pace, 0.5 * pace, lo=-10.0, hi=10.0), family)
        for pull, family in zip((-1.0, -1.2), families, strict=True)
    ]
    return Truth(arms, [0.5, 0.7], [0.1, 0.3])


def seconds_to(truth: Truth, policy: Any, horizon: int) -> float:
    """Seconds of a simulation of one person, the mean over seeds."""
    run = partial(simulate, truth, policy, horizon=horizon, people=1)
    return float(np.mean([computing(partial(run, seed=seed)) for seed in SEEDS]))


def span_costs(truth: Truth, policy: Any, horizons: tuple[int, ...]) -> list[float]:
    """Seconds a decision from each horizon to the next: a longer simulation begins as a shorter one does."""
    simulate(truth, policy, horizon=10, people=1, seed=0)  # compiles
    totals = [seconds_to(truth, policy, h) for h in horizons]
    return [
        (late - early) / (b - a) for (a, b), (early, late) in zip(pairwise(horizons), pairwise(totals), strict=True)
    ]


def forgetting_requirements(quick: bool) -> list[Requirement]:
    """Microseconds a decision over spans that begin when x0 is forgotten (1,730 decisions at a decay of 0.98)."""
    horizons = QUICK_HORIZONS if quick else HORIZONS
    return [
        Requirement(f"{name}, decay {decay}, decisions {a:,}–{b:,}", 1e6 * cost, LIMIT, "µs")
        for name, policy in POLICIES.items()
        for decay in DECAYS
        for (a, b), cost in zip(pairwise(horizons), span_costs(never_clipped(decay), policy, horizons), strict=True)
    ]
