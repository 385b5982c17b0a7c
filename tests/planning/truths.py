"""Truths to plan for: those that have ever made an exact method slip, and five arms that wear out in different ways."""

from __future__ import annotations

import numpy as np

import rogue_bandits as rb
from rogue_bandits.experiments.logistic.settings import LogisticSettings, truths
from tests.belief.cases import oracle_model, random_case
from tests.matrix import FULL
from tests.oracles.plan import brute_best

TABLE_1 = truths(LogisticSettings())[0]


def odd_seeds(count: int) -> list[int]:
    """Seeds of `odd_truth`; those of Gaussian arms, whose kernels nothing else compiles, in `make verify` alone."""
    return [seed for seed in range(count) if FULL or seed % 3 != 1]


def odd_truth(seed: int, arms: int) -> rb.Truth:
    """Arms with any decay from −1 to 1, any bounds; the three families take turns."""
    rng = np.random.default_rng(seed)
    some = [random_case(3 * (100 * seed + k) + seed % 3).arm for k in range(arms)]
    theta = [float(rng.uniform(arm.theta_lo, arm.theta_hi)) for arm in some]
    x0 = [float(rng.uniform(arm.dynamics.lo, arm.dynamics.hi)) for arm in some]
    return rb.Truth(some, theta, x0)


def brute(truth: rb.Truth, horizon: int) -> float:
    """The most that any plan earns."""
    return brute_best([oracle_model(arm) for arm in truth.arms], truth.theta, truth.x0, horizon)


def scale(truth: rb.Truth, horizon: int) -> float:
    """How large totals may be: what rounding is measured in."""
    return horizon * (1.0 + max(abs(t) + abs(x) for t, x in zip(truth.theta, truth.x0, strict=True)) * 20.0)
