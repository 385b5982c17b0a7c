"""A client of the API: typed, with retries that are safe because every request is idempotent."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import httpx

RETRIED = (502, 503, 504)
PAUSES = (0.1, 0.3, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0, 15.0, 15.0)  # seconds between attempts, 75 in all


class RequestRefused(Exception):  # noqa: N818  # it reads as it happened
    """The study refused a request: `title` is stable, `detail` says why."""

    def __init__(self, status: int, title: str, detail: str) -> None:
        self.status, self.title, self.detail = status, title, detail
        super().__init__(f"{status} {title}: {detail}")


class DecisionMade(NamedTuple):
    """A decision as it was answered."""

    id: str
    person: str | None
    number: int
    time: str
    arm: str | None  # None: a rest
    probability: float
    probabilities: dict[str, float]
    available: list[str]
    fallback: str | None
    scheduled: bool
    explanation: str
    version: dict[str, Any]


class StudyClient:
    """A study that is served at an address.

    with StudyClient("http://127.0.0.1:8000", token) as study:
        study.enrol("ann")
        decision = study.decide("ann", datetime.now(UTC), key=uuid4().hex)
        study.reward(decision.id, 1.0)
    """

    def __init__(
        self, address: str, token: str, timeout: float = 30.0, pauses: Sequence[float] = PAUSES,
        transport: httpx.BaseTransport | None = None,
    ) -> None:  # fmt: skip
        headers = {"Authorization": f"Bearer {token}"}
        # To read the certificates of all authorities takes 20 ms, for which plain HTTP has no use.
        encrypted = not address.lower().startswith("http://")
        self._http = httpx.Client(
            base_url=address, headers=headers, timeout=timeout, transport=transport, verify=encrypted
        )
        self._pauses = pauses

    def __enter__(self) -> StudyClient:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close connections."""
        self._http.close()

    def enrol(self, person: str, start: str | None = None, group: str | None = None) -> dict[str, Any]:
        """Enrol a person."""
        return self._sent("POST", "/v1/people", {"person": person, "start": start, "group": group})

    def person(self, person: str) -> dict[str, Any]:
        """Return a person with counts."""
        return self._sent("GET", f"/v1/people/{person}")

    def decide(
        self, person: str, time: datetime, key: str, unavailable: dict[str, str] | str | None = None
    ) -> DecisionMade:
        """Ask for a decision."""
        body = {"time": time.isoformat(), "key": key, "unavailable": unavailable}
        return DecisionMade(**self._sent("POST", f"/v1/people/{person}/decisions", body))

    def decision(self, decision: str) -> dict[str, Any]:
        """Return a decision with its delivery and its rewards."""
        return self._sent("GET", f"/v1/decisions/{decision}")

    def schedule(self, person: str, times: Sequence[datetime], key: str) -> list[DecisionMade]:
        """Ask for decisions ahead."""
        body = {"times": [time.isoformat() for time in times], "key": key}
        return [DecisionMade(**one) for one in self._listed("POST", f"/v1/people/{person}/schedule", body)]

    def decide_for_all(self, time: datetime, key: str, people: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """Ask for decisions for many people, or for everybody."""
        body = {"time": time.isoformat(), "key": key, "people": None if people is None else list(people)}
        items: list[dict[str, Any]] = self._sent("POST", "/v1/decisions", body)["items"]
        return items

    def deliver(self, decision: str, status: str) -> dict[str, Any]:
        """Report that a message was sent, failed or was seen."""
        return self._sent("POST", f"/v1/decisions/{decision}/delivery", {"status": status})

    def reward(
        self, decision: str, value: float | None = None, missing: str | None = None, correction: str | None = None
    ) -> dict[str, Any]:
        """Report a reward, or why there will be none."""
        body = {"value": value, "missing": missing, "correction": correction}
        return self._sent("POST", f"/v1/decisions/{decision}/reward", body)

    def rewards(self, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Report rewards from a table: rows with decision and value, or missing."""
        items: list[dict[str, Any]] = self._sent("POST", "/v1/rewards", {"rewards": list(rows)})["items"]
        return items

    def update(self, key: str) -> dict[str, Any]:
        """Learn from all rewards that wait."""
        return self._sent("POST", "/v1/updates", {"key": key})

    def change(self, person: str, change: str) -> dict[str, Any]:
        """Pause, resume, withdraw or erase a person."""
        return self._sent("POST", f"/v1/people/{person}/{change}")

    def export(self, format: str = "csv") -> bytes:
        """Return the export."""
        return self._answered("GET", "/v1/export", params={"format": format}).content

    def _sent(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        answer: dict[str, Any] = self._listed(method, path, body)
        return answer

    def _listed(self, method: str, path: str, body: Any = None) -> Any:
        return self._answered(method, path, json=body).json()

    def _answered(self, method: str, path: str, **how: Any) -> httpx.Response:
        """Send a request, again where the server is not there: a repetition changes nothing."""
        for pause in (*self._pauses, None):
            try:
                answer = self._http.request(method, path, **how)
            except httpx.TransportError:
                if pause is None:
                    raise
            else:
                if answer.status_code not in RETRIED or pause is None:
                    return raise_on_problem(answer)
            time.sleep(pause)
        raise AssertionError("unreachable")


def raise_on_problem(answer: httpx.Response) -> httpx.Response:
    """Return a good answer; raise a refusal."""
    if answer.is_success:
        return answer
    try:
        problem = answer.json()
    except ValueError:
        problem = {}
    raise RequestRefused(answer.status_code, problem.get("title", "refused"), problem.get("detail", answer.text[:200]))
