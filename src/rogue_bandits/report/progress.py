"""What a waiting person sees: a bar for each policy in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskProgressColumn, TextColumn
from rich.text import Text

from rogue_bandits.experiments.run import News, Stage, Watch

LOADING_SECONDS = 1.5  # kernels that were compiled before are loaded within this time


class Standing(NamedTuple):
    """Where a policy stands: its stage, since when, the decisions made by then, and their rate."""

    stage: Stage | None = None
    since: float = 0.0
    made: int = 0
    rate: float = 0.0


def display(console: Console, rows: tuple[str, ...], decisions: int) -> AbstractContextManager[Watch]:
    """The display that suits the console; `decisions` are to be made for each row. It takes news while it is open."""
    return bars(console, rows, decisions) if console.is_terminal else lines(console, rows)


def next_standing(before: Standing, news: News, now: float) -> Standing:
    """Where a policy stands after the news."""
    if news.stage is not before.stage:
        return Standing(news.stage, now, before.made, before.rate)
    made = before.made + news.decisions
    return before._replace(made=made, rate=made / max(now - before.since, 1e-9))


def in_words(standing: Standing, now: float) -> str:
    """Where a policy stands, for people.

    >>> in_words(Standing(Stage.COMPILING, since=10.0), now=17.0)
    'compiling, the first time only (7 s)'
    """
    waited = now - standing.since
    speed = f"{standing.rate:,.0f} decisions a second" if standing.rate else ""
    return {
        None: "waiting",
        Stage.FOUND: "kept from an earlier run",
        Stage.COMPILING: "getting ready" if waited < LOADING_SECONDS
        else f"compiling, the first time only ({waited:.0f} s)",
        Stage.RUNNING: speed or "running",
        Stage.DONE: f"done, {speed}",
    }[standing.stage]  # fmt: skip


@contextmanager
def lines(console: Console, rows: tuple[str, ...]) -> Iterator[Watch]:
    """For files and pipes: a line at each change."""
    standing = dict.fromkeys(rows, Standing())

    def watch(news: News) -> None:
        now, before = time.monotonic(), standing[news.row]
        standing[news.row] = next_standing(before, news, now)
        words = in_words(standing[news.row], now)
        if news.stage is Stage.RUNNING:
            compiled = now - before.since
            words = f"compiled in {compiled:.0f} s, the first time only" if compiled >= LOADING_SECONDS else ""
        if news.stage is before.stage or not words:
            return
        again = f"computed again, {news.why}: " if news.why else ""
        console.print(f"{news.row}: {again}{words}", highlight=False, soft_wrap=True)

    yield watch


@contextmanager
def bars(console: Console, rows: tuple[str, ...], decisions: int) -> Iterator[Watch]:
    """For terminals: a bar for each policy."""
    standing = dict.fromkeys(rows, Standing())
    columns = TextColumn("{task.description}"), BarColumn(24), TaskProgressColumn(), Words(standing)
    with Progress(*columns, console=console) as progress:
        tasks = {row: progress.add_task(row, total=decisions) for row in rows}

        def watch(news: News) -> None:
            standing[news.row] = next_standing(standing[news.row], news, time.monotonic())
            if news.why:
                progress.console.print(f"{news.row} is computed again: {news.why}", highlight=False)
            if news.stage in (Stage.FOUND, Stage.DONE):
                progress.update(tasks[news.row], completed=decisions)
            else:
                progress.advance(tasks[news.row], news.decisions)

        yield watch


class Words(ProgressColumn):
    """The column that says where each policy stands."""

    def __init__(self, standing: dict[str, Standing]) -> None:
        super().__init__()
        self.standing = standing

    def render(self, task: Task) -> Text:
        """The words for one policy."""
        standing = self.standing[task.description]
        return Text(in_words(standing, time.monotonic()), style="" if standing.stage else "dim")
