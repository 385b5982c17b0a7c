"""The API over HTTP: routes, roles, refusals, limits, and what is logged."""

from __future__ import annotations

import csv
import io
import json
import logging
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pyarrow.parquet as pq
import pytest

from rogue_bandits.study.api.access import MOST_FAILURES, Failures
from rogue_bandits.study.api.limits import LARGEST_BODY
from rogue_bandits.study.api.nightly import Nightly
from rogue_bandits.study.client import Refused, StudyClient
from rogue_bandits.study.service import Service, opened
from rogue_bandits.study.storage.contract import StorageDown
from rogue_bandits.study.storage.sqlite import SqliteStorage
from rogue_bandits.study.tokens import all_tokens, issue, revoke
from tests.study.cases import START, Clock, at, design
from tests.study.served import LOOP, Served, served


@pytest.fixture
def service(tmp_path: Path, clock: Clock) -> Iterator[Service]:
    with opened(design(), SqliteStorage(tmp_path / "study.db"), clock) as made:
        yield made


@pytest.fixture
def tokens(service: Service) -> dict[str, str]:
    with service.storage.writing() as tx:
        return {role: issue(tx, role, "test", START.isoformat(), 30) for role in ("app", "staff", "auditor")}


@pytest.fixture
def running(service: Service) -> Iterator[Served]:
    with served(service) as made:
        yield made


@pytest.fixture
def http(running: Served, tokens: dict[str, str]) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=running.address) as made:
        yield made


@pytest.fixture
def study(running: Served, tokens: dict[str, str]) -> Iterator[StudyClient]:
    with StudyClient(running.address, tokens["staff"], pauses=()) as made:
        yield made


def as_role(tokens: dict[str, str], role: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {tokens[role]}"}


def test_a_day_through_the_client(study: StudyClient) -> None:
    assert study.enrol("ann", start="2026-03-01", group="A")["status"] == "active"
    made = study.decide("ann", at(0), "day-1")
    assert study.decide("ann", at(0), "day-1") == made
    assert set(made.probabilities) == {"walk", "sleep"}
    assert study.deliver(made.id, "sent") == {"decision": made.id, "delivery": "sent"}
    assert study.reward(made.id, 1.0)["value"] == 1.0
    assert study.reward(made.id, 0.0, correction="typo")["corrected"] is True
    ahead = study.schedule("ann", [at(1), at(2)], "ahead")
    assert [one.scheduled for one in ahead] == [True, True]
    items = study.decide_for_all(at(3), "night")
    assert [item["answer"]["number"] for item in items] == [3]
    assert study.decide_for_all(at(3), "night") == items
    rows: list[dict[str, Any]] = [
        {"decision": ahead[0].id, "value": 1.0},
        {"decision": f"{'0' * 16}-1", "value": 1.0},
        {"decision": ahead[1].id, "missing": "no answer"},
    ]
    assert [item["status"] for item in study.rewards(rows)] == [200, 404, 200]
    counts = study.person("ann")
    assert (counts["decisions"], counts["rewards"], counts["missing"]) == (4, 2, 1)
    assert study.update("now")["update"] > 0
    assert study.change("ann", "withdraw")["status"] == "withdrawn"


def test_the_export_has_a_row_a_decision_and_a_codebook(
    study: StudyClient, http: httpx.Client, tokens: dict[str, str]
) -> None:
    study.enrol("ann", group="A")
    made = [study.decide("ann", at(k), f"k{k}", "driving" if k == 1 else None) for k in range(3)]
    study.reward(made[0].id, 1.0)
    study.deliver(made[0].id, "seen")
    rows = list(csv.DictReader(io.StringIO(study.export().decode())))
    book = [column["name"] for column in http.get("/v1/export/codebook", headers=as_role(tokens, "auditor")).json()]
    assert list(rows[0]) == book
    assert [row["action"] for row in rows] == [one.arm or "" for one in made]
    assert [float(row["probability_walk"]) for row in rows] == [one.probabilities["walk"] for one in made]
    assert [row["available"] for row in rows] == ["1", "0", "1"]
    assert (rows[0]["reward"], rows[0]["delivered"], rows[0]["group"], rows[2]["reward"]) == ("1.0", "seen", "A", "")
    table = pq.read_table(io.BytesIO(study.export("parquet"))).to_pylist()
    assert [{k: "" if v is None else str(v) for k, v in row.items()} for row in table] == rows
    assert "ann" not in study.export().decode()


def test_pages_of_decisions_and_explanations_can_be_read(
    study: StudyClient, http: httpx.Client, tokens: dict[str, str]
) -> None:
    http.headers.update(as_role(tokens, "auditor"))
    study.enrol("ann")
    made = [study.decide("ann", at(k), f"k{k}") for k in range(5)]
    assert http.get(f"/v1/decisions/{made[2].id}").json() == made[2]._asdict()
    page = http.get("/v1/people/ann/decisions", params={"limit": 2, "before": 4}).json()
    assert [row["number"] for row in page] == [3, 2]
    assert "Decision 5 would play" in http.get("/v1/people/ann/explanation").json()["sentence"]
    assert [row["decisions"] for row in http.get("/v1/versions").json()] == [5]


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
    body = {"value": 0.0, "correction": "typo"}
    for path, content in (
        (f"/v1/decisions/{made.id}/reward", body),
        ("/v1/rewards", {"rewards": [{**body, "decision": made.id}]}),
    ):
        assert http.post(path, json=content, headers=as_role(tokens, "app")).status_code == 403


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


def forget_tokens(running: Served) -> None:
    """As if five seconds had passed."""
    app: Any = running.server.config.app
    app.state.access._read_at = -1e9


def test_tokens_are_read_apart_from_the_event_loop(
    http: httpx.Client, tokens: dict[str, str], running: Served, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers = list[str]()

    def noted(reader: Any) -> Any:
        readers.append(threading.current_thread().name)
        return all_tokens(reader)

    monkeypatch.setattr("rogue_bandits.study.api.access.all_tokens", noted)
    forget_tokens(running)
    for _ in range(3):
        assert http.get("/v1/versions", headers=as_role(tokens, "staff")).status_code == 200
    assert len(readers) == 1
    assert LOOP not in readers


def test_a_server_with_an_old_study_file_is_not_ready(http: httpx.Client, service: Service, tmp_path: Path) -> None:
    assert http.get("/ready").json()["version"] == 1
    with opened(design(limits={"least": 0.3}), SqliteStorage(tmp_path / "study.db")):
        answer = http.get("/ready")
        assert (answer.status_code, answer.json()["title"]) == (503, "study-changed")


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


def test_a_large_body_is_refused_before_it_is_read(
    http: httpx.Client, study: StudyClient, tokens: dict[str, str]
) -> None:
    http.headers.update(as_role(tokens, "staff"))
    large = b'{"person": "' + b"x" * 10_000_000 + b'"}'
    assert http.post("/v1/people", content=large).status_code == 413

    def pieces() -> Iterator[bytes]:  # without a length
        for _ in range(LARGEST_BODY // 100_000 + 2):
            yield b"x" * 100_000

    assert http.post("/v1/people", content=pieces()).status_code == 413
    assert study.enrol("ann")["status"] == "active"


def test_no_person_body_or_token_is_logged(
    study: StudyClient, tokens: dict[str, str], http: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, logger="rogue"):
        study.enrol("ann-secret", group="group-secret")
        made = study.decide("ann-secret", at(0), "key-secret")
        study.reward(made.id, missing="reason-secret")
        with pytest.raises(Refused, match="unknown-person"):
            study.decide("bob-secret", at(0), "k")
        http.get("/v1/people/eve-secret/../x", headers={"Authorization": "Bearer token-secret"})
        until = time.monotonic() + 10.0
        while len(caplog.records) < 5 and time.monotonic() < until:  # a request is logged after it is answered
            time.sleep(0.01)
    assert len(caplog.records) >= 5
    assert "secret" not in caplog.text
    assert made.id not in caplog.text
    assert not any(token in caplog.text for token in tokens.values())


def test_health_ready_and_metrics_need_no_token(http: httpx.Client, study: StudyClient) -> None:
    study.enrol("ann")
    made = [study.decide("ann", at(k), f"k{k}", "driving" if k == 0 else None) for k in range(3)]
    study.reward(made[1].id, 1.0)
    assert http.get("/health").json() == {"status": "ok"}
    assert http.get("/ready").json()["study"] == "test"
    text = http.get("/metrics").text
    assert 'rogue_decisions_total{arm="rest"} 1.0' in text
    assert "rogue_decision_seconds_count 3.0" in text
    assert "rogue_rewards_total 1.0" in text
    assert "rogue_fallbacks_total 0.0" in text
    assert "rogue_last_reward_age_seconds" in text


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
        with pytest.raises(Refused, match="503 storage-unavailable: the database cannot be written to now"):
            study.decide("ann", at(0), "k")
        assert http.get("/health").status_code == 200
    assert study.decide("ann", at(0), "k").number == 0


def test_a_night_without_a_server_is_made_up_for(tmp_path: Path, clock: Clock) -> None:
    with opened(design(learning={"when": "nightly"}), SqliteStorage(tmp_path / "s.db"), clock) as service:
        for hours, updates in ((19.1, 1), (20, 1), (43.1, 2)):  # 3:06, 4:00, 3:06: a server that starts anew each time
            clock.now = at(60 * hours)
            night = Nightly(service)
            night.check()
            night.close()
            with service.storage.reading() as reader:
                assert reader.rows("SELECT count(*) FROM events WHERE kind = 'updated'") == [(updates,)]


def test_the_nightly_update_happens_once(tmp_path: Path, clock: Clock) -> None:
    with opened(design(learning={"when": "nightly"}), SqliteStorage(tmp_path / "s.db"), clock) as service:
        nights = [Nightly(service), Nightly(service)]  # as two servers have
        for hours in (18, 20, 43):
            clock.now = at(60 * hours)
            for one in nights:
                one.check()
        for one in nights:
            one.close()
        with service.storage.reading() as reader:
            assert reader.rows("SELECT count(*) FROM events WHERE kind = 'updated'") == [(3,)]
