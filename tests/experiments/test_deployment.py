"""Trial, fit, deploy: who lives in which column, and that true people earn what a replay of their plays says."""

from __future__ import annotations

import importlib
import json
import math
from typing import Any

import numpy as np
import pytest

from rogue_bandits.estimate.fitted import ArmFit
from rogue_bandits.experiments.health import EXPERIMENT
from rogue_bandits.experiments.health.cohort import TRIAL_DAYS, drawn
from rogue_bandits.experiments.health.deployment import COLUMNS, World, averages, deployment, fits, records_of, trial
from rogue_bandits.experiments.health.settings import HealthSettings
from rogue_bandits.experiments.results import Deployed, Results
from rogue_bandits.report.experiment.data import summary_json
from rogue_bandits.report.experiment.deployed import HEADINGS, deployed_table
from rogue_bandits.simulation.simulate import simulate
from rogue_bandits.types import Floats, Truth
from tests.report.made_up import made_up

SETTINGS = HealthSettings(people=3, deployed=2, kinds=2, horizon=30, policies=("epsilon-rogue", "d-ucb", "round-robin"))
TRUTHS = drawn(SETTINGS)
EXPECTED: dict[str, Floats] = {row: np.array([5.0, 6.0, 7.0]) + k for k, row in enumerate(SETTINGS.policies)}


@pytest.fixture(scope="module")
def own() -> list[dict[str, ArmFit]]:
    """Fits of the first two people by themselves."""
    return fits(SETTINGS, TRUTHS[:2], "own", 1)


@pytest.fixture(scope="module")
def lived(own: list[dict[str, ArmFit]]) -> Deployed:
    def fitted(settings: HealthSettings, truths: list[Truth], pool: str | None, workers: int) -> list[Any]:
        """Do not fit the same people again."""
        same = (settings, truths, pool) == (SETTINGS, TRUTHS[:2], "own")
        return own if same else fits(settings, truths, pool, workers)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importlib.import_module(fits.__module__), "fits", fitted)
        found = deployment(SETTINGS, TRUTHS, EXPECTED, 14_000.0, workers=1)
    assert found is not None
    return found


def test_every_column_has_the_policies_that_can_live_there(lived: Deployed) -> None:
    assert tuple(lived.columns) == COLUMNS
    assert set(HEADINGS) == set(COLUMNS)
    assert [set(lived.columns[column]) for column in COLUMNS[:4]] == [set(SETTINGS.policies)] * 4
    assert set(lived.columns["learned"]) == {"d-ucb", "round-robin"}  # ε-ROGUE does not learn dynamics


def test_who_needs_no_dynamics_earns_the_same_on_all_true_people(lived: Deployed) -> None:
    for column in ("true", "fitted-own", "fitted-pooled", "learned"):
        assert lived.columns[column]["d-ucb"].reward.mean == pytest.approx(6.5)  # of the first two people
        assert lived.columns[column]["round-robin"].reward.mean == pytest.approx(7.5)
    assert lived.columns["paper"]["round-robin"].reward.mean != pytest.approx(7.5)
    assert lived.columns["true"]["round-robin"].over_d_ucb is not None
    assert lived.columns["true"]["round-robin"].over_d_ucb.mean == pytest.approx(1.0)


def test_true_people_earn_by_their_true_dynamics_whatever_is_assumed(
    lived: Deployed, own: list[dict[str, ArmFit]]
) -> None:
    """Replay the plays by hand: a Laplace agent in state x has the mean x + ½θ(e^(−x/θ) − e^(−(1−x)/θ))."""
    total = []
    for number, (truth, fit) in enumerate(zip(TRUTHS, own, strict=False)):
        assumed = [one.arm(name)._replace(dynamics=one.dynamics._replace(decay=min(one.dynamics.decay, 0.99)))
                   for name, one in fit.items()]  # fmt: skip
        trace = simulate(truth, SETTINGS.policy("epsilon-rogue"), 30, 1, SETTINGS.seed_of(number), learner_arms=assumed)
        x, means = np.array(truth.x0), []
        for k in trace.arm[0].tolist():
            theta = truth.theta[k]
            means.append(x[k] + 0.5 * theta * (math.exp(-x[k] / theta) - math.exp(-(1 - x[k]) / theta)))
            for j, arm in enumerate(truth.arms):
                d = arm.dynamics
                x[j] = min(max(d.decay * x[j] + d.pull * (j == k) + d.drift, 0.0), 1.0)
        total.append(14_000.0 * np.mean(means))
    assert lived.columns["fitted-own"]["epsilon-rogue"].reward.mean == pytest.approx(np.mean(total))


def test_the_trial_is_random_and_apart_from_the_deployment() -> None:
    records = records_of(trial(SETTINGS, TRUTHS[0], 0))
    played = np.array([record.played for record in records.values()])
    assert played.shape == (SETTINGS.kinds, TRIAL_DAYS)
    assert (played.sum(axis=0) == 1.0).all()
    assert all((np.isfinite(record.rewards) == (record.played == 1.0)).all() for record in records.values())
    same = simulate(TRUTHS[0], SETTINGS.policy("random"), TRIAL_DAYS, seed=SETTINGS.seed_of(0)).arm
    assert (same != trial(SETTINGS, TRUTHS[0], 0).arm).any()


def test_with_the_true_dynamics_assumed_fitted_people_are_the_true_ones() -> None:
    """A fit without error leaves nothing between the columns."""
    worlds = {"paper": [World(truth, truth.arms) for truth in TRUTHS[:2]]}
    (earned,) = averages(SETTINGS, worlds, [("paper", "epsilon-rogue")], workers=1)
    for number, truth in enumerate(TRUTHS[:2]):
        trace = simulate(truth, SETTINGS.policy("epsilon-rogue"), 30, 1, SETTINGS.seed_of(number))
        assert earned[number] == pytest.approx(float(trace.mean.mean()))


def test_the_summary_and_the_page_have_it(lived: Deployed) -> None:
    results: Results = made_up(("epsilon-rogue", "d-ucb", "random"))._replace(deployed=lived)
    plain = json.loads(summary_json(results))
    assert set(plain["deployed"]) == {"true", "fitted-own", "fitted-pooled", "paper", "learned"}
    assert plain["deployed"]["true"]["d-ucb"]["mean"] == pytest.approx(6.5)
    assert plain["deployed"]["true"]["d-ucb"]["stderr"] == pytest.approx(0.5)
    assert plain["deployment"]["people"] == 2
    assert set(plain["deployment"]["myopic_oracle_over"]) == {"d-ucb", "round-robin"}
    assert plain["policies"]["random"]["expected_reward"]["mean"] == pytest.approx(0.61)
    shown = deployed_table(results)
    assert shown is not None
    assert shown.sentence.startswith("What a study may expect")
    assert [row[0] for row in shown.rows] == ["Round robin", "ε-ROGUE"]
    assert shown.rows[1][4] == "–"


def test_there_is_none_without_people_with_fits_or_with_few_rewards_of_a_kind() -> None:
    for changed in ({"deployed": 0}, {"kinds": 16}):
        assert deployment(SETTINGS.model_copy(update=changed), TRUTHS, EXPECTED, 1.0, 1) is None
    assert EXPERIMENT.deployment is deployment
