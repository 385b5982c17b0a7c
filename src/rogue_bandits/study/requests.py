"""Requests as they come, by whatever protocol: checked by pydantic, refused in words, and as operations take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from rogue_bandits.study.faults import fault_in_words, place_of
from rogue_bandits.study.fields import (
    MOST_AHEAD,
    MOST_IN_BATCH,
    PATTERNS,
    DecisionId,
    Delivery,
    Group,
    Key,
    PersonName,
    StartDate,
    Time,
    Words,
)
from rogue_bandits.study.operations import DecisionRequest, Enrolment, Observed
from rogue_bandits.study.problems import RequestProblem, invalid

MOST_FAULTS = 5  # in the sentence; the list has all


class Body(BaseModel):
    """A body; names that it does not have are refused."""

    model_config = ConfigDict(extra="forbid")


class EnrolBody(Body):
    """A person who joins. The name should not identify anybody: use the study's own numbering."""

    person: PersonName
    start: StartDate = None
    group: Group = None

    def enrolment(self) -> Enrolment:
        """Return who joins."""
        return Enrolment(self.person, self.start, self.group)


class DecisionBody(Body):
    """A request for a decision: when, and what cannot be sent now."""

    time: Time
    key: Key
    unavailable: dict[str, str] | str | None = Field(
        default=None, description="reasons by arm, or one reason for all", examples=[{"walk": "unavailable"}]
    )

    def asked(self) -> DecisionRequest:
        """Return what is asked for."""
        return DecisionRequest(self.time, self.unavailable)


class ScheduleBody(Body):
    """Decisions for several times ahead."""

    times: list[Time] = Field(min_length=1, max_length=MOST_AHEAD)
    key: Key
    unavailable: dict[str, str] | str | None = None

    def asked(self) -> list[DecisionRequest]:
        """Return what is asked for, one for each time."""
        return [DecisionRequest(time, self.unavailable, scheduled=True) for time in self.times]


class DeliveryBody(Body):
    """What became of a message."""

    status: Delivery


class RewardBody(Body):
    """A reward: a value, or the reason why there will be none. One that replaces another has the reason for that."""

    value: Annotated[float | None, Field(strict=True, allow_inf_nan=False, examples=[1.0])] = None
    missing: Words | None = None
    correction: Words | None = None

    @model_validator(mode="after")
    def one_of_both(self) -> RewardBody:
        """Raise unless there is either a value or a reason for its absence."""
        if (self.value is None) == (self.missing is None):
            raise ValueError("give either a value or the reason why it is missing")
        return self

    def observed(self) -> Observed:
        """Return what was observed."""
        return Observed(self.value, self.missing, self.correction)


class BatchDecisionBody(Body):
    """Decisions for many people at one time; people: null is everybody who takes part."""

    time: Time
    key: Key
    people: Annotated[list[PersonName] | None, Field(max_length=MOST_IN_BATCH)] = None


class RewardRow(RewardBody):
    """One row of a table of rewards."""

    decision: DecisionId


class BatchRewardBody(Body):
    """A table of rewards."""

    rewards: list[RewardRow] = Field(min_length=1, max_length=MOST_IN_BATCH)


class UpdateBody(Body):
    """Learn from all rewards that wait."""

    key: Key


def invalid_request(faults: Sequence[Any]) -> RequestProblem:
    """Return a refusal: pydantic found faults in a request."""
    each = [{"place": place_of(fault["loc"]), "message": fault_in_words(fault, PATTERNS)} for fault in faults]
    detail = "; ".join(fault["message"] for fault in each[:MOST_FAULTS])
    return invalid("invalid-request", detail, faults=each)
