"""The noise that is typical of people is that of rewards around what is expected, not their spread."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.ladder.compare import RECOVERY, RUNGS, Candidate
from rogue_bandits.estimate.ladder.families import components_of
from rogue_bandits.estimate.ladder.noise import noises_of
from rogue_bandits.estimate.ladder.panel import panel_of
from rogue_bandits.estimate.ladder.reported import fit_arm
from rogue_bandits.estimate.ladder.task import ArmTask
from tests.matrix import some_of

DECAY = 0.5 ** (1 / 6)
LAWS = {
    "gaussian": lambda eta, noise, rng: 3.0 + eta + noise * rng.standard_normal(),
    "zero-inflated": lambda eta, noise, rng: 100.0 * math.exp(eta) * rng.gamma(noise**-2) * noise**2,
    "agent": lambda eta, noise, rng: min(max(0.8 + 0.3 * eta + rng.laplace(0.0, noise), 0.0), 1.0),
}


def people(family: str, noise: float, drop: float, *, number: int, decisions: int, differ: float) -> dict[str, Record]:
    """People with levels of their own whose rewards wear out with a half-life of 6; drops differ by exp(differ · z)."""
    rng = np.random.default_rng(1)
    records = {}
    for i in range(number):
        played, rewards = (rng.random(decisions) < 0.5).astype(np.float64), np.full(decisions, np.nan)
        played[:3] = 1.0
        level, lost, load = 0.3 * rng.standard_normal(), drop * math.exp(differ * rng.standard_normal()), 0.0
        for t in range(decisions):
            if played[t]:
                rewards[t] = LAWS[family](level - lost * load, noise, rng)
            load = DECAY * load + played[t]
        records[f"p{i}"] = Record(played, rewards)
    return records


@pytest.mark.parametrize("noise", some_of([0.05, 0.1], 1))
def test_little_noise_is_recovered_where_wear_out_is_strong(noise: float) -> None:
    """The spread of rewards is some ten times the noise: a floor of 0.3 of it was above the noise."""
    records = people("gaussian", noise, 0.4, number=30, decisions=60, differ=0.0)
    found = fit_arm(ArmTask(records, "gaussian", candidates=[Candidate(rung) for rung in RUNGS]))
    assert found.rung == RECOVERY
    assert found.check.holds
    noises = [math.exp(person.numbers["log_noise"]) for person in found.persons.values()]
    assert np.median(noises) == pytest.approx(noise, rel=0.06)
    assert found.drop[0] < 0.4 < found.drop[-1]
    assert found.drop[-1] - found.drop[0] < 0.16 * noise  # 0.14 without a floor


@pytest.mark.parametrize("differ", [0.0, 0.7])
@pytest.mark.parametrize(("number", "decisions"), [(30, 60), (200, 8)])
@pytest.mark.parametrize(
    ("family", "noise"), [("gaussian", 0.5), ("gaussian", 0.05), ("zero-inflated", 0.3), ("agent", 0.03)]
)
def test_typical_noise_is_on_the_scale_of_the_law(
    family: str, noise: float, number: int, decisions: int, differ: float
) -> None:
    """To a quarter, as medians of standard deviations with few degrees of freedom are below the noise."""
    panel = panel_of(people(family, noise, 0.15, number=number, decisions=decisions, differ=differ))
    part = components_of(family, panel, 0.0)[-1]
    unit = part.scale if family == "gaussian" else 1.0  # what the noise of the law is divided by
    assert part.law.typical * unit == pytest.approx(noise, rel=0.25)


def test_covariates_are_no_noise() -> None:
    records = people("gaussian", 0.1, 0.15, number=100, decisions=8, differ=0.0)
    rng = np.random.default_rng(2)
    covariates = {name: rng.standard_normal((8, 3)) for name in records}
    moved = {name: Record(r.played, r.rewards + covariates[name].sum(1)) for name, r in records.items()}
    part = components_of("gaussian", panel_of(moved, covariates), 0.0)[0]
    assert part.law.typical * part.scale == pytest.approx(0.1, rel=0.25)


def test_people_whose_rewards_do_not_vary_are_left_out() -> None:
    person = np.repeat([0, 1, 2], 8)
    y = np.concatenate([np.full(8, 0.1), np.tile([1.0, 2.0], 4), np.full(8, 0.3)])
    np.testing.assert_allclose(noises_of(y, person, np.zeros((24, 1))), [math.sqrt(2.0 / 7.0)])
    assert noises_of(y[:8], person[:8], np.zeros((8, 1))).size == 0
