"""`rogue check` and `rogue simulate`: a model defined in a user's Python file, given as my_file.py:name."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from rogue_bandits.cli.checks import INTERRUPTED, Refused, refused
from rogue_bandits.cli.user_file import named, policy_of

FAULTY = 1
FIT_POLICIES = ("index-ts", "rogue-ts", "d-ucb", "epsilon-rogue")
INFLATES = (
    "\nReward a decision. Go by the first column. The last one takes every error of the estimates for wear-out and "
    "recovery that a policy can use: on simulated trials such gains were several times those on the true people "
    "(docs/health.md)."
)
F = TypeVar("F", bound=Callable[..., Any])


def model_option(about: str, required: bool = True) -> Callable[[F], F]:
    """Return the option --model FILE:NAME."""
    return click.option("--model", required=required, metavar="FILE:NAME", help=about)


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


@click.command("simulate", short_help="Simulate policies on a truth from a Python file, or on people like yours.")
@model_option("Python file and the name of a Truth in it, such as my_file.py:truth", required=False)
@click.option("--fit", type=Path, metavar="FILE", help="people.json of `rogue fit --family agent`: people like these")
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="ID|FILE:NAME",
    help="only this policy, or one of your own such as my_file.py:Mine; may be repeated [default: all]",
)
@click.option("--horizon", type=int, default=1_000, show_default=True, help="number of decisions")
@click.option("--people", type=int, default=10, show_default=True, help="independent people for each policy")
@click.option("--seed", type=int, default=0, show_default=True, help="seed of the random streams")
@click.option("--scheduler", metavar="ADDRESS", help="Dask scheduler whose workers simulate, such as tcp://host:8786")
def simulate_command(
    model: str | None,
    fit: Path | None,
    policies: tuple[str, ...],
    horizon: int,
    people: int,
    seed: int,
    scheduler: str | None,
) -> None:
    """Simulate policies on a truth from a Python file: average reward, tracking regret and optimal gap.

    With --fit: what policies would earn on people like those of a trial. People are drawn from the population that
    `rogue fit` found, with the uncertainty about it.

    ± is one standard error over people.
    """
    if (model is None) == (fit is None):
        raise Refused("simulate needs one of --model FILE:NAME and --fit people.json")
    if fit is not None:
        if scheduler is not None:
            raise Refused("--scheduler: people of --fit are simulated on this machine")
        return simulate_fit(fit, policies, horizon, people, seed)
    assert model is not None
    from numba.core.errors import NumbaError

    from rogue_bandits.model.validation import checked_truth, checked_whole
    from rogue_bandits.policies import POLICIES
    from rogue_bandits.types import Truth

    truth = named(model)
    if not isinstance(truth, Truth):
        raise Refused(f"'{model}' is {type(truth).__name__}: simulate needs a Truth, arms with their theta and x0")
    asked = {name: policy_of(name) for name in policies or POLICIES}
    try:
        with refused(), warnings.catch_warnings():
            warnings.simplefilter("always", RuntimeWarning)
            print_warnings_once()
            people, truth = checked_whole(people, "simulate, people", 1), checked_truth(truth)
            plan = best_plan(truth, checked_whole(horizon, "simulate, horizon", 1))
            for name, policy in asked.items():
                try:
                    click.echo(line_of(name, truth, policy, plan, horizon, people, seed, scheduler))
                except (TypeError, ValueError) as error:
                    if policies:
                        raise
                    click.echo(f"{name}: not simulated: {error}")  # a policy may need constants that a model lacks
    except NumbaError:
        raise Refused(f"the laws of '{model}' cannot be compiled: rogue check --model {model} says why") from None
    except KeyboardInterrupt:
        click.echo("Stopped. Only the policies above are finished.", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None


def simulate_fit(fit: Path, policies: tuple[str, ...], horizon: int, people: int, seed: int) -> None:
    """Print what policies gain on people like those of a people.json, and how far point estimates inflate it."""
    from rich.console import Console

    from rogue_bandits.experiments.like_mine import Setting, like_mine
    from rogue_bandits.model.validation import checked_whole
    from rogue_bandits.report.terminal import plain_table

    asked = {name: policy_of(name) for name in policies or FIT_POLICIES}
    with refused():
        setting = Setting(
            checked_whole(horizon, "simulate, horizon", 1), checked_whole(people, "simulate, people", 2), seed
        )
        found = like_mine(fit, asked, setting)
    rows = [(name, *(f"{one.mean:+.4g} ± {one.stderr:.2g}" for one in both)) for name, both in found.items()]
    headings = ("policy", "gain over random, people like yours", "if people were their point estimates")
    console = Console()
    console.print(plain_table(headings, rows))
    console.print(INFLATES, highlight=False)


def print_warnings_once() -> None:
    """Print each distinct warning once, as a note of one line."""
    seen: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        if str(message) not in seen:
            seen.add(str(message))
            click.echo(f"note: {message}", err=True)

    warnings.showwarning = show


def best_plan(truth: Any, horizon: int) -> Any:
    """Return the best plan; None, with a note, if it cannot be computed."""
    from rogue_bandits.planning import optimal_plan

    try:
        return optimal_plan(truth, horizon)
    except (TypeError, ValueError) as error:
        click.echo(f"note: there is no optimal gap. {error}", err=True)
        return None


def line_of(
    name: str, truth: Any, policy: Any, plan: Any, horizon: int, people: int, seed: int, scheduler: str | None
) -> str:
    """Return the result of a policy in one line, with standard errors."""
    from rogue_bandits.simulation.simulate import simulate

    trace = simulate(truth, policy, horizon, people, seed, scheduler=scheduler)
    measures = {"reward": trace.average_reward(), "tracking regret": trace.tracking_regret()}
    if plan is not None:
        measures["optimal gap"] = trace.optimal_gap(plan)
    parts = []
    for what, to_date in measures.items():
        each = to_date[:, -1]
        error = f" ± {each.std(ddof=1) / len(each) ** 0.5:.2g}" if len(each) > 1 else ""
        parts.append(f"{what} {each.mean():.4g}{error}")
    return f"{name}: {', '.join(parts)}"


def arms_of(found: Any, model: str) -> list[Any]:
    """Return the arms of a truth, or the arm itself."""
    from rogue_bandits.types import Arm, Truth

    if isinstance(found, Truth):
        return list(found.arms)
    if not isinstance(found, Arm):
        raise Refused(f"'{model}' is {type(found).__name__}: it must be an Arm or a Truth")
    return [found]
