"""`rogue check` and `rogue simulate`: a model defined in a user's Python file, given as my_file.py:name."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from rogue_bandits.cli.checks import INTERRUPTED, Refused, refused, writable
from rogue_bandits.cli.user_file import named, policy_of

if TYPE_CHECKING:
    from rogue_bandits.experiments.like_mine import Alike
    from rogue_bandits.experiments.results import Gain

FAULTY = 1
FIT_POLICIES = ("index-ts", "rogue-ts", "epsilon-rogue", "d-ucb")
FIRST_COLUMN = (
    "\nReward a decision. Go by the first column. The last one takes every error of the estimates for wear-out and "
    "recovery that a policy can use."
)
INFLATES = (
    " It is larger for {}: on simulated trials such gains were several times those on the true people (docs/health.md)."
)
OPEN = (
    "By the first column {} and messages at random cannot be told apart, within 2 standard errors: more --people would "
    "tell."
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
@click.option("--fit", type=Path, metavar="FILE", help="people.json of `rogue fit`: people like these")
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
            raise Refused("--scheduler and --out: people of --fit are simulated on this machine, and printed")
        return simulate_fit(fit, policies, horizon, people, seed)
    assert model is not None
    simulate_truth(model, policies, horizon, people, seed, scheduler, out)


def simulate_truth(
    model: str,
    policies: tuple[str, ...],
    horizon: int,
    people: int,
    seed: int,
    scheduler: str | None,
    out: Path | None,
) -> None:
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
        done = print_results(truth, asked, bool(policies), horizon, people, seed, scheduler)
    except NumbaError:
        raise Refused(f"the laws of '{model}' cannot be compiled: rogue check --model {model} says why") from None
    except KeyboardInterrupt:
        click.echo("Stopped. Only the policies above are finished.", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    if out is not None:
        with writable(out):
            click.echo(write_atomic(out, table_bytes(rows_of(done, horizon, people, seed), kind)))


def print_results(
    truth: Any, asked: dict[str, Any], wanted: bool, horizon: int, people: int, seed: int, scheduler: str | None
) -> list[SimulatedPolicy]:
    """Simulate one policy after the other and print each; one that is not possible is an error only if `wanted`."""
    from rogue_bandits.model.validation import checked_truth, checked_whole

    done: list[SimulatedPolicy] = []
    with refused(), warnings.catch_warnings():
        warnings.simplefilter("always", RuntimeWarning)
        print_warnings_once()
        people, truth = checked_whole(people, "simulate, people", 1), checked_truth(truth)
        plan = best_plan(truth, checked_whole(horizon, "simulate, horizon", 1))
        for name, policy in asked.items():
            try:
                done.append(result_of(name, truth, policy, plan, horizon, people, seed, scheduler))
                click.echo(line_of(done[-1]))
            except (TypeError, ValueError) as error:
                if wanted:
                    raise
                click.echo(f"{name}: not simulated: {error}")  # a policy may need constants that a model lacks
    return done


def simulate_fit(fit: Path, policies: tuple[str, ...], horizon: int, people: int, seed: int) -> None:
    """Print what policies gain on people like those of a people.json, and how far point estimates inflate it."""
    from rich.console import Console

    from rogue_bandits.experiments.like_mine import Setting, prepared, simulated
    from rogue_bandits.model.validation import checked_whole
    from rogue_bandits.policies import POLICIES
    from rogue_bandits.report.terminal import bar, plain_table

    with refused(), warnings.catch_warnings():
        warnings.simplefilter("always", RuntimeWarning)
        print_warnings_once()
        asked = {name: policy_of(name) for name in policies or FIT_POLICIES}
        setting = Setting(
            checked_whole(horizon, "simulate, horizon", 1), checked_whole(people, "simulate, people", 2), seed
        )
        ready = prepared(fit, asked, setting)
        if policies and ready.refused:
            raise Refused("; ".join(f"{name}: {why}" for name, why in ready.refused.items()))
        with bar("simulating people", 2 * people * len(ready.policies)) as advance:
            found = simulated(ready, advance)
    rows = [(name, *(gain_words(one) for one in both)) for name, both in found.gains.items()]
    headings = ("policy", "gain over random, people like yours", "if people were their point estimates")
    console = Console()
    console.print(plain_table(headings, rows))
    console.print(column_words(found.gains), highlight=False, markup=False)
    for words in (*found.notes, *(f"{name} was not simulated: {why}" for name, why in found.refused.items())):
        console.print(words, highlight=False, markup=False)
    if unclear := [name for name, both in found.gains.items() if abs(both.drawn.mean) <= 2.0 * both.drawn.stderr]:
        console.print(OPEN.format(", ".join(unclear)), highlight=False, markup=False)
    if not policies:
        others = ", ".join(name for name in POLICIES if name not in (*asked, "random"))
        console.print(
            f"Not simulated, to save time: {others}. --policy ID simulates one.", highlight=False, markup=False
        )


def column_words(gains: dict[str, Alike]) -> str:
    """Return which column to go by, and which policies gain more on people who are their point estimates.

    >>> from rogue_bandits.experiments.like_mine import Alike
    >>> from rogue_bandits.experiments.results import Gain
    >>> small, large = Gain(0.1, 0.02, 0.0, 0.2), Gain(0.3, 0.02, 0.2, 0.4)
    >>> "larger for a:" in column_words({"a": Alike(small, large), "b": Alike(large, small)})
    True
    >>> column_words({"b": Alike(large, small)}) == FIRST_COLUMN
    True
    """
    larger = [name for name, both in gains.items() if both.fits.mean > max(both.drawn.mean, 0.0)]
    return FIRST_COLUMN + (INFLATES.format(", ".join(larger)) if larger else "")


def gain_words(gain: Gain) -> str:
    """Return a gain with its sign and its standard error, in as many digits as the latter has.

    >>> from rogue_bandits.experiments.results import Gain
    >>> gain_words(Gain(1234.5, 152.0, 0.0, 0.0)), gain_words(Gain(-0.01234, 0.0021, 0.0, 0.0))
    ('+1,234 ± 152', '-0.0123 ± 0.0021')
    """
    from rogue_bandits.simulation.measured import Measured

    words = str(Measured(gain.mean, gain.stderr))
    return f"{'+' if gain.mean >= 0.0 else ''}{words}{'' if '±' in words else ' ± 0'}"


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


class SimulatedPolicy(NamedTuple):
    """Of a policy: each measure at the last decision, as the mean over people and its standard error."""

    policy: str
    measures: dict[str, tuple[float, float]]  # the error of one person is nan


def result_of(
    name: str, truth: Any, policy: Any, plan: Any, horizon: int, people: int, seed: int, scheduler: str | None
) -> SimulatedPolicy:
    """Simulate a policy."""
    from rogue_bandits.simulation.simulate import simulate

    trace = simulate(truth, policy, horizon, people, seed, scheduler=scheduler)
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


def rows_of(results: list[SimulatedPolicy], horizon: int, people: int, seed: int) -> list[list[object]]:
    """Return results as a table, a row for each policy; without a best plan the gap is empty."""
    measures = ("reward", "tracking regret", "optimal gap")
    names = [f"{what.replace(' ', '_')}_{part}" for what in measures for part in ("mean", "stderr")]
    rows: list[list[object]] = [["policy", "people", "decisions", "seed", *names]]
    for result in results:
        values = [value for what in measures for value in result.measures.get(what, (math.nan, math.nan))]
        rows.append([result.policy, people, horizon, seed, *(None if math.isnan(v) else v for v in values)])
    return rows


def arms_of(found: Any, model: str) -> list[Any]:
    """Return the arms of a truth, or the arm itself."""
    from rogue_bandits.types import Arm, Truth

    if isinstance(found, Truth):
        return list(found.arms)
    if not isinstance(found, Arm):
        raise Refused(f"'{model}' is {type(found).__name__}: it must be an Arm or a Truth")
    return [found]
