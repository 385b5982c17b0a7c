"""What users are given by likelihood ratios, upper bounds and intervals of a fit: coverage under the plays of policies.

Histories are cut out of simulations and passed to the functions that users call; states are computed here, by hand.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from joblib import Parallel, delayed

import rogue_bandits as rb
from rogue_bandits.types import mean
from verification.estimates import share
from verification.finding import Finding
from verification.inside import ALPHA
from verification.radii import AT_BOUNDS, NO_PLAN, PLANS, POLICIES
from verification.scenarios import AGENTS, LOGISTIC, NORMAL

LOOKS = (1, 3, 10, 30, 100, 300)  # rewards of an arm after which its intervals are asked for
ROUNDING = 1e-7
ENOUGH = 30  # rewards, for the width to say something
WIDEST = 0.98
NOTHING = 1e-300  # an alpha at which next to nothing is excluded
# Rewards tell x0 well, and theta not at all: regions are narrow.
KNOWN_WELL = rb.Truth(
    [rb.Arm(rb.ClippedAffine(1.0, -0.0002, 0.0001), rb.Gaussian(1.0, 5.0, 0.3), -0.1, 0.1) for _ in range(2)],
    theta=[0.05, -0.02],
    x0=[0.11, 0.17],
)
WELL = "x0 known well"
UNBOUNDED = "normal", WELL  # policies for rewards within bounds are left out
TRUTHS = {"logistic": LOGISTIC, "normal": NORMAL, "agent": AGENTS, "decay 1, at bounds": AT_BOUNDS, WELL: KNOWN_WELL}
HORIZON = {"logistic": 1_000, "normal": 1_000, "agent": 1_000, "decay 1, at bounds": 150, WELL: 60}


def coverage_of_intervals(people: int, seed: int) -> Finding:
    """Check how often the intervals of a fit and the upper bound hold at all looks at once."""
    rows, holds = [], True
    for world, truth in TRUTHS.items():
        for name, policy in POLICIES.items():
            if (name in PLANS and world in (*NO_PLAN, WELL)) or (hasattr(policy, "reward_lo") and world in UNBOUNDED):
                continue
            trace = rb.simulate(truth, policy, HORIZON[world], people, seed, workers=-1)
            every: Any = Parallel(n_jobs=-1)(delayed(arms_of)(trace, person) for person in range(people))
            arms = [arm for person in every for arm in person]
            inside, widths = np.array([held for held, _, _ in arms]), [width for _, width, n in arms if n >= ENOUGH]
            found = [share(int(column.sum()), len(column)) for column in (*inside.T, inside.all(axis=1))]
            width = float(np.median(widths)) if widths else math.nan
            holds = holds and found[-1].hi >= 1.0 - ALPHA and not width > WIDEST
            cells = *(f"{one.value:.3f}" for one in found), "–" if math.isnan(width) else f"{width:.2f}"
            rows.append((world, name, f"{len(inside):,}", *cells))
    return Finding(
        "Coverage of the intervals of a fit, for adaptive plays",
        f"Whether `rb.fit_intervals` contains theta, x0 and the mean of the next reward, and `rb.upper_bound` with the "
        f"likelihood-ratio radius is not below that mean, at all looks at once: after {', '.join(map(str, LOOKS))} "
        f"rewards of an arm, α = {ALPHA:g}. The width is the median, over arms with {ENOUGH} rewards or more, of the "
        f"mean's interval at the last look, as a share of that at α = {NOTHING:g}, which excludes little. Criterion: "
        f"no 99 % interval of the coverage of all four together is below {1.0 - ALPHA:g}, and no width above "
        f"{WIDEST:g}: intervals that exclude nothing would cover too.",
        ("arms", "plays of", "arms seen", "theta", "x0", "mean", "upper bound", "all", "width"),
        rows,
        "They hold under the plays of every policy." if holds else "Not so.",
        holds,
    )


def arms_of(trace: rb.Trace, person: int) -> list[tuple[list[bool], float, int]]:
    """Return for each arm of a person what `held_at_all_looks` says."""
    return [held_at_all_looks(trace, person, k) for k in range(len(trace.truth.arms))]


def held_at_all_looks(trace: rb.Trace, person: int, k: int) -> tuple[list[bool], float, int]:
    """Return whether theta, x0, mean and upper bound held after every number of rewards in LOOKS.

    With it the width of the mean's interval at the last look, and the number of rewards then.
    """
    truth, played = trace.truth, trace.arm[person] == k
    arm, theta, x0 = truth.arms[k], float(truth.theta[k]), float(truth.x0[k])
    seen, held, width, looked = np.flatnonzero(played), [True] * 4, math.nan, 0
    for n in LOOKS:
        if n > seen.size:
            break
        end = int(seen[n - 1]) + 1
        plays = played[:end].astype(np.float64).tolist()
        rewards = np.where(played[:end], trace.reward[person, :end], math.nan).tolist()
        found = rb.fit_intervals(arm, plays, rewards, ALPHA)
        bound = rb.upper_bound(arm, plays, rewards, rb.LikelihoodRatioRadius(ALPHA))
        now = float(mean(arm.rewards, theta, state_after(arm.dynamics, x0, plays)))
        ends = (*zip(found, (theta, x0, now), strict=True), ((-math.inf, bound), now))
        held = [h and lo - ROUNDING <= at <= hi + ROUNDING for h, ((lo, hi), at) in zip(held, ends, strict=True)]
        if n >= ENOUGH:
            low, high = rb.fit_intervals(arm, plays, rewards, NOTHING).mean
            width, looked = (found.mean[1] - found.mean[0]) / (high - low), n
    return held, width, looked


def state_after(d: rb.ClippedAffine, x0: float, plays: Any) -> float:
    """Return the state after these plays and rests.

    >>> state_after(rb.ClippedAffine(0.5, -1.0, 0.25), 1.0, [0.0, 1.0])
    0.0
    """
    x = x0
    for played in plays:
        x = min(max(d.decay * x + d.pull * played + d.drift, d.lo), d.hi)
    return x
