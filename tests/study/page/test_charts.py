"""Charts in a real browser."""

from __future__ import annotations

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


def test_lines_break_where_days_are_missing(watched: Watched, shown: Shown) -> None:
    page = watched.visit(shown.place("people/{pid}"))
    missing, weekly = ["01", "02", "03", "07", "08", "20"], ["01", "08", "15", "22"]
    assert page.evaluate(DRAWN, [["01", "02", "03", "04"], False]) == "0"
    assert page.evaluate(DRAWN, [missing, False]) == "2"
    assert page.evaluate(DRAWN, [weekly, False]) == "0"
    assert page.evaluate(DRAWN, [missing, True]) == "0"
