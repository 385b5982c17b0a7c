"""The tracking regret of the paper's two experiments."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed

import rogue_bandits as rb
from rogue_bandits.experiments.health.cohort import drawn
from rogue_bandits.experiments.health.settings import HealthSettings
from rogue_bandits.types import Floats
from verification.growth import Scenario
from verification.scenarios import LOGISTIC


def logistic_regret(policy: Any, horizon: int, people: int, seed: int) -> Floats:
    """Return the regret of people with the same truth: [people, decisions]."""
    return rb.simulate(LOGISTIC, policy, horizon, people, seed, workers=-1).tracking_regret()


def health_regret(policy: Any, horizon: int, people: int, seed: int) -> Floats:
    """Return the regret of people who all differ, drawn as in the experiment, one replicate each."""

    def regret(number: int, truth: rb.Truth) -> Floats:
        return rb.simulate(truth, policy, horizon, seed=(seed, 0, number)).tracking_regret()

    truths = drawn(HealthSettings(people=people))
    every = Parallel(n_jobs=-1, require="sharedmem")(delayed(regret)(*one) for one in enumerate(truths))
    return np.concatenate(every)


LOGISTIC_REGRET = Scenario("logistic", "Two arms, the truth of Table 1", 64_000, logistic_regret)
HEALTH_REGRET = Scenario(
    "health",
    "The synthetic cohort of the experiment on physical activity (docs/health.md), five kinds of messages each",
    4_000,
    health_regret,
)
