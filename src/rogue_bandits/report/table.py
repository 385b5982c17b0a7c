"""The table of an experiment, in the terminal and in the report."""

from __future__ import annotations

from typing import NamedTuple

from rich.box import SIMPLE_HEAD
from rich.table import Table

from rogue_bandits.experiments.results import Estimate, Results
from rogue_bandits.policies.registry import POLICIES


class Line(NamedTuple):
    """A line of the table, as it is written."""

    row: str
    policy: str
    tracking_regret: str
    optimal_gap: str
    average_reward: str
    microseconds: str


HEADINGS = Line("", "policy", "tracking regret", "optimal gap", "average reward", "µs a decision")


def lines(results: Results) -> list[Line]:
    """The policies, the one with the least tracking regret first."""
    least = sorted(results.policies.items(), key=lambda item: item[1].tracking_regret.last().mean)
    return [
        Line(
            row,
            POLICIES[row].label,
            written(result.tracking_regret.last(), 1),
            written(result.optimal_gap.last(), 1),
            written(result.average_reward.last(), 4),
            f"{result.microseconds_per_decision:.2f}",
        )
        for row, result in least
    ]


def written(estimate: Estimate, digits: int) -> str:
    """A mean with its standard error, if it has one.

    >>> print(written(Estimate(1417.24, 2.2), 1), "and", written(Estimate(0.62, None), 4))
    1,417.2 ± 2.2 and 0.6200
    """
    mean = f"{estimate.mean:,.{digits}f}"
    return (
        mean if estimate.stderr is None else f"{mean}\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{estimate.stderr:,.{digits}f}"
    )


def counted(n: int, what: str) -> str:
    """A number of things.

    >>> counted(1, "replicate"), counted(20_000, "decision")
    ('1 replicate', '20,000 decisions')
    """
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def counting(results: Results) -> str:
    """In what the numbers are, if not in rewards."""
    return f"; in {results.unit.many}s of {results.unit.reward}" if results.unit.many else ""


def terminal_table(results: Results) -> Table:
    """The table for a terminal: 80 columns hold all but the computing times, which are in the report."""
    s = results.settings
    people = len(next(iter(results.policies.values())).people)
    who = f"{people:,} people, " if people > 1 else ""
    size = f"{counted(s.replicates, 'replicate')} of {counted(s.horizon, 'decision')}"
    table = Table(
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        collapse_padding=True,
        title=f"{results.experiment.title}: {who}{size}",
        caption=("± one standard error; " if s.replicates > 1 else "") + "tracking regret: lost against the best arm "
        "of each moment; optimal gap: against the best plan; lower is better" + counting(results),
    )
    table.add_column(HEADINGS.policy, no_wrap=True)
    for heading in HEADINGS[2:-1]:
        table.add_column(heading, justify="right")
    for line in lines(results):
        table.add_row(*line[1:-1])
    table.add_section()
    for words, level in results.oracles.levels().items():
        table.add_row(words, "", "", f"{level:.4f}")
    return table
