"""report.html of a cohort."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rogue_bandits.estimate.families import family_of
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.fitted import ArmFit
from rogue_bandits.estimate.notes import count
from rogue_bandits.plotting import image
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

MOST_PEOPLE, MOST_ARMS, MOST_NAMES = 60, 20, 20  # shown, so that the page stays readable and below 10 MB
DPI = 110

Progress = Callable[[int], None]


def cohort_page(people: People, command: str, progress: Progress = lambda drawn: None) -> bytes:
    """Return the page, with its figures inside; `progress` is called with the number of people just drawn."""
    cohort, fits = people.cohort, people.fitted.people
    n_rewards = {arm: sum(arms[arm].n for arms in fits.values() if arm in arms) for arm in cohort.arms}
    most = sorted(n_rewards, key=lambda arm: -n_rewards[arm])[:MOST_ARMS]
    arms = [arm for arm in cohort.arms if arm in most]
    family, divided = family_of(cohort.family), f" and were divided by {cohort.scale:,g}" if cohort.scale != 1.0 else ""
    without = [person for person in cohort.people if person not in fits]
    more = f" and {len(without) - MOST_NAMES:,} more" if len(without) > MOST_NAMES else ""
    return render(
        "cohort.html",
        title=f"Wear-out and recovery: {cohort.file}",
        file=cohort.file,
        summary=in_short(people),
        verdicts=verdicts(people),
        notes=cohort.notes or ["Every row was used as it is."],
        scale=f"Rewards are in the column “{cohort.reward}”{divided}. They are {family.words} ({family.name} family).",
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
        family=family,
        without_fit=", ".join(without[:MOST_NAMES]) + more,
        command=command,
    )


def in_short(people: People) -> str:
    """Return the data and the result in a sentence or two."""
    fits = [fit for arms in people.fitted.people.values() for fit in arms.values()]
    head = (
        f"{count(len(people.cohort.people), 'person', 'people')}, "
        f"{count(len(people.cohort.arms), 'arm', 'arms')}, {sum(fit.n for fit in fits):,} rewards."
    )
    results = "; ".join(f"{line.arm}: {arm_result(line, sure_of(people, line.arm))}" for line in arm_lines(people))
    return f"{head} For the median person, {results}."


def arm_result(line: ArmLine, sure: list[bool]) -> str:
    """Return the result for an arm; `sure` says for each person whether the data support wear-out."""
    if not line.cost:
        return "not enough data"
    if line.recovery == NO_COST:
        return "no appreciable wear-out"
    uncertain = " (uncertain)" if 2 * sum(sure) <= len(sure) and sure else ""
    rests = "1 rest" if line.recovery == "1" else f"{line.recovery} rests"
    back = "recovery was not seen" if line.recovery == NOT_SEEN else f"half of that is recovered after {rests}"
    return f"one sending lowers the mean reward by {line.cost.split(' (')[0]}{uncertain}, and {back}"


def shown_people(people: People) -> list[str]:
    """Return all people, or those with the most rewards, in the order of the file."""
    fits = people.fitted.people
    most = set(sorted(fits, key=lambda person: -sum(fit.n for fit in fits[person].values()))[:MOST_PEOPLE])
    return [person for person in fits if person in most]


def person_sections(people: People, progress: Progress) -> Iterator[dict[str, Any]]:
    """Yield what the page shows of each person: a sentence for each arm, a figure, and the parameters."""
    names = people.names()
    for person in shown_people(people):
        fits = people.fitted.people[person]
        summaries = {arm: people.summary(person, arm) for arm in fits}
        yield {
            "name": person,
            "sentences": [sentence(arm, fit, summaries[arm], people.size()) for arm, fit in fits.items()],
            "source": data_uri(image(person_figure(people, person), "png", DPI), "png"),
            "parameters": [
                [arm, recovery(summaries[arm].recovery), f"{fit.loglik:.2f}"] + [with_interval(fit, p) for p in names]
                for arm, fit in fits.items()
            ],
        }
        progress(1)


def with_interval(fit: ArmFit, name: str) -> str:
    """Return a parameter with its interval, if it has one."""
    value = fit.numbers()[name]
    interval = fit.intervals.get(name)
    return f"{value:.3g}" + (f" ({interval.lo:.3g} to {interval.hi:.3g})" if interval else "")
