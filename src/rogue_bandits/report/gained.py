"""What a ROGUE policy gains over the others, and on what that depends, in words and tables."""

from __future__ import annotations

from html import escape

from rich.box import SIMPLE_HEAD
from rich.table import Table

from rogue_bandits.experiments.experiment import Unit
from rogue_bandits.experiments.results import Cell, Gain, Results
from rogue_bandits.policies.registry import POLICIES

THOUSAND = 1_000.0


def amount(value: float, unit: Unit) -> str:
    """A difference of rewards, signed; thousands are written out.

    >>> amount(0.0123, Unit(14.0, "steps", "thousand")), amount(-0.0123, Unit())
    ('+12', '-0.0123')
    """
    return f"{THOUSAND * value:+,.0f}" if unit.many else f"{value:+.4f}"


def rewards(results: Results) -> str:
    """What is gained, and how often."""
    return f"{results.unit.reward.capitalize()} {results.unit.each}"


def interval(gain: Gain, unit: Unit) -> str:
    """A gain with its interval.

    >>> interval(Gain(0.012, 0.002, 0.008, 0.016), Unit(14.0, "steps", "thousand"))
    '+12 (95 %: +8 to +16)'
    """
    return f"{amount(gain.mean, unit)} (95 %: {amount(gain.lo, unit)} to {amount(gain.hi, unit)})"


def gained_words(results: Results) -> list[str]:
    """The gain over the next best policy in one sentence; nothing where there is none to tell."""
    if results.gained is None:
        return []
    other, gain = next(iter(results.gained.over.items()))
    people = len(results.policies[other].people)
    return [
        f"{rewards(results)} gained by {POLICIES[results.gained.row].label} over the next best, "
        f"{POLICIES[other].label}: {interval(gain, results.unit)}, over {people:,} people."
    ]


def sensitivity_head(results: Results) -> list[str]:
    """The heads of the columns."""
    if results.sensitivity is None:
        return []
    return ["", *(f"noise × {noisier:g}" for noisier in dict.fromkeys(c.noisier for c in results.sensitivity.cells))]


def sensitivity_rows(results: Results) -> list[list[str]]:
    """A row for each policy and factor of the half-lives."""
    if results.sensitivity is None:
        return []
    rows: dict[tuple[str, float], list[str]] = {}
    for cell in sorted(results.sensitivity.cells, key=lambda cell: cell.row, reverse=True):
        head = f"{POLICIES[cell.row].label}, half-lives × {cell.slower:g}"
        rows.setdefault((cell.row, cell.slower), [head]).append(cell_words(cell, results.unit))
    return list(rows.values())


def cell_words(cell: Cell, unit: Unit) -> str:
    """The gain, its standard error, and over whom."""
    error = amount(cell.gain.stderr, unit).lstrip("+")
    space = "\N{NO-BREAK SPACE}"
    return f"{amount(cell.gain.mean, unit)}{space}±{space}{error} over {POLICIES[cell.other].label}"


def sensitivity_words(results: Results) -> str:
    """What the table shows."""
    if results.sensitivity is None:
        return ""
    people, replicates = results.sensitivity.people, results.sensitivity.replicates
    return (
        f"{rewards(results)} gained over the best policy that is not ROGUE, by the first {people} people with other "
        f"half-lives and noise, {replicates} replicates; ± one standard error over people"
    )


def sensitivity_table(results: Results) -> Table:
    """The table for a terminal."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, caption=sensitivity_words(results))
    for heading in sensitivity_head(results):
        table.add_column(heading)
    for row in sensitivity_rows(results):
        table.add_row(*row)
    return table


def gained_html(results: Results) -> str:
    """The gains over each policy that is not ROGUE; nothing where there is none to tell."""
    if results.gained is None:
        return ""
    words = "".join(f"<p>{escape(sentence)}</p>" for sentence in gained_words(results))
    rows = [
        f'<tr><td>{escape(POLICIES[row].label)}</td><td class="n">{escape(interval(gain, results.unit))}</td></tr>'
        for row, gain in results.gained.over.items()
    ]
    best = escape(POLICIES[results.gained.row].label)
    note = (
        "The difference is taken person by person, and the interval is Student’s, over people: others of the same "
        "kind would give other numbers. Which policies are compared was settled after seeing who is best."
    )
    head = (
        f'<tr><th scope="col">{best}, over</th><th class="n" scope="col">gained {escape(results.unit.each)}</th></tr>'
    )
    return (
        f"<h2>What is gained</h2>{words}<table><thead>{head}</thead><tbody>\n"
        + "\n".join(rows)
        + f"\n</tbody></table><p>{note}</p>"
    )


def sensitivity_html(results: Results) -> str:
    """On what the gain depends; nothing where nobody asked."""
    if results.sensitivity is None:
        return ""
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in sensitivity_head(results))
    body = "\n".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in sensitivity_rows(results)
    )
    return (
        f"<h3>On what it depends</h3><p>{escape(sensitivity_words(results))}.</p>"
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'
    )
