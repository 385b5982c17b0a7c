"""Slopes with their intervals, by drawing people anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rogue_bandits.types import Floats

DRAWS = 2_000
LEVEL = 0.99


class Interval(NamedTuple):
    """An estimate, and the interval that holds the truth with probability LEVEL."""

    value: float
    lo: float
    hi: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.lo:.2f} to {self.hi:.2f})"

    def holds(self, truth: float) -> bool:
        """Is this truth inside?"""
        return self.lo <= truth <= self.hi


def slope(x: Floats, y: Floats) -> float:
    """Of the line through the points, by least squares.

    >>> round(slope(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0])), 9)
    2.0
    """
    away = x - x.mean()
    return float(away @ y / (away @ away))


def bootstrap(people: Floats, statistic: Callable[[Floats], float], seed: int) -> Interval:
    """A statistic of people (the first axis) with its interval: quantiles over people drawn anew with replacement."""
    rng = np.random.default_rng(seed)
    n = len(people)
    drawn = np.array([statistic(people[rng.integers(0, n, n)]) for _ in range(DRAWS)])
    lo, hi = np.quantile(drawn, [(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0])
    return Interval(statistic(people), float(lo), float(hi))
