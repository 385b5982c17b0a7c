"""Sign in with a token of staff or of an auditor, and out."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from rogue_bandits.study.api.problem_json import HTTP_STATUS
from rogue_bandits.study.page.access import (
    BEFORE,
    COOKIE,
    form_of,
    in_page_thread,
    own_form,
    sessions_of,
    set_cookie,
    who,
)
from rogue_bandits.study.page.html import page
from rogue_bandits.study.problems import RequestProblem
from rogue_bandits.study.roles import is_allowed


async def form(request: Request) -> Response:
    """Show the form. Its CSRF token belongs to a session of nobody, so that no other site can sign anybody in."""
    if await in_page_thread(who, request) is not None:
        return RedirectResponse(f"{request.scope['root_path']}/people", 303)
    return shown(request)


def shown(request: Request, status: int = 200, fault: str = "") -> Response:
    """Return the form, with what was wrong."""
    request.state.session = sessions_of(request).begin("")
    answer = page(request, "sign_in.html", status, fault=fault)
    set_cookie(request, answer, BEFORE, request.state.session)
    return answer


async def enter(request: Request) -> Response:
    """Begin a session."""
    try:
        fields = await form_of(request, sessions_of(request).read(request.cookies.get(BEFORE)))
        source = request.client.host if request.client is not None else ""
        given = fields.get("token", "").strip()
        token = await in_page_thread(request.app.state.access.token_of, given, source)
    except RequestProblem as problem:
        return shown(request, HTTP_STATUS[problem.kind], FAULTS.get(problem.title, problem.detail))
    if not is_allowed(token.role, "use the page"):
        return shown(request, 403, f"This is a token for the {token.role}. The page needs one for staff or an auditor.")
    answer = RedirectResponse(f"{request.scope['root_path']}/people", 303)
    set_cookie(request, answer, COOKIE, sessions_of(request).begin(token.id))
    answer.delete_cookie(BEFORE, path=request.scope["root_path"] or "/")
    return answer


FAULTS = {
    "no-valid-token": "This token is not valid. Check that all of it was copied; it may also have expired.",
    "too-many-failures": "Too many wrong tokens came from here. Wait a minute, then try again.",
    "form-expired": "This form was too old. Please try again.",
}


async def leave(request: Request) -> Response:
    """End the session."""
    await own_form(request, "use the page")
    await in_page_thread(sessions_of(request).end, request.state.session)
    answer = RedirectResponse(f"{request.scope['root_path']}/sign-in", 303)
    answer.delete_cookie(COOKIE, path=request.scope["root_path"] or "/")
    return answer
