"""A simulated trial with a known effect, run as a study: a message or nothing, once a day."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from rogue_bandits.study.design import design_of
from rogue_bandits.study.file import study_of
from rogue_bandits.study.operations import DecisionRequest, Enrolment, Observed
from rogue_bandits.study.service import Service, opened
from rogue_bandits.study.storage.sqlite import SqliteStorage
from tests.study.cases import START, Clock

EFFECT = 0.2  # on the probability of a reward
STILL = {"decay": 0.0, "pull": 0.0, "drift": 0.0, "lo": 0.0, "hi": 0.0}  # neither wears out
ARM = {"rewards": {"theta_weight": 1.0, "state_weight": 1.0}, "dynamics": STILL, "theta": [-3.0, 3.0]}


def run_trial(path: Path, people: int, days: int, seed: int) -> Service:
    """Run the trial; people differ in their baseline, of which the policy learns."""
    plain: dict[str, Any] = {
        "study": {"name": "trial"},
        "rewards": {"family": "BernoulliLogit"},
        "arms": [{**ARM, "name": "message"}, {**ARM, "name": "nothing"}],
        "policy": {"id": "epsilon-rogue"},
        "decisions": {"ahead_hours": 1e6},
        "unavailable": {"reasons": ["asleep"]},
    }
    random = np.random.default_rng(seed)
    service = opened(design_of(study_of(plain)), SqliteStorage(path), Clock())
    baselines = random.uniform(0.1, 0.7, people)
    for k in range(people):
        service.enrol(Enrolment(f"p{k}")).result()
    for day in range(days):
        time, reasons = START + timedelta(days=day), ["asleep" if u < 0.1 else None for u in random.random(people)]
        asked = [service.decide(f"p{k}", DecisionRequest(time, reasons[k]), f"d{day}") for k in range(people)]
        uniforms = random.random(people)
        sent = []
        for k, future in enumerate(asked):
            made = future.result()
            if made["arm"] is not None:
                value = float(uniforms[k] < baselines[k] + EFFECT * (made["arm"] == "message"))
                sent.append(service.reward(made["id"], Observed(value)))
        for one in sent:
            one.result()
    return service
