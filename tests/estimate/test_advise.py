"""Advice agrees with the library's own fits, bounds and bandits."""

from __future__ import annotations

from pathlib import Path

import pytest

import rogue_bandits as rb
from rogue_bandits.estimate.advise import advise
from rogue_bandits.estimate.families.agent import THETA_HI, THETA_LO
from rogue_bandits.estimate.files import People
from tests.estimate.made_up import arm_fit, cohort_of, people_of, table, written
from tests.interpreted import compiled_in_verify as compiled_in_verify

pytestmark = pytest.mark.usefixtures("compiled_in_verify")

POLICY = ("tuned-rogue-ucb-corrected",)


@pytest.fixture
def people(tmp_path: Path) -> People:
    return people_of(cohort_of(written(tmp_path / "d.csv", table(2))))


def test_the_reasons_are_those_of_the_library(people: People) -> None:
    advice = advise(people, "p1", POLICY)
    assert advice is not None
    arm = rb.Arm(arm_fit().dynamics, rb.LaplaceAgent(), THETA_LO, THETA_HI, "walk")
    record = people.cohort.people["p1"].record(0)
    played, rewards = record.played.tolist(), record.rewards.tolist()
    walk = advice.arms[0]
    assert walk.upper[POLICY[0]] == rb.upper_bound(arm, played, rewards, rb.TunedRadius(variant="corrected"))
    assert walk.mean <= walk.upper[POLICY[0]] + 1e-12
    assert walk.since == 3  # sent at 21 of 0 to 23
    assert advice.decision == 24
    assert advice.choices[0].arm == max(advice.arms, key=lambda arm: arm.upper[POLICY[0]]).arm


def test_rewards_are_on_the_scale_of_the_user(people: People) -> None:
    scaled = people._replace(cohort=people.cohort._replace(scale=1000.0))
    one, other = advise(people, "p0", POLICY), advise(scaled, "p0", POLICY)
    assert one is not None
    assert other is not None
    assert other.arms[0].mean == pytest.approx(1000.0 * one.arms[0].mean)
    assert other.arms[0].state == one.arms[0].state


def test_an_arm_without_a_fit_is_a_rest_for_the_others(people: People) -> None:
    del people.fitted.people["p0"]["sleep"]
    advice = advise(people, "p0", POLICY)
    assert advice is not None
    assert [arm.arm for arm in advice.arms] == ["walk"]


def test_nobody_is_advised_without_a_fit(people: People) -> None:
    del people.fitted.people["p0"]
    assert advise(people, "p0", POLICY) is None
