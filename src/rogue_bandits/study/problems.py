"""What a request can be refused for: a status, a stable name and a sentence (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Problem(Exception):  # noqa: N818  # the name of the standard
    """A refusal. `title` is stable, `detail` says what is wrong and what is allowed."""

    def __init__(self, status: int, title: str, detail: str, **more: Any) -> None:
        super().__init__(detail)
        self.status, self.title, self.detail = status, title, detail
        self.more: Mapping[str, Any] = more


def not_found(what: str, name: str) -> Problem:
    """There is no such person or decision."""
    return Problem(404, f"unknown-{what}", f"there is no {what} '{name}' in this study")


def conflict(title: str, detail: str, **more: Any) -> Problem:
    """The request contradicts what was recorded."""
    return Problem(409, title, detail, **more)


def invalid(title: str, detail: str, **more: Any) -> Problem:
    """The request cannot be right."""
    return Problem(422, title, detail, **more)


def study_changed() -> Problem:
    """This server has an old study file."""
    return Problem(
        503, "study-changed",
        "another server has begun a new version of this study: restart this one with the new study file",
    )  # fmt: skip


def unavailable(detail: str) -> Problem:
    """The study cannot be written to now."""
    return Problem(503, "storage-unavailable", detail)
