"""How the state of an arm goes on: worn out by plays, recovered by rests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.online.explanation import Explanation
from rogue_bandits.policies.explain import Interval
from rogue_bandits.types import Arm, next_state

STEPS = 14
SETTLED = 1000  # plays or rests after which a state no longer changes


def dynamics_of(arm: Arm, found: Explanation | None, k: int) -> ClippedAffine | None:
    """Return the dynamics of an arm: those that are known, or the medians of those that are learned."""
    if isinstance(arm.dynamics, ClippedAffine):
        return arm.dynamics
    rows = {row.name: row.values for row in found.rows} if found is not None else {}
    if not {"level when fresh", "one play takes", "half-life"} <= rows.keys():
        return None
    fresh, drop, half_life = (
        value.middle if isinstance(value := rows[name][k], Interval) else math.nan
        for name in ("level when fresh", "one play takes", "half-life")
    )
    if math.isnan(fresh + drop + half_life):
        return None
    decay = 2.0 ** (-1.0 / half_life)
    return ClippedAffine(decay, -drop, (1.0 - decay) * fresh, arm.dynamics.lo, arm.dynamics.hi)


def course(d: ClippedAffine, x: float, played: float, steps: int = STEPS) -> list[float]:
    """Return the state now and after each of so many plays, or rests.

    >>> course(ClippedAffine(decay=0.5, pull=-0.25, drift=0.5), 0.0, 0.0, 3)
    [0.0, 0.5, 0.75, 0.875]
    """
    states = [float(x)]
    for _ in range(steps):
        states.append(float(next_state(d, states[-1], played)))
    return states


def wear_out(d: ClippedAffine) -> list[float]:
    """Return the state of an arm that has rested for long, and after plays in a row."""
    return course(d, course(d, d.hi, 0.0, SETTLED)[-1], 1.0)


def recovery(d: ClippedAffine) -> list[float]:
    """Return the state of an arm that was played for long, and after rests."""
    return course(d, course(d, d.lo, 1.0, SETTLED)[-1], 0.0)


def mean_course(courses: Sequence[Sequence[float]]) -> list[float]:
    """Return the mean of courses."""
    averaged: Any = np.mean(courses, axis=0)
    return [float(x) for x in averaged]
