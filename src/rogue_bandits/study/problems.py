"""What a request can be refused for: a kind, a stable name and a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Any


class Kind(Enum):
    """Kinds of problems, for each of which a protocol has a status, as `api/problem_json.py` has those of HTTP."""

    NO_TOKEN = auto()
    NOT_ALLOWED = auto()
    NOT_FOUND = auto()
    CONFLICT = auto()
    INVALID = auto()
    TOO_MANY = auto()
    INTERNAL = auto()
    UNAVAILABLE = auto()


class RequestProblem(Exception):  # noqa: N818  # the name of the standard, RFC 9457
    """A refusal. `title` is stable, `detail` says what is wrong and what is allowed."""

    def __init__(self, kind: Kind, title: str, detail: str, **more: Any) -> None:
        super().__init__(detail)
        self.kind, self.title, self.detail = kind, title, detail
        self.more: Mapping[str, Any] = more


def not_found(what: str, name: str) -> RequestProblem:
    """Return a refusal: there is no such person or decision."""
    return RequestProblem(Kind.NOT_FOUND, f"unknown-{what}", f"there is no {what} '{name}' in this study")


def conflict(title: str, detail: str, **more: Any) -> RequestProblem:
    """Return a refusal: the request contradicts what was recorded."""
    return RequestProblem(Kind.CONFLICT, title, detail, **more)


def invalid(title: str, detail: str, **more: Any) -> RequestProblem:
    """Return a refusal: the request is invalid."""
    return RequestProblem(Kind.INVALID, title, detail, **more)


def study_changed() -> RequestProblem:
    """Return a refusal: this server has an old study file."""
    return RequestProblem(
        Kind.UNAVAILABLE, "study-changed",
        "another server has begun a new version of this study: restart this one with the new study file",
    )  # fmt: skip


def internal_error() -> RequestProblem:
    """Return a refusal: the server failed."""
    return RequestProblem(Kind.INTERNAL, "internal-error", "the server failed on this request; nothing was recorded")


def cannot_be_read() -> RequestProblem:
    """Return a refusal: the study cannot be read now; a storage then raises StorageDown."""
    return unavailable("the database cannot be read now: try again")


def unavailable(detail: str) -> RequestProblem:
    """Return a refusal: the study cannot be served now."""
    return RequestProblem(Kind.UNAVAILABLE, "storage-unavailable", detail)
