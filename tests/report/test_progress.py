"""What a waiting person sees."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from rogue_bandits.experiments.run import Event, Stage
from rogue_bandits.report.experiment.progress import PolicyProgress, display, next_status, status_text

STORY = [
    Event("random", Stage.FOUND),
    Event("d-ucb", Stage.COMPILING, why="the file of an earlier run is damaged"),
    Event("d-ucb", Stage.RUNNING),
    Event("d-ucb", Stage.RUNNING, 40),
    Event("d-ucb", Stage.RUNNING, 60),
    Event("d-ucb", Stage.DONE),
]


def shown(terminal: bool) -> str:
    with io.StringIO() as file:
        console = Console(file=file, force_terminal=terminal, width=110)
        with display(console, ("random", "d-ucb", "exp3s"), decisions=100) as on_event:
            for event in STORY:
                on_event(event)
        return file.getvalue()


def test_without_a_terminal_there_are_plain_lines() -> None:
    text = shown(terminal=False)
    assert "\x1b" not in text
    lines = text.splitlines()
    assert lines[0] == "random: found from an earlier run"
    assert lines[1] == "d-ucb: computed again, the file of an earlier run is damaged: loading"
    assert re.fullmatch(r"d-ucb: done, [\d,]+ decisions per second", lines[2])
    assert len(lines) == 3


def test_who_waited_for_a_compiler_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 7.2, 8.0])
    monkeypatch.setattr("rogue_bandits.report.experiment.progress.time.monotonic", lambda: next(clock))
    with io.StringIO() as file:
        with display(Console(file=file, width=110), ("d-ucb",), decisions=100) as on_event:
            for stage in (Stage.COMPILING, Stage.RUNNING, Stage.RUNNING):
                on_event(Event("d-ucb", stage))
        lines = file.getvalue().splitlines()
    assert lines == ["d-ucb: loading", "d-ucb: compiled in 7 s, only the first time"]


def test_a_log_says_now_and_then_how_far_a_policy_is(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1.0, 11.0, 41.0, 51.0])
    monkeypatch.setattr("rogue_bandits.report.experiment.progress.time.monotonic", lambda: next(clock))
    with io.StringIO() as file:
        with display(Console(file=file, width=110), ("d-ucb",), decisions=1_000) as on_event:
            on_event(Event("d-ucb", Stage.COMPILING))
            for made in (0, 100, 300, 100):
                on_event(Event("d-ucb", Stage.RUNNING, made))
            on_event(Event("", Stage.AFTER, why="the rest"))
        lines = file.getvalue().splitlines()
    assert lines == ["d-ucb: loading", "d-ucb: 40% of the decisions, 10 decisions per second", "then the rest"]


def test_in_a_terminal_there_is_a_bar_for_each_policy() -> None:
    text = shown(terminal=True)
    assert "d-ucb is computed again: the file of an earlier run is damaged" in text
    last = [line for line in text.splitlines() if "%" in line][-3:]
    assert "100%" in last[0]
    assert "found from an earlier run" in last[0]
    assert "100%" in last[1]
    assert "decisions per second" in last[1]
    assert "0%" in last[2]
    assert "waiting" in last[2]


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (PolicyProgress(), "waiting"),
        (PolicyProgress(Stage.COMPILING, since=99.5), "loading"),
        (PolicyProgress(Stage.COMPILING, since=90.0), "compiling, only the first time (10 s)"),
        (PolicyProgress(Stage.RUNNING, since=99.0), "running"),
        (PolicyProgress(Stage.RUNNING, since=90.0, made=20_000, rate=2_000.0), "2,000 decisions per second"),
    ],
)
def test_the_status_of_a_policy_as_text(status: PolicyProgress, text: str) -> None:
    assert status_text(status, now=100.0) == text


def test_the_rate_counts_from_the_first_decision_not_from_compiling() -> None:
    status = PolicyProgress()
    for now, event in ((0.0, Event("r", Stage.COMPILING)), (15.0, Event("r", Stage.RUNNING)),
                      (16.0, Event("r", Stage.RUNNING, 50)), (17.0, Event("r", Stage.RUNNING, 50))):  # fmt: skip
        status = next_status(status, event, now)
    assert status.rate == 50.0
