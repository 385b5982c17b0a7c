"""Everybody: what is next and why, and who needs attention."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from rogue_bandits.study import queries
from rogue_bandits.study.page import attention
from rogue_bandits.study.page.html import page
from rogue_bandits.study.page.next_choice import ArmNow, arms_now, likeliest, short_reason
from rogue_bandits.study.page.words import day, is_later
from rogue_bandits.study.queries import Alert, PersonRow
from rogue_bandits.study.service import Service
from rogue_bandits.study.storage.sql import Reader

PAGE = 20  # people
FIRST = 6  # of those who need attention, shown above everybody
SHOWN = {"": None, "active": "active", "paused": "paused", "withdrawn": "withdrawn"}
LONGEST_SEARCH = 100


class Listing(NamedTuple):
    """One page of people."""

    people: Sequence[PersonRow]
    total: int
    show: str
    search: str
    number: int  # of the page, from 1

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return max(1, -(-self.total // PAGE))


class LikelyNext(NamedTuple):
    """What is next for a person; `arm` is None where nothing is."""

    pid: str
    arm: ArmNow | None
    words: str


def alerts_of(request: Request) -> list[Alert]:
    """Return who needs attention; for a large study, as of some minutes ago."""
    alerts: list[Alert] = request.app.state.numbers.of("alerts")
    return alerts


def by_person(alerts: Sequence[Alert]) -> dict[str, list[Alert]]:
    """Return the alerts of each person, of those with most first."""
    found: dict[str, list[Alert]] = defaultdict(list)
    for alert in alerts:
        found[alert.pid].append(alert)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[1][0].person or "")))


def people(request: Request) -> Response:
    """Show a page of people."""
    service: Service = request.app.state.service
    flagged = by_person(alerts_of(request))
    with service.storage.reading() as reader:
        listing = listed(reader, request, list(flagged))
        first = in_order(queries.people_by_pid(reader, list(flagged)[:FIRST]), list(flagged))
    return page(request, "people.html", listing=listing, flagged=flagged, first=first, meaning=attention.meaning)


def listed(reader: Reader, request: Request, flagged: Sequence[str]) -> Listing:
    """Return the page of people that a request asks for."""
    show, search = request.query_params.get("show", ""), request.query_params.get("search", "")[:LONGEST_SEARCH]
    asked = request.query_params.get("page", "1")
    number = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 7 and int(asked) > 0 else 1
    if show == "attention" and not search:
        some = flagged[(number - 1) * PAGE : number * PAGE]
        return Listing(in_order(queries.people_by_pid(reader, some), some), len(flagged), show, "", number)
    status = SHOWN.get(show)
    found = queries.people(reader, status, search, PAGE, (number - 1) * PAGE)
    return Listing(found, queries.count_people(reader, status, search), show, search, number)


def in_order(rows: Sequence[PersonRow], pids: Sequence[str]) -> list[PersonRow]:
    """Return people in the order of their random names here."""
    place = {pid: k for k, pid in enumerate(pids)}
    return sorted(rows, key=lambda row: place[row.pid])


def following(request: Request) -> Response:
    """Show what is next for some people: a part that the list of people loads once it is there."""
    service: Service = request.app.state.service
    with service.storage.reading() as reader:
        rows = queries.people_by_pid(reader, request.query_params.getlist("pid")[:PAGE])
    return page(request, "following.html", items=[next_of(request, service, row) for row in rows])


def next_of(request: Request, service: Service, row: PersonRow) -> LikelyNext:
    """Return what is next for a person."""
    if row.status != "active":
        return LikelyNext(row.pid, None, {"paused": "nothing while paused"}.get(row.status, "nothing: has left"))
    if row.start is not None and is_later(row.start, service.clock()):
        return LikelyNext(row.pid, None, f"nothing before {day(row.start)}")
    arms = arms_now(service.design, request.app.state.explanations.of([row])[row.pid], {})
    if not any(arm.probability for arm in arms):
        return LikelyNext(row.pid, None, "cannot be said now")
    return LikelyNext(row.pid, likeliest(arms), short_reason(service.design, arms))
