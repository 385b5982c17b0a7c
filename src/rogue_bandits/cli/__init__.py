"""The command `rogue`. Slow imports happen where they are used: --help does not wait for a compiler."""

from __future__ import annotations

from typing import Any

import click

from rogue_bandits.cli.advise import advise_command
from rogue_bandits.cli.check import check_command
from rogue_bandits.cli.checks import INTERRUPTED
from rogue_bandits.cli.experiments import reproduce_group, theory_group
from rogue_bandits.cli.fit import fit_command
from rogue_bandits.cli.population import population_group
from rogue_bandits.cli.power import power_command
from rogue_bandits.cli.simulate import simulate_command
from rogue_bandits.cli.study import serve_command, study_group


class _Commands(click.Group):
    """Commands that Ctrl-C ends in one line and with one exit code, also while modules are imported."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what it has to say of an interruption, such as what is stored, it says itself."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("\nStopped.", err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="rogue-bandits", prog_name="rogue")
def main() -> None:
    """ROGUE bandits: arms that wear out when they are played and recover when they rest."""


COMMANDS = (
    *(reproduce_group, fit_command, advise_command, power_command, check_command, simulate_command, theory_group),
    *(population_group, study_group, serve_command),
)
for command in COMMANDS:
    main.add_command(command)
