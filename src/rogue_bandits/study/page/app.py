"""The routes of the page, as an application that is mounted on that of the API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from rogue_bandits.study.api.problem_json import HTTP_STATUS
from rogue_bandits.study.page import audit, people, person, sign_in, study
from rogue_bandits.study.page.access import signed_in
from rogue_bandits.study.page.explanations import Explanations
from rogue_bandits.study.page.headers import Headers
from rogue_bandits.study.page.html import page
from rogue_bandits.study.page.numbers import StudyNumbers
from rogue_bandits.study.page.sessions import PageSessions, StoredEndedSessions
from rogue_bandits.study.problems import RequestProblem, cannot_be_read
from rogue_bandits.study.service import Service
from rogue_bandits.study.storage.contract import StorageDown, StorageFault

PLACE = "/page"
STATIC = Path(__file__).parent / "static"


def mount_page(app: FastAPI, service: Service) -> None:
    """Mount the page; it shares the limit on failures with the API. The root leads to it."""
    made = Starlette(
        routes=ROUTES, middleware=[Middleware(Headers)],
        exception_handlers={RequestProblem: refused, HTTPException: refused, StorageDown: refused,
                            StorageFault: unreadable},
    )  # fmt: skip
    made.state.service, made.state.access = service, app.state.access
    made.state.sessions = PageSessions(StoredEndedSessions(service))
    made.state.numbers, made.state.explanations = StudyNumbers(service), Explanations(service)
    app.state.numbers = made.state.numbers
    app.mount(PLACE, made)
    app.add_route("/", home, include_in_schema=False)


async def home(request: Request) -> Response:
    """Send the browser to the first page."""
    return RedirectResponse(f"{request.scope.get('root_path', '').removesuffix(PLACE)}{PLACE}/people", 303)


async def refused(request: Request, error: Any) -> Response:
    """Show what went wrong."""
    if isinstance(error, StorageDown):
        error = cannot_be_read()
    status = HTTP_STATUS[error.kind] if isinstance(error, RequestProblem) else error.status_code
    words = FAULTS.get(getattr(error, "title", ""), FAULTS.get(f"{status}", error.detail))
    return page(request, "refused.html", status, words=words)


async def unreadable(request: Request, error: Any) -> Response:
    """Show that the database does not take what was asked for, such as a NUL in a search."""
    return page(request, "refused.html", 422, words="The request has characters that no name in this study has.")


FAULTS = {  # by the title of a problem, or by its status; others say it themselves
    "404": "There is no such page or person in this study.",
    "storage-unavailable": "The database cannot be reached now. Nothing is lost: try again in a minute.",
}
ROUTES = [
    Route("/", home),
    Route("/sign-in", sign_in.form),
    Route("/sign-in", sign_in.enter, methods=["POST"]),
    Route("/sign-out", sign_in.leave, methods=["POST"]),
    Route("/people", signed_in(people.people)),
    Route("/people/next", signed_in(people.following)),
    Route("/people/{pid}", signed_in(person.person)),
    Route("/people/{pid}/older", signed_in(person.older)),
    Route("/people/{pid}/events", signed_in(person.recorded)),
    Route("/people/{pid}/{change}", person.change, methods=["POST"]),
    Route("/study", signed_in(study.study)),
    Route("/study/{part}", signed_in(study.part)),
    Route("/audit", signed_in(audit.audit)),
    Route("/audit/verify", audit.verified, methods=["POST"]),
    Route("/audit/{name}", signed_in(audit.download)),
    Mount("/static", StaticFiles(directory=STATIC)),
]
