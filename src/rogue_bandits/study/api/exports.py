"""Routes that read: decisions, explanations, versions, the export and its codebook."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from rogue_bandits.online.explanation import cell
from rogue_bandits.study import queries
from rogue_bandits.study.api.access import Serving, allowed
from rogue_bandits.study.api.models import DecisionRowAnswer, DecisionWithOutcome, VersionRowAnswer
from rogue_bandits.study.api.problem_json import documented
from rogue_bandits.study.export import CHUNKS, codebook
from rogue_bandits.study.fields import DecisionId, Limit, Number, PersonName

router = APIRouter(tags=["reading"])
REFUSALS = documented(401, 403, 404, 422, 429, 503)


class ColumnAnswer(BaseModel):
    """A column of the export."""

    name: str
    kind: str
    about: str


class ExplanationAnswer(BaseModel):
    """What is known of a person's arms, and the next decision in words."""

    number: int
    arms: list[str]
    rows: dict[str, list[str]]
    sentence: str


@router.get("/decisions/{decision}", response_model=DecisionWithOutcome, responses=REFUSALS,
            dependencies=[allowed("read decision")])  # fmt: skip
def decision(decision: DecisionId, service: Serving) -> Any:
    """Return a decision as it was answered, with its delivery and its rewards."""
    with service.storage.reading() as reader:
        return queries.decision_with_outcome(reader, service.design, decision)


@router.get("/people/{person}/decisions", dependencies=[allowed("list decisions")], responses=REFUSALS,
            response_model=list[DecisionRowAnswer])  # fmt: skip
def decisions(
    person: PersonName,
    service: Serving,
    limit: Limit = 100,
    before: Number | None = None,
) -> Any:
    """Return a person's decisions, the newest first."""
    with service.storage.reading() as reader:
        return [row._asdict() for row in queries.decisions(reader, service.design, person, limit, before)]


@router.get("/people/{person}/explanation", response_model=ExplanationAnswer, dependencies=[allowed("explain")],
            responses=REFUSALS)  # fmt: skip
def explanation(person: PersonName, service: Serving) -> ExplanationAnswer:
    """Return what is known of a person's arms and what the next decision would be; nothing is played."""
    found = service.explain(person)
    rows = {row.name: [cell(value) for value in row.values] for row in found.rows}
    return ExplanationAnswer(number=found.number, arms=list(found.arms), rows=rows, sentence=found.sentence)


@router.get("/versions", dependencies=[allowed("list versions")], responses=documented(401, 403, 429, 503),
            response_model=list[VersionRowAnswer])  # fmt: skip
def versions(service: Serving) -> Any:
    """Return the versions of the study."""
    with service.storage.reading() as reader:
        return [row._asdict() for row in queries.versions(reader)]


@router.get("/export/codebook", response_model=list[ColumnAnswer], dependencies=[allowed("export")],
            responses=documented(401, 403, 429, 503))  # fmt: skip
def book(service: Serving) -> Any:
    """Return what every column of the export means."""
    return [ColumnAnswer(**column._asdict()) for column in codebook(service.design)]


@router.get("/export", dependencies=[allowed("export")], response_class=StreamingResponse, responses={
    200: {"content": {"text/csv": {}, "application/vnd.apache.parquet": {}}}, **documented(401, 403, 422, 429, 503),
})  # fmt: skip
def export(service: Serving, format: Literal["csv", "parquet"] = "csv") -> StreamingResponse:
    """Return one row a decision, as CSV or as Parquet."""
    name = f"attachment; filename=decisions.{format}"
    media = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}[format]
    return StreamingResponse(CHUNKS[format](service), media_type=media, headers={"Content-Disposition": name})
