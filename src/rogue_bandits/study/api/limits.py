"""A limit on bodies, and a log of requests that names nobody."""

from __future__ import annotations

import logging
import time
from typing import Any

from starlette.exceptions import HTTPException

from rogue_bandits.study.api.problem_json import problem_response, response_of
from rogue_bandits.study.error_log import log_error
from rogue_bandits.study.problems import internal_error

LARGEST_BODY = 4_000_000  # bytes
TOO_LARGE = f"a body has at most {LARGEST_BODY:,} bytes"
REFUSED = 400  # the first status of refusals, which are always logged
log = logging.getLogger("rogue.access")


class Guard:
    """ASGI middleware: refuses large bodies before they are read, answers for errors, logs route, status and time."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begin, status, got = time.perf_counter(), 0, 0

        async def sending(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        async def receiving() -> Any:
            nonlocal got
            message = await receive()
            got += len(message.get("body", b""))
            if got > LARGEST_BODY:
                raise HTTPException(413, TOO_LARGE)  # FastAPI takes any other exception for a broken body
            return message

        if declared_length(scope) <= LARGEST_BODY:
            await answered(self._app, scope, receiving, sending)
        else:
            refusal = problem_response(413, "body-too-large", TOO_LARGE,
                                       {"Connection": "close"})  # fmt: skip
            await refusal(scope, receive, sending)
        if log.isEnabledFor(logging.INFO if status < REFUSED else logging.WARNING):
            route = getattr(scope.get("route"), "path", "unknown")  # the template: it names nobody
            log.log(
                logging.INFO if status < REFUSED else logging.WARNING,
                "%s %s %d %.1f ms",
                scope["method"],
                route,
                status,
                1e3 * (time.perf_counter() - begin),
            )


async def answered(app: Any, scope: Any, receive: Any, send: Any) -> None:
    """Serve one request; answer for an error that nobody has handled, and log it before uvicorn logs its message."""
    begun = False

    async def sending(message: Any) -> None:
        nonlocal begun
        begun = True
        await send(message)

    try:
        await app(scope, receive, sending)
    except Exception as error:
        log_error(log, "a request failed", error)
        if not begun:
            await response_of(internal_error())(scope, receive, send)


def declared_length(scope: Any) -> int:
    """Return the length that a request says it has; 0 where it says none."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0
