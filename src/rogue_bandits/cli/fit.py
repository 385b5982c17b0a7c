"""`rogue fit`: from a CSV file to fitted people and a report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from rogue_bandits.cli.checks import INTERRUPTED, Refused, checked_folder, checked_workers, named_folder

if TYPE_CHECKING:
    from rogue_bandits.estimate.fit import Task
    from rogue_bandits.estimate.history import Cohort
    from rogue_bandits.estimate.resume import Records

COLUMNS = {
    "person": "column that says who [default: person]",
    "decision": "column that counts a person's decisions 0, 1, 2, … [default: decision]",
    "arm": "column that says what was sent; empty is a rest [default: arm]",
    "reward": "column that says what followed; empty is not observed [default: reward]",
    "available": "column that says whether anything could be sent, 1 or 0 [default: available, if there is one]",
}


class Question(NamedTuple):
    """What `rogue fit` was asked."""

    data: Path
    columns: dict[str, str]
    rest_value: tuple[str, ...]
    reward_scale: float
    clip: bool
    family: str | None
    trials: float
    command: str  # that asks it again


@click.command("fit", short_help="Fit people from a CSV file: how fast does an arm wear out and recover?")
@click.argument("data", type=Path)
def fit_command(data: Path, out: Path | None, workers: int | None, **chosen: Any) -> None:
    """Fit each person and arm of a CSV file: how fast does it wear out, and how fast does it recover?

    DATA has a row for each decision of a person, with the columns person, decision (0, 1, 2, …), arm, reward, and
    optionally available. An empty arm, or 'none', is a decision at which nothing was sent; an empty reward was not
    observed. Rewards are 0 or 1, shares, counts or any numbers: see --family. Other columns are ignored.

    Writes people.csv, people.json (for `rogue advise`) and report.html.
    """
    columns = {name: chosen.pop(name) for name in COLUMNS}
    named = {name: value for name, value in columns.items() if value is not None}
    question = Question(data, named, chosen["rest_value"], chosen["reward_scale"], chosen["clip"], chosen["family"],
                        chosen["trials"] or 0.0, "")  # fmt: skip
    cores = checked_workers(workers)
    scale, seconds = question.reward_scale, chosen["certify"]
    if not 0.0 < scale < float("inf"):
        raise Refused(f"reward-scale {scale:g} must be above 0 and finite")
    if seconds is not None and not 0.0 < seconds < float("inf"):
        raise Refused(f"certify {seconds:g} must be above 0 and finite: it is the seconds for each fit")
    if seconds is not None and chosen["pool"] == "arm":
        raise Refused("--certify proves fits of each person's own dynamics: use it with --pool person")
    question = question._replace(command=command_line(question, chosen))
    folder = out or Path("results", data.stem)
    from rogue_bandits.estimate.fit import Task

    run(question, Task(chosen["pool"], seconds, chosen["intervals"], cores), folder)


OPTIONS = [
    *(click.Option([f"--{name}"], metavar="NAME", help=words) for name, words in COLUMNS.items()),
    click.Option(["--rest-value"], multiple=True, metavar="VALUE",
                 help="arm that stands for a rest; may be repeated [default: none]"),
    click.Option(["--family"], type=click.Choice(["agent", "logit", "poisson", "gaussian", "binomial"]),
                 help="rewards are shares from 0 to 1; 0 or 1; counts; any numbers; counts out of --trials "
                 "[default: guessed from the rewards]"),
    click.Option(["--trials"], type=click.IntRange(min=1), help="the largest count, for --family binomial"),
    click.Option(["--reward-scale"], type=float, default=1.0, show_default=True, help="what rewards are divided by"),
    click.Option(["--clip"], is_flag=True, help="count rewards outside [0, 1] as 0 or 1"),
    click.Option(["--pool"], type=click.Choice(["arm", "person"]),
                 help="share dynamics among the people of an arm, or not [default: what cross-validation supports]"),
    click.Option(["--certify"], type=float, metavar="SECONDS",
                 help="spend so long on each fit to prove how far it is from the best possible"),
    click.Option(["--intervals/--no-intervals"], default=True, show_default=True,
                 help="95 % intervals of each parameter; without them a fit is quicker"),
    click.Option(["--workers"], type=int, help="cores to use [default: all]"),
    click.Option(["--out"], type=named_folder, metavar="DIR",
                 help="folder for the results; a fit that was stopped continues there [default: results/DATA]"),
]  # fmt: skip
fit_command.params.extend(OPTIONS)


def command_line(question: Question, chosen: dict[str, Any]) -> str:
    """The command that does this again."""
    import shlex

    words = ["rogue", "fit", question.data.name]
    words += [word for name, value in question.columns.items() for word in (f"--{name}", value)]
    words += [word for value in question.rest_value for word in ("--rest-value", value)]
    words += ["--reward-scale", f"{question.reward_scale:g}"] if question.reward_scale != 1.0 else []
    words += ["--clip"] if question.clip else []
    words += ["--family", question.family] if question.family else []
    words += ["--trials", f"{question.trials:g}"] if question.trials else []
    words += ["--pool", chosen["pool"]] if chosen["pool"] else []
    words += ["--certify", f"{chosen['certify']:g}"] if chosen["certify"] else []
    words += [] if chosen["intervals"] else ["--no-intervals"]
    return shlex.join(words)


def run(question: Question, task: Task, folder: Path) -> None:
    """Read, fit, write, say where."""
    from rich.console import Console

    from rogue_bandits.estimate.families import family_of
    from rogue_bandits.estimate.files import People
    from rogue_bandits.estimate.fit import raise_on_no_certificate
    from rogue_bandits.estimate.history import records_of
    from rogue_bandits.report.cohort import write_cohort
    from rogue_bandits.report.cohort.page import shown_people
    from rogue_bandits.report.cohort.words import summary, verdicts
    from rogue_bandits.report.terminal import bar

    cohort = read(question)
    task = task._replace(family=cohort.family, trials=cohort.trials)
    if task.certify_seconds is not None:
        try:
            raise_on_no_certificate(family_of(cohort.family))
        except ValueError as error:
            raise Refused(str(error)) from None
    for note in cohort.notes:
        click.echo(f"Note: {note}", err=True)
    records = records_of(cohort)
    checked_folder(folder)
    with kept_when_stopped(records, task, folder):
        people = People(cohort, fitted(records, task, folder))
        with bar(Console(stderr=True), "drawing", len(shown_people(people))) as advance:
            paths = write_cohort(people, folder, question.command, advance)
    if task.certify_seconds is not None and people.fitted.pool == "arm":
        click.echo(
            "Note: shared dynamics are not certified; --pool person fits and certifies each person's own.", err=True
        )
    console = Console()
    console.print(summary(people))
    for words in (*verdicts(people), *paths):
        click.echo(words)


def read(question: Question) -> Cohort:
    """The cohort in the file, or what is wrong with it."""
    from rich.console import Console

    from rogue_bandits.estimate.assemble import Scaling, assemble
    from rogue_bandits.estimate.table import RESTS, Columns, read_table
    from rogue_bandits.report.terminal import bar

    path = question.data
    try:
        with bar(Console(stderr=True), f"reading {path.name}", path.stat().st_size) as advance:
            table = read_table(path, Columns(**question.columns), question.rest_value or RESTS, advance)
        return assemble(table, Scaling(question.reward_scale, question.clip, question.family, question.trials))
    except OSError as error:
        raise Refused(f"'{path}' cannot be read: {error.strerror or error}") from None
    except MemoryError:
        raise Refused(f"'{path}' needs more memory than there is: split it by person") from None
    except ValueError as error:
        raise Refused(str(error)) from None


def fitted(records: Records, task: Task, folder: Path) -> Any:
    """The fits, with a bar for each step."""
    from contextlib import ExitStack

    from rich.console import Console

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
                bars[step] = stack.enter_context(bar(Console(stderr=True), step, totals[step]))
            bars[step](n)

        return fit_with_checkpoint(records, task, folder, progress)


@contextmanager
def kept_when_stopped(records: Records, task: Task, folder: Path) -> Iterator[None]:
    """Whatever ends a fit before its time, in one line."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"\nStopped. {what_is_kept(records, task, folder)}", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    except OSError as error:
        raise Refused(f"'{error.filename or folder}' cannot be written: {error.strerror or error}") from None
    except MemoryError:
        raise Refused(f"{len(records):,} people need more memory than there is: split the file by person") from None


def what_is_kept(records: Records, task: Task, folder: Path) -> str:
    """Who is on disk after an interruption, and what to do next."""
    from rogue_bandits.estimate.resume import read_checkpoint, stamp_of

    kept = read_checkpoint(folder, stamp_of(records, task))
    if kept.pool is None:
        return "Nobody was fitted yet: the same command starts over."
    if kept.pool == "arm" and len(kept.people) < len(records):
        return f"Kept in {folder}: how people are pooled. The same command continues from there."
    done = f"{len(kept.people):,} of {len(records):,} people"
    return f"Fitted and kept in {folder}: {done}. The same command continues with the rest."
