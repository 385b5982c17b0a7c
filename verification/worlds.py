"""Environments that no model of the library describes: levels that wander, and a pattern over the week.

The state of an arm moves by its dynamics; rewards are those of the state plus a shift, within the bounds of the state.
Policies under comparison have the same uniforms for rewards, so that their difference has less noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import rogue_bandits as rb
from rogue_bandits.types import Floats, draw, mean
from verification.gains import Learner

WALK_STEP, WALK_RANGE = 0.02, 0.25  # the standard deviation of a step, and how far a level may be from its first
WEEK, WEEK_SD = 7, 0.1


def random_walk(people: int, horizon: int, arms: int, seed: int) -> Floats:
    """Return shifts [people, decisions, arms]: a random walk for each arm, reflected at the ends of its range.

    >>> bool(np.abs(random_walk(2, 1_000, 3, seed=1)).max() <= WALK_RANGE)
    True
    """
    steps = np.random.default_rng((seed, 2)).normal(0.0, WALK_STEP, (people, horizon, arms))
    away = (steps.cumsum(axis=1) + WALK_RANGE) % (4.0 * WALK_RANGE)
    return np.where(away > 2.0 * WALK_RANGE, 4.0 * WALK_RANGE - away, away) - WALK_RANGE


def weekdays(people: int, horizon: int, arms: int, seed: int) -> Floats:
    """Return shifts [people, decisions, arms]: a number for each weekday and arm, 0 on average over a week.

    >>> shift = weekdays(2, 14, 3, seed=1)
    >>> bool(np.allclose(shift[:, :7], shift[:, 7:])), bool(np.allclose(shift[:, :7].sum(axis=1), 0.0))
    (True, True)
    """
    pattern = np.random.default_rng((seed, 3)).normal(0.0, WEEK_SD, (people, WEEK, arms))
    pattern -= pattern.mean(axis=1, keepdims=True)
    return pattern[:, np.arange(horizon) % WEEK]


def shifted_rewards(truths: Sequence[rb.Truth], shift: Floats, policy: Any, learner: Learner, seed: int) -> Floats:
    """Let people play in a shifted world; return the expected reward of every decision: [people, decisions].

    All learners assume what `learner` makes of the arms of the first person: a prior, or nothing.
    """
    learners = rb.Population([learner(arm) for arm in truths[0].arms], policy, len(truths), seed)
    numbers = np.array([[arm.dynamics for arm in truth.arms] for truth in truths])
    decay, pull, drift, lo, hi = np.moveaxis(numbers, -1, 0)
    x, rows = np.array([truth.x0 for truth in truths]), np.arange(len(truths))
    earned: Floats = np.empty(shift.shape[:2])
    u = np.random.default_rng((seed, 4)).random(earned.shape)
    for t in range(earned.shape[1]):
        made = learners.choose(probabilities=False)
        level = np.clip(x + shift[:, t], lo, hi)[rows, made.arm]
        reward = np.empty(len(truths))
        for i, truth in enumerate(truths):
            family, theta = truth.arms[made.arm[i]].rewards, truth.theta[made.arm[i]]
            earned[i, t] = mean(family, theta, level[i])
            reward[i] = draw(family, theta, level[i], u[i, t])
        learners.update(made, reward)
        played = np.zeros(x.shape)
        played[rows, made.arm] = 1.0
        x = np.clip(decay * x + pull * played + drift, lo, hi)
    return earned
