from __future__ import annotations

import pytest

from benchmarks.measure import Costs, Growth, growth_of, in_rounds, ratio_of


def test_tasks_run_in_turn_and_the_first_round_does_not_count() -> None:
    order: list[str] = []

    def task(name: str) -> float:
        order.append(name)
        return float(len(order))

    costs = in_rounds({"a": lambda: task("a"), "b": lambda: task("b")}, rounds=2)
    assert order == ["a", "b"] * 3
    assert costs == {"a": Costs((3.0, 5.0)), "b": Costs((4.0, 6.0))}


def test_best_and_median() -> None:
    costs = Costs((3.0, 1.0, 10.0))
    assert (costs.best, costs.median) == (1.0, 3.0)


def test_a_machine_that_slows_down_by_rounds_leaves_the_ratio_as_it_is() -> None:
    slowed = [1.0, 3.0, 2.0, 1.5]
    ratio = ratio_of(Costs(tuple(2.0 * s for s in slowed)), Costs(tuple(slowed)))
    assert ratio == pytest.approx((2.0, 2.0, 2.0))


def test_the_spread_is_that_of_the_rounds() -> None:
    ratio = ratio_of(Costs((1.0, 2.0, 3.0, 4.0, 5.0)), Costs((1.0,) * 5))
    assert ratio == pytest.approx((3.0, 2.0, 4.0))


def test_a_straight_line_is_found() -> None:
    assert growth_of([1, 2, 5], [3.0, 5.0, 11.0]) == pytest.approx((1.0, 2.0, 1.0))


def test_noise_lowers_the_share_explained() -> None:
    assert growth_of([1, 2, 3, 4], [1.0, 2.0, 1.0, 2.0]).r_squared == pytest.approx(0.2)


def test_the_total_is_the_sum_over_decisions() -> None:
    growth = Growth(start=0.5, slope=2.0, r_squared=1.0)
    assert growth.total(20) == pytest.approx(sum(growth.at(t) for t in range(1, 21)))
