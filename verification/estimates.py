"""Slopes, shares and quantiles with confidence intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import beta, binom

from rogue_bandits.types import Floats

DRAWS = 2_000
LEVEL = 0.99


class Interval(NamedTuple):
    """An estimate and its confidence interval, at LEVEL unless said otherwise."""

    value: float
    lo: float
    hi: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.lo:.2f} to {self.hi:.2f})"

    def contains(self, truth: float) -> bool:
        """Return whether a value is inside."""
        return self.lo <= truth <= self.hi


def slope(x: Floats, y: Floats) -> float:
    """Return the slope of the least-squares line through the points.

    >>> round(slope(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0])), 9)
    2.0
    """
    away = x - x.mean()
    return float(away @ y / (away @ away))


def bootstrap(people: Floats, statistic: Callable[[Floats], float], seed: int) -> Interval:
    """Return a statistic of people (the first axis) with its percentile bootstrap interval over people."""
    rng = np.random.default_rng(seed)
    n = len(people)
    drawn = np.array([statistic(people[rng.integers(0, n, n)]) for _ in range(DRAWS)])
    lo, hi = np.quantile(drawn, [(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0])
    return Interval(statistic(people), float(lo), float(hi))


def share(hits: float, cases: float, level: float = LEVEL) -> Interval:
    """Return a share with its Clopper–Pearson interval, whose coverage is at least the level.

    >>> print(share(95, 100))
    0.95 (0.86 to 0.99)
    """
    out = (1.0 - level) / 2.0
    lo = float(beta.ppf(out, hits, cases - hits + 1)) if hits > 0 else 0.0
    hi = float(beta.ppf(1.0 - out, hits + 1, cases - hits)) if hits < cases else 1.0
    return Interval(hits / cases, lo, hi)


def share_by_trial(by_trial: Sequence[Sequence[bool]], level: float = LEVEL) -> Interval:
    """Return the share of hits with its interval; trials are independent, the cases of one trial are not.

    The cases count as so many as give the share the variance that it has between trials.

    >>> print(share_by_trial([[True]] * 90 + [[False]] * 10))
    0.90 (0.80 to 0.96)
    >>> print(share_by_trial([[True] * 9] * 90 + [[False] * 9] * 10))
    0.90 (0.80 to 0.96)
    """
    sums, sizes = (np.array([f(one) for one in by_trial], dtype=np.float64) for f in (sum, len))
    rate = float(sums.sum() / sizes.sum())
    between = float(((sums - rate * sizes) ** 2).sum() / sizes.sum())  # 1 case a trial: the binomial variance
    effect = max(between / (rate * (1.0 - rate)), 1.0) if 0.0 < rate < 1.0 else float(sizes.mean())
    return share(float(sums.sum()) / effect, float(sizes.sum()) / effect, level)


def quantile(values: Floats, at: float, level: float = LEVEL) -> Interval:
    """Return a quantile with its order-statistic interval: the number of values below the true one is binomial.

    >>> print(quantile(np.arange(1_000.0), 0.5))
    499.50 (458.00 to 541.00)
    """
    ordered, out = np.sort(values), (1.0 - level) / 2.0
    first, last = (int(binom.ppf(below, values.size, at)) for below in (out, 1.0 - out))
    lo = float(ordered[first - 1]) if first > 0 else -np.inf
    return Interval(float(np.quantile(values, at)), lo, float(ordered[last]) if last < values.size else np.inf)
