"""One person: messages, rewards, what is known of each message, chances over time, and what is next."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from rogue_bandits.online.explanation import Explanation, cell
from rogue_bandits.study import queries
from rogue_bandits.study.design import StudyDesign, personal_arms
from rogue_bandits.study.page import attention
from rogue_bandits.study.page.access import in_page_thread, own_form
from rogue_bandits.study.page.charts import Chart, Series
from rogue_bandits.study.page.html import page
from rogue_bandits.study.page.next_choice import ArmNow, arms_now, sentences
from rogue_bandits.study.page.people import alerts_of
from rogue_bandits.study.page.projection import STEPS, course, dynamics_of
from rogue_bandits.study.problems import not_found
from rogue_bandits.study.queries import DecisionRow, PersonRow
from rogue_bandits.study.service import Service
from rogue_bandits.types import Arm, support

FEW_VALUES = 5  # of a reward: each has a place on the axis
DRAWN, LISTED = 90, 15  # decisions in charts, and in the list at a time
CHANGES = ("pause", "resume")  # that the page offers


def person(request: Request) -> Response:
    """Show a person."""
    service: Service = request.app.state.service
    design = service.design
    with service.storage.reading() as reader:
        row = found_person(reader, request.path_params["pid"])
        past = queries.decisions_of(reader, design, row.pid, DRAWN)
        last = queries.last_plays(reader, design, row.pid)
        own = personal_arms(design, queries.enrolment_of(reader, row.pid).get("dynamics"))
    explained: Explanation = request.app.state.explanations.of([row])[row.pid]
    arms = arms_now(design, explained, last)
    return page(
        request, "person.html", row=row, arms=arms, sentences=sentences(design, arms, service.clock()),
        decisions=past[:LISTED], more=len(past) > LISTED, ranges=ranges(own),
        charts=[chances(design, past), rewards(design, past), *ahead(own, explained, arms)],
        table=explanation_table(explained), alerts=[a for a in alerts_of(request) if a.pid == row.pid],
        meaning=attention.meaning,
    )  # fmt: skip


def found_person(reader: Any, pid: str) -> PersonRow:
    """Return a person by the random name, or raise the problem that there is none."""
    found = queries.people_by_pid(reader, [pid])
    if not found:
        raise not_found("person", pid)
    return found[0]


def older(request: Request) -> Response:
    """Show older decisions: a part of the page of a person."""
    service: Service = request.app.state.service
    before = request.query_params.get("before", "")
    with service.storage.reading() as reader:
        row = found_person(reader, request.path_params["pid"])
        number = int(before) if before.isascii() and before.isdigit() and len(before) < 10 else None
        some = queries.decisions_of(reader, service.design, row.pid, LISTED + 1, number)
    return page(request, "older.html", row=row, decisions=some[:LISTED], more=len(some) > LISTED)


def recorded(request: Request) -> Response:
    """Show everything that was recorded about a person."""
    service: Service = request.app.state.service
    with service.storage.reading() as reader:
        row = found_person(reader, request.path_params["pid"])
        events = queries.events_of(reader, row.pid)
    return page(request, "events.html", row=row, events=events)


async def change(request: Request) -> Response:
    """Pause or resume a person."""
    await own_form(request, "change status")
    service: Service = request.app.state.service
    pid, change = request.path_params["pid"], request.path_params["change"]

    def name() -> str | None:
        with service.storage.reading() as reader:
            return found_person(reader, pid).person

    known = await in_page_thread(name)
    if known is None or change not in CHANGES:
        raise not_found("person", pid)
    await asyncio.wrap_future(service.change_status(known, change))
    return RedirectResponse(f"{request.scope['root_path']}/people/{pid}", 303)


# ---- charts ----------------------------------------------------------------------------------------------------------
def chances(design: StudyDesign, past: Sequence[DecisionRow]) -> Chart:
    """Return the probability of each arm at past decisions, with dots where it was chosen."""
    rows = [row for row in reversed(past) if row.available]
    return Chart(
        "Chances over time", "How likely each message was at every decision. A dot marks the message that was chosen.",
        "Decision", "chance", [Series(name, k) for k, name in enumerate(design.names)],
        [[row.time, *(row.probabilities[name] for name in design.names)] for row in rows],
        time=True, least=0.0, most=1.0,
        marks=frozenset((i, design.names.index(row.arm)) for i, row in enumerate(rows) if row.arm is not None),
    )  # fmt: skip


def rewards(design: StudyDesign, past: Sequence[DecisionRow]) -> Chart:
    """Return the rewards of past decisions, on an axis with all values that are possible where these are few."""
    rows = [row for row in reversed(past) if row.reward is not None]
    lo, hi, whole = support(design.arms[0].rewards)
    bounded = math.isfinite(lo) and math.isfinite(hi)
    few = whole and bounded and hi - lo <= FEW_VALUES
    return Chart(
        "Rewards over time", "The reward that was reported after each message, as a dot.", "Decision", "reward",
        [Series(name, k, "points") for k, name in enumerate(design.names)],
        [[row.time, *(row.reward if row.arm == name else None for name in design.names)] for row in rows], time=True,
        least=design.scale * lo if bounded else None, most=design.scale * hi if bounded else None,
        ticks=tuple(design.scale * value for value in range(int(lo), int(hi) + 1)) if few else (),
    )  # fmt: skip


def ahead(own: Sequence[Arm], found: Explanation, arms: Sequence[ArmNow]) -> list[Chart]:
    """Return how the state of each arm would go on at rest and under steady play."""
    known = [
        (k, d, arm.state) for k, arm in enumerate(arms)
        if arm.state is not None and (d := dynamics_of(own[k], found, k)) is not None
    ]  # fmt: skip
    if not known:
        return []
    return [
        Chart(title, about, "Decisions from now", "freshness", [Series(arms[k].name, k) for k, _, _ in known],
              [[step, *states] for step, states in enumerate(zip(*(
                  course(d, state.middle, played, STEPS) for _, d, state in known), strict=True))],
              least=min(d.lo for _, d, _ in known), most=max(d.hi for _, d, _ in known))
        for title, about, played in (
            ("Recovery from here", "How fresh each message would become if it were not sent for a while.", 0.0),
            ("Wear-out from here", "How each message would wear out if it were sent at every decision.", 1.0),
        )
    ]  # fmt: skip


def ranges(own: Sequence[Arm]) -> list[tuple[float, float]]:
    """Return the bounds of the state of each arm; from 0 to 1 where dynamics have none."""
    return [(getattr(a.dynamics, "lo", 0.0), getattr(a.dynamics, "hi", 1.0)) for a in own]


def explanation_table(found: Explanation) -> list[tuple[str, list[str]]]:
    """Return all that is known of the arms, as text."""
    return [(row.name, [cell(value) for value in row.values]) for row in found.rows]
