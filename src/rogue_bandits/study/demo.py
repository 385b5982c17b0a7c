"""A demonstration: a study on an embedded database, with simulated people who live through the public API."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import numpy as np

from rogue_bandits.model.validation import checked_truth
from rogue_bandits.study.client import RequestRefused, StudyClient
from rogue_bandits.study.clock import utc_now
from rogue_bandits.study.service import Service, open_study
from rogue_bandits.study.tokens import issue
from rogue_bandits.types import Truth, draw, next_state

STUDY = """\
# The study of `make demo`. One decision a day, and a day takes seconds.
[study]
name = "demonstration"
description = "Three messages for people who want to walk more; simulated."

[rewards]
family = "BernoulliLogit"

[[arms]]
name = "walk"
rewards = { theta_weight = 2.0, state_weight = 2.5 }
dynamics = { decay = 0.6, pull = -0.7, drift = 0.4 }
theta = [-1.5, 0.5]

[[arms]]
name = "sleep"
rewards = { theta_weight = 2.0, state_weight = 2.0 }
dynamics = { decay = 0.8, pull = -0.5, drift = 0.2 }
theta = [-1.5, 0.5]

[[arms]]
name = "praise"
rewards = { theta_weight = 2.0, state_weight = 1.0 }
dynamics = { decay = 0.5, pull = -0.4, drift = 0.5 }
theta = [-1.5, 0.5]

[policy]
id = "plan-ts"

[decisions]
per_day = 1
ahead_hours = 1e6    # days pass faster here than by the clock

[unavailable]
reasons = ["driving", "asleep", "no network"]
"""
JOINING = 10  # days until everybody has joined


class Simulated:
    """A person with a true theta and state for every arm, who is sometimes unavailable or silent."""

    def __init__(self, name: str, truth: Truth, seed: int) -> None:
        self.name, self._truth = name, truth
        self._random = np.random.default_rng(seed)
        self._x = [float(x) for x in truth.x0]
        self._silent = self._random.random() < 0.1  # some people hardly ever answer

    def live(self, study: StudyClient, day: datetime) -> None:
        """Live one day: ask, receive, answer or not."""
        u = self._random.random(4)
        why = "no network" if u[0] < 0.06 else None
        made = study.decide(self.name, day, uuid4().hex, why)
        arm = -1 if made.arm is None else [one.name for one in self._truth.arms].index(made.arm)
        if arm >= 0:
            study.deliver(made.id, "failed" if u[1] < 0.02 else "seen" if u[1] < 0.7 else "sent")
            if u[2] < (0.7 if self._silent else 0.1):
                study.reward(made.id, missing="no answer")
            else:
                one = self._truth.arms[arm]
                study.reward(made.id, float(draw(one.rewards, self._truth.theta[arm], self._x[arm], u[3])))
        for k, one in enumerate(self._truth.arms):
            self._x[k] = float(next_state(one.dynamics, self._x[k], float(k == arm)))


def simulated_people(service: Service, people: int, seed: int) -> list[Simulated]:
    """Return people whose thetas and first states are drawn at random."""
    random = np.random.default_rng(seed)
    arms, found = service.design.arms, []
    for k in range(people):
        theta = [float(random.uniform(arm.theta_lo, arm.theta_hi)) for arm in arms]
        truth = checked_truth(Truth(list(arms), theta, [float(x) for x in random.uniform(0.2, 1.0, len(arms))]))
        found.append(Simulated(f"p{k + 1:03d}", truth, seed + k))
    return found


class DayClock:
    """The server's time in the demonstration: that of the simulated day, as days pass faster than by the clock."""

    label = "simulated time: a day takes seconds"

    def __init__(self, first: datetime) -> None:
        self.first = self.now = first

    def __call__(self) -> str:
        """Return the time of the simulated day."""
        return self.now.isoformat()


def live(
    address: str, token: str, people: list[Simulated], clock: DayClock, days: int, seconds: float, stop: threading.Event
) -> int:
    """Let people join and live so many days, each in so many seconds; return how many days passed."""
    with StudyClient(address, token) as study:
        for day in range(days):
            clock.now = clock.first + timedelta(days=day)
            for k, person in enumerate(people):
                joins = JOINING * k // len(people)
                if stop.is_set():
                    return day
                if day == joins:
                    study.enrol(person.name, start=str(clock.now.date()), group="AB"[k % 2])
                if day >= joins:
                    live_a_day(study, person, clock.now)
            stop.wait(seconds)
    return days


def live_a_day(study: StudyClient, person: Simulated, day: datetime) -> None:
    """Let one person live a day, unless staff have tried out how to withdraw or erase somebody."""
    try:
        person.live(study, day)
    except RequestRefused as refusal:
        if refusal.title not in ("withdrawn", "unknown-person"):
            raise


def prepared(folder: Path, clock: Callable[[], str] = utc_now) -> tuple[Service, dict[str, str]]:
    """Open the demonstration in a folder; return it with a token for each role."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "study.toml"
    path.write_text(STUDY, encoding="utf-8")
    service = open_study(path, clock)
    with service.storage.writing() as tx:
        tokens = {role: issue(tx, role, "demonstration", clock(), 3650) for role in ("app", "staff", "auditor")}
    return service, tokens


def first_day(days_back: int) -> datetime:
    """Return the morning so many days ago."""
    return datetime.now(UTC).replace(hour=8, minute=0, second=0, microsecond=0) - timedelta(days=days_back)
