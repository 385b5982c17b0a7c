"""The requests to a study: people, decisions, rewards."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import NamedTuple

from rogue_bandits.study.events import LogEvent, to_text
from rogue_bandits.study.problems import conflict

DECIDE, SCHEDULE, BATCH = "decide", "schedule", "batch"  # scopes of keys: what one has, another may have


class Enrolment(NamedTuple):
    """A person who joins."""

    name: str
    start: str | None = None
    group: str | None = None


class DecisionRequest(NamedTuple):
    """A request for a decision."""

    time: datetime
    unavailable: dict[str, str] | str | None = None  # reasons by arm, or one for all
    scheduled: bool = False


class Keyed(NamedTuple):
    """The idempotency key of a decision, what kind of request it is of, and the hash of that request."""

    scope: str
    key: str
    content: str


class Observed(NamedTuple):
    """A reward: a value, or the reason why there will be none; a correction has a reason of its own."""

    value: float | None
    missing: str | None = None
    correction: str | None = None


def request_hash(*asked: DecisionRequest) -> str:
    """Return what tells requests with one key apart: all that was asked for in one request."""
    content = to_text([[one.time.astimezone(UTC).isoformat(), one.unavailable, one.scheduled] for one in asked])
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def raise_on_other_content(before: LogEvent, content: str) -> None:
    """Refuse a key that was used with another request."""
    if before.body.get("request") != content:
        raise conflict("key-reused", "this idempotency key was used with another request: use a new one")
