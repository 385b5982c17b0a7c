"""Routes of batches: decisions for many people, rewards from a table, updates."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from rogue_bandits.study import bulk
from rogue_bandits.study.api.access import Serving, allowed
from rogue_bandits.study.api.models import BatchAnswer, UpdateAnswer
from rogue_bandits.study.api.problem_json import HTTP_STATUS, documented
from rogue_bandits.study.requests import BatchDecisionBody, BatchRewardBody, UpdateBody
from rogue_bandits.study.tokens import Token

router = APIRouter(tags=["batches"])
REFUSALS = documented(401, 403, 409, 413, 422, 429, 503)


@router.post("/decisions", response_model=BatchAnswer, responses=REFUSALS, dependencies=[allowed("decide")])
async def decide_for_many(body: BatchDecisionBody, service: Serving, request: Request) -> JSONResponse:
    """Decide for many people, or for everybody. Each has the key of the batch: sent again, it goes on where it was."""
    begin = time.perf_counter()
    rows = await bulk.decide_for_many(service, body)
    answers = [row.answer for row in rows if row.answer is not None]
    request.app.state.metrics.decided(answers, time.perf_counter() - begin)
    return JSONResponse({"items": [item_of(row) for row in rows]})


@router.post("/rewards", response_model=BatchAnswer, responses=REFUSALS)
async def reward_many(
    body: BatchRewardBody, service: Serving, request: Request, token: Annotated[Token, allowed("reward")]
) -> JSONResponse:
    """Report rewards from a table. Each row is recorded or refused by itself."""
    rows = await bulk.reward_many(service, body, token.role)
    request.app.state.metrics.rewarded(sum(row.answer is not None for row in rows))
    return JSONResponse({"items": [item_of(row) for row in rows]})


@router.post("/updates", response_model=UpdateAnswer, responses=REFUSALS, dependencies=[allowed("update")])
async def update(body: UpdateBody, service: Serving) -> JSONResponse:
    """Learn from all rewards that wait; where learning is at once, none do."""
    return JSONResponse(await service.update(body.key))


def item_of(row: bulk.RowAnswer) -> dict[str, Any]:
    """Return a row as an item of the answer."""
    problem = row.problem
    if problem is None:
        return {"of": row.of, "status": 200, "answer": row.answer, "problem": None}
    content = {"title": problem.title, "detail": problem.detail, **problem.more}
    return {"of": row.of, "status": HTTP_STATUS[problem.kind], "answer": None, "problem": content}
