"""The best plan lies between the total of the plan found and the upper bound, and these are close."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rogue_bandits as rb
from benchmarks.plans import five_arms
from rogue_bandits.planning import myopic_plan, optimal
from rogue_bandits.planning.exact import exact_plan
from rogue_bandits.planning.optimal import MOST_PLAYS, MOST_REFINED, best_found
from rogue_bandits.planning.plan import Plan, arrays_of
from tests.matrix import pairs_of
from tests.planning.truths import TABLE_1, brute, odd_seeds, odd_truth

REST = rb.ClippedAffine(decay=0.5, pull=0.0, drift=0.2)
SLOW = rb.Truth(
    [
        rb.Arm(rb.ClippedAffine(decay=0.9, pull=-0.1 - 0.03 * k, drift=0.09), rb.BernoulliLogit(1.0, 2.0))
        for k in range(3)
    ],
    [0.1, 0.5, 0.3],
    [0.4, 0.6, 0.5],
)


def bracketed_plan(truth: rb.Truth, horizon: int, enough: float) -> Plan:
    return optimal.bracketed_plan(*arrays_of(truth), horizon, enough)


@pytest.mark.parametrize(("arms", "horizon"), [(2, 1), (2, 10), (3, 7)])
@pytest.mark.parametrize("seed", odd_seeds(9))
def test_the_best_of_all_plans_is_between_the_bounds(seed: int, arms: int, horizon: int) -> None:
    truth = odd_truth(seed, arms)
    best, plan = brute(truth, horizon), bracketed_plan(truth, horizon, enough=0.0)
    assert plan.lower <= best + 1e-12 * abs(best)
    assert plan.upper >= best


@pytest.mark.parametrize("horizon", [30, 200])
def test_the_exact_plan_is_between_the_bounds_and_they_are_close(horizon: int) -> None:
    exact, plan = exact_plan(*arrays_of(TABLE_1), horizon), bracketed_plan(TABLE_1, horizon, enough=0.0)
    assert exact is not None
    assert plan.lower <= exact.total * (1.0 + 1e-14)
    assert exact.total <= plan.upper
    assert plan.gap < 0.002
    assert exact.total - plan.total < 0.002 * exact.total


@pytest.mark.parametrize(("family", "seed"), pairs_of(["BernoulliLogit", "LaplaceAgent"], range(2), 1))
def test_five_arms_over_a_hundred_decisions(family: str, seed: int) -> None:
    plan = rb.optimal_plan(five_arms(family, seed), horizon=100)
    assert plan.gap < 0.02
    assert plan.total >= myopic_plan(five_arms(family, seed), horizon=100).total


def test_a_lookahead_starts_the_search_where_the_beam_is_worse() -> None:
    """Within 0.1 % of the bound before anything else is tried; the beam alone was 0.03 % behind."""
    truth = five_arms("BernoulliLogit", 2)
    plan = best_found(truth, 100, enough=0.02)
    assert plan.total == pytest.approx(69.6571, abs=2e-4)
    assert plan.gap < 0.02


def test_horizons_beyond_backward_induction_have_a_plan_and_a_bound() -> None:
    horizon = MOST_REFINED // 3 + 1
    plan = rb.optimal_plan(SLOW, horizon)
    assert plan.mean.size == horizon
    assert plan.gap < 0.01
    assert plan.average > myopic_plan(SLOW, 1_000).average


def test_one_arm_leaves_no_choice() -> None:
    plan = rb.optimal_plan(rb.Truth(SLOW.arms[:1], SLOW.theta[:1], SLOW.x0[:1]), horizon=500)
    assert plan.gap == 0.0
    assert not plan.arm.any()


def test_one_decision_takes_the_best_arm_now() -> None:
    assert rb.optimal_plan(SLOW, 1).arm.tolist() == myopic_plan(SLOW, 1).arm.tolist()


def test_equal_arms_take_turns() -> None:
    """An arm that is worn to 0 by a play and back at 1 after a rest."""
    arm = rb.Arm(rb.ClippedAffine(decay=0.0, pull=-1.0, drift=1.0), rb.Gaussian(0.0, 1.0, 1.0))
    plan = rb.optimal_plan(rb.Truth([arm, arm], [0.5, 0.5], [1.0, 1.0]), horizon=100)
    assert plan.total == plan.upper == 100.0
    assert (plan.arm[1:] != plan.arm[:-1]).all()


@pytest.mark.parametrize("search", [rb.optimal_plan, lambda truth, horizon: bracketed_plan(truth, horizon, 0.0)])
def test_arms_that_do_not_wear_are_played_by_their_means(search: object) -> None:
    arms = [rb.Arm(REST, rb.BernoulliLogit(1.0, 1.0)), rb.Arm(REST._replace(drift=0.4), rb.BernoulliLogit(1.0, 2.0))]
    truth = rb.Truth(arms, [0.9, 0.0], [1.0, 0.0])
    plan = search(truth, 60)  # type: ignore[operator]  # either of the two
    # x = 0.4 + 0.6·0.5^t and 0.8·(1 − 0.5^t), whatever is played: the best plan takes the larger mean each time.
    eta = np.array([[0.9 + 0.4 + 0.6 * 0.5**t, 1.6 * (1 - 0.5**t)] for t in range(60)])
    assert plan.total == pytest.approx((1.0 / (1.0 + np.exp(-eta))).max(axis=1).sum(), rel=1e-12)
    assert plan.gap < 2e-4


def test_the_rest_of_the_best_plan_is_the_best_plan_from_the_states_it_has_led_to() -> None:
    """Bellman's principle; the states are stepped by hand."""
    plan, x = rb.optimal_plan(TABLE_1, 40), list(TABLE_1.x0)
    for t, played in enumerate(plan.arm[:10].tolist()):
        rest = rb.optimal_plan(TABLE_1, 40 - t, x=x)
        assert rest.total == pytest.approx(plan.mean[t:].sum(), rel=1e-14)
        assert rest.truth == TABLE_1._replace(x0=x)
        moves = [arm.dynamics for arm in TABLE_1.arms]
        x = [min(1.0, max(0.0, d.decay * x[k] + d.pull * (k == played) + d.drift)) for k, d in enumerate(moves)]


def test_bounds_from_any_states_hold_for_every_plan_from_there() -> None:
    x = [0.9, 0.05, 0.3]
    best, plan = brute(SLOW._replace(x0=x), 6), rb.optimal_plan(SLOW, 6, x=np.array(x))
    assert plan.lower <= best * (1.0 + 1e-14)
    assert best <= plan.upper
    inside = bracketed_plan(SLOW._replace(x0=x), 6, 0.0)
    assert inside.lower <= best * (1.0 + 1e-14)
    assert best <= inside.upper


def test_the_same_plan_every_time() -> None:
    one, other = (bracketed_plan(SLOW, 40, 0.0) for _ in range(2))
    assert one.arm.tolist() == other.arm.tolist()
    assert one.upper == other.upper


def test_accuracy_that_can_be_had_is_given() -> None:
    plan = rb.optimal_plan(SLOW, 60, accuracy=0.02)
    assert plan.gap <= 0.02
    assert rb.optimal_plan(TABLE_1, 60, accuracy=0.0).gap == 0.0


def test_accuracy_that_cannot_be_had_is_refused_with_what_can() -> None:
    message = r"optimal plan, accuracy 1e-09 cannot be proven: the state space is too large; 0\.\d+ can"
    with pytest.raises(ValueError, match=message):
        rb.optimal_plan(SLOW, 60, accuracy=1e-9)


def test_a_gap_that_cannot_be_had_is_not_looked_for_without_end_and_a_rough_one_is_enough() -> None:
    rough, tight = best_found(SLOW, 60, enough=0.5), best_found(SLOW, 60, enough=1e-9)
    assert 1e-9 < tight.gap < rough.gap <= 0.5  # the rough one is proven first, and ends the search
    assert rough.lower <= tight.upper
    assert tight.lower <= rough.upper


@pytest.mark.parametrize(
    ("truth", "horizon", "accuracy", "message"),
    [
        (SLOW._replace(theta=[0.1, 1.5, 0.3]), 10, None, "truth of arm 1, theta 1.5 must be from 0.0 to 1.0"),
        (SLOW._replace(x0=[0.1, 0.5, -0.3]), 10, None, "truth of arm 2, x0 -0.3 must be from 0.0 to 1.0"),
        (SLOW, 0, None, "optimal plan, horizon 0 must be a whole number, 1 or more"),
        (SLOW, 2.5, None, "optimal plan, horizon 2.5 must be a whole number, 1 or more"),
        (SLOW, 10, -0.1, "optimal plan, accuracy -0.1 must be 0 or more"),
        (SLOW, 10, math.nan, "optimal plan, accuracy nan must be finite"),
        (SLOW, MOST_PLAYS, None, f"optimal plan, horizon {MOST_PLAYS} must be {MOST_PLAYS // 3} or less"),
    ],
)
def test_bad_input_is_refused(truth: rb.Truth, horizon: int, accuracy: float | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rb.optimal_plan(truth, horizon, accuracy)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([0.1, 0.2], r"optimal plan, x \[0\.1, 0\.2\] must be a list with a state for each of the 3 arms"),
        (0.5, "optimal plan, x 0.5 must be a list with a state for each of the 3 arms"),
        ([0.1, 0.2, 1.5], "optimal plan of arm 2, x 1.5 must be from 0.0 to 1.0"),
        ([0.1, math.nan, 0.5], "optimal plan of arm 1, x nan must be finite"),
    ],
)
def test_states_that_cannot_be_are_refused(x: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rb.optimal_plan(SLOW, 10, x=x)
