"""Health, readiness and metrics: no token, nothing about people."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from rogue_bandits.study import events as kinds
from rogue_bandits.study.api.access import Serving
from rogue_bandits.study.api.problem_json import documented
from rogue_bandits.study.problems import study_changed

router = APIRouter(tags=["status"])


class Health(BaseModel):
    """The process answers."""

    status: str = "ok"


class Ready(BaseModel):
    """The study can be served."""

    status: str
    study: str
    version: int
    events: int


@router.get("/health", response_model=Health)
async def health() -> Health:
    """Return whether the process answers."""
    return Health()


@router.get("/ready", response_model=Ready, responses=documented(503))
def ready(service: Serving) -> Ready:
    """Return whether the database can be read and this server has the study's last version."""
    with service.storage.reading() as reader:
        head = reader.head()
        [(last,)] = reader.rows("SELECT max(seq) FROM events WHERE pid = '' AND kind = ?", (kinds.VERSION,))
    if last is not None and int(last) > service.design.seq:
        raise study_changed()
    return Ready(status="ready", study=service.design.file.study.name, version=service.design.version, events=head.seq)


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(request: Request) -> Response:
    """Return numbers for Prometheus."""
    return Response(request.app.state.metrics.text(), media_type="text/plain; version=0.0.4")
