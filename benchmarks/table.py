"""The results as tables: for a terminal, and in Markdown for the README."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import rich.table
from rich.console import Console

from benchmarks.families import EARLY, LATE, POLICY, rows
from benchmarks.measure import Ratio
from benchmarks.results import Requirement, Results, environment

VERDICTS = {True: "ok", False: "NOT OK", None: "–"}


class Table(NamedTuple):
    """A table of text; the first column is words, the others numbers."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def tables(results: Results) -> list[Table]:
    """What is required, what a decision costs, also by family, and how the naive method's cost grows."""
    return [
        requirements_table(results.requirements),
        costs_table(results),
        families_table(results),
        naive_table(results),
    ]


def requirements_table(requirements: Sequence[Requirement]) -> Table:
    """What was measured beside what is required."""
    rows = [(r.name, measured(r), required(r), VERDICTS[r.ok]) for r in requirements]
    return Table("What is required", ("", "measured", "required", ""), rows)


def costs_table(results: Results) -> Table:
    """Microseconds a decision, dearest last."""
    header = ("two logistic arms", "µs a decision, best", "median", *(f"÷ {other}" for other in results.others))
    rows = [
        (name, f"{costs.best * 1e6:.2f}", f"{costs.median * 1e6:.2f}", *map(with_spread, results.ratios(name).values()))
        for name, costs in sorted(results.costs.items(), key=lambda item: item[1].median)
    ]
    return Table("What a decision costs", header, rows)


def families_table(results: Results) -> Table:
    """Microseconds a decision with each reward family, early and late."""
    header = (f"two arms, {POLICY}", f"µs after {EARLY:,} decisions", f"after {LATE:,}")
    return Table("What a decision costs, by reward family", header, rows(results.families))


def naive_table(results: Results) -> Table:
    """The points of the fit, the line through them, and where it leads."""
    naive, line = results.naive, results.naive.growth
    rows = [
        (f"after {t:,} decisions", f"{cost * 1e3:.1f}", f"{line.at(t) * 1e3:.1f}")
        for t, cost in zip(naive.t, naive.cost, strict=True)
    ]
    hours = line.total(naive.decisions) / 3600
    rows.append((f"{naive.decisions:,} decisions in all", "", f"{hours:.1f} hours"))
    formula = f"{line.start * 1e3:.2f} ms + {line.slope * 1e6:.1f} µs × t"
    title = f"The naive method: {formula} for decision t (R² {line.r_squared:.4f})"
    return Table(title, ("", "ms a decision, measured", "by the line"), rows)


def measured(r: Requirement) -> str:
    """The number with its unit, or why there is none."""
    if r.measured is None:
        return r.note
    return amount(r.measured, r.unit) + (f" ({r.note})" if r.note else "")


def required(r: Requirement) -> str:
    """The limit with its unit."""
    return ("at least " if r.at_least else "at most ") + amount(r.limit, r.unit)


def amount(value: float, unit: str) -> str:
    """Three digits are enough."""
    text = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return f"{text} {unit}".rstrip()


def with_spread(ratio: Ratio) -> str:
    """The ratio, and its quartiles over the rounds."""
    return f"{ratio.value:.2f} ({spread(ratio)})"


def spread(ratio: Ratio) -> str:
    """Between which half of the rounds lay."""
    return f"{ratio.low:.2f}–{ratio.high:.2f}"


def caption() -> str:
    """Where the numbers come from."""
    versions = environment()
    cores = versions.pop("cores")
    software = ", ".join(f"{name} {version}" for name, version in versions.items())
    return f"Decisions in processor time, commands by the clock; in brackets the quartiles. {software}; {cores} cores."


def markdown(results: Results) -> str:
    """All tables, ready to paste."""
    return "\n\n".join([*map(table_in_markdown, tables(results)), caption()]) + "\n"


def table_in_markdown(table: Table) -> str:
    """One table."""
    rule = ["---", *["---:"] * (len(table.header) - 1)]
    lines = [f"| {' | '.join(cells)} |" for cells in (table.header, rule, *table.rows)]
    return "\n".join([f"**{table.title}**", "", *lines])


def show(results: Results) -> None:
    """In a terminal, drawn; anywhere else, as Markdown."""
    console = Console()
    if not console.is_terminal:
        print(markdown(results), end="")
        return
    for table in tables(results):
        drawn = rich.table.Table(title=table.title, title_justify="left", title_style="bold")
        for k, name in enumerate(table.header):
            drawn.add_column(name, justify="right" if k else "left", overflow="fold")
        for row in table.rows:
            drawn.add_row(*row, style="red" if VERDICTS[False] in row else None)
        console.print(drawn)
    console.print(caption(), highlight=False)
