"""The result of a check, as plain data and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Finding(NamedTuple):
    """The result of a check: what theory predicts, what was measured, and whether the two agree."""

    title: str
    theory: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    verdict: str
    holds: bool
    figures: Mapping[str, bytes] = {}  # PNG files by name


def markdown(finding: Finding) -> str:
    """Return a finding as a section of the report.

    >>> print(markdown(Finding("Coins", "Half are heads.", ("heads",), [("0.51",)], "Half are.", True)))
    ## Coins
    Half are heads.
    <BLANKLINE>
    | heads |
    |---|
    | 0.51 |
    <BLANKLINE>
    **Holds.** Half are.
    <BLANKLINE>
    """
    table = [finding.columns, ("---",) * len(finding.columns), *finding.rows]
    lines = ["| " + " | ".join(row) + " |" for row in table]
    lines[1] = lines[1].replace(" ", "")
    mark = "Holds." if finding.holds else "Does not hold."
    figures = [f"![{finding.title}]({name})\n" for name in finding.figures]
    text = [f"## {finding.title}", finding.theory, "", *lines, "", f"**{mark}** {finding.verdict}", "", *figures]
    return "\n".join(text)
