"""Expected rewards of policies, person by person, and what they gain over random choices, with standard errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

import rogue_bandits as rb
from rogue_bandits.planning.optimal import best_found
from rogue_bandits.types import Floats

RANDOM = 30  # replicates, for the expected reward of random choices
NEAR = 0.05  # gap at which the search for the best plan ends
POLICIES = (  # that know the dynamics
    "plan-ts",
    "index-ts",
    "plan-ucb",
    "rogue-ts",
    "tuned-rogue-ucb",
    "tuned-rogue-ucb-corrected",
    "epsilon-rogue",
)

Learner = Callable[[rb.Arm], rb.Arm]  # from a true arm to the one that the learner assumes


class Estimate(NamedTuple):
    """A number with its standard error over people."""

    value: float
    error: float


class Reference(NamedTuple):
    """The expected reward of a decision under random choices and under the best plan found: [people]."""

    random: Floats
    best: Floats


def same(arm: rb.Arm) -> rb.Arm:
    """Return the arm: the learner knows the dynamics."""
    return arm


def with_prior(**prior: Any) -> Learner:
    """Return a learner that knows everything but the dynamics.

    >>> arm = rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.LaplaceAgent(), 0.01, 1.0)
    >>> with_prior(half_life=(1.0, 14.0))(arm).dynamics.half_life
    (1.0, 14.0)
    """
    return lambda arm: arm._replace(dynamics=rb.Unknown(lo=arm.dynamics.lo, hi=arm.dynamics.hi, **prior))


def traces(
    truths: Sequence[rb.Truth], policy: Any, horizon: int, seed: int, learner: Learner, replicates: int = 1
) -> list[rb.Trace]:
    """Simulate replicates of each person."""

    def lived(number: int, truth: rb.Truth) -> rb.Trace:
        arms = [learner(arm) for arm in truth.arms]
        return rb.simulate(truth, policy, horizon, replicates, (seed, 0, number), learner_arms=arms)

    every: Any = Parallel(n_jobs=-1, require="sharedmem")(delayed(lived)(*one) for one in enumerate(truths))
    return list(every)


def expected_rewards(
    truths: Sequence[rb.Truth], policy: Any, horizon: int, seed: int, learner: Learner = same, replicates: int = 1
) -> Floats:
    """Return the expected reward of every decision, averaged over replicates: [people, decisions]."""
    every = traces(truths, policy, horizon, seed, learner, replicates)
    return np.array([trace.mean.mean(axis=0) for trace in every])


def reference(truths: Sequence[rb.Truth], horizon: int, seed: int) -> Reference:
    """Return what shares are taken of."""
    random = [
        rb.simulate(truth, rb.Random(), horizon, RANDOM, (seed, 1, number)).mean.mean()
        for number, truth in enumerate(truths)
    ]
    return Reference(np.array(random), np.array([best_found(truth, horizon, NEAR).average for truth in truths]))


def ratio(part: Floats, whole: Floats) -> Estimate:
    """Return the ratio of two sums over people, and its standard error by linearisation; people may share one whole.

    >>> ratio(np.array([1.0, 2.0]), np.array([2.0, 4.0]))
    Estimate(value=0.5, error=0.0)
    >>> round(ratio(np.array([1.0, 3.0]), np.array([4.0])).error, 9)
    0.25
    """
    part, whole = np.broadcast_arrays(part, whole)
    value = part.sum() / whole.sum()
    residual = part - value * whole
    return Estimate(float(value), float(np.sqrt(residual.size) * residual.std(ddof=1) / abs(whole.sum())))


def share_of(reached: Floats, of: Reference) -> Estimate:
    """Return the share of (best plan − random) of all people together."""
    return ratio(reached - of.random, of.best - of.random)


def mean_of(values: Floats) -> Estimate:
    """Return the mean over people.

    >>> mean_of(np.array([1.0, 3.0]))
    Estimate(value=2.0, error=1.0)
    """
    return Estimate(float(values.mean()), float(values.std(ddof=1) / np.sqrt(values.size)))


def percent(e: Estimate) -> str:
    """Return a share in per cent.

    >>> percent(Estimate(0.8125, 0.0104))
    '81.2 % ± 1.0'
    """
    return f"{100.0 * e.value:.1f} % ± {100.0 * e.error:.1f}"
