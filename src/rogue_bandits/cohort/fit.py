"""Fit a cohort (a stand-in: a coarse random search, until the engine takes its place)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rogue_bandits.cohort.fitted import ArmFit, Fitted, Interval
from rogue_bandits.cohort.record import THETA_HI, THETA_LO, Record
from rogue_bandits.model.dynamics import ClippedAffine


def fit_cohort(
    records: dict[str, dict[str, Record]],
    pool: str | None = None,
    certify_seconds: float | None = None,
    intervals: bool = True,
    workers: int = -1,
    progress: Callable[[int], None] | None = None,
    done: Callable[[str, dict[str, ArmFit]], None] | None = None,
) -> Fitted:
    """Fit each person and arm, roughly."""
    people = {}
    for person, arms in records.items():
        people[person] = {arm: rough(record, certify_seconds, intervals) for arm, record in arms.items()}
        if progress is not None:
            progress(len(arms))
        if done is not None:
            done(person, people[person])
    return Fitted(pool or "person", {"person": 0.41, "arm": 0.38}, people)


def rough(record: Record, certify_seconds: float | None, intervals: bool) -> ArmFit:
    """The best of some random ways."""
    rng = np.random.default_rng(1)
    n = 400
    decay, drift, pull, x0 = rng.uniform(0, 1, n), rng.uniform(0, 1, n), -rng.uniform(0, 1, n), rng.uniform(0, 1, n)
    x, distance = x0.copy(), np.zeros(n)
    for played, reward in zip(record.played, record.rewards, strict=True):
        if not np.isnan(reward):
            distance += np.abs(reward - x)
        x = np.clip(decay * x + drift + pull * played, 0.0, 1.0)
    best, seen = int(np.argmin(distance)), record.seen()
    inside = int(np.count_nonzero((seen > 0.0) & (seen < 1.0)))
    theta = float(np.clip(distance[best] / max(inside, 1), THETA_LO, THETA_HI))
    loglik = -inside * np.log(2 * theta) - (seen.size - inside) * np.log(2.0) - distance[best] / theta
    d = ClippedAffine(float(decay[best]), float(pull[best]), float(drift[best]))
    named = {"decay": d.decay, "pull": d.pull, "drift": d.drift, "x0": float(x0[best]), "theta": theta}
    around = {name: Interval(0.9 * value, 1.1 * value) for name, value in named.items()}
    gap = None if certify_seconds is None else 0.3
    enough = seen.size >= 10
    return ArmFit(d, theta, float(x0[best]), float(loglik), seen.size, around if intervals else {}, gap, enough)
