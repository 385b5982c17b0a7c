"""Learners whose prior, or model, is wrong on purpose, against D-UCB, which has none."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import rogue_bandits as rb
from rogue_bandits.experiments.health.cohort import drawn, log_uniform
from rogue_bandits.experiments.health.settings import HealthSettings
from rogue_bandits.types import Floats
from verification.finding import Finding
from verification.gains import Estimate, Learner, expected_rewards, mean_of, same, with_prior
from verification.worlds import (
    WALK_RANGE,
    WALK_STEP,
    WEEK,
    WEEK_SD,
    random_walk,
    shifted_rewards,
    weekdays,
)

HORIZON = 1_000
NARROW = 1.25  # the prior of a half-life is within this factor of its wrong value
ARMS, LEVELS = 5, (0.1, 0.9)
SCALES = {rb.GaussianAgent: math.sqrt(2.0), rb.LogisticAgent: math.sqrt(6.0) / math.pi}  # equal standard deviations

Rewards = Callable[[Any, Learner], Floats]  # of a policy and what its learner assumes: [people, decisions]


def wrong_priors(people: int, seed: int) -> Finding:
    """Compare index-ts with unknown dynamics and D-UCB, person by person."""
    rows, below = [], []
    for name, (rewards, learner) in cases(people, seed).items():
        learned, forgetting = (
            rewards(*one).mean(axis=1) for one in ((rb.IndexTS(), learner), (rb.DUCB(horizon=HORIZON), same))
        )
        gained = mean_of(learned - forgetting)
        rows.append((name, f"{learned.mean():.4f}", f"{forgetting.mean():.4f}", signed(gained)))
        if gained.value < -gained.error:
            below.append(name)
    return Finding(
        "Unknown dynamics: priors and models that are wrong",
        f"{people} people in each row, {HORIZON:,} decisions, the expected reward of a decision, and the difference "
        "with its standard error over people. People are those of the experiment on physical activity, but for the "
        f"stationary ones. Half-lives: the prior allows a factor of {NARROW} about the wrong value only. Noise: that "
        "of rewards is of another law with the same standard deviation, the learner assumes Laplace. Random walk: the "
        f"level of each arm moves, by {WALK_STEP} a decision and up to {WALK_RANGE}. Weekdays: each arm has shifts of "
        f"standard deviation {WEEK_SD} that recur every {WEEK} decisions. Asked for: index-ts is not below D-UCB by "
        "more than a standard error.",
        ("what is wrong", "index-ts, unknown", "d-ucb", "difference"),
        rows,
        "index-ts is below D-UCB by more than a standard error in "
        + (f"{len(below)} of {len(rows)} rows: {', '.join(below)}." if below else f"none of {len(rows)} rows."),
        not below,
    )


def cases(people: int, seed: int) -> dict[str, tuple[Rewards, Learner]]:
    """Return what people earn under a policy, and what the learner assumes, by what is wrong."""
    active = drawn(HealthSettings(people=people, people_as_of="0.1.0"))

    def lived(truths: Sequence[rb.Truth]) -> Rewards:
        return lambda policy, learner: expected_rewards(truths, policy, HORIZON, seed, learner)

    def shifted(shifts: Callable[[int, int, int, int], Floats]) -> Rewards:
        shift = shifts(people, HORIZON, len(active[0].arms), seed)
        return lambda policy, learner: shifted_rewards(active, shift, policy, learner, seed)

    return {
        "nothing": (lived(active), with_prior()),
        "half-lives × ¼": (lived(active), with_half_life(0.25)),
        "half-lives × 4": (lived(active), with_half_life(4.0)),
        "no wear-out: stationary arms": (lived(stationary(people, seed)), with_prior()),
        "Gaussian noise": (lived([with_noise(truth, rb.GaussianAgent) for truth in active]), laplace),
        "logistic noise": (lived([with_noise(truth, rb.LogisticAgent) for truth in active]), laplace),
        "random walk of levels": (shifted(random_walk), with_prior()),
        "weekdays": (shifted(weekdays), with_prior()),
    }


def with_half_life(factor: float) -> Learner:
    """Return a learner that is sure of a half-life, a multiple of the true one.

    >>> arm = rb.Arm(rb.ClippedAffine(0.5, -0.1, 0.2), rb.LaplaceAgent(), 0.01, 1.0)
    >>> with_half_life(4.0)(arm).dynamics.half_life
    (3.2, 5.0)
    """

    def learner(arm: rb.Arm) -> rb.Arm:
        half_life = -factor / math.log2(arm.dynamics.decay)
        return with_prior(half_life=(half_life / NARROW, half_life * NARROW))(arm)

    return learner


def stationary(people: int, seed: int) -> list[rb.Truth]:
    """Draw people on whose arms plays have no effect."""
    arms = [rb.Arm(rb.ClippedAffine(decay=1.0, pull=0.0, drift=0.0), rb.LaplaceAgent(), 0.01, 1.0)] * ARMS
    truths = []
    for number in range(people):
        rng = np.random.default_rng((seed, 5, number))
        truths.append(rb.Truth(arms, [log_uniform(rng, (0.08, 0.25))] * ARMS, rng.uniform(*LEVELS, ARMS).tolist()))
    return truths


def with_noise(truth: rb.Truth, family: Any) -> rb.Truth:
    """Return a truth with other noise, of the same standard deviation but for the bounds of rewards."""
    arms = [arm._replace(rewards=family(), theta_hi=2.0) for arm in truth.arms]
    return truth._replace(arms=arms, theta=[SCALES[family] * theta for theta in truth.theta])


def laplace(arm: rb.Arm) -> rb.Arm:
    """Return the arm of a learner that assumes Laplace noise and a wide prior."""
    return with_prior()(arm._replace(rewards=rb.LaplaceAgent(), theta_hi=1.0))


def signed(e: Estimate) -> str:
    """Return a difference.

    >>> signed(Estimate(-0.0123, 0.0045))
    '-0.0123 ± 0.0045'
    """
    return f"{e.value:+.4f} ± {e.error:.4f}"
