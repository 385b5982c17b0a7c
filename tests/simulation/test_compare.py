"""Comparisons of policies, against simulations one by one and statistics by hand."""

from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.simulation.compare import name_of, share_of
from rogue_bandits.simulation.measured import Measured
from tests.interpreted import interpreted as interpreted
from tests.policies.histories import TWO_ARMS

pytestmark = pytest.mark.usefixtures("interpreted")
TRUTH = rb.Truth(TWO_ARMS, [0.5, 0.7], [0.1, 0.3])
HORIZON, PEOPLE = 40, 5


def by_hand(values: list[float]) -> tuple[float, float]:
    return statistics.mean(values), statistics.stdev(values) / math.sqrt(len(values))


def test_rows_are_those_of_simulations_one_by_one() -> None:
    found = rb.compare(
        ["random", rb.RoundRobin(), "ucb1-tuned"], TRUTH, HORIZON, PEOPLE, seed=3, reference="round-robin"
    )
    assert [row.policy for row in found.rows] == ["random", "round-robin", "ucb1-tuned"]
    plan = rb.optimal_plan(TRUTH, HORIZON)
    traces = {row.policy: rb.simulate(TRUTH, rb.POLICIES[row.policy](), HORIZON, PEOPLE, 3) for row in found.rows}
    best, base = plan.total / HORIZON, [row.mean() for row in traces["round-robin"].mean]
    random = [row.mean() for row in traces["random"].mean]
    for row in found.rows:
        trace = traces[row.policy]
        mine = [float(each.mean()) for each in trace.mean]
        assert row.reward == pytest.approx(by_hand([float(each.mean()) for each in trace.reward]))
        assert row.expected == pytest.approx(by_hand(mine))
        assert row.tracking_regret == pytest.approx(by_hand((trace.myopic - trace.mean).sum(axis=1).tolist()))
        assert row.optimal_gap == pytest.approx(by_hand([plan.total - HORIZON * m for m in mine]))
        assert row.difference == pytest.approx(by_hand([m - b for m, b in zip(mine, base, strict=True)]))
        assert row.share.mean == pytest.approx((np.mean(mine) - np.mean(random)) / (best - np.mean(random)))
    assert found.rows[1].difference == (0.0, 0.0)
    assert found.rows[0].share == (0.0, 0.0)


def test_random_choices_are_simulated_for_the_share_where_they_are_not_compared() -> None:
    with_random = rb.compare(["round-robin", "random"], TRUTH, HORIZON, PEOPLE, seed=3)
    without = rb.compare(["round-robin"], TRUTH, HORIZON, PEOPLE, seed=3)
    assert without.rows == with_random.rows[:1]


def test_the_error_of_a_share_is_that_of_the_jackknife() -> None:
    rng = np.random.default_rng(1)
    random = rng.normal(0.6, 0.02, 200)
    policy = 0.3 * random + rng.normal(0.45, 0.01, 200)
    left_out = [share_of(np.delete(policy, i), np.delete(random, i), 0.66).mean for i in range(200)]
    jackknife = math.sqrt(199 / 200 * sum((s - statistics.mean(left_out)) ** 2 for s in left_out))
    assert share_of(policy, random, 0.66).stderr == pytest.approx(jackknife, rel=0.02)


def test_a_frame_has_a_column_for_each_measure_and_its_error() -> None:
    found = rb.compare({"a": rb.Random(), "b": rb.RoundRobin()}, TRUTH, HORIZON, PEOPLE)
    frame = found.to_frame()
    assert frame["policy"].tolist() == ["a", "b"]
    for row, record in zip(found.rows, frame.to_dict("records"), strict=True):
        for field in row._fields[1:]:
            assert (record[field], record[f"{field}_stderr"]) == getattr(row, field)


def test_conditions_are_passed_on_and_availability_has_no_best_plan() -> None:
    slow = [arm._replace(dynamics=arm.dynamics._replace(decay=0.95)) for arm in TWO_ARMS]
    conditions: dict[str, Any] = {"available": [0.5, 0.4], "delay": 2, "missing": 0.3, "learner_arms": slow}
    found = rb.compare(["random", "epsilon-rogue"], TRUTH, HORIZON, PEOPLE, seed=3, **conditions)
    assert found.plan is None
    trace = rb.simulate(TRUTH, rb.EpsilonRogue(), HORIZON, PEOPLE, 3, **conditions)
    each = [float(np.mean(r[a >= 0])) for r, a in zip(trace.reward, trace.arm, strict=True)]
    assert found.rows[1].reward == pytest.approx(by_hand(each))
    assert np.isnan([found.rows[1].optimal_gap, found.rows[1].share]).all()
    assert "–" in str(found)
    late = rb.compare(["random", "round-robin"], TRUTH, HORIZON, PEOPLE, seed=3, delay=2, missing=0.5)
    assert late.rows == rb.compare(["random", "round-robin"], TRUTH, HORIZON, PEOPLE, seed=3).rows


def test_printed_numbers_have_the_digits_that_their_errors_allow() -> None:
    assert str(Measured(0.64287, 0.0065)) == "0.6429 ± 0.0065"
    assert str(Measured(1234.5, 21.0)) == "1,234 ± 21"
    assert str(Measured(0.63839, 1e-17)) == "0.63839"
    assert str(Measured(math.nan, math.nan)) == "–"
    one = rb.compare(["random"], TRUTH, 5, people=1)
    assert math.isnan(one.rows[0].reward.stderr)
    assert "±" not in str(one).splitlines()[1]


def test_policies_are_named_by_their_ids_or_as_they_are_written() -> None:
    assert name_of(rb.TunedRogueUCB(variant="corrected")) == "tuned-rogue-ucb-corrected"
    assert name_of(rb.PlanTS(depth=2)) == "PlanTS(depth=2)"


@pytest.mark.parametrize(("policies", "message"), [
    (["randon"], "policy 'randon' is unknown, did you mean 'random'"),
    ([], "compare, policies is empty"),
    (rb.Random(), r"compare, policies Random\(\) must be a list of policies or of ids"),
    ("random", "compare, policies 'random' must be a list"),
    ([rb.Random(), "random"], r"compare, policies \['random', 'random'\] must differ"),
])  # fmt: skip
def test_what_cannot_be_compared_is_refused(policies: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        rb.compare(policies, TRUTH, 5)


def test_an_unknown_reference_is_refused() -> None:
    with pytest.raises(ValueError, match="reference 'exp3s' is unknown"):
        rb.compare(["random"], TRUTH, 5, reference="exp3s")
