"""The tracking regret of the paper's two experiments."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

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

    return np.concatenate([trace.tracking_regret() for trace in health_traces(policy, horizon, people, seed)])


def health_plays(policy: Any, horizon: int, people: int, seed: int) -> NDArray[np.int16]:
    """Return the arms played by the same people: [people, decisions]."""
    return np.concatenate([trace.arm for trace in health_traces(policy, horizon, people, seed)])


def health_traces(policy: Any, horizon: int, people: int, seed: int) -> list[rb.Trace]:
    """Simulate each person once."""
    truths = drawn(HealthSettings(people=people, people_as_of="0.1.0"))
    every: Any = Parallel(n_jobs=-1, require="sharedmem")(
        delayed(rb.simulate)(truth, policy, horizon, seed=(seed, 0, number)) for number, truth in enumerate(truths)
    )
    return list(every)


LOGISTIC_REGRET = Scenario("logistic", "Two arms, the truth of Table 1", 1_024_000, 64_000, logistic_regret)
HEALTH_REGRET = Scenario(
    "health",
    "The people of version 0.1.0 of the experiment on physical activity (docs/health.md), five kinds of messages each",
    4_000,
    4_000,
    health_regret,
)
