"""A small study for tests: two arms, a policy that learns, and a clock that stands still until it is moved."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from rogue_bandits.study.design import StudyDesign, design_of
from rogue_bandits.study.file import study_of
from rogue_bandits.study.operations import DecisionRequest

START = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
WALK = {
    "name": "walk",
    "rewards": {"theta_weight": 0.4, "state_weight": 0.6},
    "dynamics": {"decay": 0.6, "pull": -1.0, "drift": 0.5},
}
SLEEP = {
    "name": "sleep",
    "rewards": {"theta_weight": 0.7, "state_weight": 0.3},
    "dynamics": {"decay": 0.7, "pull": -1.2, "drift": 0.5},
}


def plain(**changes: Any) -> dict[str, Any]:
    """Return a study file as plain data."""
    return {
        "study": {"name": "test"},
        "rewards": {"family": "BernoulliLogit"},
        "arms": [WALK, SLEEP],
        "policy": {"id": "epsilon-rogue"},
        "decisions": {"per_day": 1440, "ahead_hours": 1e6},
        "unavailable": {"reasons": ["driving", "asleep"]},
        **changes,
    }


def design(**changes: Any) -> StudyDesign:
    """Return the design of a study file."""
    return design_of(study_of(plain(**changes)))


def at(minutes: float) -> datetime:
    """Return a time so many minutes into the study."""
    return START + timedelta(minutes=minutes)


def asked(minutes: float, unavailable: Any = None) -> DecisionRequest:
    """Return a request for a decision."""
    return DecisionRequest(at(minutes), unavailable)


class Clock:
    """The server's time, moved by hand."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> str:
        return self.now.isoformat()
