"""`rogue advise`: what to send next, how sure that is, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rogue_bandits.cli.checks import Refused, readable, refused, resumable
from rogue_bandits.cli.people_file import people_file
from rogue_bandits.wording import plain, unknown

if TYPE_CHECKING:
    from rogue_bandits.estimate.files import People


@click.command("advise", short_help="What to send next to fitted people, how sure that is, and why.")
@click.argument("people", type=Path)
@click.option("--person", metavar="P", help="only this person, with the reasons [default: everybody, as a table]")
@click.option("--available", multiple=True, metavar="ARM", help="arm that can be sent; may be repeated [default: all]")
@click.option("--least", type=float, default=0.0, show_default=True, help="least probability of an available arm")
@click.option("--greatest", type=float, default=1.0, show_default=True, help="greatest probability of an arm")
@click.option("--at", "when", metavar="TIME", help="time of the next decision, for weekday and hour of the fit")
@click.option("--covariate", "covariates", multiple=True, metavar="NAME=VALUE",
              help="covariate of the fit at the next decision; may be repeated [default: its average]")  # fmt: skip
@click.option(
    "--ahead",
    type=click.IntRange(1, 100),
    default=8,
    show_default=True,
    help="decisions planned one by one at most, where sendings wear an arm out; 1 counts the next reward only",
)
@click.option("--seed", type=int, hidden=True)
@click.option(
    "--out",
    type=Path,
    metavar="FILE",
    help="write the advice with all its reasons to this .csv or .parquet file too",
)
def advise_command(
    people: Path,
    person: str | None,
    available: tuple[str, ...],
    least: float,
    greatest: float,
    when: str | None,
    covariates: tuple[str, ...],
    ahead: int,
    seed: int | None,
    out: Path | None,
) -> None:
    """What to send next to the people of people.json, which `rogue fit` wrote, how sure that is, and why.

    PEOPLE is that file, or the folder that it is in.

    Each arm is shown with the mean reward to expect if it is sent next, and silence with that after nothing is sent
    (95 % credible intervals); with the probability that it is the best arm to send now, and that sending it now is
    better than waiting, where what follows silence was observed. Where sendings wear an arm out, these probabilities
    weigh the rewards of the next decisions as well. Where the data do not support a choice, it says so.
    """
    from rich.console import Console

    from rogue_bandits.checkpoint import write_atomic
    from rogue_bandits.estimate.advise import Limits, Next, advise_several
    from rogue_bandits.estimate.files import people_from_json
    from rogue_bandits.model.dynamics.population import DRAWS_OVER_RUNGS
    from rogue_bandits.report.cohort.advice import WIDE, advice_bytes, cohort_table, person_advice
    from rogue_bandits.report.table_file import kind_of

    with refused():
        kind = "csv" if out is None else kind_of(out)
    people = people_file(people)
    with refused(f"'{people}': ", ". `rogue fit` writes it anew"), readable(people):
        known = people_from_json(people.read_bytes(), oldest=DRAWS_OVER_RUNGS)
    if (same := known.cohort.only_reward()) is not None:
        raise Refused(
            f"'{people}': every reward of {known.cohort.file} is {plain(same)}. Nothing can be estimated from that, "
            "and there is no advice"
        )
    names = list(known.cohort.people) if person is None else [checked_person(person, known)]
    arms = checked_arms(available, known)
    with resumable(out or people, "the advice needs more memory than there is", lambda: "Nothing was written."):
        with refused():
            next = Next(arms, checked_covariates(known, when, covariates), ahead)
            advice = advise_several(known, names, next, Limits(least, greatest))
        if not advice:
            raise Refused(no_advice(known))
        if out is not None:
            write_atomic(out, advice_bytes(advice, kind))
    console = Console() if Console().is_terminal else Console(width=WIDE)
    for part in person_advice(known, advice[0]) if person is not None else cohort_table(known, advice):
        console.print(part, highlight=False, markup=False, soft_wrap=isinstance(part, str))
    if out is not None:
        click.echo(out)


def checked_person(person: str, people: People) -> str:
    """Return a person of the file who has a fit; an unknown one is refused with the nearest there is."""
    if person not in people.cohort.people:
        raise Refused(unknown("person", person, people.cohort.people))
    if person not in people.fitted.people:
        raise Refused(f"person '{person}' has too few rewards of any arm: there is no fit to advise from")
    return person


def checked_covariates(people: People, when: str | None, given: tuple[str, ...]) -> dict[str, str]:
    """Return the covariates of the next decision, by name."""
    from rogue_bandits.estimate.next_decision import at_time

    for pair in given:
        if "=" not in pair:
            raise Refused(f"--covariate '{pair}' must be NAME=VALUE, such as weekday=Saturday")
    return {**(at_time(people.cohort, when) if when else {}), **dict(pair.split("=", 1) for pair in given)}


def checked_arms(available: tuple[str, ...], people: People) -> list[str] | None:
    """Return the arms that can be sent, None for all; an unknown one is refused with the nearest there is."""
    for arm in available:
        if arm not in people.cohort.arms:
            raise Refused(unknown("arm", arm, people.cohort.arms))
    return list(available) or None


def no_advice(people: People) -> str:
    """Return why there is no advice for anybody."""
    if poor := [arm for arm, ladder in people.fitted.arms.items() if not ladder.check.holds]:
        return f"no model reproduces the rewards of {', '.join(poor)}: there is no advice on them (see report.html)"
    return "nobody has a fitted arm that is available"
