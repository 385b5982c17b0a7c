"""The people of the experiment on physical activity: drawn as documented, or fitted."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from rogue_bandits.estimate.files import People, people_json
from rogue_bandits.estimate.fit import Fitted
from rogue_bandits.estimate.ladder.compare import FADE
from rogue_bandits.experiments.checkpoints import best_plans
from rogue_bandits.experiments.experiment import Unit, faults
from rogue_bandits.experiments.health import EXPERIMENT
from rogue_bandits.experiments.health.cohort import INCREASE, increases, person
from rogue_bandits.experiments.health.sensitivity import changed
from rogue_bandits.experiments.health.settings import HealthSettings
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.model.validation import checked_truth
from rogue_bandits.planning import optimal_plan
from rogue_bandits.policies.random import Random
from rogue_bandits.simulation.simulate import simulate
from tests.estimate.made_up import arm_fit, arm_ladder, cohort_of, people_of, table, written
from tests.matrix import FULL


@pytest.mark.parametrize("version", ["0.1.0", "0.2.0"])
def test_messages_at_random_bring_what_the_trial_reports(version: Any) -> None:
    found = increases(HealthSettings(people=2_000 if FULL else 300, people_as_of=version))
    stderr = found.std(ddof=1) / math.sqrt(found.size)
    assert abs(found.mean() - INCREASE) < 4.0 * stderr


@pytest.mark.parametrize("version", ["0.1.0", "0.2.0"])
def test_levels_and_half_lives_are_where_they_should_be(version: Any) -> None:
    settings = HealthSettings(people=200, people_as_of=version)
    for number in range(settings.people):
        worn, truth = person(settings, number)
        checked_truth(truth)
        assert len(truth.arms) == 5
        assert len(set(truth.theta)) == (1 if version == "0.1.0" else 5)
        assert all(0.08 <= theta <= 0.25 for theta in truth.theta)
        for arm, x0 in zip(truth.arms, truth.x0, strict=True):
            d = arm.dynamics
            fresh = d.drift / (1.0 - d.decay)
            assert 1.0 - 1e-9 <= -1.0 / math.log2(d.decay) <= 14.0 + 1e-9
            assert worn <= x0 <= fresh + 1e-9
            assert fresh <= 1.0 + 1e-9
            assert d.pull <= (0.0 if version == "0.1.0" else -d.drift)  # k ≥ 0: steady play wears out altogether


def test_the_same_seed_draws_the_same_people_however_many() -> None:
    few, many = (EXPERIMENT.truths(HealthSettings(people=n)) for n in (3, 10))
    assert few == many[:3]
    assert EXPERIMENT.truths(HealthSettings(people=3, cohort_seed=1)) != few


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ({"half_life": (14.0, 1.0)}, "half_life from 14 to 1 must be from low to high"),
        ({"noise": (0.25, 0.08)}, "noise from 0.25 to 0.08 must be from low to high"),
        ({"half_life": (0.0, 1.0)}, "half_life 0 0.0 must be above 0"),
        ({"noise": (0.001, 2.0)}, "noise 0 0.001 must be 0.01 or more; noise 1 2.0 must be 1 or less"),
    ],
)
def test_ranges_that_nobody_can_be_drawn_from_are_refused(chosen: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError) as caught:
        HealthSettings(**chosen)
    assert faults(caught.value) == says


def test_people_have_random_streams_of_their_own() -> None:
    settings = HealthSettings(people=2, seed=3)
    first, second = (simulate(EXPERIMENT.truths(settings)[0], Random(), 50, 2, settings.seed_of(n)).arm for n in (0, 1))
    assert not any((mine == theirs).all() for mine in first for theirs in second)


def test_rewards_are_between_no_step_and_all() -> None:
    trace = simulate(EXPERIMENT.truths(HealthSettings(people=1))[0], Random(), 300)
    assert ((trace.reward >= 0.0) & (trace.reward <= 1.0)).all()
    assert ((trace.mean >= 0.0) & (trace.mean <= 1.0)).all()


def test_the_people_of_version_0_1_are_still_there() -> None:
    """Their numbers, as version 0.1.0 drew them."""
    (truth,) = EXPERIMENT.truths(HealthSettings(people=1, people_as_of="0.1.0"))
    assert truth.theta == [pytest.approx(0.14578689959603908)] * 5


def test_other_half_lives_leave_the_levels_as_they_are() -> None:
    (truth,) = EXPERIMENT.truths(HealthSettings(people=1))
    (drawn,) = EXPERIMENT.truths(HealthSettings(people=1, half_life=(2.0, 28.0), noise=(0.04, 0.125)))
    other = changed(truth, slower=2.0, noisier=0.5)
    for mine, theirs in zip(other.arms, drawn.arms, strict=True):
        assert np.allclose(mine.dynamics, theirs.dynamics)
    assert np.allclose(other.theta, drawn.theta)


def saved(folder: Path, *poor: str) -> Path:
    cohort = cohort_of(written(folder / "d.csv", table(3)))
    fits = {name: dict.fromkeys(cohort.arms, arm_fit(enough=name not in poor)) for name in cohort.people}
    path = folder / "people.json"
    path.write_bytes(people_json(People(cohort, Fitted(fits, {}, None, cohort.family, {}))))
    return path


def test_fitted_people_are_truths_and_those_with_too_little_data_are_left_out(tmp_path: Path) -> None:
    settings = HealthSettings(cohort=saved(tmp_path, "p1"))
    truths = EXPERIMENT.truths(settings)
    assert len(truths) == 2
    assert [arm.dynamics for arm in truths[0].arms] == [arm_fit().dynamics] * 2
    assert (truths[0].theta, truths[0].x0) == ([0.1, 0.1], [0.8, 0.8])
    assert EXPERIMENT.notes(settings) == ["Left out, fewer than 2 arms with enough data: 1 person (p1)."]
    assert EXPERIMENT.unit(settings) == Unit(1.0, "reward")


def test_rewards_without_bounds_have_those_of_the_data_where_a_policy_needs_them(tmp_path: Path) -> None:
    """So that D-UCB, with which others are compared, is there; bounds of a family stay its own."""
    cohort = cohort_of(written(tmp_path / "d.csv", table(3)))
    fit = arm_fit()._replace(rewards=Gaussian(1.0, 1.0, 0.1), dynamics=ClippedAffine(0.5, -0.1, 0.0, -2.0, 0.0))
    fits = {name: dict.fromkeys(cohort.arms, fit) for name in cohort.people}
    path = tmp_path / "people.json"
    path.write_bytes(people_json(People(cohort, Fitted(fits, {}, None, "gaussian", {}))))
    settings, seen = HealthSettings(cohort=path), cohort.rewards()
    assert "d-ucb" in settings.policies
    assert settings.policy("d-ucb")[-2:] == (seen.min(), seen.max())
    assert (
        f"count from {seen.min():g} to {seen.max():g}, the least and the largest of the data"
        in (EXPERIMENT.notes(settings)[-1])
    )
    bounded = HealthSettings(cohort=saved(tmp_path))
    assert bounded.policy("d-ucb")[-2:] == (None, None)
    assert EXPERIMENT.notes(bounded) == []


def test_the_first_paragraph_says_where_the_simulation_is_not_the_fit(tmp_path: Path) -> None:
    """No arm has zero-inflated rewards, and none fades with time."""
    cohort = cohort_of(written(tmp_path / "d.csv", table(3)))._replace(family="zero-inflated")
    made = people_of(cohort, arm_ladder(cohort.people, FADE), arm_fit())
    path = tmp_path / "people.json"
    path.write_bytes(people_json(made))
    about = EXPERIMENT.description(HealthSettings(cohort=path)).about
    assert "normal rewards with the means of zero-inflated ones, which no arm has" in about
    assert "Where time changes the reward (walk, sleep), it stays as it was at the end." in about


def test_a_cohort_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"nobody has 10 rewards of each of 2 arms"):
        EXPERIMENT.truths(HealthSettings(cohort=saved(tmp_path, "p0", "p1", "p2")))
    with pytest.raises(ValueError, match=r"cohort '.*none\.json' cannot be read: No such file"):
        EXPERIMENT.truths(HealthSettings(cohort=tmp_path / "none.json"))
    (tmp_path / "people.json").write_text("{")
    with pytest.raises(ValueError, match=r"cohort '.*people\.json': .* `rogue fit` writes it anew"):
        EXPERIMENT.truths(HealthSettings(cohort=tmp_path / "people.json"))


def test_best_plans_are_kept_and_good_enough(tmp_path: Path) -> None:
    settings = HealthSettings(people=2, horizon=30)
    truths = EXPERIMENT.truths(settings)
    made = best_plans(EXPERIMENT, settings, truths, tmp_path, workers=1)
    found = best_plans(EXPERIMENT, settings, truths, tmp_path, workers=1)
    for truth, plan, again in zip(truths, made, found, strict=True):
        assert plan.arm.tolist() == again.arm.tolist()
        assert (plan.upper, plan.total) == (again.upper, again.total)
        best = optimal_plan(truth, 30)
        assert plan.upper >= best.lower
        assert best.upper >= plan.lower


def test_fitted_people_are_not_drawn(tmp_path: Path) -> None:
    with pytest.raises(
        ValidationError, match=r"people is a setting of drawn people: it does not apply to cohort '.*people\.json'"
    ):
        HealthSettings(cohort=tmp_path / "people.json", people=3)
