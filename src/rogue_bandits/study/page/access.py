"""Who is signed in, and what a form must have."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from rogue_bandits.study.page.html import is_part
from rogue_bandits.study.page.sessions import PageSession, PageSessions
from rogue_bandits.study.problems import Kind, RequestProblem, invalid
from rogue_bandits.study.roles import is_allowed, raise_unless_allowed
from rogue_bandits.study.tokens import Token

Found = TypeVar("Found")
COOKIE, BEFORE = "rogue_session", "rogue_sign_in"  # after and before signing in
MOST_FIELDS = 20


# Not the pool of the event loop: there a page that takes long would hold up the reading of tokens, and so decisions.
THREADS = ThreadPoolExecutor(8, thread_name_prefix="rogue-page")


async def in_page_thread(function: Callable[..., Found], *args: Any) -> Found:
    """Return what a function returns that is run in a thread of the pages."""
    return await asyncio.get_running_loop().run_in_executor(THREADS, function, *args)


def signed_in(handler: Callable[[Request], Response]) -> Callable[[Request], Awaitable[Response]]:
    """Return a handler, run in a thread, that only those who have signed in reach."""

    async def checked(request: Request) -> Response:
        found = await in_page_thread(who, request)
        if found is None:
            return sign_in_first(request)
        request.state.session, request.state.token = found
        answer = await in_page_thread(handler, request)
        set_cookie(request, answer, COOKIE, sessions_of(request).seen(found[0]))
        return answer

    return checked


def who(request: Request) -> tuple[PageSession, Token] | None:
    """Return the session of a request and its token, if both are valid now."""
    session = sessions_of(request).read(request.cookies.get(COOKIE))
    if session is None or not session.token:
        return None
    token = request.app.state.access.valid_token(session.token)
    return None if token is None or not is_allowed(token.role, "use the page") else (session, token)


def sign_in_first(request: Request) -> Response:
    """Send the browser to the form; a script is told to load it as a page."""
    place = f"{request.scope['root_path']}/sign-in"
    return (
        Response(status_code=401, headers={"HX-Redirect": place}) if is_part(request) else RedirectResponse(place, 303)
    )


async def form_of(request: Request, session: PageSession | None) -> dict[str, str]:
    """Return the fields of a form of our own; raise a RequestProblem where it is not one."""
    text = (await request.body()).decode("utf-8", "replace")
    try:
        given = parse_qs(text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise invalid("too-many-fields", f"a form has at most {MOST_FIELDS} fields") from None
    fields = {name: values[0] for name, values in given.items()}
    if session is None or not sessions_of(request).is_own_form(session, fields.get("csrf", "")):
        raise RequestProblem(Kind.NOT_ALLOWED, "form-expired",
                             "this form is not from this session, or too old: load the page and try again")  # fmt: skip
    return fields


async def own_form(request: Request, action: str) -> dict[str, str]:
    """Return the fields of a form of our own, sent by somebody whose role may do what it is for."""
    found = await in_page_thread(who, request)
    if found is None:
        raise RequestProblem(Kind.NO_TOKEN, "signed-out", "you are signed out: sign in and try again")
    request.state.session, request.state.token = found
    fields = await form_of(request, found[0])
    raise_unless_allowed(found[1].role, action)
    return fields


def sessions_of(request: Request) -> PageSessions:
    """Return what signs cookies."""
    sessions: PageSessions = request.app.state.sessions
    return sessions


def set_cookie(request: Request, answer: Response, name: str, session: PageSession) -> None:
    """Set a cookie that scripts cannot read and other sites cannot send; over https it stays there."""
    place: Any = request.scope["root_path"] or "/"
    answer.set_cookie(name, sessions_of(request).cookie(session), path=place, httponly=True, samesite="strict",
                      secure=request.url.scheme == "https")  # fmt: skip
