"""Charts are tables: the template shows one, and a script of the page draws it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class Series(NamedTuple):
    """A column of a chart: a line, its band's `low` or `high`, or `points`. `colour` is the number of the arm."""

    name: str
    colour: int = 0
    kind: str = "line"
    dashed: bool = False


class Chart(NamedTuple):
    """A chart and the table it is drawn from: `rows` have x first; `marks` are cells that are drawn with a dot."""

    title: str
    about: str  # one sentence on how to read it
    x: str
    y: str
    series: Sequence[Series]
    rows: Sequence[Sequence[Any]]
    time: bool = False  # x is a time in ISO 8601
    least: float | None = None  # of the y-axis
    most: float | None = None
    ticks: tuple[float, ...] = ()  # of the y-axis, where only a few values are possible
    bridged: bool = False  # whether days without numbers are drawn over, as in a sum
    marks: frozenset[tuple[int, int]] = frozenset()  # (row, column), of columns after x


def filled(xs: Sequence[Any], columns: Sequence[dict[Any, float | None]]) -> list[list[Any]]:
    """Return rows of x and of the columns' values there.

    >>> filled([1, 2], [{1: 0.5}, {1: 0.1, 2: 0.2}])
    [[1, 0.5, 0.1], [2, None, 0.2]]
    """
    return [[x, *(column.get(x) for column in columns)] for x in xs]
