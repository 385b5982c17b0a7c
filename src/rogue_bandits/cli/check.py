"""`rogue check`: does a model from a Python file satisfy the paper's assumptions?"""

from __future__ import annotations

from typing import Any

import click

from rogue_bandits.cli.checks import Refused, refused
from rogue_bandits.cli.user_file import model_option, named

FAULTY = 1


@click.command("check", short_help="Check whether a model satisfies the paper's assumptions.")
@model_option("Python file and the name of an Arm or Truth in it, such as my_file.py:walk")
def check_command(model: str) -> None:
    """Check whether a model satisfies the paper's assumptions, and report those that it violates."""
    from rogue_bandits.conformance import check_model
    from rogue_bandits.model.validation import checked_truth
    from rogue_bandits.types import Truth

    found = named(model)
    arms = arms_of(found, model)
    with refused():
        reports = [check_model(arm) for arm in arms]
    for arm, report in zip(arms, reports, strict=True):
        click.echo(f"{arm.name or 'arm'}: {report}")
    if not all(report.ok for report in reports):
        raise click.exceptions.Exit(FAULTY)
    if isinstance(found, Truth):
        try:
            checked_truth(found)
        except (TypeError, ValueError) as error:
            click.echo(f"the arms together: {error}")
            raise click.exceptions.Exit(FAULTY) from None


def arms_of(found: Any, model: str) -> list[Any]:
    """Return the arms of a truth, or the arm itself."""
    from rogue_bandits.types import Arm, Truth

    if isinstance(found, Truth):
        return list(found.arms)
    if not isinstance(found, Arm):
        raise Refused(f"'{model}' is {type(found).__name__}: it must be an Arm or a Truth")
    return [found]
