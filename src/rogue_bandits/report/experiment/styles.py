"""Line styles of the policies, the same in every figure and table, and labels at the ends of curves.

The colours are those of Okabe and Ito, which colour-blind readers can distinguish; dashes and markers serve those who
print in greyscale.
"""

from __future__ import annotations

from statistics import fmean
from typing import Any, NamedTuple

from rogue_bandits.policies.registry import POLICIES


class Style(NamedTuple):
    """The line style of a curve."""

    colour: str
    dash: Any  # as in matplotlib: "-", or (offset, (on, off, …))
    marker: str
    width: float

    @property
    def svg_width(self) -> str:
        """Return the stroke-width of a sample of the line in a page."""
        return f"{1.3 * self.width:g}"

    @property
    def svg_dashes(self) -> str:
        """Return the stroke-dasharray of a sample of the line in a page."""
        return "" if isinstance(self.dash, str) else " ".join(f"{part * self.width:g}" for part in self.dash[1])


SOLID, DOTTED = "-", (0, (1.2, 1.2))
DASHED, LONG, DASH_DOT = (0, (4, 1.6)), (0, (8, 2)), (0, (5, 1.4, 1.2, 1.4))
BOLD, PLAIN = 2.0, 1.4

# Assigned in the order of the registry; the last of each group are for policies to come.
ROGUE_STYLES = (
    Style("#0072B2", SOLID, "o", BOLD),
    Style("#D55E00", LONG, "s", BOLD),
    Style("#009E73", DASH_DOT, "^", BOLD),
    Style("#000000", DASHED, "D", BOLD),
    Style("#CC79A7", DOTTED, "p", BOLD),
    Style("#882255", LONG, "h", BOLD),
    Style("#56B4E9", SOLID, "<", BOLD),
    Style("#8C5A2B", DASH_DOT, "*", BOLD),
    Style("#6E6E6E", DASHED, ">", BOLD),
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

LABEL_POINTS = 8.3  # font size
GAP_POINTS = 12.0  # between the baselines of two labels


def style_of(policy: str) -> Style:
    """Return the style of a policy, by its id.

    >>> style_of("random").marker
    'x'
    """
    is_rogue = POLICIES[policy].is_rogue
    group = [name for name, spec in POLICIES.items() if spec.is_rogue is is_rogue]
    styles = ROGUE_STYLES if is_rogue else OTHER_STYLES
    return styles[group.index(policy) % len(styles)]


class Label(NamedTuple):
    """The label of a curve, and the value at which the curve ends."""

    text: str
    y: float
    style: Style


def label_ends(axes: Any, labels: list[Label]) -> None:
    """Write each label to the right of the axes, connected to the end of its curve by a line in the same style."""
    height = axes.get_position().height * axes.figure.get_figheight() * 72.0  # in points
    to_axes = axes.transScale + axes.transLimits  # from data to 0 (bottom) … 1 (top), on any scale
    right = axes.get_xlim()[1]
    ends = sorted((min(max(float(to_axes.transform((right, label.y))[1]), 0.0), 1.0), label) for label in labels)
    places = spread([end for end, _ in ends], GAP_POINTS / height, 1.0)
    outside: dict[str, Any] = {"transform": axes.transAxes, "clip_on": False}
    for (end, label), place in zip(ends, places, strict=True):
        style = label.style
        axes.plot([1.006, 1.03], [end, place], color=style.colour, lw=0.7, **outside)
        axes.plot([1.03, 1.085], [place, place], color=style.colour, ls=style.dash, lw=style.width, **outside)
        axes.plot([1.0575], [place], color=style.colour, marker=style.marker, ms=4.5, **outside)
        # Text in a pale colour is hard to read: the line carries the colour.
        axes.text(1.1, place, label.text, color="#222222", size=LABEL_POINTS, va="center_baseline", **outside)


def spread(wanted: list[float], gap: float, hi: float) -> list[float]:
    """Return the heights in [0, hi] that are nearest to those wanted (in rising order) and at least `gap` apart.

    >>> spread([0.0, 5.0, 5.0, 9.0], gap=1.0, hi=10.0)
    [0.0, 4.5, 5.5, 9.0]
    """
    # With i·gap subtracted this is isotonic regression: pool adjacent violators.
    pools: list[list[float]] = []
    for i, y in enumerate(wanted):
        pools.append([y - i * gap])
        while len(pools) > 1 and fmean(pools[-2]) > fmean(pools[-1]):
            pools[-2:] = [pools[-2] + pools[-1]]
    level = [fmean(pool) for pool in pools for _ in pool]
    room = max(0.0, hi - (len(wanted) - 1) * gap)
    return [min(max(y, 0.0), room) + i * gap for i, y in enumerate(level)]
