"""The study as a whole: enrolment, rewards, balance, wear-out and recovery, versions, alerts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from itertools import accumulate
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.study import queries
from rogue_bandits.study.design import StudyDesign, personal_arms
from rogue_bandits.study.page import attention
from rogue_bandits.study.page.charts import Chart, Series, filled
from rogue_bandits.study.page.html import page
from rogue_bandits.study.page.people import alerts_of, by_person
from rogue_bandits.study.page.projection import dynamics_of, mean_course, recovery, wear_out
from rogue_bandits.study.problems import not_found
from rogue_bandits.study.queries import ArmTotal, DayArm, RewardCurve
from rogue_bandits.study.service import Service

UNUSUAL, ALARMING = 2.0, 4.0  # standard errors of a count
WEEK = 7  # days of a moving mean
FEWEST = 10  # rewards of a mean that is drawn
SAMPLE = 40  # people over whom learned dynamics are averaged


class Balance(NamedTuple):
    """How often an arm was chosen, and how far that is from what was to be expected."""

    total: ArmTotal
    errors: float  # standard errors
    verdict: str


def study(request: Request) -> Response:
    """Show the study; its parts are loaded by themselves, as they take longer."""
    return page(request, "study.html", sections=PARTS)


def number_of(request: Request, name: str) -> Any:
    """Return a result over the whole study."""
    return request.app.state.numbers.of(name)


def part(request: Request) -> Response:
    """Show a part of the study's page."""
    name = request.path_params["part"]
    if name not in PARTS:
        raise not_found("part", name)
    return PARTS[name].show(request)


# ---- parts -----------------------------------------------------------------------------------------------------------
def summary(request: Request) -> Response:
    """Show the study in four numbers."""
    return page(request, "summary.html", title=PARTS["summary"].title, summary=number_of(request, "summary"))


def alerts(request: Request) -> Response:
    """Show how many people need attention, and why."""
    found = alerts_of(request)
    return page(request, "alerts.html", title=PARTS["alerts"].title, alerts=attention.by_kind(found),
                people=len(by_person(found)), meaning=attention.meaning)  # fmt: skip


def versions(request: Request) -> Response:
    """Show the versions of the study."""
    return page(request, "versions.html", title=PARTS["versions"].title, versions=number_of(request, "versions"))


def enrolment(request: Request) -> Response:
    """Show enrolment."""
    days = number_of(request, "enrolment")
    totals = accumulate(n for _, n in days)
    rows = [[day, total, n] for (day, n), total in zip(days, totals, strict=True)]
    today = request.app.state.service.clock()[:10]
    if rows and rows[-1][0] < today:
        rows.append([today, rows[-1][1], 0])
    chart = Chart(
        "People enrolled", "People who have joined, in all, by day.", "Day", "people",
        [Series("in all"), Series("on this day", 1, "hidden")], rows, time=True, least=0.0, bridged=True,
    )  # fmt: skip
    return page(request, "part.html", title=PARTS["enrolment"].title, charts=[chart])


def rewards(request: Request) -> Response:
    """Show mean rewards by arm and day."""
    design = request.app.state.service.design
    found = number_of(request, "days")
    days = sorted({row.day for row in found})
    means = [moving_means([row for row in found if row.arm == name], days) for name in design.names]
    each = [{row.day: row.mean_reward for row in found if row.arm == name} for name in design.names]
    sent = [{row.day: row.decisions for row in found if row.arm == name} for name in design.names]
    about = "The mean reward of each message over all people, on a day and the six before it."
    charts = [
        Chart("Mean rewards", about, "Day", "mean reward",
              [*(Series(name, k) for k, name in enumerate(design.names)),
               *(Series(f"{name}, this day", k, "hidden") for k, name in enumerate(design.names))],
              filled(days, [*means, *each]), time=True),
        Chart("Messages by day", "How often each message was chosen on each day.", "Day", "messages",
              [Series(name, k) for k, name in enumerate(design.names)], filled(days, sent), time=True, least=0.0),
    ]  # fmt: skip
    return page(request, "part.html", title=PARTS["rewards"].title, charts=charts)


def moving_means(rows: Sequence[DayArm], days: Sequence[str]) -> dict[Any, float | None]:
    """Return the mean reward of an arm over each day and the six days before it, whether or not they have data."""
    by_day = {
        date.fromisoformat(row.day): (row.rewards, row.rewards * row.mean_reward)
        for row in rows
        if row.mean_reward is not None
    }
    means: dict[Any, float | None] = {}
    for day in days:
        last = date.fromisoformat(day)
        week = [last - timedelta(days=back) for back in range(WEEK)]
        some = [by_day[one] for one in week if one in by_day]
        means[day] = sum(total for _, total in some) / sum(n for n, _ in some) if some else None
    return means


def balance(request: Request) -> Response:
    """Show the balance of randomisation."""
    totals = number_of(request, "arms")
    return page(request, "balance.html", title=PARTS["balance"].title, rows=[balanced(total) for total in totals])


def balanced(total: ArmTotal) -> Balance:
    """Return how far an arm is from balance, and how seldom chance alone would take it so far."""
    errors = (total.chosen - total.expected) / math.sqrt(total.variance) if total.variance > 0.0 else 0.0
    if abs(errors) < UNUSUAL:
        return Balance(total, errors, "as expected")
    if abs(errors) < ALARMING:
        seldom = 1.0 / math.erfc(abs(errors) / math.sqrt(2.0))  # both tails of a normal distribution
        return Balance(total, errors, f"a little unusual: chance alone does this about once in {seldom:,.0f}")
    return Balance(total, errors, "not as expected: tell the engineer of the study")


def curves(request: Request) -> Response:
    """Show wear-out and recovery: of the model, and in the rewards."""
    service: Service = request.app.state.service
    modelled = request.app.state.numbers.recent.of("model", lambda: model_charts(request))
    worn = number_of(request, "after plays")
    rested = number_of(request, "after rest")
    charts = [
        *modelled,
        observed(service.design, worn, "Wear-out in the rewards", "times sent in a row before",
                 "Mean reward by how often the same message was sent just before; shades are one standard error. "
                 "The study did not pick these moments evenly: this is a hint, the analysis of the export a result."),
        observed(service.design, rested, "Recovery in the rewards", "decisions since it was last sent",
                 "Mean reward by how long the message had rested: a hint as well."),
    ]  # fmt: skip
    return page(request, "part.html", title=PARTS["curves"].title, charts=charts)


def observed(design: StudyDesign, found: Sequence[RewardCurve], title: str, x: str, about: str) -> Chart:
    """Return means of rewards, with one standard error on either side."""
    columns: list[dict[Any, float | None]] = []
    series: list[Series] = []
    for k, name in enumerate(design.names):
        mine = [one for one in found if one.arm == name and one.rewards >= FEWEST]
        columns.append({one.x: one.mean for one in mine})
        for sign in (-1.0, 1.0):
            columns.append(
                {one.x: one.mean + sign * one.standard_error for one in mine if one.standard_error is not None}
            )
        series += [Series(name, k), Series(f"{name}, low", k, "low"), Series(f"{name}, high", k, "high")]
    xs = sorted({one.x for one in found if one.rewards >= FEWEST})
    return Chart(title, about, x.capitalize(), "mean reward", series, filled(xs, columns))


def model_charts(request: Request) -> list[Chart]:
    """Return the courses of the state that the study assumes, or has learned, on average over people."""
    design: StudyDesign = request.app.state.service.design
    each = [dynamics_of_people(request, k) for k in range(len(design.arms))]
    known = [(k, dynamics) for k, dynamics in enumerate(each) if dynamics]
    if not known:
        return []
    origin = (
        "as learned, on average over people" if design.file.dynamics.source == "learned" else "as the study assumes"
    )
    return [
        Chart(title, f"{about}, {origin}.", x, "freshness", [Series(design.names[k], k) for k, _ in known],
              [[step, *row] for step, row in enumerate(zip(*(mean_course([law(d) for d in some]) for _, some in known),
                                                          strict=True))], least=0.0)
        for title, about, x, law in (
            ("Wear-out", "How fresh a rested message is after being sent so many times in a row", "Times sent",
             wear_out),
            ("Recovery", "How fresh a worn-out message is after so many decisions of rest", "Decisions of rest",
             recovery),
        )
    ]  # fmt: skip


def dynamics_of_people(request: Request, k: int) -> list[ClippedAffine]:
    """Return the dynamics of an arm: one for all, or of a sample of people."""
    service: Service = request.app.state.service
    design, source = service.design, service.design.file.dynamics.source
    if source == "known":
        found = [dynamics_of(design.arms[k], None, k)]
    elif source == "people":
        found = [dynamics_of(personal_arms(design, one)[k], None, k) for one in design.people.values()]
    else:
        with service.storage.reading() as reader:
            rows = queries.people(reader, "active", limit=SAMPLE)
        explained = request.app.state.explanations.of(rows)
        found = [dynamics_of(design.arms[k], one, k) for one in explained.values()]
    return [one for one in found if one is not None]


class Part(NamedTuple):
    """A part of the page that is loaded by itself."""

    title: str
    show: Callable[[Request], Response]


PARTS = {
    "summary": Part("In numbers", summary),
    "alerts": Part("Alerts", alerts),
    "enrolment": Part("Enrolment", enrolment),
    "rewards": Part("Rewards by message and day", rewards),
    "balance": Part("Balance of randomisation", balance),
    "curves": Part("Wear-out and recovery", curves),
    "versions": Part("Versions", versions),
}
