"""Charts in a real browser."""

from __future__ import annotations

import pytest

from tests.study.browser import Watched
from tests.study.page.shown import Shown


def test_the_axis_of_rewards_has_their_values(watched: Watched, shown: Shown) -> None:
    page = watched.visit(shown.place("people/{pid}"))
    plots = page.locator(".plot[data-ticks]")
    assert [plot.get_attribute("data-ticks") for plot in plots.all()] == ["0.0 1.0"]
    assert (plots.first.get_attribute("data-least"), plots.first.get_attribute("data-most")) == ("0.0", "1.0")


DRAWN = """([days, bridged]) => {
  const main = document.createElement("div");
  const rows = days.map((day, k) => `<tr><th data-x="2026-03-${day}">x</th><td data-v="${k}">${k}</td></tr>`).join("");
  main.innerHTML = `<div class="plot" data-table="made-up" data-time="1"${bridged ? " data-bridged" : ""}></div>
    <table id="made-up"><thead><tr><th>Day</th><th data-kind="line" data-colour="0">a</th></tr></thead>
    <tbody>${rows}</tbody></table>`;
  document.getElementById("main").append(main);
  document.dispatchEvent(new CustomEvent("htmx:load", { detail: { elt: main.firstChild } }));
  const gaps = main.firstChild.dataset.gaps;
  main.remove();
  return gaps;
}"""


@pytest.mark.parametrize(
    ("days", "bridged", "gaps"),
    [
        (["01", "02", "03", "04"], False, "0"),
        (["01", "02", "03", "07", "08", "20"], False, "2"),
        (["01", "08", "15", "22"], False, "0"),  # once a week
        (["01", "02", "03", "07", "08", "20"], True, "0"),
    ],
)
def test_lines_break_where_days_are_missing(
    watched: Watched, shown: Shown, days: list[str], bridged: bool, gaps: str
) -> None:
    page = watched.visit(shown.place("people/{pid}"))
    assert page.evaluate(DRAWN, [days, bridged]) == gaps
