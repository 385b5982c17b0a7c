"""The sensitivity of D-UCB and SW-UCB to Υ, the number of changes they are tuned for."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rogue_bandits.experiments.experiment import Settings
from rogue_bandits.experiments.results import Estimate, Sweep, curve, in_groups
from rogue_bandits.simulation.simulate import simulate
from rogue_bandits.simulation.trace import Seed
from rogue_bandits.types import Floats, Truth

SWEPT = ("d-ucb", "sw-ucb")


def changes_to_try(horizon: int) -> tuple[float, ...]:
    """Return one change in all, the square root of the horizon, one change in ten decisions, one in two.

    >>> changes_to_try(20_000)
    (1.0, 141.4213562373095, 2000.0, 10000.0)
    """
    return tuple(sorted({1.0, math.sqrt(horizon), max(1.0, horizon / 10.0), max(1.0, horizon / 2.0)}))


def sweep(settings: Settings, truths: Sequence[Truth], seeds: Sequence[Seed], workers: int, unit: float = 1.0) -> Sweep:
    """Simulate the policies of this run that take Υ, at each of its values."""
    upsilon = changes_to_try(settings.horizon)

    def regret(row: str, changes: float) -> Estimate:
        s = settings.model_copy(update={"upsilon": changes})
        lost: list[Floats] = []  # by each person, [replicates, 1]
        for truth, seed in zip(truths, seeds, strict=True):
            trace = simulate(truth, s.policy(row), s.horizon, s.replicates, seed, workers)
            lost.append(np.concatenate([part.tracking_regret()[:, -1:] for part in in_groups(trace)]))
        return curve(unit * np.mean(lost, axis=0)).last()

    rows = [row for row in SWEPT if row in settings.policies]
    return Sweep(upsilon, {row: [regret(row, changes) for changes in upsilon] for row in rows})
