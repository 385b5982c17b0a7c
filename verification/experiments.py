"""The tracking regret of the paper's two experiments."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed

import rogue_bandits as rb
from rogue_bandits.experiments.health.cohort import drawn
from rogue_bandits.experiments.health.settings import HealthSettings
from rogue_bandits.simulation.simulate import simulate_people
from rogue_bandits.types import Floats, Ints
from verification.growth import Scenario
from verification.scenarios import LOGISTIC


def logistic_regret(policy: Any, horizon: int, people: int, seed: int, ends: Ints) -> Floats:
    """Return the regret of people with the same truth after so many decisions: [people, ends].

    Person by person, as the traces of all take gigabytes.
    """

    def one(person: int) -> Floats:
        trace = simulate_people(LOGISTIC, policy, horizon, range(person, person + 1), seed)
        lost: Floats = trace.tracking_regret()[0, ends - 1]
        return lost

    every: Any = Parallel(n_jobs=-1, require="sharedmem")(delayed(one)(person) for person in range(people))
    return np.array(every)


def health_regret(policy: Any, horizon: int, people: int, seed: int, ends: Ints) -> Floats:
    """Return the regret of people who all differ, drawn as in the experiment, one replicate each: [people, ends]."""
    traces = health_traces(policy, horizon, people, seed)
    return np.concatenate([trace.tracking_regret()[:, ends - 1] for trace in traces])


def health_traces(policy: Any, horizon: int, people: int, seed: int) -> list[rb.Trace]:
    """Simulate each person once."""
    truths = drawn(HealthSettings(people=people))
    every: Any = Parallel(n_jobs=-1, require="sharedmem")(
        delayed(rb.simulate)(truth, policy, horizon, seed=(seed, 0, number)) for number, truth in enumerate(truths)
    )
    return list(every)


LOGISTIC_REGRET = Scenario("logistic", "Two arms, the truth of Table 1", 1_024_000, logistic_regret)
HEALTH_REGRET = Scenario(
    "health",
    "People of the experiment on physical activity (docs/health.md), five kinds of messages each",
    4_000,
    health_regret,
)
