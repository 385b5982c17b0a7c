"""Bodies of requests and answers, with examples."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, create_model, model_validator

from rogue_bandits.study import queries

PERSON = r"^[A-Za-z0-9][A-Za-z0-9._~@-]{0,99}$"
DECISION = r"^[0-9a-f]{16}-[0-9]{1,9}$"
WORDS = r"^[^\x00-\x1f\x7f]{1,200}$"
KEY = r"^[\x21-\x7e]{1,200}$"
DATE = r"^\d{4}-\d{2}-\d{2}$"
PATTERNS = {
    PERSON: "1 to 100 letters, digits and . _ ~ @ -, the first a letter or a digit",
    DECISION: "the id of a decision as it was answered, such as 44351765f624e4fc-0",
    WORDS: "1 to 200 characters, without control characters",
    KEY: "1 to 200 printable ASCII characters, without spaces",
    DATE: "a date such as 2026-03-01",
}
FIRST, LAST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
MOST_IN_BATCH = 10_000


def within_reason(time: datetime) -> datetime:
    """Refuse times of other centuries."""
    if not FIRST <= time < LAST:
        raise ValueError("must be in the years 2000 to 2199")
    return time


def existing_date(day: str | None) -> str | None:
    """Refuse dates that no calendar has."""
    try:
        return None if day is None else date.fromisoformat(day).isoformat()
    except ValueError:
        raise ValueError("must be a date that exists, such as 2026-03-01") from None


Time = Annotated[AwareDatetime, AfterValidator(within_reason), Field(description="with an offset from UTC, whose "
                 "date is the day of the decision", examples=["2026-03-01T08:00:00+01:00"])]  # fmt: skip
Key = Annotated[str, Field(pattern=KEY, description="random, without a person's name; the same key "
                "always gives the same answer", examples=["6f1c2a90e7b34d58"])]  # fmt: skip
Words = Annotated[str, Field(pattern=WORDS)]
PersonName = Annotated[str, Field(pattern=PERSON, examples=["ann"])]
DecisionId = Annotated[str, Field(pattern=DECISION, examples=["44351765f624e4fc-0"])]


class Body(BaseModel):
    """A body; names that it does not have are refused."""

    model_config = ConfigDict(extra="forbid")


class EnrolBody(Body):
    """A person who joins. The name should not identify anybody: use the study's own numbering."""

    person: PersonName
    start: Annotated[str | None, Field(pattern=DATE, description="the first day with decisions; earlier ones are "
                     "refused", examples=["2026-03-01"]), AfterValidator(existing_date)] = None  # fmt: skip
    group: Annotated[str | None, Field(pattern=WORDS, examples=["A"])] = None


class DecisionBody(Body):
    """A request for a decision: when, and what cannot be sent now."""

    time: Time
    key: Key
    unavailable: dict[str, str] | str | None = Field(
        default=None, description="reasons by arm, or one reason for all", examples=[{"walk": "unavailable"}]
    )


class ScheduleBody(Body):
    """Decisions for several times ahead."""

    times: list[Time] = Field(min_length=1, max_length=200)
    key: Key
    unavailable: dict[str, str] | str | None = None


class DeliveryBody(Body):
    """What became of a message."""

    status: Literal["sent", "failed", "seen"]


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


# ---- answers ---------------------------------------------------------------------------------------------------------
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

    delivery: Literal["sent", "failed", "seen"] | None
    delivered: str | None = Field(description="when that was reported, by the server's clock")
    reward: float | None = Field(description="as it is known now")
    missing: str | None = Field(description="why there is no reward; null where it has come or is awaited")
    rewards: list[RewardEvent] = Field(description="every reward and correction, in order")


class DeliveryAnswer(BaseModel):
    """A delivery as it is recorded."""

    decision: str
    delivery: Literal["sent", "failed", "seen"]


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
