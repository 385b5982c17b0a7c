"""Routes of decisions: ask, schedule, deliver, reward."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from rogue_bandits.study.api.access import allowed, service_in
from rogue_bandits.study.api.models import DecisionAnswer, DeliveryAnswer, RewardAnswer
from rogue_bandits.study.api.problem_json import documented
from rogue_bandits.study.fields import DecisionId, PersonName
from rogue_bandits.study.requests import DecisionBody, DeliveryBody, RewardBody, ScheduleBody
from rogue_bandits.study.tokens import Token

router = APIRouter(tags=["decisions"])
REFUSALS = documented(401, 403, 404, 409, 413, 422, 429, 503)


@router.post("/people/{person}/decisions", response_model=DecisionAnswer, dependencies=[allowed("decide")],
             responses=REFUSALS)  # fmt: skip
async def decide(person: PersonName, body: DecisionBody, request: Request) -> JSONResponse:
    """Decide what to send now. The same key always gives the same answer."""
    begin = time.perf_counter()
    answer = await service_in(request).decide(person, body.asked(), body.key)
    request.app.state.metrics.decided([answer], time.perf_counter() - begin)
    return JSONResponse(answer)


@router.post("/people/{person}/schedule", response_model=list[DecisionAnswer],
             dependencies=[allowed("decide")], responses=REFUSALS)  # fmt: skip
async def schedule(person: PersonName, body: ScheduleBody, request: Request) -> JSONResponse:
    """Decide for several times ahead, for a phone that will be offline: all of them, or none."""
    begin = time.perf_counter()
    answers = await service_in(request).schedule(person, body.asked(), body.key)
    request.app.state.metrics.decided(answers, time.perf_counter() - begin)
    return JSONResponse(answers)


@router.post("/decisions/{decision}/delivery", response_model=DeliveryAnswer,
             dependencies=[allowed("deliver")], responses=REFUSALS)  # fmt: skip
async def deliver(decision: DecisionId, body: DeliveryBody, request: Request) -> JSONResponse:
    """Report whether a message was sent, failed or was seen."""
    return JSONResponse(await service_in(request).deliver(decision, body.status))


@router.post("/decisions/{decision}/reward", response_model=RewardAnswer, responses=REFUSALS)
async def reward(
    decision: DecisionId, body: RewardBody, request: Request,
    token: Annotated[Token, allowed("reward")],
) -> JSONResponse:  # fmt: skip
    """Report a reward, however late. A correction, by staff, is a new event, and the model is rebuilt from the log."""
    answer = await service_in(request).reward(decision, body.observed(), token.role)
    request.app.state.metrics.rewarded()
    return JSONResponse(answer)
