"""Many rows in one request, without a protocol."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from rogue_bandits.study import bulk
from rogue_bandits.study.bulk import RowAnswer, decide_for_many, reward_many
from rogue_bandits.study.operations import Enrolment
from rogue_bandits.study.problems import Kind
from rogue_bandits.study.requests import BatchDecisionBody, BatchRewardBody
from rogue_bandits.study.service import Service
from tests.study.cases import at
from tests.study.living import enrolled, intact


def decided(service: Service, **body: Any) -> list[RowAnswer]:
    asked = BatchDecisionBody.model_validate({"time": at(0), "key": "night", **body})

    async def answers() -> list[RowAnswer]:
        return await decide_for_many(service.awaitable(), asked)

    return asyncio.run(answers())


def rewarded(service: Service, role: str, *rows: dict[str, Any]) -> list[RowAnswer]:
    async def answers() -> list[RowAnswer]:
        return await reward_many(service.awaitable(), BatchRewardBody.model_validate({"rewards": rows}), role)

    return asyncio.run(answers())


@pytest.mark.parametrize("chunk", [1, 2, 200])
def test_each_row_is_answered_or_refused_by_itself(
    service: Service, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(bulk, "CHUNK", chunk)
    for name in ("ann", "bob", "cid"):
        enrolled(service, name)
    made = decided(service, people=["cid", "nobody", "ann"])
    assert [row.of for row in made] == ["cid", "nobody", "ann"]
    assert [row.problem and row.problem.kind for row in made] == [None, Kind.NOT_FOUND, None]
    ids = [row.answer["id"] for row in made if row.answer is not None]
    assert len(ids) == 2
    first = rewarded(service, "app", *({"decision": one, "value": 1.0} for one in ids))
    assert [row.answer and row.answer["value"] for row in first] == [1.0, 1.0]
    other = {"decision": ids[0], "value": 0.0, "correction": "typo"}
    for role, kind in (("app", Kind.NOT_ALLOWED), ("staff", None)):
        [row] = rewarded(service, role, other)
        assert (row.problem and row.problem.kind) == kind
    intact(service)


def test_everybody_is_who_takes_part_and_has_started(service: Service) -> None:
    for name in ("ann", "bob"):
        enrolled(service, name)
    service.enrol(Enrolment("cid", start="2026-03-02")).result()
    service.change_status("bob", "pause").result()
    made = decided(service)
    assert [row.of for row in made] == ["ann"]
    assert decided(service) == made  # the same key
