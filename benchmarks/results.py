"""What the benchmark finds, as plain data, and as JSON."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from typing import Any, NamedTuple

from benchmarks.families import ByFamily
from benchmarks.measure import Costs, Growth, Ratio, ratio_of

PACKAGES = ("rogue-bandits", "numba", "numpy", "river", "pymab")


class Requirement(NamedTuple):
    """Something measured, and the most (or, `at_least`, the least) that it may be. Without a value: see the note."""

    name: str
    measured: float | None
    limit: float
    unit: str
    at_least: bool = False
    note: str = ""

    @property
    def ok(self) -> bool | None:
        """Is it met? None: not measured."""
        if self.measured is None:
            return None
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit


class Naive(NamedTuple):
    """The naive method: its costs (seconds) after t decisions, their line, and 20,000 decisions against ours."""

    t: tuple[int, ...]
    cost: tuple[float, ...]
    growth: Growth
    decisions: int
    ours: float

    @property
    def ratio(self) -> float:
        """How many times dearer than ours."""
        return self.growth.total(self.decisions) / (self.ours * self.decisions)


class Results(NamedTuple):
    """All of one run."""

    costs: dict[str, Costs]  # seconds a decision
    others: tuple[str, ...]  # those of `costs` that are other libraries
    naive: Naive
    requirements: list[Requirement]
    families: ByFamily
    quick: bool

    def ratios(self, name: str) -> dict[str, Ratio]:
        """How many times dearer than each of the other libraries."""
        return {other: ratio_of(self.costs[name], self.costs[other]) for other in self.others}


def environment() -> dict[str, Any]:
    """What the numbers depend on, and nothing that names a machine or a person."""
    return {
        "python": platform.python_version(),
        **{package: version(package) for package in PACKAGES},
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
    }


def as_json(results: Results) -> dict[str, Any]:
    """Everything that was measured, for programs. Costs are in seconds."""
    costs = {
        name: {
            "best": costs.best,
            "median": costs.median,
            "rounds": costs.by_round,
            "against": {other: ratio._asdict() for other, ratio in results.ratios(name).items()},
        }
        for name, costs in results.costs.items()
    }
    naive = results.naive
    return {
        "environment": environment(),
        "quick": results.quick,
        "requirements": [{**r._asdict(), "ok": r.ok} for r in results.requirements],
        "seconds_per_decision": costs,
        "seconds_per_decision_by_family": {
            name: {"early": early.best, "late": late.best} for name, (early, late) in results.families.items()
        },
        "naive": {
            **naive._asdict(),
            "growth": naive.growth._asdict(),
            "total": naive.growth.total(naive.decisions),
            "ratio": naive.ratio,
        },
    }
