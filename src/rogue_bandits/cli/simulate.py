"""`rogue simulate`: what policies earn on a truth from a Python file, or on people like those of a trial."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import click

from rogue_bandits.cli.checks import INTERRUPTED, Refused, notes_once, refused, writable
from rogue_bandits.cli.simulate_fit import simulate_fit
from rogue_bandits.cli.user_file import model_option, named, policy_of


class SimulationSettings(NamedTuple):
    """How much is simulated, and where."""

    horizon: int
    people: int
    seed: int
    scheduler: str | None


@click.command("simulate", short_help="Simulate policies on a truth from a Python file, or on people like yours.")
@model_option("Python file and the name of a Truth in it, such as my_file.py:truth", required=False)
@click.option("--fit", type=Path, metavar="FILE", help="people.json of `rogue fit`, or its folder: people like these")
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
@click.option("--out", type=Path, metavar="FILE", help="write the results to this .csv or .parquet file too")
def simulate_command(
    model: str | None,
    fit: Path | None,
    policies: tuple[str, ...],
    horizon: int,
    people: int,
    seed: int,
    scheduler: str | None,
    out: Path | None,
) -> None:
    """Simulate policies on a truth from a Python file: average and expected reward, tracking regret, optimal gap.

    With --fit: what policies would earn on people like those of a trial. People are drawn from the population that
    `rogue fit` found, with the uncertainty about it.

    ± is one standard error over people.
    """
    if (model is None) == (fit is None):
        raise Refused("simulate needs one of --model FILE:NAME and --fit people.json")
    if fit is not None:
        if scheduler is not None or out is not None:
            raise Refused("--fit simulates on this machine and prints: leave out --scheduler and --out")
        return simulate_fit(fit, policies, horizon, people, seed)
    assert model is not None
    simulate_truth(model, policies, SimulationSettings(horizon, people, seed, scheduler), out)


def simulate_truth(model: str, policies: tuple[str, ...], settings: SimulationSettings, out: Path | None) -> None:
    """Print what policies earn on a truth, and write it to a table if `out` is given."""
    from numba.core.errors import NumbaError

    from rogue_bandits.checkpoint import write_atomic
    from rogue_bandits.policies import POLICIES
    from rogue_bandits.report.table_file import kind_of, table_bytes
    from rogue_bandits.types import Truth

    truth = named(model)
    if not isinstance(truth, Truth):
        raise Refused(f"'{model}' is {type(truth).__name__}: simulate needs a Truth, arms with their theta and x0")
    asked = {name: policy_of(name) for name in policies or POLICIES}
    with refused():
        kind = "csv" if out is None else kind_of(out)
    try:
        done = print_results(truth, asked, bool(policies), settings)
    except NumbaError:
        raise Refused(f"the laws of '{model}' cannot be compiled: rogue check --model {model} says why") from None
    except KeyboardInterrupt:
        click.echo("Stopped. Only the policies above are finished.", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    if out is not None:
        with writable(out):
            click.echo(write_atomic(out, table_bytes(rows_of(done, settings), kind)))


def print_results(
    truth: Any, asked: dict[str, Any], wanted: bool, settings: SimulationSettings
) -> list[SimulatedPolicy]:
    """Simulate one policy after the other and print each; one that is not possible is an error only if `wanted`."""
    from rogue_bandits.model.numbers import checked_whole
    from rogue_bandits.model.validation import checked_truth

    done: list[SimulatedPolicy] = []
    with refused(), notes_once():
        checked_whole(settings.people, "simulate, people", 1)
        truth = checked_truth(truth)
        plan = best_plan(truth, checked_whole(settings.horizon, "simulate, horizon", 1))
        for name, policy in asked.items():
            try:
                done.append(result_of(name, truth, policy, plan, settings))
                click.echo(line_of(done[-1]))
            except (TypeError, ValueError) as error:
                if wanted:
                    raise
                click.echo(f"{name}: not simulated: {error}")  # a policy may need constants that a model lacks
    return done


def best_plan(truth: Any, horizon: int) -> Any:
    """Return the best plan; None, with a note, if it cannot be computed."""
    from rogue_bandits.planning import optimal_plan

    try:
        return optimal_plan(truth, horizon)
    except (TypeError, ValueError) as error:
        click.echo(f"note: there is no optimal gap. {error}", err=True)
        return None


class SimulatedPolicy(NamedTuple):
    """Of a policy: each measure at the last decision, as the mean over people and its standard error."""

    policy: str
    measures: dict[str, tuple[float, float]]  # the error of one person is nan


def result_of(name: str, truth: Any, policy: Any, plan: Any, settings: SimulationSettings) -> SimulatedPolicy:
    """Simulate a policy."""
    from rogue_bandits.simulation.simulate import simulate

    trace = simulate(truth, policy, settings.horizon, settings.people, settings.seed, scheduler=settings.scheduler)
    expected = trace.mean.mean(axis=1, keepdims=True)
    measures = {"reward": trace.average_reward(), "expected": expected, "tracking regret": trace.tracking_regret()}
    if plan is not None:
        measures["optimal gap"] = trace.optimal_gap(plan)
    found = {}
    for what, to_date in measures.items():
        each = to_date[:, -1]
        error = each.std(ddof=1) / len(each) ** 0.5 if len(each) > 1 else math.nan
        found[what] = (float(each.mean()), float(error))
    return SimulatedPolicy(name, found)


def line_of(result: SimulatedPolicy) -> str:
    """Return the result of a policy in one line, with standard errors."""
    from rogue_bandits.simulation.measured import Measured

    parts = (f"{what} {Measured(*found)}" for what, found in result.measures.items())
    return f"{result.policy}: {', '.join(parts)}"


def rows_of(results: list[SimulatedPolicy], settings: SimulationSettings) -> list[list[object]]:
    """Return results as a table, a row for each policy; without a best plan the gap is empty."""
    measures = ("reward", "tracking regret", "optimal gap")
    names = [f"{what.replace(' ', '_')}_{part}" for what in measures for part in ("mean", "stderr")]
    rows: list[list[object]] = [["policy", "people", "decisions", "seed", *names]]
    for result in results:
        values = [value for what in measures for value in result.measures.get(what, (math.nan, math.nan))]
        rows.append(
            [
                result.policy,
                settings.people,
                settings.horizon,
                settings.seed,
                *(None if math.isnan(v) else v for v in values),
            ]
        )
    return rows
