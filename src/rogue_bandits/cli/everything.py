"""`rogue reproduce all`: every experiment of the paper, and one report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rogue_bandits.cli.checks import checked_folder, checked_workers, named_folder
from rogue_bandits.experiments import EXPERIMENTS, experiment_named

if TYPE_CHECKING:
    from rogue_bandits.experiments.experiment import Experiment, Settings
    from rogue_bandits.experiments.results import Results

Check = Callable[["Experiment", dict[str, Any]], "Settings"]
Run = Callable[["Experiment", "Settings", Path, int], "Results"]


def all_command(check: Check, run: Run) -> click.Command:
    """The command, by how settings are checked and an experiment is run."""

    @click.command("all", short_help="All of them, and one report.")
    @click.option("--horizon", type=int, help="decisions in each replicate [default: each experiment's own]")
    @click.option("--replicates", type=int, help="independent repetitions [default: each experiment's own]")
    @click.option("--policy", "policies", multiple=True, metavar="ID", help="only this policy; may be repeated")
    @click.option("--workers", type=int, help="cores to use [default: all]")
    @click.option(
        "--out", type=named_folder, default=Path("results"), show_default=True, metavar="DIR", help="for the results"
    )
    def command(workers: int | None, out: Path, **chosen: Any) -> None:
        """Run every experiment of the paper, each into a folder of its name, and write one report on all of them."""
        from rogue_bandits.report.both import write_both

        given = {name: value for name, value in chosen.items() if value is not None}
        cores = checked_workers(workers)
        experiments = [experiment_named(name) for name in EXPERIMENTS]
        settings = [check(experiment, given) for experiment in experiments]
        folders = [checked_folder(out / experiment.name, "policies") for experiment in experiments]
        every = [run(*one, cores) for one in zip(experiments, settings, folders, strict=True)]
        click.echo(write_both(every, out))

    return command
