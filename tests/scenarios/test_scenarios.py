"""The benchmark problems: their definitions, written out again, and what is known of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.model.validation import checked_truth
from rogue_bandits.planning.plan import myopic_plan
from rogue_bandits.policies import NEIGHBOURS
from rogue_bandits.scenarios.recovering import gamma_curves, logistic_curves
from tests.interpreted import interpreted as interpreted


@pytest.mark.parametrize("name", rb.scenarios.SCENARIOS)
def test_truths_are_sound_and_cited(name: str) -> None:
    scenario = rb.scenarios.SCENARIOS[name]
    truth = checked_truth(scenario.truth)
    assert "arXiv:" in scenario.cites
    assert all(type(policy) in [spec.policy_class for spec in NEIGHBOURS.values()] for policy in scenario.baselines)
    assert len(truth.theta[0]) == len(truth.theta[-1])


def test_logistic_curves_are_those_of_the_paper() -> None:
    np.random.seed(2374)  # noqa: NPY002  # the generator of the authors' code
    theta = [np.random.uniform(0.1, 1.0, 10), np.random.uniform(0.1, 1.0, 10), np.random.uniform(0.1, 30.0, 10)]  # noqa: NPY002
    for k in range(10):
        for z in range(31):
            expected = theta[0][k] / (1.0 + math.exp(-theta[1][k] * (z - theta[2][k])))
            assert logistic_curves()[k, z] == pytest.approx(expected, rel=1e-12)


def test_gamma_curves_are_those_of_the_paper() -> None:
    np.random.seed(6592)  # noqa: NPY002  # the generator of the authors' code
    rate = np.random.uniform(0.1, 0.8, 10)  # noqa: NPY002
    shape, top = np.random.uniform(2 * rate, 20.0 * rate, 10), np.random.uniform(0.1, 1, 10)  # noqa: NPY002
    for k in range(10):
        largest = (shape[k] / rate[k]) ** shape[k] * math.exp(-shape[k])
        for z in range(31):
            expected = top[k] * (31.0 - z) ** shape[k] * math.exp(-rate[k] * (31.0 - z)) / largest
            assert gamma_curves()[k, z] == pytest.approx(expected, rel=1e-9)


def test_steps_fall_where_they_should() -> None:
    truth = rb.scenarios.SCENARIOS["rotting-step-0.25"].truth
    width = truth.arms[0].dynamics.width
    for plays in (0, 2_499, 2_500, 9_999):
        assert truth.theta[0][int(plays // width)] == (0.25 if plays < 2_500 else -0.25)
    ten = rb.scenarios.SCENARIOS["rotting-ten"].truth
    assert [ten.theta[k][0] for k in range(10)] == pytest.approx(
        [0.0, *(0.001 * math.sqrt(10.0) ** i for i in range(9))]
    )


def test_the_best_plan_of_levine_leaves_the_arm_that_falls(interpreted: None) -> None:
    """7,500 plays with mean 1, then the arm with mean 0.5 where the other has 0.4."""
    scenario = rb.scenarios.SCENARIOS["rotting-levine"]
    assert myopic_plan(scenario.truth, scenario.horizon).total == pytest.approx(7_500 + 0.5 * 22_500)
    assert scenario.truth.arms[0].rewards.sd ** 2 == pytest.approx(0.2)


def test_the_greedy_oracle_never_rests_the_arm_of_laforgue(interpreted: None) -> None:
    """0.06 at every decision, where alternating has (0.05 + 0.95)/2."""
    truth = rb.scenarios.SCENARIOS["last-switch"].truth
    assert myopic_plan(truth, 20).average == pytest.approx(0.06)
    assert rb.optimal_plan(truth, 20).total == pytest.approx(10.0)
