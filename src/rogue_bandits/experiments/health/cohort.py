"""Simulated people, drawn from the distributions of docs/health.md, which were chosen without regard to any policy."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.experiments.health.settings import THETA_HI, THETA_LO, HealthSettings
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.policies.random import Random
from rogue_bandits.simulation.simulate import simulate
from rogue_bandits.types import Arm, Floats, Truth, mean

STEPS = 14_000.0  # a day, that count as 1  [Sec. 5.4.1]
INCREASE = 2_551.0  # steps a day, of the trial's treatment group
SPREAD_TREATED, SPREAD_CONTROL = 4_712.0, 3_308.0  # standard deviations of the changes in the trial's two groups
TRIAL_DAYS = 150

WORN_MEAN, WORN_SD, WORN_LO, WORN_HI = 5_500.0, 2_000.0, 1_500.0, 10_000.0  # steps a day without effect of messages
# The spread between treated people beyond that between untreated ones, as a share of the mean.
GAIN_VARIATION = math.sqrt(SPREAD_TREATED**2 - SPREAD_CONTROL**2) / INCREASE
# Mean gain before the cap at 14,000 steps; messages at random then give INCREASE: docs/health.md
GAIN_MEAN = {"0.1.0": 6_480.0, "0.2.0": 11_400.0}
LIKING = 0.5, 1.5  # version 0.1.0: of a kind of message, as a multiple of the person's gain
# Half of that spread is between people, half between the kinds of a person: 1 + v² = (1 + v_half²)².
HALF_VARIATION = math.sqrt(math.sqrt(1.0 + GAIN_VARIATION**2) - 1.0)
FATIGUE = 0.5, 2.0  # version 0.1.0: sent every day, a kind loses this multiple of its gain
WEAR = 1.0, 1.5  # pull as a multiple of drift: sent every day, a kind ends at state 0, below `worn` (k ≥ 0 in Table 1)


class Person(NamedTuple):
    """A person: the level without effect of messages, as a share of 14,000 steps, and the true arms."""

    worn: float
    truth: Truth


def person(settings: HealthSettings, number: int) -> Person:
    """Return the person with this number, the same for any number of people."""
    rng = np.random.default_rng(np.random.SeedSequence(settings.cohort_seed, spawn_key=(number,)))
    worn = float(np.clip(rng.normal(WORN_MEAN, WORN_SD), WORN_LO, WORN_HI)) / STEPS
    kinds = {"0.1.0": as_in_0_1, "0.2.0": kinds_of}[settings.people_as_of](rng, settings, worn)
    arms = [
        Arm(kind.dynamics, LaplaceAgent(), THETA_LO, THETA_HI, f"kind {number + 1}")
        for number, kind in enumerate(kinds)
    ]
    return Person(worn, Truth(arms, [kind.theta for kind in kinds], [kind.x0 for kind in kinds]))


class Kind(NamedTuple):
    """A kind of message to one person."""

    dynamics: ClippedAffine
    theta: float
    x0: float


def kinds_of(rng: np.random.Generator, settings: HealthSettings, worn: float) -> list[Kind]:
    """Draw theta and the gain for each kind; sent every day, a kind wears out as in Table 1: pull ≤ −drift."""
    kinds, shape = [], HALF_VARIATION**-2
    gain = rng.gamma(shape, GAIN_MEAN["0.2.0"] / shape) / STEPS
    for _ in range(settings.kinds):
        fresh = min(worn + gain * rng.gamma(shape, 1.0 / shape), 1.0)
        decay = 2.0 ** (-1.0 / log_uniform(rng, settings.half_life))
        drift = (1.0 - decay) * fresh
        dynamics = ClippedAffine(decay, -rng.uniform(*WEAR) * drift, drift)
        kinds.append(Kind(dynamics, log_uniform(rng, settings.noise), float(rng.uniform(worn, fresh))))
    return kinds


def as_in_0_1(rng: np.random.Generator, settings: HealthSettings, worn: float) -> list[Kind]:
    """Draw kinds as in version 0.1.0: one theta for all, and steady play that takes away a share of the gain."""
    shape = GAIN_VARIATION**-2
    gain = min(rng.gamma(shape, GAIN_MEAN["0.1.0"] / shape) / STEPS, 1.0 - worn)
    theta, kinds = log_uniform(rng, settings.noise), []
    for _ in range(settings.kinds):
        fresh = min(worn + gain * rng.uniform(*LIKING), 1.0)
        decay = 2.0 ** (-1.0 / log_uniform(rng, settings.half_life))
        pull = -rng.uniform(*FATIGUE) * (1.0 - decay) * (fresh - worn)
        dynamics = ClippedAffine(decay, pull, (1.0 - decay) * fresh)
        kinds.append(Kind(dynamics, theta, float(rng.uniform(worn, fresh))))
    return kinds


def log_uniform(rng: np.random.Generator, ends: tuple[float, float]) -> float:
    """Return a log-uniform number between the ends."""
    return math.exp(rng.uniform(math.log(ends[0]), math.log(ends[1])))


def drawn(settings: HealthSettings) -> list[Truth]:
    """Return the people described by the settings."""
    return [person(settings, number).truth for number in range(settings.people)]


def increases(settings: HealthSettings, days: int = TRIAL_DAYS) -> Floats:
    """Return each person's mean increase in steps a day when messages are sent at random for the length of the trial.

    >>> increases(HealthSettings(people=2)).shape
    (2,)
    """
    gained = []
    for number in range(settings.people):
        who = person(settings, number)
        trace = simulate(who.truth, Random(), days, seed=settings.seed_of(number))
        before = float(np.mean([mean(LaplaceAgent(), theta, who.worn) for theta in who.truth.theta]))
        gained.append(STEPS * (float(trace.mean.mean()) - before))
    return np.array(gained)
