"""The myopic plan, against a plain loop that uses no laws."""

from __future__ import annotations

import math

import pytest

from rogue_bandits.experiments.logistic.settings import LogisticSettings, truths
from rogue_bandits.planning import myopic_plan


def test_the_myopic_plan_of_table_1() -> None:
    x, arms, means = [0.1, 0.3], [], []
    table = [(0.5, 0.6, -1.0, 0.5, 0.4, 0.6), (0.7, 0.7, -1.2, 0.5, 0.7, 0.3)]
    for _ in range(500):
        g = [1 / (1 + math.exp(-a * theta - b * x[k])) for k, (theta, _, _, _, a, b) in enumerate(table)]
        best = g.index(max(g))
        arms.append(best)
        means.append(g[best])
        x = [min(1, max(0, A * x[k] + B * (k == best) + K)) for k, (_, A, B, K, _, _) in enumerate(table)]
    plan = myopic_plan(truths(LogisticSettings())[0], horizon=500)
    assert plan.arm.tolist() == arms
    assert plan.mean.tolist() == pytest.approx(means, abs=1e-12)


def test_it_averages_what_the_design_says() -> None:
    plan = myopic_plan(truths(LogisticSettings())[0], horizon=20_000)
    assert plan.average == pytest.approx(0.6386, abs=5e-5)
    assert plan.total == pytest.approx(12_772.1, abs=0.05)
    assert plan.upper == math.inf  # it proves nothing about other plans


def test_a_horizon_below_1_is_refused() -> None:
    with pytest.raises(ValueError, match="myopic plan, horizon 0 must be a whole number, 1 or more"):
        myopic_plan(truths(LogisticSettings())[0], horizon=0)
