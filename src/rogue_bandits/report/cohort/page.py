"""report.html of a cohort."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rogue_bandits.estimate.families import family_of
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.fitted import ArmFit
from rogue_bandits.estimate.notes import count
from rogue_bandits.report.cohort.figures import arm_figure, person_figure
from rogue_bandits.report.cohort.words import (
    CAPTION,
    HEADINGS,
    NO_COST,
    NOT_SEEN,
    ArmLine,
    arm_lines,
    recovery,
    sentence,
    sure_of,
    verdicts,
)  # fmt: skip
from rogue_bandits.report.html import data_uri, render
from rogue_bandits.report.plotting import image

MOST_PEOPLE, MOST_ARMS, MOST_NAMES = 60, 20, 20  # shown, so that the page stays readable and below 10 MB
DPI = 110

Progress = Callable[[int], None]


def cohort_page(people: People, command: str, progress: Progress = lambda drawn: None) -> bytes:
    """The page, with its figures inside; `progress` is called with the number of people just drawn."""
    cohort, fits = people.cohort, people.fitted.people
    arms = shown_arms(people)
    without = [person for person in cohort.people if person not in fits]
    more = f" and {len(without) - MOST_NAMES:,} more" if len(without) > MOST_NAMES else ""
    return render(
        "cohort.html",
        title=f"Wear-out and recovery: {cohort.file}",
        file=cohort.file,
        summary=in_short(people),
        verdicts=verdicts(people),
        notes=cohort.notes or ["Every row was used as it is."],
        scale=scale_text(people),
        headings=HEADINGS,
        arm_rows=arm_lines(people),
        caption=CAPTION,
        arms={arm: arm_figure(people, arm) for arm in arms},
        svg=lambda fig: data_uri(image(fig, "svg"), "svg"),
        arms_shown=len(arms),
        arms_total=len(cohort.arms),
        people=person_sections(people, progress),
        people_shown=len(shown_people(people)),
        people_total=len(fits),
        parameter_headings=["arm", "half recovered after", "log-likelihood", *people.names()],
        family=family_of(cohort.family),
        without_fit=", ".join(without[:MOST_NAMES]) + more,
        command=command,
    )


def in_short(people: People) -> str:
    """The data and the result in a sentence or two."""
    fits = [fit for arms in people.fitted.people.values() for fit in arms.values()]
    head = (
        f"{count(len(people.cohort.people), 'person', 'people')}, "
        f"{count(len(people.cohort.arms), 'arm', 'arms')}, {sum(fit.n for fit in fits):,} rewards."
    )
    results = "; ".join(f"{line.arm}: {arm_result(line, sure_of(people, line.arm))}" for line in arm_lines(people))
    return f"{head} For the median person, {results}."


def arm_result(line: ArmLine, sure: list[bool]) -> str:
    """The result for an arm; `sure` says for each person whether the data support wear-out."""
    if not line.cost:
        return "not enough data"
    if line.recovery == NO_COST:
        return "no appreciable wear-out"
    uncertain = " (uncertain)" if 2 * sum(sure) <= len(sure) and sure else ""
    rests = "1 rest" if line.recovery == "1" else f"{line.recovery} rests"
    back = "recovery not seen" if line.recovery == NOT_SEEN else f"half of it recovered after {rests}"
    return f"{line.cost.split(' (')[0]} less after one sending{uncertain}, {back}"


def scale_text(people: People) -> str:
    """What the rewards are."""
    scale, name, family = people.cohort.scale, people.cohort.reward, family_of(people.cohort.family)
    divided = f" and were divided by {scale:,g}" if scale != 1.0 else ""
    return f"Rewards are in the column “{name}”{divided}. They are {family.words}: the {family.name} family."


def shown_arms(people: People) -> list[str]:
    """All arms, or those with the most rewards, most rewards first."""
    rewards = {
        arm: sum(arms[arm].n for arms in people.fitted.people.values() if arm in arms) for arm in people.cohort.arms
    }
    return sorted(rewards, key=lambda arm: -rewards[arm])[:MOST_ARMS]


def shown_people(people: People) -> list[str]:
    """All people, or those with the most rewards, in the order of the file."""
    fits = people.fitted.people
    most = set(sorted(fits, key=lambda person: -sum(fit.n for fit in fits[person].values()))[:MOST_PEOPLE])
    return [person for person in fits if person in most]


def person_sections(people: People, progress: Progress) -> Iterator[dict[str, Any]]:
    """What the page shows of each person: a sentence for each arm, a figure, and the parameters."""
    for person in shown_people(people):
        fits = people.fitted.people[person]
        terms = {arm: people.terms(person, arm) for arm in fits}
        yield {
            "name": person,
            "sentences": [sentence(arm, fit, terms[arm], people.size()) for arm, fit in fits.items()],
            "source": data_uri(image(person_figure(people, person), "png", DPI), "png"),
            "parameters": [
                [
                    arm,
                    recovery(terms[arm].recovery),
                    f"{fit.loglik:.2f}",
                    *(with_interval(fit, p) for p in people.names()),
                ]
                for arm, fit in fits.items()
            ],
        }
        progress(1)


def with_interval(fit: ArmFit, name: str) -> str:
    """A parameter with its interval, if it has one."""
    value = fit.numbers()[name]
    interval = fit.intervals.get(name)
    return f"{value:.3g}" + (f" ({interval.lo:.3g} to {interval.hi:.3g})" if interval else "")
