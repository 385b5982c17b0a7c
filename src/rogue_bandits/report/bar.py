"""One bar for work whose size is known: in a terminal; elsewhere a line at every quarter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

QUARTERS = 4


@contextmanager
def bar(console: Console, words: str, total: int) -> Iterator[Callable[[int], None]]:
    """The bar while it is open; call what it gives with the amount just done."""
    if not console.is_terminal:
        yield quarters(console, words, total)
        return
    columns = TextColumn("{task.description}"), BarColumn(32), TaskProgressColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(words, total=total)
        yield lambda n: progress.advance(task, n)


def quarters(console: Console, words: str, total: int) -> Callable[[int], None]:
    """For files and pipes: a line at every quarter."""
    done = told = 0

    def advance(n: int) -> None:
        nonlocal done, told
        done += n
        now = QUARTERS * done // total if total else QUARTERS
        if now > told:
            told = now
            console.print(f"{words}: {min(done / total, 1.0) if total else 1.0:.0%}", highlight=False, soft_wrap=True)

    return advance
