"""The progress of an experiment: a bar for each policy in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskProgressColumn, TextColumn
from rich.text import Text

from rogue_bandits.experiments.run import Event, OnEvent, Stage

SECONDS_BETWEEN_LINES = 30.0  # of a policy that is running, in a log
LOADING_SECONDS = 1.5  # kernels that were compiled before are loaded within this time


class PolicyProgress(NamedTuple):
    """The stage of a policy, since when, the decisions made so far, and their rate."""

    stage: Stage | None = None
    since: float = 0.0
    made: int = 0
    rate: float = 0.0


def display(console: Console, policies: tuple[str, ...], decisions: int) -> AbstractContextManager[OnEvent]:
    """Return the display that suits the console. While it is open, call what it yields with each event."""
    return (bars if console.is_terminal else lines)(console, policies, decisions)


def next_status(before: PolicyProgress, event: Event, now: float) -> PolicyProgress:
    """Return the status after an event."""
    if event.stage is not before.stage:
        return PolicyProgress(event.stage, now, before.made, before.rate)
    made = before.made + event.decisions
    return before._replace(made=made, rate=made / max(now - before.since, 1e-9))


def status_text(status: PolicyProgress, now: float) -> str:
    """Return the status as text.

    >>> status_text(PolicyProgress(Stage.COMPILING, since=10.0), now=17.0)
    'compiling, only the first time (7 s)'
    """
    waited = now - status.since
    speed = f"{status.rate:,.0f} decisions per second" if status.rate else ""
    return {
        None: "waiting",
        Stage.FOUND: "found from an earlier run",
        Stage.COMPILING: "loading" if waited < LOADING_SECONDS
        else f"compiling, only the first time ({waited:.0f} s)",
        Stage.RUNNING: speed or "running",
        Stage.DONE: f"done, {speed}",
        Stage.AFTER: "",
    }[status.stage]  # fmt: skip


@contextmanager
def lines(console: Console, policies: tuple[str, ...], decisions: int) -> Iterator[OnEvent]:
    """Print, for files and pipes, a line at each change of stage, and every half minute how far a policy is."""
    statuses, printed_at = dict.fromkeys(policies, PolicyProgress()), list[float]()

    def report(event: Event) -> None:
        if event.stage is Stage.AFTER:
            console.print(f"then {event.why}", highlight=False, markup=False, soft_wrap=True)
            return
        now, before = time.monotonic(), statuses[event.policy]
        printed_at[:] = printed_at or [now]
        statuses[event.policy] = next_status(before, event, now)
        text = status_text(statuses[event.policy], now)
        if event.stage is Stage.RUNNING:
            compiled = now - before.since
            text = f"compiled in {compiled:.0f} s, only the first time" if compiled >= LOADING_SECONDS else ""
        if event.stage is before.stage:
            if event.stage is not Stage.RUNNING or now - printed_at[0] < SECONDS_BETWEEN_LINES:
                return
            done = statuses[event.policy].made / max(decisions, 1)
            text = f"{done:.0%} of the decisions, {status_text(statuses[event.policy], now)}"
        if not text:
            return
        printed_at[0] = now
        again = f"computed again, {event.why}: " if event.why else ""
        console.print(f"{event.policy}: {again}{text}", highlight=False, markup=False, soft_wrap=True)

    yield report


@contextmanager
def bars(console: Console, policies: tuple[str, ...], decisions: int) -> Iterator[OnEvent]:
    """Show, in a terminal, a bar for each policy."""
    statuses = dict.fromkeys(policies, PolicyProgress())
    columns = TextColumn("{task.description}"), BarColumn(24), TaskProgressColumn(), StatusColumn(statuses)
    with Progress(*columns, console=console) as progress:
        tasks = {name: progress.add_task(name, total=decisions) for name in policies}

        def report(event: Event) -> None:
            if event.stage is Stage.AFTER:
                progress.console.print(f"then {event.why}", highlight=False, markup=False)
                return
            statuses[event.policy] = next_status(statuses[event.policy], event, time.monotonic())
            if event.why:
                progress.console.print(f"{event.policy} is computed again: {event.why}", highlight=False)
            if event.stage in (Stage.FOUND, Stage.DONE):
                progress.update(tasks[event.policy], completed=decisions)
            else:
                progress.advance(tasks[event.policy], event.decisions)

        yield report


class StatusColumn(ProgressColumn):
    """The column with the status of each policy."""

    def __init__(self, statuses: dict[str, PolicyProgress]) -> None:
        super().__init__()
        self.statuses = statuses

    def render(self, task: Task) -> Text:
        """Return the status of one policy."""
        status = self.statuses[task.description]
        return Text(status_text(status, time.monotonic()), style="" if status.stage else "dim")
