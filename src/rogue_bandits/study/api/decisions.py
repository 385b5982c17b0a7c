"""Routes of decisions: ask, schedule, deliver, reward."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse

from rogue_bandits.study.api.access import allowed, service_in
from rogue_bandits.study.api.models import (
    DecisionAnswer,
    DecisionBody,
    DeliveryAnswer,
    DeliveryBody,
    RewardAnswer,
    RewardBody,
    ScheduleBody,
)
from rogue_bandits.study.api.people import Name
from rogue_bandits.study.api.problem_json import documented
from rogue_bandits.study.fields import DECISION
from rogue_bandits.study.operations import DecisionRequest, Observed
from rogue_bandits.study.tokens import Token

router = APIRouter(tags=["decisions"])
Id = Annotated[str, Path(pattern=DECISION, examples=["44351765f624e4fc-0"])]
REFUSALS = documented(401, 403, 404, 409, 413, 422, 429, 503)


@router.post("/people/{person}/decisions", response_model=DecisionAnswer, dependencies=[allowed("decide")],
             responses=REFUSALS)  # fmt: skip
async def decide(person: Name, body: DecisionBody, request: Request) -> JSONResponse:
    """Decide what to send now. The same key always gives the same answer."""
    begin = time.perf_counter()
    answer = await service_in(request).decide(person, DecisionRequest(body.time, body.unavailable), body.key)
    request.app.state.metrics.decided([answer], time.perf_counter() - begin)
    return JSONResponse(answer)


@router.post("/people/{person}/schedule", response_model=list[DecisionAnswer],
             dependencies=[allowed("decide")], responses=REFUSALS)  # fmt: skip
async def schedule(person: Name, body: ScheduleBody, request: Request) -> JSONResponse:
    """Decide for several times ahead, for a phone that will be offline: all of them, or none."""
    begin = time.perf_counter()
    asked = [DecisionRequest(one, body.unavailable, scheduled=True) for one in body.times]
    answers = await service_in(request).schedule(person, asked, body.key)
    request.app.state.metrics.decided(answers, time.perf_counter() - begin)
    return JSONResponse(answers)


@router.post("/decisions/{decision}/delivery", response_model=DeliveryAnswer,
             dependencies=[allowed("deliver")], responses=REFUSALS)  # fmt: skip
async def deliver(decision: Id, body: DeliveryBody, request: Request) -> JSONResponse:
    """Report whether a message was sent, failed or was seen."""
    return JSONResponse(await service_in(request).deliver(decision, body.status))


@router.post("/decisions/{decision}/reward", response_model=RewardAnswer, responses=REFUSALS)
async def reward(
    decision: Id, body: RewardBody, request: Request,
    token: Annotated[Token, allowed("reward")],
) -> JSONResponse:  # fmt: skip
    """Report a reward, however late. A correction, by staff, is a new event, and the model is rebuilt from the log."""
    observed = Observed(body.value, body.missing, body.correction)
    answer = await service_in(request).reward(decision, observed, token.role)
    request.app.state.metrics.rewarded()
    return JSONResponse(answer)
