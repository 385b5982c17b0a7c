"""Routes of batches: decisions for many people, rewards from a table, updates."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from rogue_bandits.study import queries
from rogue_bandits.study.api.access import Serving, allowed
from rogue_bandits.study.api.models import BatchAnswer, UpdateAnswer
from rogue_bandits.study.api.problem_json import HTTP_STATUS, documented
from rogue_bandits.study.operations import BATCH, DecisionRequest
from rogue_bandits.study.problems import RequestProblem
from rogue_bandits.study.requests import BatchDecisionBody, BatchRewardBody, UpdateBody
from rogue_bandits.study.tokens import Token

router = APIRouter(tags=["batches"])
REFUSALS = documented(401, 403, 409, 413, 422, 429, 503)
CHUNK = 200  # rows that are queued at a time, so that other requests come in between


@router.post("/decisions", response_model=BatchAnswer, responses=REFUSALS, dependencies=[allowed("decide")])
async def decide_for_many(body: BatchDecisionBody, service: Serving, request: Request) -> JSONResponse:
    """Decide for many people, or for everybody. Each has the key of the batch: sent again, it goes on where it was."""
    begin = time.perf_counter()
    names = body.people if body.people is not None else await asyncio.to_thread(active_names, service, body.time)
    asked = DecisionRequest(body.time)
    items: list[dict[str, Any]] = []
    for first in range(0, len(names), CHUNK):
        some = names[first : first + CHUNK]
        items += await settled(some, [service.decide(name, asked, body.key, BATCH) for name in some])
    answers = [item["answer"] for item in items if item["answer"] is not None]
    request.app.state.metrics.decided(answers, time.perf_counter() - begin)
    return JSONResponse({"items": items})


def active_names(service: Serving, time: datetime) -> list[str]:
    """Return everybody who takes part and has started on the day of a time."""
    with service.storage.reading() as reader:
        return queries.names_taking_part(reader, time.date().isoformat())


@router.post("/rewards", response_model=BatchAnswer, responses=REFUSALS)
async def reward_many(
    body: BatchRewardBody, service: Serving, request: Request, token: Annotated[Token, allowed("reward")]
) -> JSONResponse:
    """Report rewards from a table. Each row is recorded or refused by itself."""
    items: list[dict[str, Any]] = []
    for first in range(0, len(body.rewards), CHUNK):
        some = body.rewards[first : first + CHUNK]
        sent = [service.reward(row.decision, row.observed(), token.role) for row in some]
        items += await settled([row.decision for row in some], sent)
    request.app.state.metrics.rewarded(sum(item["answer"] is not None for item in items))
    return JSONResponse({"items": items})


@router.post("/updates", response_model=UpdateAnswer, responses=REFUSALS, dependencies=[allowed("update")])
async def update(body: UpdateBody, service: Serving) -> JSONResponse:
    """Learn from all rewards that wait; where learning is at once, none do."""
    return JSONResponse(await service.update(body.key))


async def settled(of: Sequence[str], sent: Sequence[Any]) -> list[dict[str, Any]]:
    """Return an item for each row: its answer, or its problem."""
    return [await settled_item(name, future) for name, future in zip(of, sent, strict=True)]


async def settled_item(of: str, future: Any) -> dict[str, Any]:
    """Return one row of a batch's answer."""
    try:
        return {"of": of, "status": 200, "answer": await future, "problem": None}
    except RequestProblem as problem:
        content = {"title": problem.title, "detail": problem.detail, **problem.more}
        return {"of": of, "status": HTTP_STATUS[problem.kind], "answer": None, "problem": content}
