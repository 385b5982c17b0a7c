"""People and arms whose rewards are all equal: they say little, and must not decide what is said of the others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rogue_bandits.estimate.fit import Data, FitTask, fit_cohort
from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.ladder.compare import CONSTANT, RECOVERY, RUNGS, WEAR_OUT, Candidate, held_out
from rogue_bandits.estimate.ladder.families import components_of, possible, unit_of
from rogue_bandits.estimate.ladder.laws import QUIETEST, Agent, Gamma, Normal, log_noise, terms
from rogue_bandits.estimate.ladder.logliks import loglik_of
from rogue_bandits.estimate.ladder.panel import panel_of
from rogue_bandits.estimate.ladder.reported import fit_arm
from rogue_bandits.estimate.ladder.result import ArmLadder
from rogue_bandits.estimate.ladder.task import ArmTask
from rogue_bandits.types import Floats
from tests.estimate.made_up import cohort_of, written
from tests.matrix import some_of

QUICK = [Candidate(rung) for rung in RUNGS]
MOST_PROBABILITY = 0.15  # by which one person may move the probability of wear-out
MOST_OF_INTERVAL = 0.6  # by which one may move the ends of an interval, in halves of its length
HEADER = "person,decision,arm,reward"


def trial(drop: float, seed: int, people: int = 37, decisions: int = 42) -> dict[str, Record]:
    """People whose levels and noises differ (0.2; a factor of 1.5), and who share drop and decay 0.8."""
    rng = np.random.default_rng([seed, 5])
    records = {}
    for i in range(people):
        played = (rng.random(decisions) < 1 / 3).astype(np.float64)
        played[:4] = 1.0
        level, noise = 0.6 + 0.2 * rng.standard_normal(), 0.2 * np.exp(0.4 * rng.standard_normal())
        lost, rewards = 0.0, np.full(decisions, np.nan)
        for t in range(decisions):
            if played[t]:
                rewards[t] = level - lost + noise * rng.standard_normal()
            lost = 0.8 * lost + drop * played[t]
        records[f"p{i}"] = Record(played, rewards)
    return records


LAWS: dict[str, Callable[[Floats], Floats]] = {
    "gaussian": lambda r: r,
    "rounded": lambda r: np.round(r, 1),
    "agent": lambda r: np.clip(r, 0.0, 1.0),
    "zero-inflated": lambda r: np.round(100.0 * np.exp(r)),
}


def equal(record: Record, value: float, most: int = 1000) -> Record:
    """The record with so many rewards of one value."""
    seen = np.cumsum(~np.isnan(record.rewards))
    return Record(record.played, np.where(np.isnan(record.rewards) | (seen > most), np.nan, value))


def moved(before: list[float], after: list[float]) -> float:
    """By how much the ends of an interval moved, in halves of its length."""
    half = 0.5 * (before[2] - before[0])
    return 0.0 if half == 0.0 else max(abs(after[k] - before[k]) for k in (0, 2)) / half


def wears_out(ladder: ArmLadder) -> float:
    return ladder.probability[WEAR_OUT] + ladder.probability[RECOVERY]


@pytest.mark.parametrize(
    ("law", "seed", "drop", "rung"),
    some_of(
        ((law, seed, *truth) for law in LAWS for seed in (1, 2, 3) for truth in ((0.0, CONSTANT), (0.15, RECOVERY))),
        1,
        always=[("gaussian", 1, 0.15, RECOVERY)],
    ),
)
def test_one_person_with_equal_rewards_does_not_turn_the_verdict(law: str, seed: int, drop: float, rung: str) -> None:
    """Of 37 people one has only rewards of the median of all, in as many decisions as the others, or in three."""
    family = "gaussian" if law == "rounded" else law
    records = {name: Record(r.played, LAWS[law](r.rewards)) for name, r in trial(drop, seed).items()}
    odd, others = records["p0"], {name: r for name, r in records.items() if name != "p0"}
    value = float(np.median(np.concatenate([r.seen() for r in others.values()])))
    without = fit_arm(ArmTask(others, family, candidates=QUICK))
    assert without.rung == rung
    for most in (1000, 3):
        found = fit_arm(ArmTask({**others, "p0": equal(odd, value, most)}, family, candidates=QUICK))
        assert found.rung == rung
        assert found.check.holds
        assert abs(wears_out(found) - wears_out(without)) < MOST_PROBABILITY
        for before, after in ((without.fresh, found.fresh), (without.drop, found.drop), (without.now, found.now)):
            assert moved([before[0], before[1], before[-1]], [after[0], after[1], after[-1]]) < MOST_OF_INTERVAL


@pytest.mark.parametrize("law", [Normal(0.5), Gamma(0.5), Agent(0.5)])
def test_noise_has_a_floor_and_the_derivatives_of_it(law: Normal | Gamma | Agent) -> None:
    u, h = np.array([-8.0, -2.0, -1.0, 0.3]), 1e-5
    eta, r = np.full(4, 0.3), np.full(4, 0.6)
    assert log_noise(law, u)[0] == pytest.approx(np.log(QUIETEST * 0.5), abs=1e-5)
    slope = (loglik_of(law, eta, u + h, r) - loglik_of(law, eta, u - h, r)) / (2.0 * h)
    np.testing.assert_allclose(terms(law, eta, u, r).noise_slope, slope, rtol=1e-4, atol=1e-8)


def test_no_rounded_reward_has_a_probability_above_1() -> None:
    """Rewards of 1 to 5, most of them 3: a narrow density times the unit of rounding would be above 1."""
    rng = np.random.default_rng(3)
    records = {
        f"p{i}": Record(np.ones(20), np.where(rng.random(20) < 0.05, rng.integers(1, 6, 20), 3.0)) for i in range(12)
    }
    panel = panel_of(records)
    for family in possible(panel.reward):
        found = held_out(Candidate(CONSTANT), panel, components_of(family, panel, 0.0))
        assert found.max() <= 0.0


def rows_of(reward: dict[str, Floats]) -> list[str]:
    """Rows of a file with the rewards of each arm, by person and decision."""
    return [
        f"p{i},{2 * t + k},{arm},{values[i, t]:g}"
        for k, (arm, values) in enumerate(reward.items())
        for i in range(values.shape[0])
        for t in range(values.shape[1])
    ]


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0, 7.0])
def test_rewards_that_are_all_equal_are_refused_in_one_sentence(tmp_path: Path, value: float) -> None:
    rows = rows_of({"walk": np.full((4, 6), value), "sit": np.full((4, 6), value)})
    with pytest.raises(ValueError, match=rf"column 'reward': every reward is the same, {value:g}: nothing can be est"):
        cohort_of(written(tmp_path / "d.csv", rows, HEADER))


@pytest.mark.parametrize(
    ("value", "unit"), some_of([(5.0, 1.0), (0.5, 0.1), (0.25, 0.01), (-0.5, 0.1), (5000.0, 1000.0), (0.7, 0.1)], 2)
)
def test_an_arm_whose_rewards_are_all_equal_is_named_and_constant(tmp_path: Path, value: float, unit: float) -> None:
    """Its level is known to what rounding to the last decimal place leaves open."""
    rng = np.random.default_rng(4)
    rewards = {"walk": np.full((6, 10), value), "sit": rng.normal(4.0, 1.0, (6, 10)).round(2)}
    notes = cohort_of(written(tmp_path / "d.csv", rows_of(rewards), HEADER)).notes
    assert f"Warning: every reward of walk is the same, {value:g}: whether it wears out cannot be estimated." in notes
    records = {f"p{i}": {arm: Record(np.ones(10), values[i]) for arm, values in rewards.items()} for i in range(6)}
    found = fit_cohort(Data(records), FitTask(("gaussian",), pool="shared", workers=1)).arms["walk"]
    assert found.rung == CONSTANT
    assert found.check.holds
    assert value - 0.5 * unit < found.fresh[0] < value < found.fresh[2] < value + 0.5 * unit
    assert found.fresh[2] - found.fresh[0] > 0.01 * unit  # what is divided by is not the rounding error of the mean
    for person in found.persons.values():
        assert person.fresh[1] == pytest.approx(value, abs=0.2 * unit)


def test_unit_of_one_value_is_its_last_decimal_place_of_six_digits() -> None:
    values = [0.5, 0.25, -0.5, 5.0, 5000.0, 0.1 * 3, 1 / 3, 1e-9, 0.0]
    assert [unit_of(np.full(3, v)) for v in values] == [0.1, 0.01, 0.1, 1.0, 1000.0, 0.1, 1e-6, 1e-9, 1.0]
    assert unit_of(np.zeros(0)) == 1.0


@pytest.mark.parametrize("family", ["gaussian", "zero-inflated"])
def test_a_person_unlike_all_others_has_a_level_of_their_own(family: str) -> None:
    """The distance from the others is not taken for noise, and the others keep their levels."""
    rng = np.random.default_rng(5)
    others = {f"p{i}": Record(np.ones(20), 5.0 + 0.3 * rng.standard_normal() + 0.6 * rng.standard_normal(20))
              for i in range(1, 20)}  # fmt: skip
    found = fit_arm(ArmTask({"p0": Record(np.ones(20), np.full(20, 12.0)), **others}, family, candidates=QUICK))
    assert found.check.holds
    low, _, high = found.persons["p0"].fresh
    assert low < 12.0 < high
    assert high - low < 1.0
    for name, record in others.items():
        assert found.persons[name].fresh[1] == pytest.approx(record.rewards.mean(), abs=0.15)
