"""Bearer tokens of requests, as dependencies of routes."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request, Security
from fastapi.security import HTTPBearer
from starlette.requests import HTTPConnection

from rogue_bandits.study.access import Access
from rogue_bandits.study.service import Service


class RoleBearer(HTTPBearer):
    """A dependency that returns the token of a request, if its role may do something."""

    def __init__(self, action: str) -> None:
        super().__init__(scheme_name="token", description="a token that `rogue study token` has printed")
        self.action = action

    async def __call__(self, request: HTTPConnection) -> Any:
        """Return the token, or raise the problem."""
        source = request.client.host if request.client is not None else ""
        scheme, _, text = request.headers.get("authorization", "").partition(" ")
        access: Access = request.app.state.access
        return await access.granted(text if scheme.lower() == "bearer" and text else None, source, self.action)


def allowed(action: str) -> Any:
    """Return the dependency of a route that does something, for roles that may."""
    return Security(RoleBearer(action))


def service_in(request: Request) -> Service:
    """Return the study that the application serves."""
    service: Service = request.app.state.service
    return service


async def service_of(request: Request) -> Service:
    """Return the study that the application serves, as a dependency."""
    return service_in(request)


Serving = Annotated[Service, Depends(service_of)]
