"""How each policy looks, in every figure and table: a colour, a dash and a marker of its own.

The colours are those of Okabe and Ito, which colour-blind readers can tell apart; dashes and markers serve those who
print in grey.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Style(NamedTuple):
    """The look of a curve."""

    colour: str
    dash: Any  # as matplotlib has it: "-", or (offset, (on, off, …))
    marker: str
    width: float


SOLID, DOTTED = "-", (0, (1.2, 1.2))
DASHED, LONG, DASH_DOT = (0, (4, 1.6)), (0, (8, 2)), (0, (5, 1.4, 1.2, 1.4))
BOLD, PLAIN = 2.0, 1.4

STYLES = {
    "tuned-rogue-ucb": Style("#0072B2", SOLID, "o", BOLD),
    "tuned-rogue-ucb-corrected": Style("#D55E00", LONG, "s", BOLD),
    "epsilon-rogue": Style("#009E73", DASH_DOT, "^", BOLD),
    "rogue-ucb": Style("#000000", DASHED, "D", BOLD),
    "random": Style("#000000", DOTTED, "x", PLAIN),
    "ucb1-tuned": Style("#E69F00", SOLID, "v", PLAIN),
    "d-ucb": Style("#56B4E9", DASHED, "D", PLAIN),
    "sw-ucb": Style("#CC79A7", SOLID, "P", PLAIN),
    "exp3s": Style("#6E6E6E", DASH_DOT, "<", PLAIN),
    "rexp3": Style("#8C5A2B", LONG, ">", PLAIN),
}
ORACLE = Style("#444444", SOLID, "", 0.8)
