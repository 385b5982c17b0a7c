"""Routes of people: enrol, read, pause, resume, withdraw, erase."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from rogue_bandits.study import queries
from rogue_bandits.study.api.access import Serving, allowed
from rogue_bandits.study.api.models import PersonAnswer, PersonRowAnswer
from rogue_bandits.study.api.problem_json import documented
from rogue_bandits.study.fields import Change, PersonName
from rogue_bandits.study.requests import EnrolBody

router = APIRouter(tags=["people"])


@router.post("/people", status_code=201, response_model=PersonAnswer, dependencies=[allowed("enrol")],
             responses=documented(401, 403, 409, 413, 422, 429, 503))  # fmt: skip
async def enrol(body: EnrolBody, service: Serving) -> JSONResponse:
    """Enrol a person; the same person again gets the same answer."""
    answer = await service.enrol(body.enrolment())
    return JSONResponse(answer, 201)


@router.get("/people/{person}", response_model=PersonRowAnswer,
            dependencies=[allowed("read person")],
            responses=documented(401, 403, 404, 422, 429, 503))  # fmt: skip
def person(person: PersonName, service: Serving) -> Any:
    """Return a person and the counts of their decisions and rewards."""
    with service.storage.reading() as reader:
        return queries.person(reader, person)._asdict()


@router.post("/people/{person}/{change}", response_model=PersonAnswer, dependencies=[allowed("change status")],
             responses=documented(401, 403, 404, 409, 413, 422, 429, 503))  # fmt: skip
async def change(person: PersonName, change: Change, service: Serving) -> JSONResponse:
    """Pause, resume, withdraw or erase a person. Erasing deletes the name; the log keeps a random one."""
    return JSONResponse(await service.change_status(person, change))
