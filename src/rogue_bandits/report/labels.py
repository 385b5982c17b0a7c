"""Names at the ends of curves, spread so that none covers another."""

from __future__ import annotations

from typing import Any, NamedTuple

from rogue_bandits.report.styles import Style

LABEL_POINTS = 8.3  # the size of the letters
GAP_POINTS = 12.0  # from one label to the next


class Label(NamedTuple):
    """What is written at the end of a curve, and the height at which it ends."""

    text: str
    y: float
    style: Style


def spread(wanted: list[float], gap: float, hi: float) -> list[float]:
    """The heights in [0, hi] that are nearest to those wanted (in rising order) and at least `gap` apart.

    >>> spread([0.0, 5.0, 5.0, 9.0], gap=1.0, hi=10.0)
    [0.0, 4.5, 5.5, 9.0]
    """
    # With i·gap taken off, "at least gap apart" means "not falling": pool those that fall, and take their average.
    pools: list[list[float]] = []
    for i, y in enumerate(wanted):
        pools.append([y - i * gap])
        while len(pools) > 1 and average(pools[-2]) > average(pools[-1]):
            pools[-2:] = [pools[-2] + pools[-1]]
    level = [average(pool) for pool in pools for _ in pool]
    room = max(0.0, hi - (len(wanted) - 1) * gap)
    return [min(max(y, 0.0), room) + i * gap for i, y in enumerate(level)]


def average(values: list[float]) -> float:
    """The mean."""
    return sum(values) / len(values)


def share(axes: Any, y: float) -> float:
    """How far up the axes a value is, 0 at the bottom and 1 at the top, whatever their scale."""
    return float((axes.transScale + axes.transLimits).transform((axes.get_xlim()[1], y))[1])


def label_ends(axes: Any, labels: list[Label]) -> None:
    """Write each label right of the axes, tied to the end of its curve by a line that looks like it."""
    height = axes.get_position().height * axes.figure.get_figheight() * 72.0  # in points
    ends = sorted((min(max(share(axes, label.y), 0.0), 1.0), label) for label in labels)
    places = spread([end for end, _ in ends], GAP_POINTS / height, 1.0)
    outside: dict[str, Any] = {"transform": axes.transAxes, "clip_on": False}
    for (end, label), place in zip(ends, places, strict=True):
        style = label.style
        axes.plot([1.006, 1.03], [end, place], color=style.colour, lw=0.7, **outside)
        axes.plot([1.03, 1.085], [place, place], color=style.colour, ls=style.dash, lw=style.width, **outside)
        axes.plot([1.0575], [place], color=style.colour, marker=style.marker, ms=4.5, **outside)
        # Letters in a pale colour are hard to read: the line carries the colour.
        axes.text(1.1, place, label.text, color="#222222", size=LABEL_POINTS, va="center_baseline", **outside)
