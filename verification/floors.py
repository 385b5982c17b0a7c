"""Losses with a floor: how often it is found, and whether intervals hold the truth; and trials without one."""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from rogue_bandits.estimate.fit import Data, FitTask, fit_cohort
from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.ladder.result import ArmLadder
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.types import next_state
from verification.cohorts import Truth, sampled
from verification.estimates import share
from verification.finding import Finding

PEOPLE, DECISIONS, SENT = 3, 600, 0.5
LEVEL, THETA, WEIGHT = 0.95, -2.0, 4.0  # of intervals of shares; log odds are THETA + WEIGHT · x
LOWEST = 0.93  # coverage that is asked for
MOST_FALSE = 0.05  # floors that are claimed where there is none
NORMAL = Truth("gaussian", 0.6, 0.2, 0.2, drop=0.15, half_life=3.1)
NUMBERS = "mean of a rested arm", "cost of a first sending", "half-life"


class Floor(NamedTuple):
    """Dynamics whose state has a floor at 0, and is 1 when rested."""

    words: str
    dynamics: ClippedAffine


FLOORS = (
    Floor("cap of 2 sendings", ClippedAffine(0.8, -0.5, 0.2, 0.0, 1.0)),
    Floor("cap of 2.27 sendings", ClippedAffine(0.8, -0.44, 0.2, 0.0, 1.0)),
)


def floors(replicates: int, seed: int) -> Finding:
    """Check whether floors are found where they are, and not where they are not."""
    rows, right = list[tuple[str, ...]](), list[bool]()
    for k, one in enumerate(FLOORS):
        found = Parallel(n_jobs=-1)(delayed(fitted)(one.dynamics, [seed, k, i]) for i in range(replicates))
        clear = [ladder for ladder in found if ladder.cap]
        held = [sum(hits(ladder, one.dynamics)[j] for ladder in clear) for j in range(len(NUMBERS))]
        rates = [share(hit, max(len(clear), 1), LEVEL) for hit in held]
        right.append(bool(clear) and all(rate.hi >= LOWEST for rate in rates))
        rows.append((one.words, f"{len(clear)} of {replicates}", *(f"{hit} of {len(clear)}" for hit in held)))
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    claimed = sum(Parallel(n_jobs=-1)(delayed(claims_a_floor)([seed, 9, i]) for i in range(replicates)))
    right.append(share(claimed, replicates, LEVEL).lo <= MOST_FALSE)
    rows.append(("no floor, normal rewards", f"{claimed} of {replicates}", *["–"] * len(NUMBERS)))
    return Finding(
        "Losses with a floor",
        f"{PEOPLE} people × {DECISIONS} decisions with 0/1 rewards, sent with probability {SENT:g}; log odds are "
        f"{THETA:g} + {WEIGHT:g}x, x' = clip(0.8x + pull · sent + 0.2, 0, 1), so that the load of sendings has a cap "
        "of 1 / −pull. Without a floor: 37 people × 42 decisions, normal rewards, a half-life of 3.1 decisions. Where "
        "a floor is found, the 95 % intervals must hold what is true: the upper end of a "
        f"{LEVEL:.0%} interval of their coverage is at least {LOWEST:.0%}. Where there is none, one is claimed in at "
        f"most {MOST_FALSE:.0%} of trials, up to chance.",
        ("truth", "floor found", *(f"{name}: held" for name in NUMBERS)),
        rows,
        "Where a floor is found, intervals hold. Where it is missed they do not, which the report's limits say.",
        all(right),
    )  # fmt: skip


def fitted(dynamics: ClippedAffine, seed: list[int]) -> ArmLadder:
    """Return what `rogue fit` says of an arm of people with these dynamics."""
    rng, records = np.random.default_rng(seed), dict[str, dict[str, Record]]()
    for person in range(PEOPLE):
        played, rewards, x = (rng.random(DECISIONS) < SENT).astype(np.float64), np.full(DECISIONS, np.nan), 1.0
        for t in range(DECISIONS):
            if played[t]:
                rewards[t] = float(rng.random() < probability(x))
            x = next_state(dynamics, x, played[t])
        records[f"p{person}"] = {"app": Record(played, rewards)}
    return fit_cohort(Data(records), FitTask(("logit",), workers=1)).arms["app"]


def probability(x: float) -> float:
    """Return the mean reward in state x."""
    return 1.0 / (1.0 + math.exp(-THETA - WEIGHT * x))


def hits(ladder: ArmLadder, dynamics: ClippedAffine) -> list[bool]:
    """Return for each number whether the interval of the average person holds it."""
    rested, half_life = probability(1.0), math.log(0.5) / math.log(dynamics.decay)
    cost = rested - probability(next_state(dynamics, 1.0, 1.0))
    pairs = zip((ladder.fresh, ladder.drop, ladder.half_life), (rested, cost, half_life), strict=True)
    return [ends[0] <= truth <= ends[-1] for ends, truth in pairs]


def claims_a_floor(seed: list[int]) -> bool:
    """Return whether `rogue fit` finds a floor where there is none."""
    sample = sampled(NORMAL, 37, 42, np.random.default_rng(seed))
    data = Data({person: {"app": record} for person, record in sample.records.items()})
    return bool(fit_cohort(data, FitTask(("gaussian",), workers=1)).arms["app"].cap)
