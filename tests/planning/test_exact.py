"""The exact plan, against all plans, and against what is known of the paper's experiment."""

from __future__ import annotations

import pytest

import rogue_bandits as rb
from rogue_bandits.planning import exact
from rogue_bandits.planning.exact import reachable
from rogue_bandits.planning.plan import Plan, arrays_of, plan_of
from tests.planning.truths import TABLE_1, brute, odd_seeds, odd_truth, scale


def exact_plan(truth: rb.Truth, horizon: int) -> Plan | None:
    return exact.exact_plan(*arrays_of(truth), horizon)


@pytest.mark.parametrize(("arms", "horizon"), [(1, 9), (2, 1), (2, 10), (3, 7)])
@pytest.mark.parametrize("seed", odd_seeds(6))
def test_no_plan_of_all_is_better(seed: int, arms: int, horizon: int) -> None:
    truth = odd_truth(seed, arms)
    plan = exact_plan(truth, horizon)
    assert plan is not None
    assert plan.total == pytest.approx(brute(truth, horizon), abs=1e-14 * scale(truth, horizon))
    assert (plan.gap, plan.lower, plan.upper) == (0.0, plan.total, plan.total)


def test_the_plan_earns_what_it_says() -> None:
    plan = exact_plan(TABLE_1, 300)
    assert plan is not None
    assert plan_of(TABLE_1, plan.arm).mean.tolist() == plan.mean.tolist()


def test_the_paper_s_logistic_experiment() -> None:
    plan = exact_plan(TABLE_1, 20_000)
    assert plan is not None
    assert plan.total == pytest.approx(12_929.1, abs=0.05)
    assert plan.average == pytest.approx(0.64646, abs=5e-6)
    middle = plan.arm[9_000:11_000].tolist()
    # One cycle, over and over: the same after seven decisions.
    assert middle[7:] == middle[:-7]
    cycles = [middle[start : start + 7] for start in range(7)]
    assert [1, 0, 1, 1, 0, 1, 1] in cycles


def test_blocks_do_not_show() -> None:
    """A horizon that its root does not divide: the plan is still the one whose every tail is best."""
    for horizon in (1, 2, 3, 5, 99, 100, 101):
        plan = exact_plan(TABLE_1, horizon)
        shorter = exact_plan(TABLE_1, horizon + 1)
        assert plan is not None
        assert shorter is not None
        assert plan.total <= shorter.total <= plan.total + 1.0


def test_few_states_are_told_from_many() -> None:
    joint = reachable(*arrays_of(TABLE_1), 20_000)
    assert joint is not None
    assert len(joint.mean) == 139
    slow = TABLE_1._replace(arms=[arm._replace(dynamics=arm.dynamics._replace(pull=-0.2)) for arm in TABLE_1.arms])
    assert reachable(*arrays_of(slow), 1000) is None
