"""Days of a study through the API and the client: decisions, export, reading, status."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import httpx
import pyarrow.parquet as pq

from rogue_bandits.study.client import StudyClient
from rogue_bandits.study.service import Service, opened
from rogue_bandits.study.storage.sqlite import SqliteStorage
from tests.study.api.requests import as_role
from tests.study.cases import Clock, at, design


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
    outcome: dict[str, Any] = {"delivery": None, "delivered": None, "reward": None, "missing": None, "rewards": []}
    assert http.get(f"/v1/decisions/{made[2].id}").json() == {**made[2]._asdict(), **outcome}
    page = http.get("/v1/people/ann/decisions", params={"limit": 2, "before": 4}).json()
    assert [row["number"] for row in page] == [3, 2]
    explained = http.get("/v1/people/ann/explanation").json()
    assert "Decision 5 would play" in explained["sentence"]
    assert explained["rows"]["mean reward, fitted"] == ["–", "–"]  # as no reward has come
    assert [row["decisions"] for row in http.get("/v1/versions").json()] == [5]


def test_a_server_with_an_old_study_file_is_not_ready(http: httpx.Client, service: Service, tmp_path: Path) -> None:
    assert http.get("/ready").json()["version"] == 1
    with opened(design(limits={"least": 0.3}), SqliteStorage(tmp_path / "study.db")):
        answer = http.get("/ready")
        assert (answer.status_code, answer.json()["title"]) == (503, "study-changed")


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


def test_a_decision_is_read_with_what_became_of_it(study: StudyClient, clock: Clock) -> None:
    study.enrol("ann")
    made = study.decide("ann", at(0), "k")
    clock.now = at(1)
    study.deliver(made.id, "seen")
    study.reward(made.id, missing="phone was off")
    clock.now = at(2)
    study.reward(made.id, 1.0, correction="it came later")
    found = study.decision(made.id)
    assert {name: found[name] for name in made._asdict()} == made._asdict()
    assert (found["delivery"], found["delivered"], found["reward"], found["missing"]) == (
        "seen", at(1).isoformat(), 1.0, None,
    )  # fmt: skip
    assert found["rewards"] == [
        {"at": at(1).isoformat(), "value": None, "missing": "phone was off", "correction": None},
        {"at": at(2).isoformat(), "value": 1.0, "missing": None, "correction": "it came later"},
    ]


def test_those_who_have_not_started_are_left_out_of_everybody(study: StudyClient) -> None:
    study.enrol("ann", start="2026-03-02")
    study.enrol("bob", start="2026-03-01")
    study.enrol("cid")
    assert [item["of"] for item in study.decide_for_all(at(0), "night-1")] == ["bob", "cid"]
    [named] = study.decide_for_all(at(0), "night-1", ["ann"])
    assert (named["status"], named["problem"]["title"]) == (409, "not-started")
    assert [item["of"] for item in study.decide_for_all(at(24 * 60), "night-2")] == ["ann", "bob", "cid"]
    assert study.person("ann")["start"] == "2026-03-02"
    rows = list(csv.DictReader(io.StringIO(study.export().decode())))
    assert sorted(row["start"] for row in rows) == ["", "", "2026-03-01", "2026-03-01", "2026-03-02"]
