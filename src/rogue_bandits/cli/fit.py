"""`rogue fit`: from a table to fitted people and a report."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rogue_bandits.cli.checks import (
    Refused,
    checked_folder,
    checked_workers,
    format_option,
    named_folder,
    refused,
    resumable,
)
from rogue_bandits.cli.earlier_results import Analysis, raise_on_own_data, replaced
from rogue_bandits.cli.reading import READING_OPTIONS, reading_of
from rogue_bandits.wording import plain

if TYPE_CHECKING:
    from rogue_bandits.estimate.fit import Data, FitTask, Fitted
    from rogue_bandits.estimate.history import Cohort

OLD_POOLS = {"arm": "shared", "person": "own"}  # names of version 0.1.0
OPTIONS = [
    *READING_OPTIONS,
    click.Option(["--reward-scale"], type=float, default=1.0, show_default=True, help="what rewards are divided by"),
    click.Option(["--clip"], is_flag=True, default=False, help="count rewards outside [0, 1] as 0 or 1"),
    click.Option(["--family"],
                 type=click.Choice(["agent", "logit", "poisson", "gaussian", "zero-inflated", "binomial"]),
                 help="rewards are shares from 0 to 1; 0 or 1; counts; any numbers; 0 or a number above; counts out of "
                 "--trials [default: what predicts best]"),
    click.Option(["--trials"], type=click.IntRange(min=1), help="the largest count, for --family binomial"),
    click.Option(["--pool"], type=click.Choice(["shared", "partial", "own", *OLD_POOLS]),
                 help="what people share of wear-out and recovery: all, a distribution, nothing [default: what "
                 "predicts better]"),
]  # fmt: skip
RUN_OPTIONS = [
    click.Option(["--workers"], type=int, help="cores to use [default: all]"),
    click.Option(["--scheduler"], metavar="ADDRESS",
                 help="Dask scheduler to use instead, such as tcp://host:8786; its workers share the arms"),
    click.Option(["--certify"], type=float, hidden=True),
    click.Option(["--intervals/--no-intervals"], default=None, hidden=True),
    click.Option(["--out"], type=named_folder, metavar="DIR",
                 help="folder for the results; a fit that was stopped continues there [default: results/DATA]"),
    click.Option(["--overwrite"], is_flag=True, default=False,
                 help="replace results of another data file in the folder"),
    format_option(),
]  # fmt: skip


@click.command("fit", short_help="Fit people from a table: how fast does an arm wear out and recover?")
@click.argument("data", type=Path)
def fit_command(
    data: Path, out: Path | None, workers: int | None, scheduler: str | None, overwrite: bool, kind: str, **chosen: Any
) -> None:
    """Fit each person and arm of a table: how fast does it wear out, and how fast does it recover?

    DATA is a CSV, xlsx or Parquet file, or - for the standard input. It has a row for each decision of a person, with
    the columns person, decision (0, 1, 2, …; days before a start may be below 0, because only differences count) or a
    time (--time), arm, reward, and optionally available. An empty arm,
    or 'none', is a decision at which nothing was sent; an empty reward was not observed. Rewards are 0 or 1, shares,
    counts or any numbers: see --family. Other columns are ignored.

    Four models of each arm are compared out of sample: a constant for each person, a fade over the study, wear-out
    without recovery, and wear-out with recovery.

    Writes people.csv (or people.parquet, by --format), people.json (for `rogue advise`) and report.html.
    """
    cores, scale = checked_workers(workers), chosen["reward_scale"]
    if not 0.0 < scale < float("inf"):
        raise Refused(f"reward-scale {plain(scale)} must be above 0 and finite")
    for old in ("certify", "intervals"):
        if chosen.pop(old) is not None:
            click.echo(f"Note: --{old} has no effect any more: every number has a credible interval.", err=True)
    if chosen["pool"] in OLD_POOLS:
        click.echo(f"Note: --pool {chosen['pool']} is now --pool {OLD_POOLS[chosen['pool']]}.", err=True)
        chosen["pool"] = OLD_POOLS[chosen["pool"]]
    if scheduler is not None:
        from rogue_bandits.schedule import dask_client

        with refused():
            dask_client(scheduler).close()
    cohort, sha256 = read(data, chosen)
    source = analysis_of(sha256, command_line(data, chosen))
    folder = out or Path("results", cohort.file if data.name == "-" else data.stem)
    raise_on_own_data(folder, data)
    if not overwrite and (note := replaced(folder, Analysis(cohort.file, sha256, source["command"]))):
        click.echo(f"Note: {note}", err=True)
    from rogue_bandits.estimate.history import WARNING

    for note in cohort.notes:
        click.echo(note if note.startswith(WARNING) else f"Note: {note}", err=True)
    task = task_of(cohort, chosen, cores)._replace(scheduler=scheduler)
    run(cohort, task, checked_folder(folder), source, kind)


def task_of(cohort: Cohort, chosen: dict[str, Any], cores: int) -> FitTask:
    """Return what is to be fitted: with the family that was asked for, or with the best of those that are possible."""
    import numpy as np

    from rogue_bandits.estimate.fit import FitTask
    from rogue_bandits.estimate.ladder.families import possible

    every = np.concatenate([cohort.rewards(), cohort.baseline()])
    families = (cohort.family,) if chosen["family"] else tuple(possible(every))
    return FitTask(families, cohort.trials, chosen["pool"], cohort.scale, cores)


def analysis_of(sha256: str, command: str) -> dict[str, str]:
    """Return what a reader needs to repeat the analysis: the data's checksum, the date, the version, the command."""
    from datetime import UTC, datetime
    from importlib.metadata import version

    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "sha256": sha256,
        "version": version("rogue-bandits"),
        "command": command,
    }


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
            words += [name] if isinstance(one, bool) else [name, plain(one, 12) if isinstance(one, float) else str(one)]
    return shlex.join(words)


def read(path: Path, chosen: dict[str, Any]) -> tuple[Cohort, str]:
    """Return the cohort in the file, and the file's checksum."""
    from rogue_bandits.estimate.assemble import Scaling, assemble

    scaling = Scaling(chosen["reward_scale"], chosen["clip"], chosen["family"], float(chosen["trials"] or 0))
    with reading_of(path, chosen) as (source, table):
        return assemble(table, scaling), source.sha256()


def run(cohort: Cohort, task: FitTask, folder: Path, source: dict[str, str], kind: str) -> None:
    """Fit, write the files, and print the results and where they are."""
    from rich.console import Console

    from rogue_bandits.estimate.cautions import cautions
    from rogue_bandits.estimate.data import data_of
    from rogue_bandits.estimate.files import People
    from rogue_bandits.estimate.history import WARNING
    from rogue_bandits.report.cohort import write_cohort
    from rogue_bandits.report.cohort.arm_table import arm_table
    from rogue_bandits.report.cohort.verdict import verdicts
    from rogue_bandits.report.cohort.which_arm import which_arm

    data = data_of(cohort)
    too_large = f"{len(data.records):,} people need more memory than there is: split the file by person"
    with resumable(folder, too_large, lambda: stored(data, task, folder)):
        found = fitted(data, task, folder, {"file": cohort.file, **source})
        people = People(cohort._replace(family=found.family), found, source)
        which = which_arm(people)
        paths = write_cohort(people, folder, kind, which)
    for words in verdicts(people):
        click.echo(words)
    Console().print(arm_table(people))
    if which:
        each = "The reasons" if len(cohort.people) == 1 else "For each person"
        click.echo(f"{which} {each}: rogue advise {shlex.quote(str(folder / 'people.json'))}")
    for words in cautions(people):
        click.echo(f"{WARNING}{words}")
    for path in paths:
        click.echo(path)


def fitted(data: Data, task: FitTask, folder: Path, source: dict[str, str]) -> Fitted:
    """Return the fits; show a bar."""
    from rogue_bandits.estimate.fit import steps_of
    from rogue_bandits.estimate.resume import fit_with_checkpoint
    from rogue_bandits.report.terminal import bar

    with bar("comparing models", steps_of(data, task)) as advance:
        return fit_with_checkpoint(data, task, folder, advance, source)


def stored(data: Data, task: FitTask, folder: Path) -> str:
    """Return how many arms are stored after an interruption, and how to continue."""
    from rogue_bandits.estimate.fit import arms_of
    from rogue_bandits.estimate.resume import read_checkpoint, stamp_of

    found = read_checkpoint(folder, stamp_of(data, task))
    if not found.arms:
        return "No arm was fitted yet: the same command starts over."
    done = f"{len(found.arms.keys() - {''}):,} of {len(arms_of(data.records)):,} arms"
    return f"Fitted and kept in {folder}: {done}. The same command continues with the rest."
