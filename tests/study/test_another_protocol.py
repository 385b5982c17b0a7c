"""What a protocol beside HTTP has to write: messages of JSON text, answered in turn."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pydantic import ValidationError

from rogue_bandits.study.access import Access
from rogue_bandits.study.bulk import decide_for_many
from rogue_bandits.study.metrics import Metrics
from rogue_bandits.study.problems import RequestProblem, cannot_be_read
from rogue_bandits.study.requests import BatchDecisionBody, DecisionBody, EnrolBody, invalid_request
from rogue_bandits.study.service import Service
from rogue_bandits.study.storage.contract import StorageDown
from rogue_bandits.study.storage.sql import Storage
from rogue_bandits.study.tokens import issue
from tests.study.cases import START, at


class Messages:
    """A study that is served by messages."""

    def __init__(self, service: Service, metrics: Metrics) -> None:
        self.service, self.access, self.metrics = service.awaitable(), Access(service), metrics
        self.actions = {"enrol": self.enrol, "decide": self.decide}

    async def answer(self, message: str) -> Any:
        """Return the answer to a message, or its problem."""
        action, token, person, body = json.loads(message)
        try:
            await self.access.granted(token, "queue", action)
            return await self.actions[action](person, body)
        except ValidationError as error:
            return self.refused(invalid_request(error.errors()))
        except StorageDown:
            return self.refused(cannot_be_read())
        except RequestProblem as problem:
            return self.refused(problem)

    def refused(self, problem: RequestProblem) -> Any:
        return {"problem": problem.kind.name, "title": problem.title, "detail": problem.detail}

    async def enrol(self, person: str, body: Any) -> Any:
        return await self.service.enrol(EnrolBody.model_validate({"person": person, **body}).enrolment())

    async def decide(self, person: str | None, body: Any) -> Any:
        if person is None:
            rows = await decide_for_many(self.service, BatchDecisionBody.model_validate(body))
            return [row.answer or row.problem for row in rows]
        one = DecisionBody.model_validate(body)
        answer = await self.service.decide(person, one.asked(), one.key)
        self.metrics.decided([answer], 0.0)
        return answer


def test_a_protocol_repeats_no_rule(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    with service.storage.writing() as tx:
        app, auditor = (issue(tx, role, "", START.isoformat(), 30) for role in ("app", "auditor"))
    metrics = Metrics()
    served = Messages(service, metrics)

    def sent(*message: Any) -> Any:
        return asyncio.run(served.answer(json.dumps(message)))

    now = {"time": at(0).isoformat(), "key": "k"}
    assert sent("enrol", app, "ann", {})["status"] == "active"
    assert sent("decide", app, "ann", now)["number"] == 0
    assert [one["number"] for one in sent("decide", app, None, now)] == [1]
    assert b"rogue_decision_seconds_count 1.0" in metrics.text()
    assert sent("decide", auditor, "ann", now)["title"] == "role-not-allowed"
    assert sent("decide", "rogue_a_b", "ann", now)["problem"] == "NO_TOKEN"
    assert sent("decide", app, "ann", {"time": now["time"]})["detail"] == "key: is missing"
    assert sent("decide", app, "bob", now)["problem"] == "NOT_FOUND"

    def gone(self: Any) -> Any:
        raise StorageDown("no such host")

    monkeypatch.setattr(Storage, "reading", gone)
    assert sent("decide", app, None, now)["title"] == "storage-unavailable"
