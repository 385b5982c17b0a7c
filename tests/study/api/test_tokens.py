"""Who may do what, and what is logged."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

import httpx
import pytest

from rogue_bandits.study.access import MOST_FAILURES, Failures
from rogue_bandits.study.client import RequestRefused, StudyClient
from rogue_bandits.study.service import Service
from rogue_bandits.study.tokens import all_tokens, revoke
from tests.study.api.requests import as_role, forget_tokens
from tests.study.cases import START, Clock, at
from tests.study.served import LOOP, Served


@pytest.mark.parametrize(
    ("method", "path", "roles"),
    [
        ("POST", "/v1/people", "app staff"),
        ("GET", "/v1/people/ann", "app staff auditor"),
        ("POST", "/v1/people/ann/decisions", "app staff"),
        ("POST", "/v1/people/ann/erase", "staff"),
        ("POST", "/v1/updates", "staff"),
        ("GET", "/v1/export", "staff auditor"),
        ("GET", "/v1/versions", "staff auditor"),
    ],
)
def test_roles(http: httpx.Client, tokens: dict[str, str], method: str, path: str, roles: str) -> None:
    for role in tokens:
        status = http.request(method, path, headers=as_role(tokens, role)).status_code
        assert (status != 403) == (role in roles.split()), role


def test_only_staff_may_correct(http: httpx.Client, tokens: dict[str, str], study: StudyClient) -> None:
    study.enrol("ann")
    made = study.decide("ann", at(0), "k")
    study.reward(made.id, 1.0)
    other, body = study.decide("ann", at(1), "l"), {"value": 0.0, "correction": "typo"}
    http.headers.update(as_role(tokens, "app"))
    refused = http.post(f"/v1/decisions/{made.id}/reward", json=body)
    assert (refused.status_code, refused.json()["title"]) == (403, "role-not-allowed")
    assert refused.json()["detail"] == "a token with role app may not correct rewards: staff"
    rows = [{**body, "decision": made.id}, {"value": 1.0, "decision": other.id}]
    items = http.post("/v1/rewards", json={"rewards": rows}).json()["items"]
    assert [item["status"] for item in items] == [403, 200]


def test_tokens_are_hashed_expire_and_can_be_revoked(
    http: httpx.Client, tokens: dict[str, str], service: Service, clock: Clock, running: Served
) -> None:
    with service.storage.reading() as reader:
        stored = str(reader.rows("SELECT * FROM tokens"))
    assert all(token.split("_", 2)[2] not in stored for token in tokens.values())
    headers = as_role(tokens, "auditor")
    assert http.get("/v1/versions", headers=headers).status_code == 200
    wrong = {"Authorization": headers["Authorization"][:-1] + "~"}
    assert http.get("/v1/versions", headers=wrong).status_code == 401
    with service.storage.writing() as tx:
        assert revoke(tx, tokens["auditor"].split("_")[1], START.isoformat())
    forget_tokens(running)
    assert http.get("/v1/versions", headers=headers).status_code == 401
    staff = as_role(tokens, "staff")
    assert http.get("/v1/versions", headers=staff).status_code == 200
    clock.now = at(60 * 24 * 31)
    assert http.get("/v1/versions", headers=staff).status_code == 401


def test_tokens_are_read_apart_from_the_event_loop(
    http: httpx.Client, tokens: dict[str, str], running: Served, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers = list[str]()

    def noted(reader: Any) -> Any:
        readers.append(threading.current_thread().name)
        return all_tokens(reader)

    monkeypatch.setattr("rogue_bandits.study.access.all_tokens", noted)
    forget_tokens(running)
    for _ in range(3):
        assert http.get("/v1/versions", headers=as_role(tokens, "staff")).status_code == 200
    assert len(readers) == 1
    assert LOOP not in readers


def test_failures_are_limited_for_each_source(http: httpx.Client, tokens: dict[str, str]) -> None:
    answers = [http.get("/v1/versions").status_code for _ in range(MOST_FAILURES + 1)]
    assert answers == [401] * MOST_FAILURES + [429]
    assert http.get("/v1/versions", headers=as_role(tokens, "staff")).status_code == 200  # others at that address
    assert http.get("/v1/versions", headers={"Authorization": "Bearer rogue_a_b"}).status_code == 429
    now = 0.0
    failures = Failures(lambda: now)
    for _ in range(MOST_FAILURES):
        failures.add("a")
    assert failures.too_many("a")
    assert not failures.too_many("b")
    now = 61.0
    assert not failures.too_many("a")


def test_no_person_body_or_token_is_logged(
    study: StudyClient, tokens: dict[str, str], http: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, logger="rogue"):
        study.enrol("ann-secret", group="group-secret")
        made = study.decide("ann-secret", at(0), "key-secret")
        study.reward(made.id, missing="reason-secret")
        with pytest.raises(RequestRefused, match="unknown-person"):
            study.decide("bob-secret", at(0), "k")
        http.get("/v1/people/eve-secret/../x", headers={"Authorization": "Bearer token-secret"})
        until = time.monotonic() + 10.0
        while len(caplog.records) < 5 and time.monotonic() < until:  # a request is logged after it is answered
            time.sleep(0.01)
    assert len(caplog.records) >= 5
    assert "secret" not in caplog.text
    assert made.id not in caplog.text
    assert not any(token in caplog.text for token in tokens.values())
