"""Trial, fit, deploy: what policies earn if their dynamics are the true ones, fitted on a trial, or learned.

People take part in a trial of random messages. Dynamics are fitted to it, for each person or pooled over people. Then
policies live on the *true* people with the fitted dynamics; theta and the state they learn as always. The
paper simulates people who are the fits (`paper`), which flatters every policy that is given the fits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.fit import Data, FitTask, fit_cohort
from rogue_bandits.estimate.fitted import ArmFit
from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.ladder.points import ENOUGH
from rogue_bandits.experiments.gained import gain
from rogue_bandits.experiments.health.cohort import TRIAL_DAYS
from rogue_bandits.experiments.health.fitted import truth_of
from rogue_bandits.experiments.health.settings import HealthSettings
from rogue_bandits.experiments.results import Deployed, DeployedPolicy, Estimate
from rogue_bandits.model.dynamics.unknown import Unknown
from rogue_bandits.planning import myopic_plan
from rogue_bandits.policies.random import Random
from rogue_bandits.policies.registry import POLICIES
from rogue_bandits.schedule import in_threads
from rogue_bandits.simulation.simulate import simulate
from rogue_bandits.simulation.trace import Trace
from rogue_bandits.types import Arm, Floats, Truth

LEARNERS = ("plan-ts", "index-ts", "rogue-ts")  # of dynamics
REFERENCE = "d-ucb"
LARGEST_DECAY = 0.99  # a half-life of 69 days: fits of decay 1 never recover, and have no index to plan with
LARGEST_LOSS = 4.0  # of an arm whose state is what it has lost: log odds, log means, standard deviations
REPLICATES = 1  # more people say more than more replicates
COLUMNS = ("true", "fitted-own", "fitted-pooled", "paper", "learned")


class World(NamedTuple):
    """One simulated person of a column: the truth, and the arms that a policy with a model assumes."""

    truth: Truth
    assumed: Sequence[Arm]


def deployment(
    settings: HealthSettings, truths: Sequence[Truth], expected: Mapping[str, Floats], unit: float, workers: int
) -> Deployed | None:
    """Return the expected reward of every policy in every column, over the first people.

    `expected` has that of each person with the true dynamics. People who are fits already have no trial: their policies
    are given the true parameters, or learn them. None without people, and where a trial has too few rewards of a kind.
    """
    fitted = settings.cohort is not None
    some = list(truths) if fitted else list(truths[: settings.deployed])
    if not some or (not fitted and ENOUGH * settings.kinds > TRIAL_DAYS):
        return None
    worlds = {"learned": learned(some)} if fitted else worlds_of(settings, some, workers)
    tasks = [(column, row) for column in worlds for row in settings.policies if is_simulated(column, row)]
    if not tasks:
        return None  # none of the policies learns dynamics
    earned = dict(zip(tasks, unit * averages(settings, worlds, tasks, workers), strict=True))
    # A policy without a model of wear-out needs no dynamics: on the true people it earns the same in all columns.
    true = {row: expected[row][: len(some)] for row in settings.policies}
    columns = {
        column: {row: earned.get((column, row), true[row]) for row in settings.policies if exists(column, row)}
        for column in COLUMNS
        if column == "true" or column in worlds
    }
    myopic = unit * np.array([myopic_plan(truth, settings.horizon).average for truth in some])
    over = {row: gain(myopic - true[row]) for row in (REFERENCE, "round-robin") if row in true}
    reference = REFERENCE if REFERENCE in true else "round-robin"
    return Deployed(
        len(some), REPLICATES, 0 if fitted else TRIAL_DAYS,
        {
            column: {row: deployed(values, rows.get(reference)) for row, values in rows.items()}
            for column, rows in columns.items()
        },
        over, reference,
    )  # fmt: skip


def worlds_of(settings: HealthSettings, truths: Sequence[Truth], workers: int) -> dict[str, list[World]]:
    """Return the people of every column but the first."""
    own, pooled = (fits(settings, truths, pool, workers) for pool in ("own", None))
    return {
        "fitted-own": [World(truth, arms_of(fit)) for truth, fit in zip(truths, own, strict=True)],
        "fitted-pooled": [World(truth, arms_of(fit)) for truth, fit in zip(truths, pooled, strict=True)],
        "paper": [World(truth_of(fit)._replace(arms=arms_of(fit)), arms_of(fit)) for fit in own],
        "learned": learned(truths),
    }


def learned(truths: Sequence[Truth]) -> list[World]:
    """Return people whose dynamics a policy has to learn."""
    return [World(truth, [unknown(arm) for arm in truth.arms]) for truth in truths]


def deployed(values: Floats, reference: Floats | None) -> DeployedPolicy:
    """Return the mean over people with its standard error, and the gain over the reference, person by person."""
    over = None if reference is None else gain(values - reference)
    own = gain(values)
    return DeployedPolicy(Estimate(own.mean, own.stderr if values.size > 1 else None), over)


def is_simulated(column: str, row: str) -> bool:
    """Return whether a policy is simulated in a column: one without a model only where the truths are others."""
    return exists(column, row) and (POLICIES[row].is_rogue or column == "paper")


def exists(column: str, row: str) -> bool:
    """Return whether a policy exists in a column: few learn dynamics."""
    return column != "learned" or row in LEARNERS or not POLICIES[row].is_rogue


def averages(
    settings: HealthSettings, worlds: Mapping[str, Sequence[World]], tasks: Sequence[tuple[str, str]], workers: int
) -> Floats:
    """Return each person's average expected reward [tasks, people], over replicates and decisions."""

    def average(task: tuple[str, str], number: int) -> float:
        column, row = task
        world = worlds[column][number]
        assumed = world.assumed if POLICIES[row].is_rogue else None
        trace = simulate(
            world.truth, settings.policy(row), settings.horizon, REPLICATES, settings.seed_of(number),
            learner_arms=assumed,
        )  # fmt: skip
        return float(trace.mean.mean())

    people = range(len(next(iter(worlds.values()))))
    every = in_threads(average, product(tasks, people), workers)
    return np.array(every).reshape(len(tasks), -1)


def fits(settings: HealthSettings, truths: Sequence[Truth], pool: str | None, workers: int) -> list[dict[str, ArmFit]]:
    """Return the fits of each person to a trial of random messages.

    `pool` is "own", or None for what `rogue fit` chooses: shared or partially pooled, whichever predicts better.
    All that the deployment needs of `rogue fit` is here.
    """
    records = {str(number): records_of(trial(settings, truth, number)) for number, truth in enumerate(truths)}
    fitted = fit_cohort(Data(records), FitTask(("agent",), pool=pool, workers=workers))
    return list(fitted.people.values())


def trial(settings: HealthSettings, truth: Truth, number: int) -> Trace:
    """Send a person messages at random, with random numbers apart from those of the deployment."""
    return simulate(truth, Random(), TRIAL_DAYS, seed=(settings.seed, 1, number))


def records_of(trace: Trace) -> dict[str, Record]:
    """Return the record of each kind of message."""
    played = [(trace.arm[0] == k).astype(np.float64) for k in range(len(trace.truth.arms))]
    return {
        arm.name: Record(plays, np.where(plays == 1.0, trace.reward[0], np.nan))
        for arm, plays in zip(trace.truth.arms, played, strict=True)
    }


def arms_of(person: Mapping[str, ArmFit]) -> list[Arm]:
    """Return the arms of a person with the fitted dynamics, but for decays that no plan can be made for."""
    arms = [fit.arm(name) for name, fit in person.items()]
    return [arm._replace(dynamics=arm.dynamics._replace(decay=min(arm.dynamics.decay, LARGEST_DECAY))) for arm in arms]


def unknown(arm: Arm) -> Arm:
    """Return the arm as a learner of dynamics assumes it: the bounds of its state are known, and the noise's.

    A state from 0 to 1 is the level itself. One that falls from 0 is what a rested arm has lost, in units of log odds,
    log means or the reward: at most so much as `LARGEST_LOSS` says.
    """
    d = arm.dynamics
    if d.hi > 0.0:
        return arm._replace(dynamics=Unknown(lo=d.lo, hi=d.hi))
    lost = min(LARGEST_LOSS * getattr(arm.rewards, "sd", 1.0), -d.lo)
    return arm._replace(dynamics=Unknown(fresh=(d.hi, d.hi), loss=(0.0, lost), lo=d.lo, hi=d.hi))
