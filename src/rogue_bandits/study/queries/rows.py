"""Rows that queries return."""

from __future__ import annotations

from typing import Any, NamedTuple


class Summary(NamedTuple):
    """The study in one row."""

    name: str
    version: int
    people: int
    active: int
    paused: int
    withdrawn: int
    decisions: int
    rests: int
    rewards: int  # with a value
    missing: int  # with a reason for none
    awaited: int  # decisions without either
    fallbacks: int


class PersonRow(NamedTuple):
    """A person, with counts."""

    person: str | None
    pid: str
    status: str
    group: str | None
    start: str | None
    enrolled: str  # by the server's clock
    decisions: int
    rests: int
    rewards: int
    missing: int
    fallbacks: int
    last_decision: str | None  # its time
    last_reward: str | None  # when it came, by the server's clock


class DecisionRow(NamedTuple):
    """A decision and what became of it."""

    id: str
    number: int
    time: str
    day: str
    arm: str | None  # None: a rest
    probability: float
    probabilities: dict[str, float]
    available: tuple[str, ...]
    reason: str | None  # why nothing was available
    fallback: str | None
    version: int
    scheduled: bool
    delivery: str | None
    reward: float | None
    missing: str | None
    rewarded: str | None  # when the reward came
    corrected: int  # how often


class DayArm(NamedTuple):
    """One day and arm over all people."""

    day: str
    arm: str | None
    decisions: int
    rewards: int
    mean_reward: float | None


class ArmTotal(NamedTuple):
    """One arm over the whole study."""

    arm: str
    available: int  # decisions at which it could be chosen
    chosen: int
    expected: float  # sum of its probabilities: where the randomisation is balanced, near `chosen`
    variance: float  # of `chosen`, given the probabilities: the sum of p (1 - p)
    rewards: int
    mean_reward: float | None
    sent: int
    failed: int
    seen: int


class RewardCurve(NamedTuple):
    """Mean reward of an arm by how long it rested, or how often it was played in a row."""

    arm: str
    x: int
    rewards: int
    mean: float
    standard_error: float | None


class VersionRow(NamedTuple):
    """A version of the study."""

    version: int
    at: str
    package: str
    hash: str
    decisions: int
    settings: dict[str, Any]


class Alert(NamedTuple):
    """Something that needs attention."""

    kind: str  # "no-decision", "no-reward", "fallback", "at-limit", "missing-rewards"
    person: str | None
    pid: str
    detail: str  # a sentence for staff
    since: str | None
