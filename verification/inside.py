"""Replay simulated plays, and ask every radius after every reward: is the truth inside, and how wide is it?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import rogue_bandits as rb
from rogue_bandits.belief.contract import (
    ONLINE_EVALUATIONS,
    advance,
    empty_belief,
    fit,
    log_likelihood,
    observe,
    region,
    rewards_count,
    ticket,
    with_places,
)
from rogue_bandits.belief.radius import LikelihoodRule, RadiusRule, rule_for
from rogue_bandits.belief.region import mean_at_fit, normalised_divergence
from rogue_bandits.belief.upper_bound import upper_bound_of
from rogue_bandits.compile.laws import kernel
from rogue_bandits.types import Floats, Ints, Problem

ALPHA = 0.05
NUMBERS: Mapping[str, Any] = {  # radii that are numbers, and share a kernel
    "Theorem 1": rb.TheoremRadius(),
    "adaptive": rb.AdaptiveRadius(ALPHA),
    "Hellinger": rb.HellingerRadius(ALPHA),
    "tuned, as printed": rb.TunedRadius(),
    "tuned, corrected": rb.TunedRadius(variant="corrected"),
}
LIKELIHOOD = "likelihood ratio"
RADII: Mapping[str, Any] = {**NUMBERS, LIKELIHOOD: rb.LikelihoodRatioRadius(ALPHA)}
PROVEN = ("Theorem 1", "adaptive", "Hellinger", LIKELIHOOD)  # Theorem 1 at each decision, the others at all at once
ROUNDING = 1e-9  # of the radius


class Asked(NamedTuple):
    """What was found, radius by radius, the likelihood ratio last."""

    needed: Floats  # [people, arms, radii]: the least multiple of the radius that has the truth inside at every reward
    width: Floats  # [people, counts, radii]: upper bound minus mean at the fit, of arm 0 after so many rewards
    largest: Floats  # [people, counts]: the largest width there is, that of a radius that excludes nothing
    beta: Floats  # [people, counts]: how much less likely than the fit points of the likelihood region may be


def asked(trace: rb.Trace, counts: Sequence[int] = ()) -> Asked:
    """Replay a trace; widths after these numbers of rewards of the first arm."""
    people, horizon = trace.arm.shape
    arms = list(trace.truth.arms)
    belief = empty_belief(Problem(tuple(arms)), people, ONLINE_EVALUATIONS)
    belief = belief._replace(personal=with_places(belief.personal, horizon + 1))
    rules = np.array([[rule_for(radius, arm) for radius in NUMBERS.values()] for arm in arms])
    found = Asked(
        np.zeros((people, len(arms), len(RADII))),
        np.full((people, max(1, len(counts)), len(RADII)), np.nan),
        np.full((people, max(1, len(counts))), np.nan),
        np.full((people, max(1, len(counts))), np.nan),
    )
    truth = np.array([trace.truth.theta, trace.truth.x0])
    likelihood = LikelihoodRule(-math.log(ALPHA))
    at = np.array(counts or [-1], dtype=np.int64)
    ask(belief, trace.arm, trace.reward, truth, rules, likelihood, at, found)
    return found


@kernel
def ask(
    belief: Any, arm: NDArray[np.int16], reward: Floats, truth: Floats, rules: Floats, likelihood: LikelihoodRule,
    counts: Ints, found: Asked,
) -> None:  # fmt: skip
    """Play and learn all decisions of all people, and ask every radius after each reward."""
    for person in range(arm.shape[0]):
        for t in range(arm.shape[1]):
            k = int(arm[person, t])
            token = ticket(belief, person, k)
            for j in range(truth.shape[1]):
                advance(belief, person, j, 1.0 if j == k else 0.0)
            observe(belief, person, k, token, reward[person, t])
            x0 = truth[1:2, k]
            log_t = math.log(t + 2.0)
            needed = found.needed[person, k]
            for m in range(rules.shape[1]):
                g = region(belief, person, k, rule_of(rules[k, m]), log_t)
                needed[m] = max(needed[m], normalised_divergence(g, truth[0, k], x0[0]))
            fitted, at = fit(belief, person, k)
            most = log_likelihood(belief, person, k, fitted, at)
            beta = most - region(belief, person, k, likelihood, log_t).least
            needed[rules.shape[1]] = max(
                needed[rules.shape[1]], (most - log_likelihood(belief, person, k, truth[0, k], x0)) / beta
            )
            if k == 0:
                for c in range(counts.size):
                    if counts[c] == rewards_count(belief, person, 0):
                        measure(belief, person, rules, likelihood, log_t, c, found)


@kernel
def rule_of(row: Floats) -> RadiusRule:
    """Read the numbers of a radius."""
    return RadiusRule(row[0], row[1], row[2], row[3], row[4], row[5], row[6])


@kernel
def measure(
    belief: Any, person: int, rules: Floats, likelihood: LikelihoodRule, log_t: float, c: int, found: Asked
) -> None:
    """Write the widths of arm 0."""
    for m in range(rules.shape[1]):
        g = region(belief, person, 0, rule_of(rules[0, m]), log_t)
        found.width[person, c, m] = upper_bound_of(g) - mean_at_fit(g)
    likely = region(belief, person, 0, likelihood, log_t)
    found.width[person, c, rules.shape[1]] = upper_bound_of(likely) - mean_at_fit(likely)
    theta, x0 = fit(belief, person, 0)
    found.beta[person, c] = log_likelihood(belief, person, 0, theta, x0) - likely.least
    all_of_it = region(belief, person, 0, LikelihoodRule(np.inf), log_t)
    found.largest[person, c] = upper_bound_of(all_of_it) - mean_at_fit(all_of_it)
