"""`rogue power`: how large a trial must be, or what one of a given size can find."""

from __future__ import annotations

from typing import Any

import click

from rogue_bandits.cli.checks import refused

SHOWN = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)  # least probabilities of the second table


@click.command("power", short_help="Power of a trial, or what it takes to reach a wanted power.")
@click.option("--effect", type=float, help="difference of the mean rewards of two arms that the trial is to find")
@click.option("--people", type=int, help="number of people")
@click.option("--decisions", type=int, help="decisions for each person")
@click.option("--least", type=float, help="least probability of an arm at every decision")
@click.option("--power", "wanted", type=float, help="wanted probability of finding the effect, such as 0.8")
@click.option("--noise", type=float, default=1.0, show_default=True, help="standard deviation of a reward")
@click.option("--level", type=float, default=0.05, show_default=True, help="false positive rate of the test")
@click.option("--arms", type=int, default=2, show_default=True, help="number of arms")
@click.option("--degrees", type=int, default=1, show_default=True, help="number of effects that are tested at once")
@click.option("--available", type=float, default=1.0, show_default=True, help="share of decisions with a message")
def power_command(wanted: float | None, arms: int, **chosen: Any) -> None:
    """Solve for the one of --effect, --people, --decisions, --least and --power that is left out.

    The trial chooses a message at random at every decision, by a policy that keeps the probability of every arm at
    --least or above. The power holds whatever the policy does within this limit.
    """
    from rich.console import Console

    from rogue_bandits.report.terminal import plain_table
    from rogue_bandits.trial.power import power

    with refused():
        found = power(power=wanted, arms=arms, **chosen)
    console = Console()
    console.print(plain_table(("trial", "value"), found.rows()))
    console.print(f"\nSolved for: {found.solved_for}. {found.sentence()}\n", highlight=False, markup=False)
    size: dict[str, Any] = {"effect": found.effect, "people": found.people, "decisions": found.decisions}
    options = {name: chosen[name] for name in ("noise", "level", "degrees", "available")}
    others = [power(**size, least=least, arms=arms, **options) for least in SHOWN if least <= 1.0 / arms]
    rows = [(f"{one.least:g}", f"{one.power:.1%}") for one in others]
    console.print(plain_table(("least probability of an arm", "power of this trial"), rows))
