"""Simulated records of one arm whose model is known, for checks of the ladder."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.history import Record
from rogue_bandits.types import Floats

ARMS = 3  # sent with equal chance, so that an arm rests two decisions of three


class Truth(NamedTuple):
    """A model of an arm: what one sending takes away on the scale of the predictor, and what time does in all."""

    family: str
    level: float
    spread: float  # standard deviation of levels between people
    noise: float
    drop: float = 0.0
    half_life: float = math.inf
    fade: float = 0.0

    def mean(self, eta: Floats) -> Floats:
        """Return the mean reward."""
        if self.family == "logit":
            return 1.0 / (1.0 + np.exp(-eta))
        return np.exp(eta) if self.family == "poisson" else eta


class Sample(NamedTuple):
    """Records of people, with their true levels and loads at the next decision."""

    records: dict[str, Record]
    level: Floats
    next_load: Floats


def sampled(truth: Truth, people: int, decisions: int, rng: np.random.Generator) -> Sample:
    """Draw people; the trajectory is walked here, step by step, without the package."""
    levels = truth.level + truth.spread * rng.standard_normal(people)
    decay, records, loads = 0.5 ** (1.0 / truth.half_life), {}, []
    for i in range(people):
        played = (rng.integers(ARMS, size=decisions) == 0).astype(np.float64)
        played[rng.choice(decisions, 3, replace=False)] = 1.0
        load, rewards = 0.0, np.full(decisions, np.nan)
        for t in range(decisions):
            if played[t]:
                eta = levels[i] - truth.drop * load - truth.fade * t / decisions
                rewards[t] = drawn(truth, eta, rng)
            load = decay * load + played[t]
        records[str(i)] = Record(played, rewards)
        loads.append(load)
    return Sample(records, levels, np.array(loads))


def drawn(truth: Truth, eta: float, rng: np.random.Generator) -> float:
    """Draw a reward."""
    mean = float(truth.mean(np.array(eta)))
    if truth.family == "logit":
        return float(rng.random() < mean)
    if truth.family == "poisson":
        return float(rng.poisson(mean))
    return mean + truth.noise * float(rng.standard_normal())
