"""What the API refuses, in words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from rogue_bandits.study.api.limits import LARGEST_BODY
from rogue_bandits.study.api.problem_json import HTTP_STATUS
from rogue_bandits.study.client import RequestRefused, StudyClient
from rogue_bandits.study.problems import Kind
from rogue_bandits.study.service import Service
from rogue_bandits.study.storage.contract import StorageDown
from rogue_bandits.study.storage.sqlite import SqliteStorage
from tests.study.api.requests import as_role, forget_tokens
from tests.study.cases import at
from tests.study.served import Served


@pytest.mark.parametrize(
    ("path", "body", "status", "title"),
    [
        ("/v1/people/bob/decisions", {"time": "2026-03-01T08:00:00Z", "key": "k"}, 404, "unknown-person"),
        ("/v1/people/ann/decisions", {"time": "2026-03-01T08:00:00", "key": "k"}, 422, "invalid-request"),
        ("/v1/people/ann/decisions", {"time": "0001-01-01T00:00:00+14:00", "key": "k"}, 422, "invalid-request"),
        ("/v1/people/ann/decisions", {"time": "2026-03-01T08:00:00Z"}, 422, "invalid-request"),
        (f"/v1/decisions/{'0' * 16}-0/reward", {"value": 1.0}, 404, "unknown-decision"),
        ("/v1/decisions/nobody-0/reward", {"value": 1.0}, 422, "invalid-request"),
        (f"/v1/decisions/{'0' * 16}-0%00/reward", {"value": 1.0}, 422, "invalid-request"),
        (f"/v1/decisions/{'0' * 16}-0%0A/reward", {"value": 1.0}, 422, "invalid-request"),
        ("/v1/rewards", {"rewards": [{"decision": "\x00-0", "value": 1.0}]}, 422, "invalid-request"),
        (f"/v1/decisions/{'0' * 16}-0/reward", {"value": 1.0, "missing": "x"}, 422, "invalid-request"),
        (f"/v1/decisions/{'0' * 16}-0/reward", {"value": True}, 422, "invalid-request"),
        (f"/v1/decisions/{'0' * 16}-0/reward", {"value": "1"}, 422, "invalid-request"),
        ("/v1/decisions/nobody-0/delivery", {"status": "eaten"}, 422, "invalid-request"),
        ("/v1/people", {"person": "a b"}, 422, "invalid-request"),
        ("/v1/people", {"person": "x", "group": "\ud800"}, 422, "invalid-request"),
        ("/v1/people", {"person": "x", "\ud800": 1}, 422, "invalid-request"),
        ("/v1/nothing", {}, 404, "not-found"),
    ],
)
def test_refusals_are_problems(
    study: StudyClient, http: httpx.Client, tokens: dict[str, str], path: str, body: Any, status: int, title: str
) -> None:
    study.enrol("ann")
    http.headers.update(as_role(tokens, "staff"))
    answer = http.post(path, content=json.dumps(body), headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert answer.json()["title"] == title
    assert answer.json()["status"] == status


def test_every_kind_of_problem_has_a_status() -> None:
    assert set(HTTP_STATUS) == set(Kind)


def test_an_error_is_a_problem_and_its_message_is_not_logged(
    study: StudyClient, http: httpx.Client, tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    def failing(*_: Any) -> Any:
        raise KeyError("a secret of ann")

    monkeypatch.setattr("rogue_bandits.study.queries.person", failing)
    answer = http.get("/v1/people/ann", headers=as_role(tokens, "staff"))
    assert (answer.status_code, answer.headers["content-type"]) == (500, "application/problem+json")
    assert answer.json()["title"] == "internal-error"
    assert "a request failed: KeyError" in caplog.text
    assert "secret of ann" not in caplog.text.replace('raise KeyError("a secret of ann")', "")


def test_a_large_body_is_refused_before_it_is_read(
    http: httpx.Client, study: StudyClient, tokens: dict[str, str]
) -> None:
    http.headers.update(as_role(tokens, "staff"))
    large = b'{"person": "' + b"x" * 10_000_000 + b'"}'

    def status(content: Any) -> int:  # the body of the answer may be lost, as the server closes while we send
        with http.stream("POST", "/v1/people", content=content) as answer:
            return answer.status_code

    assert status(large) == 413

    def pieces() -> Iterator[bytes]:  # without a length
        for _ in range(LARGEST_BODY // 100_000 + 2):
            yield b"x" * 100_000

    assert status(pieces()) == 413
    assert study.enrol("ann")["status"] == "active"


def test_without_the_database_it_is_not_ready_and_says_so(
    http: httpx.Client, service: Service, monkeypatch: pytest.MonkeyPatch, study: StudyClient, running: Served
) -> None:
    study.enrol("ann")

    def gone(self: Any) -> Any:
        raise StorageDown("no such host")

    with monkeypatch.context() as patch:
        patch.setattr(SqliteStorage, "reading", gone)
        patch.setattr(SqliteStorage, "writing", gone)
        forget_tokens(running)  # those that are known stay valid
        answer = http.get("/ready")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
        with pytest.raises(RequestRefused, match="503 storage-unavailable: the database cannot be written to now"):
            study.decide("ann", at(0), "k")
        assert http.get("/health").status_code == 200
    assert study.decide("ann", at(0), "k").number == 0


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("/v1/people", {"person": "a b"},
         "body.person: must be 1 to 100 letters, digits and . _ ~ @ -, the first a letter or a digit, not 'a b'"),
        ("/v1/people", {"person": "x", "start": "2026-02-30"},
         "body.start: must be a date that exists, such as 2026-03-01, not '2026-02-30'"),
        ("/v1/people", {"person": "x", "colour": 1}, "body.colour: is not a name that is known here"),
        ("/v1/people/ann/decisions", {"time": "2026-03-01T08:00:00"},
         "body.time: must have an offset from UTC, as 2026-03-01T08:00:00+01:00 has, not '2026-03-01T08:00:00'; "
         "body.key: is missing"),
        ("/v1/people/ann/decisions", {"time": "1999-03-01T08:00:00Z", "key": "k"},
         "body.time: must be in the years 2000 to 2199, not '1999-03-01T08:00:00Z'"),
        ("/v1/people/ann/decisions", {"time": "2026-03-01T08:00:00Z", "key": "a b"},
         "body.key: must be 1 to 200 printable ASCII characters, without spaces, not 'a b'"),
        ("/v1/decisions/nobody-0/reward", {"value": 1.0},
         "path.decision: must be the id of a decision as it was answered, such as 44351765f624e4fc-0, not 'nobody-0'"),
        (f"/v1/decisions/{'0' * 16}-0/reward", {"value": "1"}, "body.value: must be a number, not '1'"),
        (f"/v1/decisions/{'0' * 16}-0/reward", {"value": 1.0, "missing": "x"},
         "body: give either a value or the reason why it is missing"),
        (f"/v1/decisions/{'0' * 16}-0/delivery", {"status": "eaten"},
         "body.status: must be 'sent', 'failed' or 'seen', not 'eaten'"),
        ("/v1/rewards", {"rewards": [{"decision": f"{'0' * 16}-0", "missing": "a\nb"}]},
         "body.rewards[0].missing: must be 1 to 200 characters, without control characters, not 'a\\nb'"),
        ("/v1/rewards", {"rewards": []}, "body.rewards: must have 1 or more entries"),
        ("/v1/people", [], "body: must be an object, as JSON"),
    ],
)  # fmt: skip
def test_invalid_requests_are_told_the_field_the_value_and_what_is_allowed(
    http: httpx.Client, tokens: dict[str, str], path: str, body: Any, words: str
) -> None:
    answer = http.post(path, json=body, headers=as_role(tokens, "staff")).json()
    assert (answer["title"], answer["detail"]) == ("invalid-request", words)
    assert answer["faults"][0]["place"] == words.partition(":")[0]


def test_bodies_that_are_no_json_are_told_so(http: httpx.Client, tokens: dict[str, str]) -> None:
    headers = {**as_role(tokens, "staff"), "Content-Type": "application/json"}
    answer = http.post("/v1/people", content=b'{"person": ', headers=headers).json()
    assert (answer["status"], answer["title"]) == (422, "invalid-request")
    assert "is no JSON" in answer["detail"]
