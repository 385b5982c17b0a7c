"""Standard errors that make a difference clear: the report says as many as the comparison asked for."""

from __future__ import annotations

import numpy as np
import pytest
from rich.console import Console

from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.ladder.compare import Difference, difference
from rogue_bandits.estimate.ladder.panel import panel_of
from rogue_bandits.report.cohort.arm_table import arm_table
from rogue_bandits.report.cohort.figures import arm_figure
from rogue_bandits.report.cohort.margins import margins_explained, needed
from tests.estimate.made_up import arm_ladder, cohort_of_chance, people_of


@pytest.mark.parametrize(("people", "rewards"), [(1, 35), (1, 3), (3, 4), (9, 20), (10, 20), (40, 5)])
def test_the_report_has_the_number_of_the_comparison(people: int, rewards: int) -> None:
    rng = np.random.default_rng(1)
    names = [f"p{i}" for i in range(people)]
    panel = panel_of({name: Record(np.ones(rewards), rng.standard_normal(rewards)) for name in names}, None)
    found = difference(rng.standard_normal(panel.person.size), np.zeros(panel.person.size), panel)
    ladder = arm_ladder(names)._replace(people=people)
    each = {name: one._replace(rewards=rewards) for name, one in ladder.persons.items()}
    assert needed(ladder._replace(persons=each)) == pytest.approx(found.needed)


def test_few_people_need_more_standard_errors_and_the_page_says_so() -> None:
    one = arm_ladder(["p0"])._replace(people=1)
    many = arm_ladder([f"p{i}" for i in range(400)])._replace(people=400)
    assert "beyond 2.0 to 2.9 standard errors it is clear" in margins_explained([one, many])
    assert arm_figure(one, "#0072B2", 1.0, "y").axes[0].get_xlabel().endswith("± 2.9 standard errors")


def test_a_long_name_of_an_arm_leaves_room_for_the_other_columns() -> None:
    cohort = cohort_of_chance(12)._replace(arms=["Reminder to drink a glass of water", "walk_for_ten_minutes_outside"])
    console = Console(width=80)
    with console.capture() as capture:
        console.print(arm_table(people_of(cohort)))
    text = capture.get()
    assert "Reminder to drink" in text
    for whole in ("people", "rewards", "support", "recovers", "wear-out", "recovery"):
        assert whole in text, text


def test_rounding_errors_are_no_difference_between_models() -> None:
    """Of an arm that was sent at every decision a fade and wear-out are the same model."""
    assert not Difference(7e-17, 1e-17).clear
    assert Difference(7e-6, 1e-6).clear
