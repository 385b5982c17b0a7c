"""Line styles of the policies, the same in every figure and table.

The colours are those of Okabe and Ito, which colour-blind readers can distinguish; dashes and markers serve those who
print in greyscale.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rogue_bandits.policies.registry import POLICIES


class Style(NamedTuple):
    """The line style of a curve."""

    colour: str
    dash: Any  # as matplotlib has it: "-", or (offset, (on, off, …))
    marker: str
    width: float


SOLID, DOTTED = "-", (0, (1.2, 1.2))
DASHED, LONG, DASH_DOT = (0, (4, 1.6)), (0, (8, 2)), (0, (5, 1.4, 1.2, 1.4))
BOLD, PLAIN = 2.0, 1.4

# Assigned in the order of the registry; the last of each group are for policies to come.
ROGUE_STYLES = (
    Style("#0072B2", SOLID, "o", BOLD),
    Style("#D55E00", LONG, "s", BOLD),
    Style("#009E73", DASH_DOT, "^", BOLD),
    Style("#000000", DASHED, "D", BOLD),
    Style("#CC79A7", DOTTED, "P", BOLD),
    Style("#E69F00", LONG, "v", BOLD),
)
OTHER_STYLES = (
    Style("#000000", DOTTED, "x", PLAIN),
    Style("#E69F00", SOLID, "v", PLAIN),
    Style("#56B4E9", DASHED, "D", PLAIN),
    Style("#CC79A7", SOLID, "P", PLAIN),
    Style("#6E6E6E", DASH_DOT, "<", PLAIN),
    Style("#8C5A2B", LONG, ">", PLAIN),
    Style("#009E73", DASHED, "*", PLAIN),
    Style("#0072B2", DOTTED, "+", PLAIN),
)
ORACLE = Style("#444444", SOLID, "", 0.8)


def style_of(policy: str) -> Style:
    """The style of a policy, by its id.

    >>> style_of("random").marker
    'x'
    """
    is_rogue = POLICIES[policy].is_rogue
    group = [name for name, spec in POLICIES.items() if spec.is_rogue is is_rogue]
    styles = ROGUE_STYLES if is_rogue else OTHER_STYLES
    return styles[group.index(policy) % len(styles)]
