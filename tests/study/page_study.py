"""A study in full swing for the tests of the page: people of all sorts, thirty days of decisions and rewards."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from rogue_bandits.study import transitions
from rogue_bandits.study.design import StudyDesign, design_of
from rogue_bandits.study.file import study_of
from rogue_bandits.study.operations import DecisionRequest, Enrolment, Observed
from rogue_bandits.study.service import Service, opened
from rogue_bandits.study.storage.sqlite import SqliteStorage
from rogue_bandits.types import Arm, mean, next_state

START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
DAYS = 30
PEOPLE = ("Amelie", "Björn", "Chidi", "Dolores", "Emre", "Fatima", "Greta", "Hiro", "Ines", "Jonas", "Kavita", "Luca")
NAMES = [f"{name} {letter}." for letter in "ABC" for name in PEOPLE][:25]
SILENT, UNREWARDED, BROKEN, PAUSED, WITHDRAWN, ERASED = NAMES[3], NAMES[6], NAMES[8], NAMES[10], NAMES[14], NAMES[20]
ARMS: list[dict[str, Any]] = [
    {"name": "Go for a walk", "dynamics": {"decay": 0.85, "pull": -0.35, "drift": 0.15}},
    {"name": "Call a friend", "dynamics": {"decay": 0.92, "pull": -0.3, "drift": 0.08}},
    {"name": "Breathe slowly", "dynamics": {"decay": 0.65, "pull": -0.5, "drift": 0.35}},
]
REWARDS = {"theta_weight": 2.0, "state_weight": 2.5}


class Clock:
    """The server's time, moved by hand."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> str:
        return self.now.isoformat()


def page_design(**changes: Any) -> StudyDesign:
    """Return the design of the study."""
    about = {"name": "Moving on", "description": "Which encouragement should this person get today?"}
    arms = [{**arm, "rewards": REWARDS, "theta": [-2.0, 0.5]} for arm in ARMS]
    plain = {
        "study": about, "rewards": {"family": "BernoulliLogit"}, "arms": arms, "policy": {"id": "plan-ts"},
        "unavailable": {"reasons": ["asleep", "driving"]}, **changes,
    }  # fmt: skip
    return design_of(study_of(plain))


class Life:
    """The true state of one person's arms."""

    def __init__(self, arms: Sequence[Arm], rng: np.random.Generator) -> None:
        self._arms, self._rng = arms, rng
        self._theta = rng.uniform(-1.2, -0.2, len(self._arms))
        self._x = np.ones(len(self._arms))

    def lived(self, arm: str | None) -> float:
        """Return the reward of a day on which an arm was played."""
        names = [one.name for one in self._arms]
        k = -1 if arm is None else names.index(arm)
        reward = 0.0
        if k >= 0:
            reward = float(self._rng.random() < mean(self._arms[k].rewards, self._theta[k], self._x[k]))
        for j, one in enumerate(self._arms):
            self._x[j] = next_state(one.dynamics, self._x[j], float(j == k))
        return reward


class QuickStorage(SqliteStorage):
    """Commits that would not survive a loss of power."""

    def connect(self) -> Any:
        """Return a connection."""
        connection = super().connect()
        connection.execute("PRAGMA synchronous = OFF")
        return connection


class Lived(NamedTuple):
    """A study that has been lived, and its clock."""

    service: Service
    clock: Clock


def lived_study(path: Path, design: StudyDesign, people: list[str] = NAMES, days: int = DAYS) -> Lived:
    """Return a service whose people have lived so many days."""
    clock, rng = Clock(), np.random.default_rng(5)
    service = opened(design, QuickStorage(path), clock)
    lives = {name: Life(design.arms, rng) for name in people}
    joined: list[str] = []
    for day in range(days):
        clock.now = START + timedelta(days=day)
        while len(joined) < min(len(people), 4 + 3 * day // 2):
            name = people[len(joined)]
            group = "evening" if len(joined) % 3 else "morning"
            service.enrol(Enrolment(name, clock.now.date().isoformat(), group)).result()
            joined.append(name)
        change_status(service, day)
        live_a_day(service, clock, rng, {name: lives[name] for name in joined}, day)
    clock.now += timedelta(hours=14, minutes=40)
    return Lived(service, clock)


def change_status(service: Service, day: int) -> None:
    """Let people pause and leave."""
    for when, name, change in ((26, PAUSED, "pause"), (22, WITHDRAWN, "withdraw"), (23, ERASED, "erase")):
        if day == when:
            service.change_status(name, change).result()


def live_a_day(service: Service, clock: Clock, rng: np.random.Generator, lives: dict[str, Life], day: int) -> None:
    """Decide for everybody, deliver, and report rewards; for some people things go wrong."""
    gone = {WITHDRAWN: 22, ERASED: 23, SILENT: DAYS - 6}
    present = [name for name in lives if day < gone.get(name, 10**6)]
    asked = {name: DecisionRequest(clock.now, "asleep" if rng.random() < 0.04 else None) for name in present}
    if BROKEN in present and day == DAYS - 3:  # nothing of anybody else waits now
        fault = transitions.PolicyFault("FloatingPointError in the policy")
        with mock.patch.object(transitions, "decide", side_effect=fault):
            service.decide(BROKEN, asked[BROKEN], f"day {day}").result()
    sent = {name: service.decide(name, asked[name], f"day {day}") for name in present}
    clock.now += timedelta(hours=9)
    answers = {name: future.result() for name, future in sent.items()}
    done = []
    for name, answer in answers.items():
        reward = lives[name].lived(answer["arm"])
        late = day == DAYS - 1 and rng.random() < 0.4
        if answer["arm"] is None or late:
            continue
        seen = ("seen", "sent", "failed")[int(np.searchsorted([0.7, 0.96], rng.random()))]
        done.append(service.deliver(answer["id"], seen))
        lost = rng.random() < (0.8 if name == UNREWARDED else 0.05)
        observed = Observed(None, "phone was off") if lost or seen == "failed" else Observed(reward)
        done.append(service.reward(answer["id"], observed))
    for future in done:
        future.result()
