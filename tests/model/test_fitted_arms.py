"""Arms of a new person from people.json: their levels are those of the population, in every family."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.model.dynamics.unknown import RECOVERY, hypothesis_at
from rogue_bandits.types import mean
from tests.model.test_population_prior import BLOCK, written

FITS = {  # as `rogue fit` writes them: the state is what a rested arm has lost
    "logit": {"lo": -16.0, "theta_lo": -8.0, "theta_hi": 8.0, "rewards": {"family": "BernoulliLogit"}},
    "poisson": {"lo": -21.8, "theta_lo": -8.0, "theta_hi": 13.8, "rewards": {"family": "PoissonLog"}},
    "binomial": {"lo": -16.0, "theta_lo": -8.0, "theta_hi": 8.0, "rewards": {"family": "BinomialLogit", "trials": 5.0}},
    "gaussian": {"lo": -16e3, "theta_lo": 0.0, "theta_hi": 16e3, "rewards": {"family": "Gaussian", "sd": 800.0}},
}
MEANS: dict[str, Any] = {
    "logit": lambda level: 1.0 / (1.0 + np.exp(-level)), "poisson": np.exp, "gaussian": lambda level: level,
    "binomial": lambda level: 5.0 / (1.0 + np.exp(-level)),
}  # fmt: skip


def file_of(folder: Path, family: str, level: float, log_loss: float) -> Path:
    """A people.json with one fitted person and the population of one arm."""
    fit: dict[str, Any] = {**FITS[family]}
    fit["rewards"] = {**fit["rewards"], "theta_weight": 1.0, "state_weight": 1.0}
    block = {**BLOCK, "mean": [level, 0.0, log_loss, 1.0], "covariance": (1e-12 * np.eye(4)).tolist()}
    return written(folder, population={"walk": block}, family=family, fits={"ann": {"walk": fit}})


@pytest.mark.parametrize(("family", "level", "loss"), [
    ("logit", 0.7, 2.0), ("poisson", 1.5, 2.0), ("binomial", -1.0, 2.0), ("gaussian", 7_000.0, 1_500.0),
])  # fmt: skip
def test_the_middle_of_the_prior_has_the_level_and_the_loss_of_the_population(
    tmp_path: Path, family: str, level: float, loss: float
) -> None:
    """Mean rewards of a fresh and of a worn-out arm, by the textbook's links."""
    arm = rb.arm_from_fit(file_of(tmp_path, family, level, np.log(loss)), "walk")
    h = hypothesis_at(arm.dynamics, RECOVERY, 0.5, 0.5, 0.5, 0.5)
    fresh, worn = h.drift / (1.0 - h.decay), (h.drift + h.pull) / (1.0 - h.decay)
    for state, at in ((fresh, level), (worn, level - loss)):
        assert arm.dynamics.lo < state < arm.dynamics.hi
        for theta in (arm.theta_lo, arm.theta_hi):  # it has no weight
            assert mean(arm.rewards, theta, state) == pytest.approx(MEANS[family](at))
    assert arm.name == "walk"


def test_an_agent_has_its_noise_as_theta(tmp_path: Path) -> None:
    """As `Unknown.from_fit` says, states are rewards from 0 to 1."""
    path = written(tmp_path, population={"walk": BLOCK}, family="agent")
    arm = rb.arm_from_fit(path, "walk")
    assert arm == rb.Arm(rb.Unknown.from_fit(path, "walk"), rb.LaplaceAgent(), 0.005, 1.0, "walk")


@pytest.mark.parametrize(("family", "level"), [("logit", 0.7), ("gaussian", 7_000.0), ("agent", 0.4)])
def test_an_arm_that_nothing_wears_out_has_the_levels_of_the_people(tmp_path: Path, family: str, level: float) -> None:
    """It can be in one bandit with arms that do; what it may lose is next to nothing."""
    fit = {"x0": level} if family == "agent" else {**FITS[family], "theta": level}
    path = written(tmp_path, population={"walk": {"scale": ""}}, family=family, fits={"ann": {"walk": fit}})
    arm = rb.arm_from_fit(path, "walk")
    h = hypothesis_at(arm.dynamics, RECOVERY, 0.5, 0.5, 0.5, 0.5)
    fresh, worn = h.drift / (1.0 - h.decay), (h.drift + h.pull) / (1.0 - h.decay)
    expected = level if family == "agent" else MEANS[family](level)
    assert mean(arm.rewards, 0.01, fresh) == pytest.approx(expected, abs=1e-3)
    assert fresh - worn == pytest.approx(0.01)


def test_an_arm_that_wears_out_for_good_is_not_one_that_nothing_wears_out(tmp_path: Path) -> None:
    """Files without a distribution of its losses are refused, by the probabilities that they have."""
    block = {"no_effect": 1e-8, "no_recovery": 0.98, "recovery": 0.02, "losing": 0.014}
    fit = {**FITS["gaussian"], "theta": 7_000.0}
    path = written(tmp_path, population={"walk": block}, family="gaussian", fits={"ann": {"walk": fit}})
    with pytest.raises(ValueError, match=r"arm 'walk' wears out for good.*`rogue fit` writes it anew"):
        rb.arm_from_fit(path, "walk")


@pytest.mark.parametrize(("content", "words"), [
    ({"family": "zero-inflated", "population": {"walk": BLOCK}}, "which no arm can have"),
    ({"family": "logit", "population": {"walk": BLOCK}}, "arm 'walk': nobody was fitted"),
    ({"family": "logit", "cohort": {"arms": ["wlk"]}, "population": {}}, "did you mean 'wlk'"),
])  # fmt: skip
def test_files_without_such_an_arm(tmp_path: Path, content: dict[str, Any], words: str) -> None:
    """Say why."""
    with pytest.raises(ValueError, match=words):
        rb.arm_from_fit(written(tmp_path, **content), "walk")
