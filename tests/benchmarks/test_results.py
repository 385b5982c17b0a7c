from __future__ import annotations

import pytest

from benchmarks.measure import Growth
from benchmarks.results import Naive, Requirement
from benchmarks.table import Table, measured, required, table_in_markdown


@pytest.mark.parametrize(
    ("value", "at_least", "ok"), [(9.0, False, True), (11.0, False, False), (11.0, True, True), (9.0, True, False)]
)
def test_a_requirement_is_met_on_its_side_of_the_limit(value: float, at_least: bool, ok: bool) -> None:
    assert Requirement("x", value, 10.0, "s", at_least).ok is ok


def test_what_was_not_measured_is_neither_met_nor_missed() -> None:
    skipped = Requirement("x", None, 10.0, "s", note="skipped")
    assert skipped.ok is None
    assert measured(skipped) == "skipped"


def test_the_naive_ratio_compares_whole_runs() -> None:
    naive = Naive((1, 2), (2.0, 3.0), Growth(start=1.0, slope=1.0, r_squared=1.0), decisions=3, ours=0.5)
    assert naive.ratio == (2.0 + 3.0 + 4.0) / 1.5


def test_numbers_are_shown_with_their_units() -> None:
    r = Requirement("x", 843_406.2, 1_000, "×", at_least=True)
    assert (measured(r), required(r)) == ("843,406 ×", "at least 1,000 ×")


def test_markdown_has_a_rule_below_its_header() -> None:
    text = table_in_markdown(Table("Costs", ("policy", "µs"), [("random", "0.2")]))
    assert text.splitlines() == ["**Costs**", "", "| policy | µs |", "| --- | ---: |", "| random | 0.2 |"]
