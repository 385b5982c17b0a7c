"""Tables as CSV and in a terminal, and progress bars."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

QUARTERS = 4
TEXTS = "title", "caption"  # options of a table
WORD = 12  # characters of a word that is not broken
QUIET = 60.0  # seconds without a line after which progress is printed before the next quarter


def plain_table(headings: Iterable[str], rows: Iterable[Iterable[str]], align: str = "lr", **options: Any) -> Table:
    """Return a table with a line below its head.

    `align` has a letter for each column, l or r, the last one for all further columns. The first column is not wrapped
    unless all columns are text, and short words nowhere are. Text is shown as it is: names of users may have brackets,
    as units do.
    """
    cells = [list(row) for row in rows]
    shown: dict[str, Any] = {key: escape(text) if key in TEXTS else text for key, text in options.items()}
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, **shown)
    for k, heading in enumerate(headings):
        justify: Literal["left", "right"] = "left" if align[min(k, len(align) - 1)] == "l" else "right"
        column = (heading, *(row[k] for row in cells if k < len(row)))
        words = [word for text in column for word in text.split() if len(word) <= WORD]
        table.add_column(
            escape(heading), justify=justify, no_wrap=k == 0 and "r" in align, overflow="fold",
            min_width=max(map(len, words), default=None),
        )  # fmt: skip
    for row in cells:
        table.add_row(*map(escape, row))
    return table


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV; None is an empty cell.

    >>> csv_text([["a", "b"], [1, None]]).splitlines()
    ['a,b', '1,']
    """
    with io.StringIO() as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
        return file.getvalue()


class Speed(ProgressColumn):
    """How many of something are done in a second."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Any) -> Text:
        """Return the speed of late, or of all so far."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f} {self._unit}/s" if speed else "")


@contextmanager
def bar(label: str, total: int, unit: str = "") -> Iterator[Callable[[int], None]]:
    """Show a progress bar; call the function it yields with the amount just done. Outside a terminal: some lines.

    With a `unit`, such as people, the bar has their number in a second.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield quarters(console, label, total, unit)
        return
    columns = TextColumn("{task.description}"), BarColumn(32), TaskProgressColumn(), TimeRemainingColumn()
    with Progress(*columns, *([Speed(unit)] if unit else []), console=console) as progress:
        task = progress.add_task(escape(label), total=total)
        yield lambda n: progress.advance(task, n)


def quarters(console: Console, label: str, total: int, unit: str = "") -> Callable[[int], None]:
    """Return a function that prints a line at every quarter, and after a minute without one, for files and pipes."""
    done = printed = 0
    began = printed_at = time.perf_counter()

    def advance(n: int) -> None:
        nonlocal done, printed, printed_at
        done += n
        clock = time.perf_counter()
        now = QUARTERS * done // total if total else QUARTERS
        if now > printed or clock - printed_at > QUIET:
            printed, printed_at = now, clock
            speed = f", {done / max(clock - began, 1e-9):,.0f} {unit}/s" if unit else ""
            share = min(done / total, 1.0) if total else 1.0
            console.print(f"{label}: {share:.0%}{speed}", highlight=False, markup=False, soft_wrap=True)

    return advance
