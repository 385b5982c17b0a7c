"""`rogue advise`: what each policy would send next, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rogue_bandits.cli.checks import Refused, readable, refused, resumable
from rogue_bandits.unknown_name import unknown

if TYPE_CHECKING:
    from rogue_bandits.estimate.files import People


@click.command("advise", short_help="What each policy would send next to fitted people, and why.")
@click.argument("people", type=Path)
@click.option("--person", metavar="P", help="only this person, with the reasons [default: everybody, as a table]")
@click.option("--policy", "policies", multiple=True, metavar="ID", help="only this policy; may be repeated")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="for choices among equals")
@click.option("--out", type=Path, metavar="FILE", help="write the advice with all its reasons to this CSV file as well")
def advise_command(people: Path, person: str | None, policies: tuple[str, ...], seed: int, out: Path | None) -> None:
    """What each policy would send next to the people of people.json, which `rogue fit` wrote, and why.

    Each policy is given the fitted dynamics of a person's arms, replays what the person was sent and what followed, and
    decides. The advice is only as good as the fit.
    """
    from rich.console import Console

    from rogue_bandits.checkpoint import write_atomic
    from rogue_bandits.estimate.advise import advise
    from rogue_bandits.estimate.files import people_from_json
    from rogue_bandits.report.cohort.advice import advice_csv, cohort_table, person_advice
    from rogue_bandits.report.terminal import bar

    with refused(f"'{people}': ", ". `rogue fit` writes it anew"), readable(people):
        known = people_from_json(people.read_bytes())
    names = list(known.cohort.people) if person is None else [checked_person(person, known)]
    able = checked_policies(policies, known)
    with resumable(out or people, "the advice needs more memory than there is", lambda: "Nothing was written."):
        with bar("computing the advice (policies are compiled the first time)", len(names)) as advance:
            every = []
            for name in names:
                every.append(advise(known, name, able, seed))
                advance(1)
        advice = [one for one in every if one is not None]
        if out is not None:
            write_atomic(out, advice_csv(advice))
    console = Console()
    for part in person_advice(known, advice[0]) if person is not None else cohort_table(known, advice):
        console.print(part, highlight=False, soft_wrap=isinstance(part, str))
    if out is not None:
        click.echo(out)


def checked_person(person: str, people: People) -> str:
    """Return a person of the file who has a fit; an unknown one is refused with the nearest there is."""
    if person not in people.cohort.people:
        raise Refused(unknown("person", person, people.cohort.people))
    if person not in people.fitted.people:
        raise Refused(f"person '{person}' has too few rewards of any arm: there is no fit to advise from")
    return person


def checked_policies(policies: tuple[str, ...], people: People) -> tuple[str, ...]:
    """Return the policies asked for, or all; an unknown one is refused with the nearest there is."""
    from rogue_bandits.estimate.advise import ADVISERS, supported

    able = supported(people)
    for policy in policies:
        if policy not in able:
            family = f" in the {people.cohort.family} family" if policy in ADVISERS else ""
            raise Refused(unknown("policy", policy, able, f"gives no advice{family}"))
    return tuple(dict.fromkeys(policies)) or tuple(able)
