"""The statistics of curves."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rogue_bandits.experiments.logistic.settings import LogisticSettings, truths
from rogue_bandits.experiments.results import POINTS_OF_A_CURVE, curve, curve_decisions, measures_of
from rogue_bandits.planning import optimal_plan
from rogue_bandits.policies.random import Random
from rogue_bandits.simulation.simulate import simulate


def test_a_curve_has_the_textbooks_mean_and_standard_error() -> None:
    values = np.random.default_rng(1).normal(size=(7, 3))
    made = curve(values)
    assert made.stderr is not None
    for k in range(3):
        column = values[:, k].tolist()
        assert made.mean[k] == pytest.approx(statistics.mean(column))
        assert made.stderr[k] == pytest.approx(statistics.stdev(column) / math.sqrt(7))


def test_one_replicate_has_no_standard_error() -> None:
    made = curve(np.array([[1.0, 2.0]]))
    assert made.stderr is None
    assert made.last() == (2.0, None)


@given(st.integers(1, 10_000_000))
def test_curves_are_kept_at_few_decisions_from_the_first_to_the_last(horizon: int) -> None:
    decisions = curve_decisions(horizon)
    assert (decisions[0], decisions[-1]) == (0, horizon - 1)
    assert (np.diff(decisions) > 0).all()
    assert decisions.size <= POINTS_OF_A_CURVE
    # Both ends are covered: every early decision, and no gap of a fiftieth of the horizon.
    assert set(range(min(horizon, 9))) <= set(decisions.tolist())
    assert np.diff(decisions, prepend=-1).max() <= max(1, horizon / 50)


def test_the_measures_of_a_few_people_at_a_time_are_those_of_all() -> None:
    (truth,) = truths(LogisticSettings())
    trace = simulate(truth, Random(), horizon=50, people=70, seed=3)
    decisions = np.array([0, 6, 49])
    regret, gap, reward, expected = measures_of(trace, optimal_plan(truth, 50), decisions)
    assert np.array_equal(regret, trace.tracking_regret()[:, [0, 6, 49]])
    assert np.array_equal(gap, trace.optimal_gap()[:, [0, 6, 49]])
    assert np.allclose(reward[:, 1], trace.reward[:, :7].mean(axis=1))
    assert np.allclose(expected[:, 1], trace.mean[:, :7].mean(axis=1))
