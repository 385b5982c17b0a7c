"""Simulations of so many people that no trace is kept: curves over decisions, summed up while they run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.model.numbers import checked_whole, checked_workers
from rogue_bandits.model.validation import checked_truth
from rogue_bandits.policies.trial import raise_on_broken_policy
from rogue_bandits.schedule import results
from rogue_bandits.simulation.frames import frame_of
from rogue_bandits.simulation.simulate import Progress, checked_seed, simulate_people
from rogue_bandits.simulation.trace import Seed
from rogue_bandits.types import Floats, Problem, Truth, mean

PEOPLE_AT_ONCE = 4096  # bounds the memory: some 20 bytes for each of their decisions
BINS = 400  # of the histogram from which quantiles are read


class Curves(NamedTuple):
    """Means over people at each decision, to date, with their standard errors; and quantiles of tracking regret."""

    people: int
    average_reward: Floats  # [decisions]
    average_reward_error: Floats
    tracking_regret: Floats
    tracking_regret_error: Floats
    quantiles: tuple[float, ...]
    tracking_regret_quantiles: Floats  # [quantiles, decisions], to 1/400 of the largest that is possible

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row for each decision; needs `pip install rogue-bandits[frame]`."""
        columns = {
            name: getattr(self, name)
            for name in ("average_reward", "average_reward_error", "tracking_regret", "tracking_regret_error")
        }
        for q, values in zip(self.quantiles, self.tracking_regret_quantiles, strict=True):
            columns[f"tracking_regret_quantile_{q:g}"] = values
        return frame_of({"decision": np.arange(self.tracking_regret.size), **columns})


def simulate_curves(
    truth: Truth,
    policy: Any,
    horizon: int,
    people: int,
    seed: Seed = 0,
    workers: int = 1,
    progress: Progress | None = None,
    quantiles: Sequence[float] = (0.05, 0.5, 0.95),
    scheduler: str | None = None,
) -> Curves:
    """Simulate people as `simulate` does, and keep curves only: memory does not grow with the number of people.

    `workers` processes share the work (−1: one a core), or those of a Dask `scheduler`, by its address; the result does
    not depend on who does it. `progress` is called with the number of decisions just made.

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> truth = rb.Truth([arm, arm], theta=[0.5, 0.7], x0=[0.1, 0.3])
    >>> curves = rb.simulate_curves(truth, rb.Random(), horizon=50, people=100)
    >>> trace = rb.simulate(truth, rb.Random(), horizon=50, people=100)
    >>> bool(np.allclose(curves.tracking_regret, trace.tracking_regret().mean(axis=0)))
    True
    """
    truth, seed = checked_truth(truth), checked_seed(seed)
    horizon = checked_whole(horizon, "simulate_curves, horizon", 1)
    people = checked_whole(people, "simulate_curves, people", 1)
    workers = checked_workers(workers, "simulate_curves, workers")
    raise_on_broken_policy(policy, Problem(tuple(truth.arms), horizon))
    top, firsts = mean_range_of(truth), range(0, people, PEOPLE_AT_ONCE)
    tasks = [Block(truth, policy, horizon, range(i, min(i + PEOPLE_AT_ONCE, people)), seed, top) for i in firsts]
    done: dict[int, Sums] = {}
    for part in results(sums_of, tasks, workers, scheduler):
        done[part.first] = part
        if progress is not None:
            progress(part.people * horizon)
    parts = [done[first] for first in firsts]  # in this order, so that rounding is the same whoever was first
    sums, squares, counts = (sum(getattr(part, name) for part in parts) for name in ("sums", "squares", "counts"))
    mean = sums / people
    error = np.sqrt(np.maximum(squares / people - mean * mean, 0.0) / max(people - 1, 1))
    found = quantiles_of(counts, quantiles, top)
    return Curves(people, mean[0], error[0], mean[1], error[1], tuple(quantiles), found)


class Block(NamedTuple):
    """Some people to simulate."""

    truth: Truth
    policy: Any
    horizon: int
    people: range
    seed: Seed
    top: float


class Sums(NamedTuple):
    """Sums over the curves of some people."""

    first: int
    people: int
    sums: Any  # [measures, decisions]
    squares: Any
    counts: Any  # [decisions, bins]


def sums_of(block: Block) -> Sums:
    """Simulate some people, and sum up their curves."""
    truth, policy, horizon, people, seed, top = block
    trace = simulate_people(truth, policy, horizon, people, seed)
    both = trace.average_reward(), trace.tracking_regret()
    counts = np.zeros((horizon, BINS), dtype=np.int64)
    add_to_bins(counts, both[1], top)
    sums = np.array([values.sum(axis=0) for values in both])
    return Sums(people.start, len(people), sums, np.array([(v * v).sum(axis=0) for v in both]), counts)


def mean_range_of(truth: Truth) -> float:
    """Return the largest regret of a decision: the range of the means of all arms over all states."""
    means = [
        mean(arm.rewards, theta, x)
        for arm, theta in zip(truth.arms, truth.theta, strict=True)
        for x in (arm.dynamics.lo, arm.dynamics.hi)
    ]
    return max(max(means) - min(means), 1e-300)


def add_to_bins(counts: Any, regret: Floats, top: float) -> None:
    """Count regrets at decision t in bins of equal width up to (t + 1)·top; what is above counts in the last."""
    widths = top * (np.arange(regret.shape[1]) + 1.0) / BINS
    bins = np.clip((regret / widths).astype(np.int64), 0, BINS - 1)
    for t in range(regret.shape[1]):
        counts[t] += np.bincount(bins[:, t], minlength=BINS)


def quantiles_of(counts: Any, quantiles: Sequence[float], top: float) -> Floats:
    """Return quantiles from counts in bins, linear inside a bin."""
    found = np.empty((len(quantiles), len(counts)))
    for t, row in enumerate(counts):
        cumulative = np.concatenate([[0.0], np.cumsum(row) / row.sum()])
        edges = np.linspace(0.0, top * (t + 1.0), BINS + 1)
        found[:, t] = np.interp(quantiles, cumulative, edges)
    return found
