"""report.html of a cohort: one page that needs no other file, no network and no knowledge of bandits."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator
from html import escape

from matplotlib.figure import Figure

from rogue_bandits.estimate.families import family_of
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.fitted import ArmFit
from rogue_bandits.estimate.notes import count
from rogue_bandits.report.cohort_figures import arm_figure, person_figure
from rogue_bandits.report.cohort_table import CAPTION, HEADINGS, ArmLine, arm_lines
from rogue_bandits.report.cohort_words import NO_COST, NOT_SEEN, recovery, sentence, sure_of, verdicts
from rogue_bandits.report.figures import image
from rogue_bandits.report.page import plain_table
from rogue_bandits.report.whole import whole_page

MOST_PEOPLE, MOST_ARMS = 60, 20  # drawn: the page stays readable, and below 10 MB
DPI = 110

Progress = Callable[[int], None]


def cohort_page(people: People, command: str, progress: Progress = lambda drawn: None) -> bytes:
    """The page, with its figures inside; `progress` is called with the number of people just drawn."""
    cohort = people.cohort
    words = {
        "file": escape(cohort.file),
        "short": escape(in_short(people)),
        "verdicts": listed(verdicts(people)),
        "notes": listed(cohort.notes or ["Nothing had to be mended."]),
        "scale": escape(scale_words(people)),
        "line": escape(family_of(cohort.family).line),
        "numbers": escape(family_of(cohort.family).numbers),
        "table": plain_table(HEADINGS, arm_lines(people)),
        "caption": escape(f"{CAPTION}, on the scale of the reward; in brackets the middle half of them."),
        "arms": "\n".join(arm_parts(people)),
        "people": "\n".join(person_parts(people, progress)),
        "command": escape(command),
    }
    return whole_page("cohort.html", f"Wearing out and recovery: {cohort.file}", words)


def in_short(people: People) -> str:
    """The data and the finding in a sentence or two."""
    fits = [fit for arms in people.fitted.people.values() for fit in arms.values()]
    head = (
        f"{count(len(people.cohort.people), 'person', 'people')}, "
        f"{count(len(people.cohort.arms), 'arm', 'arms')}, {sum(fit.n for fit in fits):,} rewards."
    )
    findings = "; ".join(f"{line.arm}: {finding(line, sure_of(people, line.arm))}" for line in arm_lines(people))
    return f"{head} For the median person, {findings}."


def finding(line: ArmLine, sure: list[bool]) -> str:
    """What was found of an arm, in a few words; `sure` says for each person whether they are sure to have it."""
    if not line.cost:
        return "not enough data"
    if line.recovery == NO_COST:
        return "no wearing out to speak of"
    doubt = ", if anything" if 2 * sum(sure) <= len(sure) and sure else ""
    rests = "1 rest" if line.recovery == "1" else f"{line.recovery} rests"
    back = "recovery not seen" if line.recovery == NOT_SEEN else f"half of it back after {rests}"
    return f"{line.cost.split(' (')[0]} less after one sending{doubt}, {back}"


def scale_words(people: People) -> str:
    """What a reward of 1 is."""
    scale, name = people.cohort.scale, people.cohort.reward
    family = family_of(people.cohort.family)
    divided = f", divided by {scale:,g}" if scale != 1.0 else ""
    return f"Rewards are those of the column “{name}”{divided}: {family.words} (the {family.name} family)."


def listed(items: Iterable[str]) -> str:
    """Sentences, one below the other."""
    return "\n".join(f"<li>{escape(item)}</li>" for item in items)


def arm_parts(people: People) -> Iterator[str]:
    """A heading and a figure for each arm, those with the most rewards first where there are many."""
    rewards = {
        arm: sum(arms[arm].n for arms in people.fitted.people.values() if arm in arms) for arm in people.cohort.arms
    }
    shown = sorted(rewards, key=lambda arm: -rewards[arm])[:MOST_ARMS]
    if len(shown) < len(rewards):
        yield f"<p>{len(shown)} of {len(rewards):,} arms are drawn, those with the most rewards.</p>"
    for arm in shown:
        yield f"<h3>{escape(arm)}</h3>"
        fig = arm_figure(people, arm)
        if fig is None:
            yield f"<p>Not enough data: nobody's rewards of “{escape(arm)}” say enough to draw a curve.</p>"
        else:
            alt = f"{arm}: mean reward when sent again and again, and when left at rest"
            yield f"<figure>{embedded(fig, alt, 'svg')}</figure>"


def shown_people(people: People) -> list[str]:
    """Who is shown: all, or those with the most rewards; in the order of the file."""
    fits = people.fitted.people
    most = sorted(fits, key=lambda person: -sum(fit.n for fit in fits[person].values()))[:MOST_PEOPLE]
    chosen = set(most)
    return [person for person in fits if person in chosen]


def person_parts(people: People, progress: Progress) -> Iterator[str]:
    """Each person: a sentence for each arm, and folded away the figure and the numbers."""
    fits, shown = people.fitted.people, shown_people(people)
    if len(shown) < len(fits):
        yield f"<p>{len(shown)} of {len(fits):,} people are shown, those with most rewards. people.csv has all.</p>"
    for person in shown:
        sentences = listed(
            sentence(arm, fit, people.terms(person, arm), people.size()) for arm, fit in fits[person].items()
        )
        drawn = embedded(person_figure(people, person), f"person {person}: fitted states and rewards", "png")
        table = plain_table(["arm", "half is back after", "log-likelihood", *people.names()], numbers(people, person))
        folded = f'<figure>{drawn}</figure><div class="wide">{table}</div>'
        yield (
            f'<section class="person"><h3>Person {escape(person)}</h3><ul>{sentences}</ul>'
            f"<details><summary>States over time, and numbers</summary>{folded}</details></section>"
        )
        progress(1)
    without = [person for person in people.cohort.people if person not in fits]
    if without:
        named = ", ".join(without[:20]) + (f" and {len(without) - 20:,} more" if len(without) > 20 else "")
        yield f"<p>Not enough data for any arm: {escape(named)}.</p>"


def numbers(people: People, person: str) -> Iterator[list[str]]:
    """The numbers of a person's arms, with their intervals."""
    for arm, fit in people.fitted.people[person].items():
        terms = people.terms(person, arm)
        yield [arm, recovery(terms.recovery), f"{fit.loglik:.2f}", *(parameter(fit, name) for name in people.names())]


def parameter(fit: ArmFit, name: str) -> str:
    """A parameter with its interval, if it has one."""
    value = fit.numbers()[name]
    interval = fit.intervals.get(name)
    return f"{value:.3g}" + (f" ({interval.lo:.3g} to {interval.hi:.3g})" if interval else "")


def embedded(fig: Figure, alt: str, kind: str) -> str:
    """A figure as part of the page: letters where it is drawn large, dots of a known size where there are many."""
    source = base64.b64encode(image(fig, kind, DPI)).decode()
    mime = {"svg": "svg+xml", "png": "png"}[kind]
    return f'<img loading="lazy" alt="{escape(alt)}" src="data:image/{mime};base64,{source}">'
