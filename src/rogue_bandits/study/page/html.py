"""Templates of the page."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from rogue_bandits.study.page import words
from rogue_bandits.wording import counted


@cache
def environment() -> Environment:
    """Return the templates. All text that is inserted is escaped."""
    made = Environment(
        loader=PackageLoader("rogue_bandits.study.page"),
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    for name in ("percent", "number", "day", "moment", "ago", "is_later"):
        made.filters[name] = getattr(words, name)
    made.filters["counted"] = counted
    return made


def page(request: Request, template: str, status: int = 200, **content: Any) -> HTMLResponse:
    """Return a page, or a part of one where a script asked for a part."""
    service, session = request.app.state.service, getattr(request.state, "session", None)
    common = {
        "base": request.scope["root_path"],
        "study": service.design.file.study,
        "design": service.design,
        "now": service.clock(),
        "clock": getattr(service.clock, "label", "server time, UTC"),
        "token": getattr(request.state, "token", None),
        "csrf": request.app.state.sessions.csrf(session) if session is not None else "",
        "whole": not is_part(request),
    }
    return HTMLResponse(environment().get_template(template).render({**common, **content}), status)


def is_part(request: Request) -> bool:
    """Return whether a script asked for a part of a page."""
    return request.headers.get("hx-request") == "true"
