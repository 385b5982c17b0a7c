"""Progress where there is no terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from rogue_bandits.report.terminal import plain_table, quarters


def lines(monkeypatch: pytest.MonkeyPatch, seconds: float) -> list[str]:
    """What is written of ten parts, each of which takes so long."""
    clock = iter(k * seconds for k in range(11))
    monkeypatch.setattr("rogue_bandits.report.terminal.time.perf_counter", lambda: next(clock))
    with io.StringIO() as file:
        advance = quarters(Console(file=file, width=110), "running", 1_000, "people")
        for _ in range(10):
            advance(100)
        return file.getvalue().splitlines()


def test_short_work_is_reported_by_quarters(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines(monkeypatch, 2.0) == [f"running: {share}%, 50 people/s" for share in (30, 50, 80, 100)]


def test_long_work_is_reported_when_a_minute_has_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines(monkeypatch, 100.0) == [f"running: {share}%, 1 people/s" for share in range(10, 101, 10)]


def test_brackets_in_names_and_units_are_shown_as_they_are() -> None:
    """They are no markup: a unit would vanish, and `[/b]` would be an error."""
    with io.StringIO() as file:
        console = Console(file=file, width=110)
        options = {"title": "sleep [h]", "caption": "steps [n]"}
        console.print(plain_table(["arm", "weight [kg]"], [["walk [outdoor]", "[/b]"]], **options))
        quarters(console, "reading data[v2].csv", 1)(1)
        text = file.getvalue()
    for name in ("sleep [h]", "steps [n]", "weight [kg]", "walk [outdoor]", "[/b]", "data[v2].csv"):
        assert name in text


def test_words_of_a_narrow_table_are_not_broken() -> None:
    """Columns of several words give way."""
    head = ["arm", "decisions\nsince it\nwas sent", "rewards", "mean reward after\nit, credible\ninterval",
            "P(best\narm)", "P(sending\nnow beats\nwaiting)", "if sent,\nwith"]  # fmt: skip
    row = ["stretch for a while", "3", "12", "0.741 (0.553 to 0.884)", "0.62", "0.50", "0.62"]
    console = Console(width=72)
    with console.capture() as capture:
        console.print(plain_table(head, [row, row], "lrrlr", padding=(0, 1, 0, 0)))
    for word in ("decisions", "rewards", "credible", "interval", "P(sending", "waiting)", "(0.553", "0.884)"):
        assert word in capture.get(), capture.get()
