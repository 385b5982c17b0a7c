"""The command `rogue`. What takes long to import is imported where it is used: --help does not wait for a compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rogue_bandits.cli.advise import advise_command
from rogue_bandits.cli.checks import INTERRUPTED, Refused, checked_folder, checked_workers, named_folder
from rogue_bandits.cli.everything import all_command
from rogue_bandits.cli.fit import fit_command
from rogue_bandits.cli.model import check_command, simulate_command
from rogue_bandits.experiments import EXPERIMENTS, experiment_named
from rogue_bandits.unknown_name import unknown

if TYPE_CHECKING:
    from rogue_bandits.experiments.experiment import Experiment, Settings
    from rogue_bandits.experiments.results import Results


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="rogue-bandits", prog_name="rogue")
def main() -> None:
    """ROGUE bandits: arms that wear out when they are played and recover when they rest."""


class ExperimentGroup(click.Group):
    """A command for each experiment in the table; its options are the experiment's settings."""

    def __init__(
        self, name: str, make: Callable[[Experiment], click.Command], help: str, experiments: Iterable[str]
    ) -> None:
        super().__init__(name, help=help)
        self.make, self.experiments = make, list(experiments)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the experiments."""
        return [*self.experiments, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """The command of an experiment; an unknown one is refused with the nearest there is."""
        if (other := super().get_command(ctx, cmd_name)) is not None:
            return other
        if cmd_name not in self.experiments:
            raise Refused(unknown("experiment", cmd_name, self.list_commands(ctx)))
        return self.make(experiment_named(cmd_name))


def reproduce_command(experiment: Experiment) -> click.Command:
    """`rogue reproduce <experiment>`."""

    def callback(out: Path, workers: int | None, **chosen: Any) -> None:
        settings, cores = checked_settings(experiment, chosen), checked_workers(workers)
        reproduce(experiment, settings, checked_folder(out, "policies"), cores)

    params: list[click.Parameter] = [*setting_options(experiment), *run_options(Path("results", experiment.name))]
    about, title = experiment.about, experiment.title
    return click.Command(experiment.name, callback=callback, params=params, help=about, short_help=title)


def theory_command(experiment: Experiment) -> click.Command:
    """`rogue theory <experiment>`."""

    def callback(out: Path, workers: int | None, **chosen: Any) -> None:
        from rogue_bandits.policies.registry import ROGUE_POLICIES

        settings, cores = checked_settings(experiment, {**chosen, "policies": ROGUE_POLICIES}), checked_workers(workers)
        show_theory(experiment, settings, checked_folder(out, "policies"), cores)

    sizes = {"horizon": int, "replicates": int, "seed": int}
    folder = Path("results", f"{experiment.name}-theory")
    params: list[click.Parameter] = [*settings_of(experiment, sizes), *run_options(folder)]
    words = "The constants and bounds of the paper's theorems for this experiment, beside the simulated regret."
    return click.Command(experiment.name, callback=callback, params=params, help=words, short_help=experiment.title)


REPRODUCE = ExperimentGroup(
    "reproduce", reproduce_command, "Run an experiment of the paper: numbers, figures, report.", EXPERIMENTS
)
main.add_command(REPRODUCE)
main.add_command(fit_command)
main.add_command(advise_command)
main.add_command(check_command)
main.add_command(simulate_command)
main.add_command(  # bounds are about one truth, and an experiment on people has many
    ExperimentGroup("theory", theory_command, "What the paper proves, beside what is simulated.", ["logistic"])
)


def setting_options(experiment: Experiment) -> Iterator[click.Option]:
    """The settings that can be given on the command line, with the experiment's defaults and words."""
    kinds = {"horizon": int, "replicates": int, "seed": int, "upsilon": float, "xi": float, "variation": float}
    yield from settings_of(experiment, {**kinds, **experiment.options})
    words = "only this policy; may be repeated [default: all of the paper's]"
    yield click.Option(["--policy", "policies"], multiple=True, metavar="ID", help=words)


def settings_of(experiment: Experiment, kinds: Mapping[str, type]) -> Iterator[click.Option]:
    """An option for each of these settings."""
    for name, kind in kinds.items():
        field = experiment.settings.model_fields[name]
        words = [f"--{name.replace('_', '-')}", name]
        yield click.Option(words, type=kind, default=field.default, show_default=True, help=field.description)


def run_options(default: Path) -> Iterator[click.Option]:
    """What does not change the results."""
    yield click.Option(["--workers"], type=int, help="cores to use [default: all]")
    words = "folder for the results; a run that was stopped continues there"
    yield click.Option(["--out"], type=named_folder, default=default, show_default=True, metavar="DIR", help=words)


def reproduce(experiment: Experiment, settings: Settings, folder: Path, workers: int) -> Results:
    """Run an experiment, show where it stands, write all about it."""
    from rich.console import Console

    from rogue_bandits.experiments.run import run
    from rogue_bandits.report import write_report
    from rogue_bandits.report.gained import gained_words, sensitivity_table
    from rogue_bandits.report.progress import display
    from rogue_bandits.report.table import terminal_table

    people = len(experiment.truths(settings))
    with explained(experiment, settings, folder):
        if people > 1:
            click.echo(f"{people:,} people: first the best plan of each, then the policies", err=True)
        with display(Console(stderr=True), settings.policies, people * settings.replicates * settings.horizon) as watch:
            results: Results = run(experiment, settings, folder, workers, watch)
        paths = write_report(results, folder)
    console = Console()
    console.print(terminal_table(results))
    for sentence in (*experiment.notes(settings), *gained_words(results)):
        console.print(sentence, highlight=False)
    if results.sensitivity is not None:
        console.print("", sensitivity_table(results))
    for path in paths:
        click.echo(path)
    return results


def show_theory(experiment: Experiment, settings: Settings, folder: Path, workers: int) -> None:
    """Simulate, work out the bounds, show both, write both."""
    from rich.console import Console

    from rogue_bandits.experiments.run import run
    from rogue_bandits.experiments.theory import theory_of
    from rogue_bandits.report.progress import display
    from rogue_bandits.report.theory import verdicts, write_theory
    from rogue_bandits.report.theory_table import bounds_table, constants_table

    decisions = len(experiment.truths(settings)) * settings.replicates * settings.horizon
    with explained(experiment, settings, folder):
        with display(Console(stderr=True), settings.policies, decisions) as watch:
            results: Results = run(experiment, settings, folder, workers, watch)
        theory = theory_of(results)
        paths = write_theory(theory, folder)
    console = Console()
    console.print(constants_table(theory), "", bounds_table(theory), "")
    for words in (*verdicts(theory), *paths):
        click.echo(words)


@contextmanager
def explained(experiment: Experiment, settings: Settings, folder: Path) -> Iterator[None]:
    """Whatever ends a run before its time, in one line."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"\nStopped. {what_is_kept(experiment, settings, folder)}", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    except OSError as error:
        raise Refused(f"'{error.filename or folder}' cannot be written: {error.strerror or error}") from None
    except MemoryError:
        size = f"horizon {settings.horizon:,} × replicates {settings.replicates:,}"
        raise Refused(f"{size} needs more memory than there is: lower one of them") from None


def what_is_kept(experiment: Experiment, settings: Settings, folder: Path) -> str:
    """Which policies are on disk after an interruption, and what to do next."""
    from rogue_bandits.experiments.run import finished

    done = finished(experiment, settings, folder)
    if not done:
        return "No policy was finished: the same command starts over."
    return f"Finished and kept in {folder}: {', '.join(done)}. The same command continues with the rest."


def checked_settings(experiment: Experiment, chosen: dict[str, Any]) -> Settings:
    """The settings, or what is wrong with them."""
    from pydantic import ValidationError

    from rogue_bandits.experiments.experiment import faults
    from rogue_bandits.experiments.run import raise_on_bad_policies

    try:
        settings = experiment.settings(**{name: value for name, value in chosen.items() if value != ()})
        raise_on_bad_policies(experiment, settings)
    except ValidationError as error:
        raise Refused(faults(error)) from None
    except ValueError as error:
        raise Refused(str(error)) from None
    return settings


REPRODUCE.add_command(all_command(checked_settings, reproduce))
