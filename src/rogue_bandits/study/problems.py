"""What a request can be refused for: a status, a stable name and a sentence (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class RequestProblem(Exception):  # noqa: N818  # the name of the standard
    """A refusal. `title` is stable, `detail` says what is wrong and what is allowed."""

    def __init__(self, status: int, title: str, detail: str, **more: Any) -> None:
        super().__init__(detail)
        self.status, self.title, self.detail = status, title, detail
        self.more: Mapping[str, Any] = more


def not_found(what: str, name: str) -> RequestProblem:
    """Return a refusal (404): there is no such person or decision."""
    return RequestProblem(404, f"unknown-{what}", f"there is no {what} '{name}' in this study")


def conflict(title: str, detail: str, **more: Any) -> RequestProblem:
    """Return a refusal (409): the request contradicts what was recorded."""
    return RequestProblem(409, title, detail, **more)


def invalid(title: str, detail: str, **more: Any) -> RequestProblem:
    """Return a refusal (422): the request is invalid."""
    return RequestProblem(422, title, detail, **more)


def study_changed() -> RequestProblem:
    """Return a refusal (503): this server has an old study file."""
    return RequestProblem(
        503, "study-changed",
        "another server has begun a new version of this study: restart this one with the new study file",
    )  # fmt: skip


def internal_error() -> RequestProblem:
    """Return a refusal (500): the server failed."""
    return RequestProblem(500, "internal-error", "the server failed on this request; nothing was recorded")


def unavailable(detail: str) -> RequestProblem:
    """Return a refusal (503): the study cannot be written to now."""
    return RequestProblem(503, "storage-unavailable", detail)
