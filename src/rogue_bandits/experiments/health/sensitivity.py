"""The sensitivity of the gain to how fast messages recover and how noisy a person's steps are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from rogue_bandits.experiments.experiment import DEFAULT_POLICIES, Settings
from rogue_bandits.experiments.gained import gain
from rogue_bandits.experiments.health.settings import HealthSettings
from rogue_bandits.experiments.results import Cell, Sensitivity
from rogue_bandits.policies.registry import POLICIES
from rogue_bandits.schedule import in_threads
from rogue_bandits.simulation.simulate import simulate
from rogue_bandits.types import Arm, Floats, Truth

FACTORS = 0.5, 1.0, 2.0
PEOPLE, REPLICATES = 10, 2  # fewer than in the experiment, because of the computing time of tuned ROGUE-UCB
ROGUE = "plan-ts", "tuned-rogue-ucb-corrected"
OTHERS = tuple(row for row in DEFAULT_POLICIES if not POLICIES[row].is_rogue)
TRIED = (*ROGUE, *OTHERS)
KINDS = tuple(product(FACTORS, FACTORS))  # factors of the half-lives and of the noise


def sensitivity(settings: HealthSettings, truths: Sequence[Truth], unit: float, workers: int) -> Sensitivity | None:
    """Return the gains of ROGUE policies over the best other policy, for people with other half-lives and noise.

    None for people of a file: their half-lives are what was fitted, and many have none.
    """
    if settings.cohort is not None:
        return None
    few = truths[:PEOPLE]
    earned = unit * averages(settings, few, workers)
    return Sensitivity(len(few), REPLICATES, list(cells(dict(zip(product(KINDS, TRIED), earned, strict=True)))))


def cells(earned: dict[tuple[tuple[float, float], str], Floats]) -> Iterator[Cell]:
    """Yield the cells of the table, from the average rewards by kind and policy."""
    for kind in KINDS:
        best = max(OTHERS, key=lambda row: earned[kind, row].mean())
        for row in ROGUE:
            yield Cell(row, *kind, best, gain(earned[kind, row] - earned[kind, best]))


def averages(settings: Settings, truths: Sequence[Truth], workers: int) -> Floats:
    """Return each person's average expected reward [kinds × policies, people].

    All simulations are one pool of tasks, because some people take a hundred times longer than others.
    """

    def average(kind: tuple[float, float], row: str, number: int) -> float:
        truth = changed(truths[number], *kind)
        trace = simulate(truth, settings.policy(row), settings.horizon, REPLICATES, settings.seed_of(number))
        return float(trace.mean.mean())

    people = range(len(truths))
    every = in_threads(average, product(KINDS, TRIED, people), workers)
    return np.array(every).reshape(-1, len(truths))


def changed(truth: Truth, slower: float, noisier: float) -> Truth:
    """Return the person with half-lives and noise multiplied by factors, and the same fresh and worn levels."""
    arms = [arm._replace(dynamics=slowed(arm, slower)) for arm in truth.arms]
    theta = [min(max(t * noisier, arm.theta_lo), arm.theta_hi) for t, arm in zip(truth.theta, arms, strict=True)]
    return Truth(arms, theta, truth.x0)


def slowed(arm: Arm, factor: float) -> object:
    """Return the arm's dynamics with the half-life multiplied by a factor; an arm that never recovers is unchanged.

    >>> from rogue_bandits import ClippedAffine, LaplaceAgent
    >>> slowed(Arm(ClippedAffine(decay=0.25, pull=-0.75, drift=0.75), LaplaceAgent()), 2.0)
    ClippedAffine(decay=0.5, pull=-0.5, drift=0.5, lo=0.0, hi=1.0)
    """
    d = arm.dynamics
    if d.decay >= 1.0:
        return d
    decay = d.decay ** (1.0 / factor)
    share = (1.0 - decay) / (1.0 - d.decay)
    return d._replace(decay=decay, pull=d.pull * share, drift=d.drift * share)
