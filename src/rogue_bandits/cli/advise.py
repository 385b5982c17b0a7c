"""`rogue advise`: what each policy would send next, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rogue_bandits.cli.checks import INTERRUPTED, Refused
from rogue_bandits.unknown_name import unknown

if TYPE_CHECKING:
    from rogue_bandits.estimate.advise import Advice
    from rogue_bandits.estimate.files import People


@click.command("advise", short_help="What each policy would send next to fitted people, and why.")
@click.argument("people", type=Path)
@click.option("--person", metavar="P", help="only this person, with the reasons [default: everybody, as a table]")
@click.option("--policy", "policies", multiple=True, metavar="ID", help="only this policy; may be repeated")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="for choices among equals")
@click.option("--out", type=Path, metavar="FILE", help="write the advice with all its reasons to this CSV file as well")
def advise_command(people: Path, person: str | None, policies: tuple[str, ...], seed: int, out: Path | None) -> None:
    """What each policy would send next to the people of people.json, which `rogue fit` wrote, and why.

    A policy lives through what each person was sent and what followed, knows how their arms wear out and recover, and
    decides. It is advice on the model's terms: it is as good as the fit.
    """
    from rich.console import Console

    from rogue_bandits.report.cohort.advice import advice_csv, cohort_table, person_advice

    known = read(people)
    names = [checked_person(person, known)] if person is not None else list(known.cohort.people)
    advice = advise_all(known, names, checked_policies(policies, known), seed)
    if out is not None:
        write(out, advice_csv(advice))
    console = Console()
    for part in person_advice(known, advice[0]) if person is not None else cohort_table(known, advice):
        console.print(part, highlight=False, soft_wrap=isinstance(part, str))
    if out is not None:
        click.echo(out)


def read(path: Path) -> People:
    """The people in the file, or what is wrong with it."""
    from rogue_bandits.estimate.files import people_from_json

    try:
        return people_from_json(path.read_bytes())
    except OSError as error:
        raise Refused(f"'{path}' cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise Refused(f"'{path}': {error}. `rogue fit` writes it anew") from None


def checked_person(person: str, people: People) -> str:
    """A person of the file; an unknown one is refused with the nearest there is."""
    names = list(people.cohort.people)
    if person in names:
        if person not in people.fitted.people:
            raise Refused(f"person '{person}' has too few rewards of any arm: there is no fit to advise from")
        return person
    raise Refused(unknown("person", person, names))


def checked_policies(policies: tuple[str, ...], people: People) -> tuple[str, ...]:
    """Return the policies asked for, or all; an unknown one is refused with the nearest there is."""
    from rogue_bandits.estimate.advise import ADVISERS, supported

    able = supported(people)
    for policy in policies:
        if policy not in able:
            family = f" in the {people.cohort.family} family" if policy in ADVISERS else ""
            raise Refused(unknown("policy", policy, able, f"gives no advice{family}"))
    return tuple(dict.fromkeys(policies)) or tuple(able)


def advise_all(people: People, names: list[str], policies: tuple[str, ...], seed: int) -> list[Advice]:
    """The advice for each of these people who has a fit, with a bar."""
    from rich.console import Console

    from rogue_bandits.estimate.advise import advise
    from rogue_bandits.report.terminal import bar

    advice = []
    try:
        with bar(Console(stderr=True), "asking the policies (the first time, they compile)", len(names)) as advance:
            for name in names:
                if (said := advise(people, name, policies, seed)) is not None:
                    advice.append(said)
                advance(1)
    except KeyboardInterrupt:
        click.echo("\nStopped. Nothing was written.", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    return advice


def write(path: Path, content: bytes) -> None:
    """Write a file, or say why not."""
    from rogue_bandits.checkpoint import write_atomic

    try:
        write_atomic(path, content)
    except OSError as error:
        raise Refused(f"'{path}' cannot be written: {error.strerror or error}") from None
