"""`rogue reproduce` and `rogue theory`: run the paper's experiments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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
from rogue_bandits.cli.people_file import people_file
from rogue_bandits.wording import unknown

if TYPE_CHECKING:
    from rogue_bandits.experiments.experiment import Experiment, Settings
    from rogue_bandits.experiments.results import Results


class ExperimentGroup(click.Group):
    """A command for each experiment, with the experiment's settings as options."""

    def __init__(
        self,
        name: str,
        help: str,
        make: Callable[[Experiment], click.Command],
        experiments: Iterable[str] | None = None,
    ) -> None:
        super().__init__(name, help=help)
        self.make, self.experiments = make, experiments

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the experiments, then other commands."""
        from rogue_bandits.experiments import EXPERIMENTS

        return [*(self.experiments or EXPERIMENTS), *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """Return the command of an experiment; an unknown name is refused with the nearest known one."""
        from rogue_bandits.experiments import experiment_named

        if (other := super().get_command(ctx, cmd_name)) is not None:
            return other
        names = self.list_commands(ctx)
        if cmd_name not in names:
            raise Refused(unknown("experiment", cmd_name, names))
        return self.make(experiment_named(cmd_name))


def reproduce_command(experiment: Experiment) -> click.Command:
    """Return `rogue reproduce <experiment>`."""

    def callback(out: Path, workers: int | None, scheduler: str | None, kind: str, **chosen: Any) -> None:
        how = How(checked_workers(workers), scheduler, kind)  # at once; the check of the settings compiles
        if chosen.get("cohort"):
            chosen["cohort"] = str(people_file(Path(chosen["cohort"])))
        reproduce(experiment, checked_settings(experiment, chosen), checked_folder(out, "policies"), how)

    kinds: dict[str, type] = {"horizon": int, "replicates": int, "seed": int}
    kinds |= {"upsilon": float, "xi": float, "variation": float, "eta": float}
    params: list[click.Parameter] = [
        *setting_options(experiment, {**kinds, **experiment.options}),
        policy_option(" [default: all of the paper's]"),
        *run_options(Path("results", experiment.name)),
        scheduler_option(),
    ]
    about, title = experiment.about, experiment.title
    return click.Command(experiment.name, callback=callback, params=params, help=about, short_help=title)


def theory_command(experiment: Experiment) -> click.Command:
    """Return `rogue theory <experiment>`."""

    def callback(out: Path, workers: int | None, kind: str, **chosen: Any) -> None:
        from rogue_bandits.policies.registry import ROGUE_POLICIES

        how = How(checked_workers(workers), kind=kind)
        settings = checked_settings(experiment, {**chosen, "policies": ROGUE_POLICIES})
        show_theory(experiment, settings, checked_folder(out, "policies"), how)

    sizes = {"horizon": int, "replicates": int, "seed": int}
    folder = Path("results", f"{experiment.name}-theory")
    params: list[click.Parameter] = [*setting_options(experiment, sizes), *run_options(folder)]
    about = "The constants and bounds of the paper's theorems for this experiment, and the simulated regret."
    return click.Command(experiment.name, callback=callback, params=params, help=about, short_help=experiment.title)


def setting_options(experiment: Experiment, kinds: Mapping[str, type]) -> Iterator[click.Option]:
    """Yield an option for each of these settings, with the experiment's default and description."""
    for name, kind in kinds.items():
        field = experiment.settings.model_fields[name]
        names = [f"--{name.replace('_', '-')}", name]
        yield click.Option(names, type=kind, default=field.default, show_default=True, help=field.description)


def policy_option(default: str) -> click.Option:
    """Return --policy, which may be repeated."""
    return click.Option(
        ["--policy", "policies"], multiple=True, metavar="ID", help=f"only this policy; may be repeated{default}"
    )


def run_options(default: Path) -> Iterator[click.Option]:
    """Yield options that do not change the results."""
    yield click.Option(["--workers"], type=int, help="number of cores to use [default: all]")
    about = "folder for the results; an interrupted run continues there"
    yield click.Option(["--out"], type=named_folder, default=default, show_default=True, metavar="DIR", help=about)
    yield format_option()


def scheduler_option() -> click.Option:
    """Return --scheduler."""
    about = "Dask scheduler whose workers simulate, such as tcp://host:8786; the results are the same"
    return click.Option(["--scheduler"], metavar="ADDRESS", help=about)


class How(NamedTuple):
    """What does not change the results: who computes them, and how their tables are written."""

    workers: int
    scheduler: str | None = None
    kind: str = "csv"


def reproduce(experiment: Experiment, settings: Settings, folder: Path, how: How) -> Results:
    """Run an experiment with a progress display, print its tables and write its report."""
    from rich.console import Console

    from rogue_bandits.report.experiment import write_report
    from rogue_bandits.report.experiment.deployed import deployed_table
    from rogue_bandits.report.experiment.tables import gain_sentence, sensitivity_table, terminal_table
    from rogue_bandits.report.terminal import plain_table

    with resumable_run(experiment, settings, folder):
        results = run_with_display(experiment, settings, folder, how)
        paths = write_report(results, folder, how.kind)
    console = Console()
    console.print(terminal_table(results))
    for sentence in filter(None, (*experiment.notes(settings), gain_sentence(results))):
        console.print(sentence, highlight=False, markup=False)
    if (lived := deployed_table(results)) is not None:
        console.print("", lived.sentence, "", highlight=False, markup=False)
        console.print(plain_table(lived.headings, lived.rows, "l", caption=lived.caption))
    if (depends := sensitivity_table(results)) is not None:
        console.print("", plain_table(depends.headings, depends.rows, "l", caption=depends.caption))
    for path in paths:
        click.echo(path)
    return results


def show_theory(experiment: Experiment, settings: Settings, folder: Path, how: How) -> None:
    """Simulate, compute the bounds, print both and write both."""
    from rich.console import Console

    from rogue_bandits.experiments.theory import theory_of
    from rogue_bandits.report.experiment.theory import bounds_table, constants_table, verdicts, write_theory

    with resumable_run(experiment, settings, folder):
        theory = theory_of(run_with_display(experiment, settings, folder, how))
        paths = write_theory(theory, folder, how.kind)
    Console().print(constants_table(theory), "", bounds_table(theory), "")
    for line in (*verdicts(theory), *paths):
        click.echo(line)


def run_with_display(experiment: Experiment, settings: Settings, folder: Path, how: How) -> Results:
    """Run an experiment and show its progress."""
    from rich.console import Console

    from rogue_bandits.experiments.run import run
    from rogue_bandits.report.experiment.progress import display

    people = len(experiment.truths(settings))
    if people > 1:
        click.echo(f"{people:,} people: first the best plan of each, then the policies", err=True)
    decisions = people * settings.replicates * settings.horizon
    with display(Console(stderr=True), settings.policies, decisions) as on_event:
        results: Results = run(experiment, settings, folder, how.workers, on_event, how.scheduler)
    return results


def resumable_run(experiment: Experiment, settings: Settings, folder: Path) -> AbstractContextManager[None]:
    """Report what ends a run early in one line: after an interruption, which policies are stored."""

    def stored() -> str:
        from rogue_bandits.experiments.run import finished

        if not (done := finished(experiment, settings, folder)):
            return "No policy was finished: the same command starts over."
        return f"Finished and stored in {folder}: {', '.join(done)}. The same command continues with the rest."

    size = f"horizon {settings.horizon:,} × replicates {settings.replicates:,}"
    return resumable(folder, f"{size} needs more memory than there is: lower one of them", stored)


def checked_settings(experiment: Experiment, chosen: dict[str, Any]) -> Settings:
    """Return the settings; invalid ones are refused with what is allowed."""
    from pydantic import ValidationError

    from rogue_bandits.experiments.experiment import faults
    from rogue_bandits.experiments.run import raise_on_bad_policies

    with refused():
        try:
            settings = experiment.settings(**{name: value for name, value in chosen.items() if value != ()})
        except ValidationError as error:
            raise Refused(faults(error)) from None
        raise_on_bad_policies(experiment, settings)
    return settings


reproduce_group = ExperimentGroup(
    "reproduce", "Run an experiment of the paper: numbers, figures, report.", reproduce_command
)
# The bounds are for one truth; the health experiment has one for each person.
theory_group = ExperimentGroup(
    "theory", "The bounds that the paper proves, and the simulated regret.", theory_command, ["logistic"]
)


@reproduce_group.command(
    "all",
    short_help="All experiments, and one report.",
    params=[policy_option(""), scheduler_option(), format_option()],
)
@click.option("--horizon", type=int, help="decisions in each replicate [default: each experiment's own]")
@click.option("--replicates", type=int, help="independent repetitions [default: each experiment's own]")
@click.option("--workers", type=int, help="number of cores to use [default: all]")
@click.option("--out", type=named_folder, default=Path("results"), show_default=True, metavar="DIR",
              help="folder for the results")  # fmt: skip
def all_command(workers: int | None, out: Path, scheduler: str | None, kind: str, **chosen: Any) -> None:
    """Run every experiment of the paper, each into a subfolder with its name, and write one report on all of them."""
    from rogue_bandits.experiments import EXPERIMENTS, experiment_named
    from rogue_bandits.report.experiment import write_overview

    given = {name: value for name, value in chosen.items() if value is not None}
    how = How(checked_workers(workers), scheduler, kind)
    experiments = [experiment_named(name) for name in EXPERIMENTS]
    settings = [checked_settings(experiment, given) for experiment in experiments]
    folders = [checked_folder(out / experiment.name, "policies") for experiment in experiments]
    every = [reproduce(*one, how) for one in zip(experiments, settings, folders, strict=True)]
    click.echo(write_overview(every, out))
