"""`rogue fit`: from a table to fitted people and a report."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rogue_bandits.cli.checks import (
    Refused,
    checked_folder,
    checked_workers,
    named_folder,
    refused,
    resumable,
)
from rogue_bandits.cli.reading import READING_OPTIONS, reading_of

if TYPE_CHECKING:
    from rogue_bandits.estimate.fit import Task
    from rogue_bandits.estimate.fitted import Fitted
    from rogue_bandits.estimate.history import Cohort, Records

OPTIONS = [
    *READING_OPTIONS,
    click.Option(["--reward-scale"], type=float, default=1.0, show_default=True, help="what rewards are divided by"),
    click.Option(["--clip"], is_flag=True, default=False, help="count rewards outside [0, 1] as 0 or 1"),
    click.Option(["--family"], type=click.Choice(["agent", "logit", "poisson", "gaussian", "binomial"]),
                 help="rewards are shares from 0 to 1; 0 or 1; counts; any numbers; counts out of --trials "
                 "[default: guessed from the rewards]"),
    click.Option(["--trials"], type=click.IntRange(min=1), help="the largest count, for --family binomial"),
    click.Option(["--pool"], type=click.Choice(["arm", "person"]),
                 help="share dynamics among the people of an arm, or not [default: what cross-validation supports]"),
    click.Option(["--certify"], type=float, metavar="SECONDS",
                 help="spend so long on each fit to prove how far it is from the best possible"),
    click.Option(["--intervals/--no-intervals"], default=True, show_default=True,
                 help="95 % intervals of each parameter; without them a fit is quicker"),
]  # fmt: skip
RUN_OPTIONS = [
    click.Option(["--workers"], type=int, help="cores to use [default: all]"),
    click.Option(["--out"], type=named_folder, metavar="DIR",
                 help="folder for the results; a fit that was stopped continues there [default: results/DATA]"),
]  # fmt: skip


@click.command("fit", short_help="Fit people from a table: how fast does an arm wear out and recover?")
@click.argument("data", type=Path)
def fit_command(data: Path, out: Path | None, workers: int | None, **chosen: Any) -> None:
    """Fit each person and arm of a table: how fast does it wear out, and how fast does it recover?

    DATA is a CSV, xlsx or Parquet file, or - for the standard input. It has a row for each decision of a person, with
    the columns person, decision (0, 1, 2, …) or a time (--time), arm, reward, and optionally available. An empty arm,
    or 'none', is a decision at which nothing was sent; an empty reward was not observed. Rewards are 0 or 1, shares,
    counts or any numbers: see --family. Other columns are ignored.

    Writes people.csv, people.json (for `rogue advise`) and report.html.
    """
    cores, scale, seconds = checked_workers(workers), chosen["reward_scale"], chosen["certify"]
    if not 0.0 < scale < float("inf"):
        raise Refused(f"reward-scale {scale:g} must be above 0 and finite")
    if seconds is not None and not 0.0 < seconds < float("inf"):
        raise Refused(f"certify {seconds:g} must be above 0 and finite: it is the seconds for each fit")
    if seconds is not None and chosen["pool"] == "arm":
        raise Refused("--certify proves fits of each person's own dynamics: use it with --pool person")
    from rogue_bandits.estimate.fit import Task, checked_task

    cohort = read(data, chosen)
    task = Task(chosen["pool"], seconds, chosen["intervals"], cores, cohort.family, cohort.trials)
    with refused():
        checked_task(task)
    if cohort.covariates or chosen["probability"] or chosen["send_probability"]:
        click.echo("Note: Covariates and probabilities are kept in people.json; the fit does not use them.", err=True)
    for note in cohort.notes:
        click.echo(note if note.startswith("Warning: ") else f"Note: {note}", err=True)
    name = cohort.file if data.name == "-" else data.stem
    run(cohort, task, checked_folder(out or Path("results", name)), command_line(data, chosen))


fit_command.params.extend([*OPTIONS, *RUN_OPTIONS])


def command_line(data: Path, chosen: dict[str, Any]) -> str:
    """Return the command that repeats the fit."""
    words = ["rogue", "fit", data.name]
    for option in OPTIONS:
        value = chosen[str(option.name)]
        if value is None or value == option.default:
            continue
        for one in value if isinstance(value, tuple) else (value,):
            name = option.secondary_opts[0] if one is False else option.opts[0]
            words += [name] if isinstance(one, bool) else [name, f"{one:g}" if isinstance(one, float) else str(one)]
    return shlex.join(words)


def read(path: Path, chosen: dict[str, Any]) -> Cohort:
    """Return the cohort in the file."""
    from rogue_bandits.estimate.assemble import Scaling, assemble

    scaling = Scaling(chosen["reward_scale"], chosen["clip"], chosen["family"], float(chosen["trials"] or 0))
    with reading_of(path, chosen) as table:
        return assemble(table, scaling)


def run(cohort: Cohort, task: Task, folder: Path, command: str) -> None:
    """Fit, write the files, and print the results and where they are."""
    from rich.console import Console

    from rogue_bandits.estimate.files import People
    from rogue_bandits.estimate.history import records_of
    from rogue_bandits.report.cohort import write_cohort
    from rogue_bandits.report.cohort.page import shown_people
    from rogue_bandits.report.cohort.words import summary_table, verdicts
    from rogue_bandits.report.terminal import bar

    records = records_of(cohort)
    too_large = f"{len(records):,} people need more memory than there is: split the file by person"
    with resumable(folder, too_large, lambda: stored(records, task, folder)):
        people = People(cohort, fitted(records, task, folder))
        with bar("drawing", len(shown_people(people))) as advance:
            paths = write_cohort(people, folder, command, advance)
    if task.certify_seconds is not None and people.fitted.pool == "arm":
        click.echo(
            "Note: shared dynamics are not certified; --pool person fits and certifies each person's own.", err=True
        )
    Console().print(summary_table(people))
    for words in (*verdicts(people), *paths):
        click.echo(words)


def fitted(records: Records, task: Task, folder: Path) -> Fitted:
    """Return the fits; show a bar for each step."""
    from rogue_bandits.estimate.crossvalidation import fits_to_compare
    from rogue_bandits.estimate.fit import fits_to_make
    from rogue_bandits.estimate.resume import COMPARING, FITTING, fit_with_checkpoint
    from rogue_bandits.report.terminal import bar

    totals = {COMPARING: fits_to_compare(records), FITTING: fits_to_make(records, "person")}
    with ExitStack() as stack:
        bars: dict[str, Any] = {}

        def progress(step: str, n: int) -> None:
            if step not in bars:
                stack.close()  # the bar of the step before
                bars[step] = stack.enter_context(bar(step, totals[step]))
            bars[step](n)

        return fit_with_checkpoint(records, task, folder, progress)


def stored(records: Records, task: Task, folder: Path) -> str:
    """Return how many people are stored after an interruption, and how to continue."""
    from rogue_bandits.estimate.resume import read_checkpoint, stamp_of

    found = read_checkpoint(folder, stamp_of(records, task))
    if found.pool is None:
        return "Nobody was fitted yet: the same command starts over."
    if found.pool == "arm" and len(found.people) < len(records):
        return f"Kept in {folder}: how people are pooled. The same command continues from there."
    done = f"{len(found.people):,} of {len(records):,} people"
    return f"Fitted and kept in {folder}: {done}. The same command continues with the rest."
