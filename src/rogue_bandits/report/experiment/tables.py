"""The tables of an experiment, for the terminal and for the page: policies, gains, sensitivity."""

from __future__ import annotations

import math
from typing import NamedTuple

from rich.table import Table

from rogue_bandits.experiments.experiment import Unit
from rogue_bandits.experiments.results import Cell, Estimate, Gain, Results
from rogue_bandits.policies.registry import POLICIES
from rogue_bandits.report.terminal import plain_table

NO_BREAK = "\N{NO-BREAK SPACE}"
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class PolicyLine(NamedTuple):
    """A row of the table of policies, as text."""

    id: str
    policy: str
    tracking_regret: str
    optimal_gap: str
    average_reward: str
    microseconds: str


HEADINGS = PolicyLine("", "policy", "tracking regret", "optimal gap", "average reward", "µs a decision")


def policy_lines(results: Results) -> list[PolicyLine]:
    """A row for each policy, in order of rising tracking regret."""
    ranked = sorted(results.policies.items(), key=lambda item: item[1].tracking_regret.last().mean)
    return [
        PolicyLine(
            name,
            POLICIES[name].label,
            with_stderr(result.tracking_regret.last(), 1),
            with_stderr(result.optimal_gap.last(), 1),
            with_stderr(result.average_reward.last(), 4),
            f"{result.microseconds_per_decision:.2f}",
        )
        for name, result in ranked
    ]


def with_stderr(estimate: Estimate, digits: int) -> str:
    """A mean with its standard error, if it has one.

    >>> with_stderr(Estimate(1417.24, 2.2), 1).replace(NO_BREAK, " "), with_stderr(Estimate(0.62, None), 4)
    ('1,417.2 ± 2.2', '0.6200')
    """
    mean = f"{estimate.mean:,.{digits}f}"
    return mean if estimate.stderr is None else f"{mean}{NO_BREAK}±{NO_BREAK}{estimate.stderr:,.{digits}f}"


def short_number(value: float) -> str:
    """A number of any magnitude in few characters.

    >>> short_number(4621.2), short_number(2.23e15), short_number(float("inf")), short_number(3.2e-6)
    ('4,621', '2.2·10¹⁵', 'infinite', '3.2·10⁻⁶')
    """
    if math.isinf(value):
        return "infinite"
    if value == 0.0 or 1e-3 <= abs(value) < 1e6:
        return f"{value:,.0f}" if abs(value) >= 100.0 else f"{value:.4g}"
    digits, power = f"{value:.1e}".split("e")
    return f"{digits}·10{str(int(power)).translate(SUPERSCRIPTS)}"


def counted(n: int, what: str) -> str:
    """A number with its noun.

    >>> counted(1, "replicate"), counted(20_000, "decision")
    ('1 replicate', '20,000 decisions')
    """
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def terminal_table(results: Results) -> Table:
    """The table of policies for a terminal of 80 columns, without the computing times."""
    s, unit = results.settings, results.unit
    people = len(next(iter(results.policies.values())).people)
    who = f"{people:,} people, " if people > 1 else ""
    size = f"{counted(s.replicates, 'replicate')} of {counted(s.horizon, 'decision')}"
    caption = "tracking regret: loss against the best arm of each moment; optimal gap: loss against the best plan; "
    caption += "lower is better"
    table = plain_table(
        collapse_padding=True,
        title=f"{results.experiment.title}: {who}{size}",
        caption=("± one standard error; " if s.replicates > 1 else "")
        + caption
        + (f"; in {unit.many}s of {unit.reward}" if unit.many else ""),
    )
    table.add_column(HEADINGS.policy, no_wrap=True)
    for heading in HEADINGS[2:-1]:
        table.add_column(heading, justify="right")
    for line in policy_lines(results):
        table.add_row(*line[1:-1])
    table.add_section()
    for label, level in results.oracles.levels().items():
        table.add_row(label, "", "", f"{level:.4f}")
    return table


def difference(value: float, unit: Unit) -> str:
    """A difference of rewards with its sign, in single units where tables count thousands.

    >>> difference(0.0123, Unit(14.0, "steps", "thousand")), difference(-0.0123, Unit())
    ('+12', '-0.0123')
    """
    return f"{1_000.0 * value:+,.0f}" if unit.many else f"{value:+.4f}"


def with_interval(gain: Gain, unit: Unit) -> str:
    """A gain with its 95 % interval.

    >>> with_interval(Gain(0.012, 0.002, 0.008, 0.016), Unit(14.0, "steps", "thousand"))
    '+12 (95 %: +8 to +16)'
    """
    return f"{difference(gain.mean, unit)} (95 %: {difference(gain.lo, unit)} to {difference(gain.hi, unit)})"


def gain_sentence(results: Results) -> str:
    """The gain of the best ROGUE policy over the best other; empty where there is none."""
    if results.gained is None:
        return ""
    other, gain = next(iter(results.gained.over.items()))
    people = len(results.policies[other].people)
    return (
        f"{results.unit.reward.capitalize()} {results.unit.each} gained by {POLICIES[results.gained.row].label} over "
        f"the next best policy, {POLICIES[other].label}: {with_interval(gain, results.unit)}, over {people:,} people."
    )


def gain_rows(results: Results) -> list[list[str]]:
    """The gain over each policy that is not ROGUE, the best of them first."""
    if results.gained is None:
        return []
    return [[POLICIES[name].label, with_interval(gain, results.unit)] for name, gain in results.gained.over.items()]


def sensitivity_rows(results: Results) -> list[list[str]]:
    """Headings, then a row for each policy and factor of the half-lives; a column for each factor of the noise."""
    if results.sensitivity is None:
        return []
    cells = results.sensitivity.cells
    rows: dict[tuple[str, float], list[str]] = {}
    for cell in sorted(cells, key=lambda cell: cell.row, reverse=True):
        head = f"{POLICIES[cell.row].label}, half-lives × {cell.slower:g}"
        rows.setdefault((cell.row, cell.slower), [head]).append(cell_text(cell, results.unit))
    return [["", *(f"noise × {noisier:g}" for noisier in dict.fromkeys(c.noisier for c in cells))], *rows.values()]


def cell_text(cell: Cell, unit: Unit) -> str:
    """The gain, its standard error, and the policy compared with."""
    error = difference(cell.gain.stderr, unit).lstrip("+")
    return f"{difference(cell.gain.mean, unit)}{NO_BREAK}±{NO_BREAK}{error} over {POLICIES[cell.other].label}"


def sensitivity_caption(results: Results) -> str:
    """What the sensitivity table shows."""
    if results.sensitivity is None:
        return ""
    people, replicates = results.sensitivity.people, results.sensitivity.replicates
    return (
        f"{results.unit.reward.capitalize()} {results.unit.each} gained over the best policy that is not ROGUE, for "
        f"the first {people} people with their half-lives and noise multiplied by a factor, {replicates} replicates; ± "
        "one standard error over people"
    )


def sensitivity_table(results: Results) -> Table:
    """The sensitivity table for a terminal."""
    table = plain_table(caption=sensitivity_caption(results))
    headings, *rows = sensitivity_rows(results)
    for heading in headings:
        table.add_column(heading)
    for row in rows:
        table.add_row(*row)
    return table
