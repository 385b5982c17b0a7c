"""What is written about the theory of an experiment."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from rogue_bandits.experiments.theory import Bounds, Onset, Theory, bounds_at, table_decisions
from rogue_bandits.plotting import image
from rogue_bandits.policies.epsilon_rogue import EpsilonRogue
from rogue_bandits.policies.registry import POLICIES, ROGUE_POLICIES
from rogue_bandits.report.experiment import theory as module
from rogue_bandits.report.experiment.tables import short_number
from rogue_bandits.report.experiment.theory import verdicts
from rogue_bandits.report.experiment.theory_figure import theory_figure
from rogue_bandits.theory import Separation, constants, largest_gap
from tests.report.made_up import made_up


def made_up_theory(delta: float = 1e-3) -> Theory:
    results = made_up(ROGUE_POLICIES)
    truth = results.experiment.truths(results.settings)[0]
    apart = Separation([0.01, 0.01], [delta, delta], [500, 500])
    every = [constants(arm) for arm in truth.arms]
    policy = EpsilonRogue(2.0, delta) if delta else None
    return Theory(results, truth, every, largest_gap(truth.arms), apart, apart, policy, Onset(1e12, None, None))


def texts(theory: Theory) -> str:
    root = ElementTree.fromstring(image(theory_figure(theory), "svg"))
    return "\n".join("".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text"))


def test_the_figure_names_all_that_it_shows() -> None:
    shown = texts(made_up_theory())
    for words in (
        *(POLICIES[row].label for row in ROGUE_POLICIES),
        "Theorem 3, ROGUE-UCB",
        "Corollary 2, ROGUE-UCB",
        "largest possible regret",
        "Grey: above the largest possible regret (vacuous)",
        "Theorem 3 leaves it after 1.0·10¹² decisions",
        "Corollary 2 does not leave it",
    ):
        assert words in shown


def test_a_bound_that_is_infinite_is_not_drawn() -> None:
    shown = texts(made_up_theory(delta=0.0))
    assert "Theorem 3, ROGUE-UCB" not in shown
    assert "Corollary 2, ROGUE-UCB" in shown


def test_a_bound_that_says_something_is_reported_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def small(theory: Theory, decisions: int) -> Bounds:
        return Bounds(decisions, 231.0, 20.0, 40.0, 0.5, 0.01)

    monkeypatch.setattr(module, "bounds_at", small)
    third, second, fourth = verdicts(made_up_theory())
    assert third == "Theorem 3 (regret of ROGUE-UCB, with the δ of this run): at most 20, of 231 possible."
    assert second == "Corollary 2 (the same without δ): at most 40, of 231 possible."
    assert "at most 0.01 after 1,000 decisions." in fourth


def test_bounds_grow_with_the_horizon_and_the_table_ends_there() -> None:
    theory: Any = made_up_theory()
    early, late = bounds_at(theory, 10), bounds_at(theory, 1000)
    assert early.theorem_3 < late.theorem_3
    assert early.corollary_2 < late.corollary_2
    assert late.possible == pytest.approx(100 * early.possible)
    assert (table_decisions(1), table_decisions(10), table_decisions(15)) == ([1], [10], [10, 15])


def test_numbers_are_short() -> None:
    numbers = (0.0, 1.0, 0.01234567, 99.99, 100.4, 999_999.0, 1e6, 1.2e-9)
    assert [short_number(n) for n in numbers] == ["0", "1", "0.01235", "99.99", "100", "999,999", "1.0·10⁶", "1.2·10⁻⁹"]
