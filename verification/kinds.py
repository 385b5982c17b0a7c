"""Prior probabilities that plays have no effect, or that nothing recovers: what they gain, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import rogue_bandits as rb
from rogue_bandits.experiments.health.cohort import drawn
from rogue_bandits.experiments.health.settings import HealthSettings
from rogue_bandits.types import Floats
from verification.finding import Finding
from verification.gains import (
    Learner,
    expected_rewards,
    mean_of,
    percent,
    ratio,
    reference,
    same,
    share_of,
    traces,
    with_prior,
)
from verification.wrong_priors import stationary

HORIZON, REPLICATES = 1_000, 4
PROBABILITIES = (0.0, 0.05, 0.2)
MOST = 1.5  # × the regret of Thompson sampling that knows that nothing wears out


def kinds(still: int, people: int, seed: int) -> Finding:
    """Compare prior probabilities on stationary arms and in the experiment on physical activity."""
    truths, active = stationary(still, seed), drawn(HealthSettings(people=people, people_as_of="0.1.0"))
    of, known = reference(active, HORIZON, seed), regret(truths, rb.RogueTS(), seed, same)
    rows, within = [("Thompson sampling, stationary", *of_regret(known, known), "")], False
    for name, prior in priors().items():
        lost = regret(truths, rb.IndexTS(), seed, with_prior(**prior))
        earned = expected_rewards(active, rb.IndexTS(), HORIZON, seed, with_prior(**prior), REPLICATES)
        rows.append((name, *of_regret(lost, known), percent(share_of(earned.mean(axis=1), of))))
        within = within or (prior == {} and ratio(lost, known).value <= MOST)
    return Finding(
        "Unknown dynamics: the probability of no effect",
        f"Stationary arms: {still} people, five arms whose levels never change, tracking regret of index-ts after "
        f"{HORIZON:,} decisions, beside that of Thompson sampling that knows this (`rogue-ts` with decay 1 and pull "
        f"0). Physical activity: {people} people, {REPLICATES} replicates of each, the share of (best plan − random). "
        "With standard errors over people. "
        f"Asked for: `rb.Unknown()` is within {MOST} × the regret of Thompson sampling.",
        ("prior", "regret, stationary", "÷ Thompson sampling", "share, physical activity"),
        rows,
        f"`rb.Unknown()` is {'within' if within else 'above'} {MOST} × the regret of Thompson sampling.",
        within,
    )


def priors() -> dict[str, dict[str, Any]]:
    """Return the arguments of `Unknown`, by what is shown; the default first."""
    listed: dict[str, dict[str, Any]] = {"Unknown()": {}}
    for p in PROBABILITIES:
        listed[f"no_effect {p:g}, no_recovery 0"] = {"no_effect": p, "no_recovery": 0.0}
    for p in PROBABILITIES[1:]:
        listed[f"no_effect {p:g}, no_recovery {p:g}"] = {"no_effect": p, "no_recovery": p}
    return listed


def regret(truths: Sequence[rb.Truth], policy: Any, seed: int, learner: Learner) -> Floats:
    """Return the tracking regret at the end: [people]."""
    return np.array([one.tracking_regret()[0, -1] for one in traces(truths, policy, HORIZON, seed, learner)])


def of_regret(lost: Floats, known: Floats) -> tuple[str, str]:
    """Return the mean regret and its ratio to another, with standard errors."""
    mean, times = mean_of(lost), ratio(lost, known)
    return f"{mean.value:.2f} ± {mean.error:.2f}", f"{times.value:.2f} ± {times.error:.2f}"
