"""Fields of requests, however these come: what they may be, as types that pydantic checks, and that in words."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, Field

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
MOST_IN_BATCH, MOST_AHEAD = 10_000, 200  # people or rewards in a batch, times in a schedule


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
                "gives the same answer for ever", examples=["6f1c2a90e7b34d58"])]  # fmt: skip
Words = Annotated[str, Field(pattern=WORDS)]
PersonName = Annotated[str, Field(pattern=PERSON, examples=["ann"])]
DecisionId = Annotated[str, Field(pattern=DECISION, examples=["44351765f624e4fc-0"])]
StartDate = Annotated[str | None, Field(pattern=DATE, description="the first day with decisions; earlier ones are "
                      "refused", examples=["2026-03-01"]), AfterValidator(existing_date)]  # fmt: skip
Group = Annotated[str | None, Field(pattern=WORDS, examples=["A"])]
Delivery = Literal["sent", "failed", "seen"]
Change = Literal["pause", "resume", "withdraw", "erase"]
Number = Annotated[int, Field(ge=0, le=10**9)]  # of a decision
Limit = Annotated[int, Field(ge=1, le=1000)]  # decisions of a list
