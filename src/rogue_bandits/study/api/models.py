"""Answers as OpenAPI describes them."""

from __future__ import annotations

from typing import Any, Literal, get_type_hints

from pydantic import BaseModel, Field, create_model

from rogue_bandits.study import queries
from rogue_bandits.study.fields import Delivery


class PersonAnswer(BaseModel):
    """A person."""

    person: str | None
    pid: str | None = Field(
        description="the random name under which the log has this person; null where one is erased whom nobody knows"
    )
    status: Literal["active", "paused", "withdrawn"]
    start: str | None = None
    group: str | None = None


class VersionAnswer(BaseModel):
    """What a decision was made under."""

    number: int
    settings: str = Field(description="SHA-256 of the study file's settings")
    package: str


class DecisionAnswer(BaseModel):
    """A decision: an arm, or null for a rest; the probability of every arm; who decided, and why."""

    id: str
    person: str | None
    number: int
    time: str
    arm: str | None
    probability: float
    probabilities: dict[str, float]
    available: list[str]
    fallback: str | None = Field(description="why the fallback decided; null where the policy did")
    scheduled: bool
    explanation: str
    version: VersionAnswer


class RewardEvent(BaseModel):
    """A reward as it came: a value, or the reason for none, and for a correction its reason."""

    at: str = Field(description="by the server's clock")
    value: float | None
    missing: str | None
    correction: str | None


class DecisionWithOutcome(DecisionAnswer):
    """A decision and what became of it."""

    delivery: Delivery | None
    delivered: str | None = Field(description="when that was reported, by the server's clock")
    reward: float | None = Field(description="as it is known now")
    missing: str | None = Field(description="why there is no reward; null where it has come or is awaited")
    rewards: list[RewardEvent] = Field(description="every reward and correction, in order")


class DeliveryAnswer(BaseModel):
    """A delivery as it is recorded."""

    decision: str
    delivery: Delivery


class RewardAnswer(BaseModel):
    """A reward as it is recorded."""

    decision: str
    value: float | None
    missing: str | None
    corrected: bool


class Item(BaseModel):
    """One row of a batch: the answer, or the problem."""

    of: str = Field(description="the person or the decision")
    status: int
    answer: dict[str, Any] | None = None
    problem: dict[str, Any] | None = None


class BatchAnswer(BaseModel):
    """One item for each row of the request, in its order."""

    items: list[Item]


class UpdateAnswer(BaseModel):
    """An update: the number of its event."""

    update: int
    at: str


def model_of(row: Any) -> Any:
    """Return the body that has the fields of a NamedTuple, by name."""
    fields: Any = {name: (kind, ...) for name, kind in get_type_hints(row).items()}
    return create_model(f"{row.__name__}Answer", __doc__=row.__doc__, **fields)


PersonRowAnswer = model_of(queries.PersonRow)
DecisionRowAnswer = model_of(queries.DecisionRow)
VersionRowAnswer = model_of(queries.VersionRow)
