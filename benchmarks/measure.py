"""Timing on a machine that others use too, and the arithmetic of what was timed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import get_clock_info, perf_counter, process_time
from typing import NamedTuple

import numpy as np

# Waiting for a core that others use is no cost of a decision, so that computing is timed in processor time, where that
# clock is fine enough (on Windows it is not).
clock = process_time if get_clock_info("process_time").resolution <= 1e-6 else perf_counter

Task = Callable[[], float]  # runs once and returns its cost, in seconds for one unit of work


class Costs(NamedTuple):
    """The costs of one task, round by round."""

    by_round: tuple[float, ...]

    @property
    def best(self) -> float:
        """The least: what it costs undisturbed."""
        return min(self.by_round)

    @property
    def median(self) -> float:
        """The middle one: what it costs on this machine, now."""
        return float(np.median(self.by_round))


class Ratio(NamedTuple):
    """The ratio of two medians, and the quartiles of the ratios within each round."""

    value: float
    low: float
    high: float


class Growth(NamedTuple):
    """cost = start + slope·t, by least squares, and the share of the variance that it explains."""

    start: float
    slope: float
    r_squared: float

    def at(self, t: float) -> float:
        """The cost of decision t."""
        return self.start + self.slope * t

    def total(self, decisions: int) -> float:
        """The cost of decisions 1, 2, …, `decisions`, summed."""
        return self.start * decisions + self.slope * decisions * (decisions + 1) / 2


def computing(work: Callable[[], object]) -> float:
    """Seconds that `work` computes for."""
    begin = clock()
    work()
    return clock() - begin


def waiting(work: Callable[[], object]) -> float:
    """Seconds that one waits for `work`, by the clock on the wall."""
    begin = perf_counter()
    work()
    return perf_counter() - begin


def in_rounds(tasks: Mapping[str, Task], rounds: int) -> dict[str, Costs]:
    """Run the tasks in turn, A, B, C, A, B, C, …, so that a busy moment of the machine falls on all of them.

    A first round, in which kernels are compiled and caches filled, does not count.
    """
    for task in tasks.values():
        task()
    table = [[task() for task in tasks.values()] for _ in range(rounds)]
    return {name: Costs(column) for name, column in zip(tasks, zip(*table, strict=True), strict=True)}


def ratio_of(one: Costs, other: Costs) -> Ratio:
    """How many times dearer is one than the other?"""
    low, high = np.quantile(np.divide(one.by_round, other.by_round), [0.25, 0.75])
    return Ratio(one.median / other.median, float(low), float(high))


def growth_of(t: Sequence[float], cost: Sequence[float]) -> Growth:
    """The straight line through the costs."""
    slope, start = np.polyfit(t, cost, 1)
    left = np.subtract(cost, start + slope * np.asarray(t))
    around = np.subtract(cost, np.mean(cost))
    return Growth(float(start), float(slope), float(1.0 - (left @ left) / (around @ around)))
