"""Every refusal as application/problem+json (RFC 9457)."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from rogue_bandits.study.problems import Kind, RequestProblem, cannot_be_read
from rogue_bandits.study.requests import invalid_request
from rogue_bandits.study.storage.contract import StorageDown

MEDIA = "application/problem+json"
RETRY_AFTER = "2"  # seconds
HTTP_STATUS = {
    Kind.NO_TOKEN: 401, Kind.NOT_ALLOWED: 403, Kind.NOT_FOUND: 404, Kind.CONFLICT: 409, Kind.INVALID: 422,
    Kind.TOO_MANY: 429, Kind.INTERNAL: 500, Kind.UNAVAILABLE: 503,
}  # fmt: skip
HEADERS = {
    Kind.NO_TOKEN: {"WWW-Authenticate": "Bearer"},
    Kind.TOO_MANY: {"Retry-After": RETRY_AFTER},
    Kind.UNAVAILABLE: {"Retry-After": RETRY_AFTER},
}


class ProblemBody(BaseModel):
    """A refusal: `title` is stable, `detail` is for people."""

    title: str
    status: int
    detail: str
    model_config = {
        "extra": "allow",
        "json_schema_extra": {"examples": [
            {"title": "unknown-person", "status": 404, "detail": "there is no person 'ann' in this study"}
        ]},
    }  # fmt: skip


def problem_response(status: int, title: str, detail: str, headers: Any = None, **more: Any) -> JSONResponse:
    """Return a refusal."""
    body = {"title": title, "status": status, "detail": detail, **more}
    return JSONResponse(body, status, headers=headers, media_type=MEDIA)


def response_of(problem: RequestProblem) -> JSONResponse:
    """Return a problem of a request as an answer."""
    how = ": Authorization: Bearer …" if problem.kind is Kind.NO_TOKEN else ""
    return problem_response(
        HTTP_STATUS[problem.kind], problem.title, problem.detail + how, HEADERS.get(problem.kind), **problem.more
    )


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return what OpenAPI says about refusals with these statuses."""
    content = {MEDIA: {"schema": {"$ref": "#/components/schemas/ProblemBody"}}}
    return {status: {"model": ProblemBody, "content": content, "description": ABOUT[status]} for status in statuses}


ABOUT = {
    400: "the request cannot be read",
    401: "no valid token",
    403: "the token's role may not do this",
    404: "there is no such person or decision",
    409: "it contradicts what was recorded",
    410: "it is gone",
    413: "the body is too large",
    422: "the request is not valid",
    429: "too many failures",
    503: "the database cannot be reached now",
}


def add_handlers(app: FastAPI) -> None:
    """Answer every exception as a problem."""

    @app.exception_handler(RequestProblem)
    async def problem(request: Request, error: RequestProblem) -> JSONResponse:
        return response_of(error)

    @app.exception_handler(StorageDown)
    async def down(request: Request, error: StorageDown) -> JSONResponse:
        return response_of(cannot_be_read())

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        return response_of(invalid_request(error.errors()))

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> JSONResponse:
        titles = {400: "unreadable-body", 404: "not-found", 405: "method-not-allowed", 413: "body-too-large"}
        return problem_response(
            error.status_code, titles.get(error.status_code, "refused"), str(error.detail), error.headers
        )
