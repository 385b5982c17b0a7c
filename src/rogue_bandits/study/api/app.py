"""The application: routes, access, limits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI

from rogue_bandits.study.access import Access
from rogue_bandits.study.api import batches, decisions, exports, people, status
from rogue_bandits.study.api.limits import Guard
from rogue_bandits.study.api.problem_json import add_handlers
from rogue_bandits.study.metrics import Metrics
from rogue_bandits.study.page.app import mount_page
from rogue_bandits.study.service import Service

ABOUT = """Decisions for the people of a study, durable before they are answered.

Every request but `/health`, `/ready` and `/metrics` needs a bearer token. Refusals are `application/problem+json`."""


def create_app(service: Service, metrics: Metrics) -> FastAPI:
    """Return the application that serves a study: the API at /v1, the page at /page."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.numbers.begin()
        yield
        app.state.numbers.close()

    app = FastAPI(
        title=f"ROGUE bandits: {service.design.file.study.name}", description=ABOUT, version=version("rogue-bandits"),
        lifespan=lifespan, redoc_url=None, docs_url=None, openapi_url="/v1/openapi.json",
    )  # fmt: skip
    app.state.service, app.state.access, app.state.metrics = service.awaitable(), Access(service), metrics
    add_handlers(app)
    for router in (decisions.router, batches.router, exports.router, people.router):
        app.include_router(router, prefix="/v1")
    app.include_router(status.router)
    mount_page(app, service)
    app.add_middleware(Guard)
    return app
