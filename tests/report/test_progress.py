"""What a waiting person sees."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from rogue_bandits.experiments.run import News, Stage
from rogue_bandits.report.progress import Standing, display, in_words, next_standing

STORY = [
    News("random", Stage.FOUND),
    News("d-ucb", Stage.COMPILING, why="the file of an earlier run is damaged"),
    News("d-ucb", Stage.RUNNING),
    News("d-ucb", Stage.RUNNING, 40),
    News("d-ucb", Stage.RUNNING, 60),
    News("d-ucb", Stage.DONE),
]


def shown(terminal: bool) -> str:
    with io.StringIO() as file:
        console = Console(file=file, force_terminal=terminal, width=110)
        with display(console, ("random", "d-ucb", "exp3s"), decisions=100) as watch:
            for news in STORY:
                watch(news)
        return file.getvalue()


def test_without_a_terminal_there_are_plain_lines() -> None:
    text = shown(terminal=False)
    assert "\x1b" not in text
    lines = text.splitlines()
    assert lines[0] == "random: kept from an earlier run"
    assert lines[1] == "d-ucb: computed again, the file of an earlier run is damaged: getting ready"
    assert re.fullmatch(r"d-ucb: done, [\d,]+ decisions a second", lines[2])
    assert len(lines) == 3


def test_who_waited_for_a_compiler_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 7.2, 8.0])
    monkeypatch.setattr("rogue_bandits.report.progress.time.monotonic", lambda: next(clock))
    with io.StringIO() as file:
        with display(Console(file=file, width=110), ("d-ucb",), decisions=100) as watch:
            for stage in (Stage.COMPILING, Stage.RUNNING, Stage.RUNNING):
                watch(News("d-ucb", stage))
        lines = file.getvalue().splitlines()
    assert lines == ["d-ucb: getting ready", "d-ucb: compiled in 7 s, the first time only"]


def test_in_a_terminal_there_is_a_bar_for_each_policy() -> None:
    text = shown(terminal=True)
    assert "d-ucb is computed again: the file of an earlier run is damaged" in text
    last = [line for line in text.splitlines() if "%" in line][-3:]
    assert "100%" in last[0]
    assert "kept from an earlier run" in last[0]
    assert "100%" in last[1]
    assert "decisions a second" in last[1]
    assert "0%" in last[2]
    assert "waiting" in last[2]


@pytest.mark.parametrize(
    ("standing", "words"),
    [
        (Standing(), "waiting"),
        (Standing(Stage.COMPILING, since=99.5), "getting ready"),
        (Standing(Stage.COMPILING, since=90.0), "compiling, the first time only (10 s)"),
        (Standing(Stage.RUNNING, since=99.0), "running"),
        (Standing(Stage.RUNNING, since=90.0, made=20_000, rate=2_000.0), "2,000 decisions a second"),
    ],
)
def test_where_a_policy_stands_in_words(standing: Standing, words: str) -> None:
    assert in_words(standing, now=100.0) == words


def test_the_rate_counts_from_the_first_decision_not_from_compiling() -> None:
    standing = Standing()
    for now, news in ((0.0, News("r", Stage.COMPILING)), (15.0, News("r", Stage.RUNNING)),
                      (16.0, News("r", Stage.RUNNING, 50)), (17.0, News("r", Stage.RUNNING, 50))):  # fmt: skip
        standing = next_standing(standing, news, now)
    assert standing.rate == 50.0
