"""`rogue population`: many people on disk, run night by night."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rogue_bandits.cli.checks import INTERRUPTED, Refused, checked_workers, refused, writable
from rogue_bandits.cli.user_file import named, policy_of

if TYPE_CHECKING:
    from rogue_bandits.partitions.runs import Report

INCOMPLETE = 1  # exit code of a run in which partitions were damaged
FOLDER = click.argument("folder", type=Path, metavar="DIR")
WORKERS = click.option("--workers", type=int, help="processes to use [default: one a core]")
SCHEDULER = click.option(
    "--scheduler", metavar="ADDRESS", help="Dask scheduler to use instead, such as tcp://host:8786"
)


@click.group("population", short_help="Many people on disk: create, run, status, migrate, abandon.")
def population_group() -> None:
    """Many people on disk: each night rewards in, decisions out."""


@population_group.command("create", short_help="Make a population on disk.")
@FOLDER
@click.option("--people", type=int, help="number of people, who get the ids 0, 1, 2, …")
@click.option("--ids", type=Path, metavar="TABLE", help="Parquet or CSV file with the ids in its column person")
@click.option("--model", metavar="FILE:NAME", help="Python file and the name of a list of Arms, or of a Truth, in it")
@click.option("--policy", default="epsilon-rogue", show_default=True, metavar="ID", help="policy for all people")
@click.option("--simulate", is_flag=True, help="simulate a past for all people, and the rewards of the next night")
@click.option("--decisions", type=int, default=20, show_default=True, help="length of the simulated past")
@click.option("--late", type=int, default=14, show_default=True, help="decisions for which a reward is awaited")
@click.option("--seed", type=int, default=0, show_default=True, help="seed of the random streams")
@click.option("--partition-size", type=int, default=50_000, show_default=True, help="most people in a partition")
@WORKERS
@SCHEDULER
def create_command(folder: Path, simulate: bool, model: str | None, policy: str, decisions: int, **chosen: Any) -> None:
    """Make a population on disk in the folder DIR.

    With --simulate, five messages serve where no --model is given, and DIR/simulated/rewards is the table of rewards
    for the first `rogue population run`.
    """
    if (chosen["people"] is None) == (chosen["ids"] is None):
        raise Refused("give either --people or --ids")
    if model is None and not simulate:
        raise Refused("--model FILE:NAME must name the arms; with --simulate it may be left out")
    chosen["workers"] = checked_workers(chosen["workers"])
    with needs_arrow(), written(folder), refused():
        from rogue_bandits.partitions import create, status
        from rogue_bandits.report.terminal import bar

        with bar("creating", chosen["people"] or 0, "people") as advance:
            create(
                folder, arms_named(model), policy_of(policy), decisions=decisions if simulate else 0,
                progress=advance, **chosen,
            )  # fmt: skip
        made = status(folder)
    click.echo(f"{made.manifest.people:,} people in {made.manifest.partitions:,} partitions, "
               f"{made.bytes_a_person:,.0f} bytes a person: {folder}")  # fmt: skip
    if simulate:
        click.echo(f"Next: rogue population run {folder} --rewards {folder / 'simulated' / 'rewards'}")


@population_group.command("run", short_help="Learn rewards and decide for everybody.")
@FOLDER
@click.option("--rewards", type=Path, metavar="TABLE", help="Parquet or CSV with person, decision and reward")
@click.option(
    "--available", type=Path, metavar="TABLE", help="Parquet or CSV with person, and true or false for each arm"
)
@click.option("--name", default="", help="name of this run, such as a date; needed if two runs have equal input")
@click.option("--probabilities/--no-probabilities", default=True, show_default=True,
              help="work out the probability of each arm; costly for policies that sample")  # fmt: skip
@click.option("--format", "kind", type=click.Choice(["csv", "parquet"]), default="csv", show_default=True,
              help="format of the table of refused rows")  # fmt: skip
@click.option("--allow-empty", is_flag=True, help="accept a table without rows")
@click.option("--dry-run", is_flag=True, help="do everything but write")
@WORKERS
@SCHEDULER
def run_command(folder: Path, workers: int | None, **chosen: Any) -> None:
    """Learn a table of rewards and decide for everybody in DIR.

    Decisions are in DIR/decisions, a Parquet file for each partition. A run that was stopped continues with the same
    command, and one that is complete is not repeated: no reward is learned twice.
    """
    with needs_arrow(), written(folder), refused():
        from rogue_bandits.partitions import run

        with people_bar("running", folder, chosen["dry_run"]) as advance:
            report = run(folder, workers=checked_workers(workers), progress=advance, **chosen)
    for line in lines_of(report, folder, chosen):
        click.echo(line)
    report_damage(report.damaged)


@population_group.command("status", short_help="What a population on disk is.")
@FOLDER
def status_command(folder: Path) -> None:
    """Print what the population in DIR is, and how far a run has come."""
    from rich.console import Console

    from rogue_bandits.report.terminal import plain_table

    with needs_arrow(), refused():
        from rogue_bandits.partitions import status

        now = status(folder)
    m = now.manifest
    rows = [
        ("people", f"{m.people:,}"), ("partitions", f"{m.partitions:,}"), ("arms", ", ".join(m.arm_names)),
        ("policy", repr(m.policy)), ("version", f"{m.version}"), ("bytes a person", f"{now.bytes_a_person:,.0f}"),
        ("last run", m.runs[-1].name if m.runs else "none"),
        ("run that is not complete", f"{now.running}, {now.done:,} partitions are done" if now.running else "none"),
    ]  # fmt: skip
    Console().print(plain_table(("population", "value"), rows, align="ll"))
    for missing in now.missing:
        click.echo(f"Error: partition {missing} is missing or damaged: restore it from a backup", err=True)
    if now.missing:
        raise click.exceptions.Exit(INCOMPLETE)


@population_group.command("migrate", short_help="Add and drop arms.")
@FOLDER
@click.option("--model", required=True, metavar="FILE:NAME",
              help="Python file and the name of a list of Arms, or of a Truth, in it: all from now on")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="do everything but write")
@WORKERS
@SCHEDULER
def migrate_command(folder: Path, model: str, workers: int | None, **chosen: Any) -> None:
    """Give the population in DIR another set of arms, which are identified by their names.

    Arms that stay keep their evidence, those that are added begin afresh, and those that are dropped are forgotten.
    A migration that was stopped continues with the same command.
    """
    with needs_arrow(), written(folder), refused():
        from rogue_bandits.partitions import migrate

        arms = arms_named(model)
        with people_bar("migrating", folder, chosen["dry_run"]) as advance:
            done = migrate(folder, arms, workers=checked_workers(workers), progress=advance, **chosen)
    if done.already:
        click.echo("The population has these arms: nothing is to be done.")
        return
    for words, names in (("kept", done.kept), ("added", done.added), ("dropped", done.dropped)):
        click.echo(f"{words}: {', '.join(names) or 'none'}")
    click.echo(f"{done.people:,} people, version {done.version}"
               + (f", {done.given_up:,} awaited rewards of dropped arms given up" if done.given_up else "")
               + (" (dry run: nothing is written)" if chosen["dry_run"] else ""))  # fmt: skip
    report_damage(done.damaged)


@population_group.command("abandon", short_help="Give up a run that is not complete.")
@FOLDER
def abandon_command(folder: Path) -> None:
    """Give up the run of DIR that is not complete; people stay as they were before it.

    The decisions that it has written are removed: use this only if nobody has been given them.
    """
    with needs_arrow(), written(folder), refused():
        from rogue_bandits.partitions import abandon

        name = abandon(folder)
    click.echo(f"Run '{name}' is given up." if name else "There is no run that is not complete.")


@contextmanager
def people_bar(label: str, folder: Path, dry_run: bool) -> Iterator[Callable[[int], None]]:
    """Show a bar of the people who are left: of a run that continues, some are done; a dry run does them all again."""
    from rogue_bandits.partitions import status
    from rogue_bandits.report.terminal import bar

    now = status(folder)
    if now.done:
        # It may be another run than the one that is asked for, which is then refused.
        click.echo(
            f"Run '{now.running}' has begun: {now.done:,} of {now.manifest.partitions:,} partitions are done.", err=True
        )
    with bar(label, now.manifest.people - (0 if dry_run else now.people_done), "people") as advance:
        yield advance


def report_damage(damaged: tuple[str, ...]) -> None:
    """Name partitions that are damaged, and end with an exit code that says so."""
    for damage in damaged:
        click.echo(f"Error: {damage}", err=True)
    if damaged:
        click.echo("The other partitions are done. Restore these files, and run the same command again.", err=True)
        raise click.exceptions.Exit(INCOMPLETE)


def arms_named(model: str | None) -> list[Any]:
    """Return the arms that --model names."""
    from rogue_bandits.partitions.simulated import MESSAGES
    from rogue_bandits.types import Arm, Truth

    if model is None:
        return list(MESSAGES)
    found = named(model)
    arms = found.arms if isinstance(found, Truth) else found
    if isinstance(arms, Arm) or not isinstance(arms, list | tuple) or not all(isinstance(arm, Arm) for arm in arms):
        raise Refused(f"'{model}' is {type(found).__name__}: it must be a list of Arms, or a Truth")
    return list(arms)


def lines_of(report: Report, folder: Path, chosen: dict[str, Any]) -> list[str]:
    """Return what a run did, in words."""
    dry = chosen["dry_run"]
    if report.already:
        if chosen["name"]:
            return [f"Run '{report.name}' is complete, as version {report.version}: nothing is to be done."]
        return [f"This input has been run, as version {report.version}: nothing is to be done.",
                "For another night with equal tables give it a name, such as --name 2031-05-17."]  # fmt: skip
    total = sum(report.refused.values())
    lines = [
        ("Not complete, so far " if report.damaged else "")
        + f"{report.people:,} people, {report.decided:,} decisions, {report.learned:,} rewards learned"
        + (f", {report.repeated:,} repeated" if report.repeated else "")
        + (f", {report.forgotten:,} no longer awaited" if report.forgotten else "")
        + f", {total:,} refused" + (" (dry run: nothing is written)" if dry else "")
    ]  # fmt: skip
    lines += [f"  refused, {reason}: {n:,}" for reason, n in sorted(report.refused.items())]
    from rogue_bandits.partitions.layout import Folder, label

    if total and not dry and not report.damaged:
        file = f"refused.{chosen['kind']}"
        lines.append(f"Refused rows: {Folder(folder).run(report.version) / file}")
    if not dry and not report.damaged:
        lines.append(f"Decisions: {folder / 'decisions' / label(report.version)}")
    return lines


@contextmanager
def needs_arrow() -> Iterator[None]:
    """Say how to get pyarrow where it is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if not str(error.name).startswith("pyarrow"):
            raise
        raise Refused("populations on disk need pyarrow: pip install rogue-bandits[scale]") from None


@contextmanager
def written(folder: Path) -> Iterator[None]:
    """Report an interruption, a full disk or a lack of memory in one line; what is done stays."""
    again = "The same command continues."
    try:
        with writable(folder, f". {again}"):
            yield
    except KeyboardInterrupt:
        click.echo(f"\nStopped. {again}", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    except (MemoryError, RuntimeError) as error:
        raise Refused(f"{str(error) or 'there is not enough memory'}. {again}") from None
