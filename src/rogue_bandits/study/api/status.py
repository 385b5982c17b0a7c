"""Health, readiness and metrics: no token, nothing about people."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from rogue_bandits.study.api.access import Serving
from rogue_bandits.study.api.problem_json import documented

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
    design, head = service.design, service.head()
    return Ready(status="ready", study=design.file.study.name, version=design.version, events=head.seq)


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(request: Request) -> Response:
    """Return numbers for Prometheus."""
    return Response(request.app.state.metrics.text(), media_type="text/plain; version=0.0.4")
